r"""MathML of a layout: browsers show and print it without any script or font from elsewhere.

>>> from chetaev.expr.graph.node import number, symbol
>>> from chetaev.expr.print.layout_of_graph import page
>>> mathml(page(symbol("x", 1) ** number(2))[0])
'<math><msup><mover accent="true"><mi>x</mi><mo>˙</mo></mover><mn>2</mn></msup></math>'
"""

from __future__ import annotations

from fractions import Fraction
from html import escape

from chetaev.expr.print import layout as tree
from chetaev.expr.print.layout import Layout, fold
from chetaev.expr.print.layout_of_graph import is_upright, starts_with_digit
from chetaev.expr.print.names import FUNCTIONS, LETTERS, between, greek, parted

THIN = '<mspace width="0.1667em"></mspace>'
_DOTS = ("", "˙", "¨")
_SIGNS = {"-": "−", "·": "⋅", "!=": "≠", ">=": "≥", "<=": "≤"}

Elements = list[str]


def mathml(layout: Layout) -> str:
    """A formula as MathML."""
    return f"<math>{''.join(fold([layout], _write)[0])}</math>"


def _one(elements: Elements) -> str:
    """Several elements as one."""
    return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"


def _operator(sign: str) -> str:
    return f"<mo>{escape(_SIGNS.get(sign, sign))}</mo>"


def _write(layout: Layout, parts: list[Elements]) -> Elements:
    match layout:
        case tree.Name(name, order):
            return [_name(name, order)]
        case tree.Number(value):
            return [_number(value)]
        case tree.Word(text):
            return [_word(text)]
        case tree.Sign(sign):
            return [_sign(sign)]
        case tree.Sum(members):
            terms = zip(members, parts, strict=True)
            signed = [p if isinstance(m, tree.Minus) else [_operator("+"), *p] for m, p in terms]
            return [*parts[0], *(e for term in signed[1:] for e in term)]
        case tree.Product(members):
            return [e for i, p in enumerate(parts) for e in (*_glue(members, i), *p)]
        case tree.Minus():
            return [_operator("-"), *parts[0]]
        case tree.Bracketed():
            return [_fenced(parts[0], "()")]
        case tree.Over():
            return [f"<mfrac>{_one(parts[0])}{_one(parts[1])}</mfrac>"]
        case tree.Power(base):
            return [_raised(base, *map(_one, parts))]
        case tree.Radical():
            return [f"<msqrt>{_one(parts[0])}</msqrt>"]
        case tree.Bars():
            return [_fenced(parts[0], "||")]
        case tree.Barred():
            return [f'<mover accent="true">{_one(parts[0])}<mo>¯</mo></mover>']
        case tree.Indexed():
            tag = "msup" if layout.above else "msub"
            return [f"<{tag}>{_one(parts[0])}{_one(parts[1])}</{tag}>"]
        case tree.Relation(sign=sign):
            return [*parts[0], _operator(sign), *parts[1]]
        case tree.Call():
            return _call(layout, parts)
        case tree.Row((tree.Sign(sign), *_)) if sign not in "(∂":  # a sign between this line and the last one
            return ["<mrow></mrow>", *(e for p in parts for e in p)]
    return [e for p in parts for e in p]


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return f"<mn>{value.numerator}</mn>"
    return f"<mfrac><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>"


def _word(text: str) -> str:
    upright = ' mathvariant="normal"' if len(text) == 1 else ""
    return f"<mi{upright}>{escape(text)}</mi>"


def _sign(sign: str) -> str:
    if sign == "∂":
        return '<mi mathvariant="normal">∂</mi>'
    if sign in "()":
        return (
            f'<mo stretchy="false" fence="true" form="{"prefix" if sign == "(" else "postfix"}">{sign}</mo>'
        )
    return _operator(sign)


def _stem(stem: str) -> str:
    if greek(stem):
        upright = ' mathvariant="normal"' if greek(stem)[0].isupper() else ""
        return f"<mi{upright}>{LETTERS[greek(stem)]}</mi>"
    if len(stem) == 1 and stem.isascii():
        return f"<mi>{escape(stem)}</mi>"
    return _word(stem) if stem.isascii() else f"<mtext>{escape(stem)}</mtext>"


def _parted(name: str, order: int) -> tuple[str, str]:
    """The letter with its dots, and the indices; empty if there are none."""
    stem, indices = parted(name)
    head = _stem(stem)
    if 0 < order < len(_DOTS):
        head = f'<mover accent="true">{head}<mo>{_DOTS[order]}</mo></mover>'
    tail: Elements = []
    for i, index in enumerate(indices):
        if i:
            tail.append(THIN if between(indices[i - 1], index) else _operator(","))
        tail.append(f"<mn>{index}</mn>" if index.isdigit() else _stem(index))
    return head, _one(tail) if tail else ""


def _name(name: str, order: int) -> str:
    head, tail = _parted(name, order)
    if order >= len(_DOTS):
        return _scripted(head, tail, f"<mrow><mo>(</mo><mn>{order}</mn><mo>)</mo></mrow>")
    return _scripted(head, tail, "")


def _scripted(head: str, below: str, above: str) -> str:
    if below and above:
        return f"<msubsup>{head}{below}{above}</msubsup>"
    if below or above:
        tag = "msub" if below else "msup"
        return f"<{tag}>{head}{below or above}</{tag}>"
    return head


def _raised(base: Layout, written: str, exponent: str) -> str:
    if isinstance(base, tree.Name) and base.order < len(_DOTS):
        return _scripted(*_parted(base.name, base.order), exponent)
    return f"<msup>{written}{exponent}</msup>"


def _fenced(inside: Elements, fences: str) -> str:
    """A pair of fences that grows with a fraction or a root in it."""
    text = "".join(inside)
    grows = "" if "<mfrac" in text or "<msqrt" in text else ' stretchy="false"'
    return (
        f'<mrow><mo{grows} fence="true" form="prefix">{fences[0]}</mo>{text}'
        f'<mo{grows} fence="true" form="postfix">{fences[1]}</mo></mrow>'
    )


def _glue(factors: tuple[Layout, ...], i: int) -> Elements:
    """What stands before a factor: a dot before a number, a thin space beside words and functions."""
    if not i:
        return []
    here, last = factors[i], factors[i - 1]
    if starts_with_digit(here):
        return [_operator("·")]
    bare = isinstance(last, tree.Call) and not last.brackets
    near = isinstance(here, tree.Call) or bare or is_upright(here) or is_upright(last)
    return [THIN] if near else []


def _call(layout: tree.Call, parts: list[Elements]) -> Elements:
    head = f"<mi>{FUNCTIONS.get(layout.function, layout.function)}</mi>"
    if layout.exponent is not None:
        *parts, exponent = parts
        head = f"<msup>{head}{_one(exponent)}</msup>"
    inside = [e for i, p in enumerate(parts) for e in ([_operator(",")] if i else []) + p]
    if not layout.brackets:
        return [head, THIN, *inside]
    if layout.brackets == "()":
        return [head, _sign("("), *inside, _sign(")")]
    return [head, _fenced(inside, "()")]
