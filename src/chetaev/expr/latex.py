r"""LaTeX from a graph: ``\dot{x}``, Greek names, fractions; definitions by their name.

>>> from chetaev.expr.graph import symbol, number, call
>>> print(to_latex(symbol("theta", 1) ** number(2) / number(2)))
\frac{\dot{\theta}^{2}}{2}
"""

from __future__ import annotations

import re
from fractions import Fraction

from chetaev.expr.graph import Expr, definitions, postorder
from chetaev.expr.text import ATOM, POWER, PRODUCT, SIGNED, SUM

_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
    "varepsilon",
    "vartheta",
    "varphi",
    "varrho",
    "varsigma",
    "varpi",
]
_LETTERS = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϑϕϱςϖ",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "varepsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "varphi",
            "chi",
            "psi",
            "omega",
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Upsilon",
            "Phi",
            "Psi",
            "Omega",
            "epsilon",
            "vartheta",
            "phi",
            "varrho",
            "varsigma",
            "varpi",
        ],
        strict=True,
    )
)
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "asin": r"\arcsin", "acos": r"\arccos",
    "atan": r"\arctan", "atan2": r"\operatorname{atan2}", "sinh": r"\sinh", "cosh": r"\cosh",
    "tanh": r"\tanh", "asinh": r"\operatorname{arsinh}", "acosh": r"\operatorname{arcosh}",
    "atanh": r"\operatorname{artanh}", "exp": r"\exp", "log": r"\log", "sign": r"\operatorname{sign}",
    "min": r"\min", "max": r"\max",
}  # fmt: skip
APPLIED = POWER
"""A function without brackets binds like a power: it may be a factor, not a base."""
_DOTS = ("", r"\dot", r"\ddot", r"\dddot")


def name_latex(name: str, order: int = 0) -> str:
    r"""A name, with Greek letters, subscripts and dots.

    >>> name_latex("theta_1", 1), name_latex("I1"), name_latex("speed2"), name_latex("Omega")
    ('\\dot{\\theta}_{1}', 'I_{1}', '\\mathrm{speed}_{2}', '\\Omega')
    >>> name_latex("a_1_2"), name_latex("mass_of_cart")
    ('a_{1,2}', '\\mathrm{mass}_{\\mathrm{of}\\,\\mathrm{cart}}')
    """
    stem, *subs = name.translate(_SUBSCRIPTS).split("_")
    digits = re.fullmatch(r"(.*?)(\d+)", stem, re.DOTALL)
    if digits and digits[1]:
        stem, subs = digits[1], [digits[2], *subs]
    head = _stem(stem)
    if order:
        head = f"{_DOTS[order]}{{{head}}}" if order < len(_DOTS) else f"{{{head}}}^{{({order})}}"
    tail = _subscript([s for s in subs if s])
    return f"{head}_{{{tail}}}" if tail else head


def _subscript(parts: list[str]) -> str:
    """Indices with commas between them; words as words."""
    text = ""
    for i, part in enumerate(parts):
        words = i and _is_word(part) and _is_word(parts[i - 1])
        text += (r"\," if words else "," if i else "") + (part if part.isdigit() else _stem(part))
    return text


def _is_word(part: str) -> bool:
    return len(part) > 1 and part.isalpha() and part not in _GREEK


def _stem(stem: str) -> str:
    if stem in _GREEK:
        return "\\" + stem
    if stem in _LETTERS:
        return "\\" + _LETTERS[stem]
    if len(stem) == 1 and stem.isascii():
        return stem
    for greek in ("varepsilon", "vartheta", "varphi"):
        if stem == greek:
            return "\\" + greek
    if stem.isascii():
        return rf"\mathrm{{{stem}}}"
    return rf"\text{{{stem}}}"


def to_latex(expr: Expr) -> str:
    """The expression as LaTeX; definitions by their name."""
    return render([expr])[0]


def render(roots: list[Expr]) -> list[str]:
    """LaTeX of several expressions, shared parts rendered once."""
    done: dict[int, tuple[str, int]] = {}
    for node in postorder(*roots, through_definitions=False):
        done[id(node)] = _node(node, done)
    return [done[id(r)][0] for r in roots]


