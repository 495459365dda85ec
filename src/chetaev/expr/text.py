"""Text in the model language from a graph; reading it back gives the same graph.

>>> from chetaev.expr.graph import symbol, number
>>> to_text(-symbol("x", 1) ** number(2) / number(2))
"-x'^2/2"
"""

from __future__ import annotations

from fractions import Fraction

from chetaev.expr.graph import LARGEST, MAX_DIGITS, MAX_EXPONENT, Expr, postorder

# How tightly the outermost operation of a text binds.
SUM, PRODUCT, SIGNED, POWER, ATOM = range(5)


def to_text(expr: Expr) -> str:
    """The expression in the model language; definitions by their name."""
    return render([expr])[0]


def render(roots: list[Expr]) -> list[str]:
    """Texts of several expressions, shared parts rendered once."""
    done: dict[int, tuple[str, int]] = {}
    for node in postorder(*roots, through_definitions=False):
        if node.op == "add":
            done[id(node)] = _sum(node, done), SUM
        else:
            done[id(node)] = _node(node, [done[id(a)] for a in node.args if node.op != "define"])
    return [done[id(r)][0] for r in roots]


def number_text(value: Fraction) -> str:
    """An exact number: an integer or a quotient, whose parts are scaled where they leave double range.

    >>> number_text(Fraction(-1, 3)), number_text(Fraction(3, 10**310))
    ('-1/3', '3e-310')
    """
    if value.denominator == 1:
        return str(value.numerator)
    if abs(value.numerator) < LARGEST and value.denominator < LARGEST:
        return f"{value.numerator}/{value.denominator}"
    places = decimal_places(value.denominator)
    if places is not None:
        digits = str(value.numerator * 10**places // value.denominator)
        if places <= MAX_EXPONENT and len(digits) < MAX_DIGITS:
            return f"{digits}e-{places}"
    places = len(str(value.denominator)) - (abs(value) < 2**1000)  # both parts stay in range
    return f"{value.numerator}e-{places}/{value.denominator}e-{places}"


def decimal_places(denominator: int) -> int | None:
    """How many digits follow the point in a decimal with this denominator; None if they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    denominator >>= twos
    fives = 0
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


def decimal_text(value: Fraction) -> str | None:
    """The finite decimal of an exact number, or None if it has none.

    >>> decimal_text(Fraction(1, 40)), decimal_text(Fraction(1, 3))
    ('0.025', None)
    """
    places = decimal_places(value.denominator)
    if places is None:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _node(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    op = node.op
    if op == "number":
        return _number(node.value)
    if op in ("constant", "define"):
        return node.value, ATOM
    if op == "symbol":
        name, order = node.value
        return name + "'" * order, ATOM
    if op == "mul":
        return "*".join(_factor(a, i, node.args[i]) for i, a in enumerate(args)), PRODUCT
    if op == "div":
        return f"{_wrap(args[0], PRODUCT)}/{_wrap(args[1], POWER)}", PRODUCT
    if op == "neg":
        inner = node.args[0]
        if inner.op in ("mul", "div") and _leads_with_number(inner):
            return f"-({args[0][0]})", SIGNED
        return f"-{_wrap(args[0], PRODUCT)}", SIGNED
    if op == "pow":
        exponent = args[1][0] if args[1][1] >= POWER else f"({args[1][0]})"
        return f"{_wrap(args[0], ATOM)}^{exponent}", POWER
    return f"{op}({', '.join(a[0] for a in args)})", ATOM


def _leads_with_number(node: Expr) -> bool:
    """Whether the text of a product starts with a number, so that a sign before it would join it."""
    while node.op in ("mul", "div"):
        node = node.args[0]
    return node.op == "number"


def _number(value: Fraction) -> tuple[str, int]:
    text = number_text(value)
    if value < 0:
        return text, SIGNED
    return text, PRODUCT if "/" in text else ATOM


def _wrap(part: tuple[str, int], least: int) -> str:
    return part[0] if part[1] >= least else f"({part[0]})"


def _factor(part: tuple[str, int], position: int, node: Expr) -> str:
    if position == 0:
        if node.op == "mul":
            return f"({part[0]})"
        return part[0] if part[1] >= PRODUCT else f"({part[0]})"
    return _wrap(part, POWER)


def _sum(node: Expr, done: dict[int, tuple[str, int]]) -> str:
    parts = []
    for i, term in enumerate(node.args):
        text, level = done[id(term)]
        if i == 0:
            parts.append(f"({text})" if level == SUM else text)
        elif term.op == "neg":
            # a binary minus takes the whole product after it, numbers included
            inner = done[id(term.args[0])]
            parts.append(f" - {inner[0] if inner[1] >= PRODUCT and inner[1] != SIGNED else f'({inner[0]})'}")
        elif term.op == "number" and term.value < 0:
            parts.append(f" - {text[1:]}")
        elif level == SUM or text.startswith("-"):
            parts.append(f" + ({text})")
        else:
            parts.append(f" + {text}")
    return "".join(parts)
