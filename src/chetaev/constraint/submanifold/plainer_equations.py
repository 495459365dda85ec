"""Equations said more plainly: what f = 0 means for what stands inside (SCOPE K13).

    A/B = 0           is  A = 0, where B ≠ 0       h(A) = h(B)   is  A = B    h one-to-one: √, exp, atan, …
    √A = 0, |A| = 0   is  A = 0                    h(A) = h(B)   is  A = ±B   h even: | |, cosh, even powers
    exp A = 1         is  A = 0                    Σ c_i a_i² = 0, c_i > 0,   is  a_1 = 0, a_2 = 0, …

A sum of squares keeps several functions at zero with one equation whose differential vanishes wherever it
holds: such an equation is *blunt*. The rank condition (46) fails on all of Q as it is written, and holds for
what it means.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> def show(text):
...     return plain(ConstraintData.of([text], ["x", "y", "z"]).velocity[0])
>>> [[str(e) for e in way] for way in show("cosh(x') = cosh(y')").ways]
[["x' - y'"], ["x' + y'"]]
>>> shape = show("x'^2 + 3*abs(y' - z') = 0")
>>> [[str(e) for e in way] for way in shape.ways], shape.blunt
([["x'", "y' - z'"]], True)
>>> show("exp(x') + y'^2 = 0").ways
()

Functions up to a constant factor: coprime integer coefficients, for equations that are shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import gcd, lcm

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.expr.exact import Field, answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.graph.node import ONE, Expr, add, mul, number, sub, symbols

ONE_TO_ONE = frozenset(
    ("exp", "log", "sqrt", "sinh", "tanh", "asinh", "atan", "atanh", "asin", "acos", "acosh")
)
EVEN = frozenset(("abs", "cosh"))
VANISHES_AT = {"sqrt": 0, "abs": 0, "sinh": 0, "tanh": 0, "asinh": 0, "atan": 0, "atanh": 0, "asin": 0,
               "log": 1, "acos": 1, "acosh": 1}  # fmt: skip
NOT_SMOOTH_THERE = frozenset(("sqrt", "abs", "acos", "acosh"))
LEAST = {"exp": (0, True), "cosh": (1, False), "sqrt": (0, False), "abs": (0, False)}
"""The least value, and whether it is not reached."""
MAX_WAYS = 16

Way = tuple[Expr, ...]


@dataclass(frozen=True)
class Shape:
    """What an equation means."""

    ways: tuple[Way, ...]
    """The equation holds where, for one of them, all functions vanish; no way: nowhere."""
    nonzero: tuple[Expr, ...] = ()
    """Denominators that may vanish: the equation is meant where they do not."""
    blunt: bool = False
    """Whether the differential of the equation as written is 0 or undefined wherever it holds."""

    def and_nonzero(self, *denominators: Expr) -> Shape:
        """The same where these do not vanish."""
        return replace(self, nonzero=(*self.nonzero, *denominators))


def plain(f: Expr) -> Shape:
    """The meaning of f = 0, taken apart as far as its outermost operations go."""
    f = bare(f)
    if not any(order for _, order in symbols(f)):
        return Shape(((f,),))
    match f.op:
        case "div":
            above, below = f.args
            shape = plain(above)
            return shape if _sign(below) == 1 else shape.and_nonzero(below)
        case "pow" if f.args[1].op == "number" and f.args[1].value > 0:
            shape = plain(f.args[0])
            return replace(shape, blunt=shape.blunt or f.args[1].value != 1)
        case "exp" | "cosh":
            return Shape(())
        case name if name in VANISHES_AT:
            shape = plain(_minus(f.args[0], Fraction(VANISHES_AT[name])))
            return replace(shape, blunt=shape.blunt or name in NOT_SMOOTH_THERE)
        case "add":
            return _sum(f)
        case _:
            return Shape(((f,),))


def bare(f: Expr) -> Expr:
    """The function without signs and names in front."""
    while f.op in ("neg", "define"):
        f = f.args[0]
    return f


def _minus(a: Expr, value: Fraction) -> Expr:
    return a if value == 0 else sub(a, number(value))


def _terms(f: Expr, factor: Fraction = Fraction(1)) -> list[tuple[Fraction, Expr]]:
    """A sum as numbers times terms; a number alone is a multiple of 1."""
    match f.op:
        case "add":
            return [t for a in f.args for t in _terms(a, factor)]
        case "neg":
            return _terms(f.args[0], -factor)
        case "define":
            return _terms(f.args[0], factor)
        case "number":
            return [(factor * f.value, ONE)]
        case "mul" if f.args[0].op == "number":
            rest = f.args[1] if len(f.args) == 2 else mul(*f.args[1:])
            return _terms(rest, factor * f.args[0].value)
        case "div" if f.args[1].op == "number":
            return _terms(f.args[0], factor / f.args[1].value)
        case _:
            return [(factor, f)]


def _sum(f: Expr) -> Shape:
    terms = _terms(f)
    rest = sum((c for c, e in terms if e is ONE), Fraction(0))
    moving = [(c, e) for c, e in terms if e is not ONE and c]
    if len(moving) == 1:
        c, e = moving[0]
        return _level(e, -rest / c) or Shape(((f,),))
    if len(moving) == 2 and rest == 0 and moving[0][0] == -moving[1][0]:
        shape = _same(moving[0][1], moving[1][1])
        if shape is not None:
            return shape
    return _one_sign(moving, rest) or Shape(((f,),))


def _level(e: Expr, value: Fraction) -> Shape | None:
    """The meaning of e = value; None if it is not known."""
    if value == 0:
        return plain(e)
    if e.op in LEAST:
        least, never = LEAST[e.op]
        if value < least or (never and value == least):
            return Shape(())
    match e.op:
        case "exp" if value == 1:
            return plain(e.args[0])
        case "cosh" if value == 1:
            return replace(plain(e.args[0]), blunt=True)
        case "abs":
            return _either(sub(e.args[0], number(value)), add(e.args[0], number(value)))
        case "pow" if e.args[1].op == "number" and e.args[1].value % 2 == 0 and value < 0:
            return Shape(())
        case _:
            return None


def _same(a: Expr, b: Expr) -> Shape | None:
    """The meaning of h(A) = h(B); None for other equations."""
    if a.op != b.op or not a.args:
        return None
    difference = sub(a.args[0], b.args[0])
    if a.op in ONE_TO_ONE:
        return plain(difference)
    if a.op in EVEN:
        return _either(difference, add(a.args[0], b.args[0]))
    if a.op == "pow" and a.args[1] is b.args[1] and a.args[1].op == "number" and a.args[1].value:
        exponent = a.args[1].value
        if exponent.denominator % 2 == 0 or exponent.numerator % 2:
            return plain(difference)
        return _either(difference, add(a.args[0], b.args[0]))
    return None


def _either(*equations: Expr) -> Shape:
    shapes = [plain(e) for e in equations]
    nonzero = tuple(dict.fromkeys(e for s in shapes for e in s.nonzero))
    return Shape(tuple(w for s in shapes for w in s.ways), nonzero, all(s.blunt for s in shapes))


def _one_sign(moving: list[tuple[Fraction, Expr]], rest: Fraction) -> Shape | None:
    """A sum of terms of one sign: all of them vanish."""
    if len({c > 0 for c, _ in moving}) > 1 or (rest and (rest > 0) != (moving[0][0] > 0)):
        return None
    signs = []
    for _, e in moving:
        signs.append(_sign(e))
        if signs[-1] is None:  # one is enough
            return None
    if rest or 1 in signs:
        return Shape(())
    shapes = [plain(e) for _, e in moving]
    ways = [
        tuple(dict.fromkeys(e for way in choice for e in way))
        for choice in product(*(s.ways for s in shapes))
    ]
    if len(ways) > MAX_WAYS:
        return None
    return Shape(tuple(ways), tuple(e for s in shapes for e in s.nonzero), blunt=True)


def _sign(e: Expr) -> int | None:
    """1 for a function that is positive wherever it is defined, 0 for one that is not negative, else None."""
    inner = [_sign(a) for a in e.args] if e.op in ("mul", "div", "add", "define", "sqrt", "abs") else []
    found: int | None = None
    match e.op:
        case "number":
            found = 1 if e.value > 0 else 0 if e.value == 0 else None
        case "exp" | "cosh":
            found = 1
        case "pow" if e.args[1].op == "number":
            base, exponent = _sign(e.args[0]), e.args[1].value
            even = exponent.numerator % 2 == 0 or exponent.denominator % 2 == 0
            found = base if base == 1 else 0 if even else base
        case "sqrt" | "abs":
            found = 1 if inner[0] == 1 else 0
        case "mul" | "div" | "define":
            found = None if None in inner else min(s for s in inner if s is not None)
        case "add":
            found = None if None in inner else max(s for s in inner if s is not None)
    return found if found == 1 or not e.args else 1 if _seen_positive(e) else found


def _seen_positive(e: Expr) -> bool:
    """Whether the normal form is seen to be positive: 2 + cos x, x² + x y + y² + 1, …"""
    field = Field()

    def seen() -> bool:
        element = field(e)
        return positive(element) and (element.is_polynomial or positive(1 / element))

    return answer(ask(seen)) is True


def primitive(u: Element) -> Element:
    """The function times a constant: coprime integer coefficients, the first one positive."""
    field = u.field
    if all(not field.generators[k].depends for k in field.tower.used(u.denominator)):
        u = Element(field, u.numerator, field.tower.one)
    coefficients = [Fraction(int(c.p), int(c.q)) for c in u.numerator.coeffs()]
    if not coefficients:
        return u
    scale = Fraction(lcm(*(c.denominator for c in coefficients)), gcd(*(c.numerator for c in coefficients)))
    return u * (scale if coefficients[0] > 0 else -scale)