def meanings(*roots: Expr) -> list[tuple[str, str]]:
    """Name and meaning, as LaTeX, of every definition below the roots, in order."""
    return [(name_latex(d.value), to_latex(d.args[0])) for d in definitions(*roots)]


def _bracket(text: str) -> str:
    return rf"\left({text}\right)"


def _wrap(part: tuple[str, int], least: int) -> str:
    return part[0] if part[1] >= least else _bracket(part[0])


def number_latex(value: Fraction) -> tuple[str, int]:
    """An exact number and how tightly it binds."""
    sign = "-" if value < 0 else ""
    if value.denominator == 1:
        return str(value.numerator), SIGNED if sign else ATOM
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}", SIGNED if sign else PRODUCT


def _node(node: Expr, done: dict[int, tuple[str, int]]) -> tuple[str, int]:
    op = node.op
    if op == "number":
        return number_latex(node.value)
    if op == "constant":
        return (r"\pi" if node.value == "pi" else r"\mathrm{e}"), ATOM
    if op == "define":
        return name_latex(node.value), ATOM
    if op == "symbol":
        return name_latex(*node.value), ATOM
    args = [done[id(a)] for a in node.args]
    if op == "add":
        return _sum(node, done), SUM
    if op == "mul":
        text = _product(node, args)
        return text, SIGNED if text.startswith("-") else PRODUCT
    if op == "div":
        return rf"\frac{{{args[0][0]}}}{{{args[1][0]}}}", PRODUCT
    if op == "neg":
        return f"-{_wrap(args[0], PRODUCT) if args[0][1] != SIGNED else _bracket(args[0][0])}", SIGNED
    if op == "pow":
        return _power(node, args)
    if op == "sqrt":
        return rf"\sqrt{{{args[0][0]}}}", ATOM
    if op == "abs":
        return rf"\left|{args[0][0]}\right|", ATOM
    if len(node.args) == 1 and node.args[0].op in ("symbol", "define"):
        return rf"{_FUNCTIONS[op]} {args[0][0]}", APPLIED
    return rf"{_FUNCTIONS[op]}{_bracket(', '.join(a[0] for a in args))}", ATOM


def _power(node: Expr, args: list[tuple[str, int]]) -> tuple[str, int]:
    base, exponent = node.args
    if (
        base.op in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
        and exponent.op == "number"
        and exponent.value > 0
    ):
        head = _FUNCTIONS[base.op]
        return f"{head}^{{{args[1][0]}}}{args[0][0].removeprefix(head)}", POWER
    return f"{_wrap(args[0], ATOM)}^{{{args[1][0]}}}", POWER


_HEAD = "|".join(map(re.escape, sorted(_FUNCTIONS.values(), key=len, reverse=True)))
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_BARE_END = re.compile(rf"((?:{_HEAD})(?:\^{_BRACES})?) ((?:[^\s{{}}()|^]|{_BRACES})+)$")


def _product(node: Expr, args: list[tuple[str, int]]) -> str:
    parts: list[str] = []
    for i, part in enumerate(args):
        text = (
            part[0]
            if part[1] in (PRODUCT, POWER, ATOM) or (i == 0 and part[1] == SIGNED)
            else _bracket(part[0])
        )
        starts_with_digit = text[:1].isdigit()
        starts_with_fraction = text.startswith(r"\frac") and node.args[i].op == "number"
        if i and (starts_with_digit or starts_with_fraction):
            text = r"\cdot " + text
        upright = r"\mathrm", r"\text", r"\operatorname"
        if i and (text.startswith(upright) or parts[-1].startswith(upright)):
            text = r"\, " + text
        if i and not re.match(_HEAD, text):  # sin(a)*x is not the sine of a x
            parts[-1] = _BARE_END.sub(r"\1(\2)", parts[-1])
        parts.append(text)
    return " ".join(parts)


def _sum(node: Expr, done: dict[int, tuple[str, int]]) -> str:
    parts = []
    for i, term in enumerate(node.args):
        text, level = done[id(term)]
        if i == 0:
            parts.append(text if level != SUM else _bracket(text))
        elif text.startswith("-") and level != SUM:
            parts.append(f" - {text[1:]}")
        else:
            parts.append(f" + {text if level != SUM else _bracket(text)}")
    return "".join(parts)
