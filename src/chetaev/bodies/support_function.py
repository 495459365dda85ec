"""The support function of a convex body: where it touches a plane, and how it is curved there (SCOPE M2).

Let γ be the unit vector normal to the plane, in a frame of the body, pointing to the side of the body. The
support function h(γ) is the height of the frame's origin above the plane when the body rests on it so turned.
The vector from the origin to the point of contact is

    ρ = −grad h,      of h continued with degree 1:   ρ = −(∂h/∂γ + (h − γ·∂h/∂γ) γ)   for |γ| = 1,

and −∂ρ/∂γ on the plane tangent to the sphere has the principal radii of curvature as eigenvalues; the body is
convex if they are nowhere negative. Some bodies: R (ball), sqrt(a²γ₁² + b²γ₂² + c²γ₃²) (ellipsoid),
b + a sqrt(γ₁² + γ₂²) (torus, which rolls on its outer half), R sqrt(γ₁² + γ₂²) (disc with a sharp edge).

>>> found = read_support("sqrt(a^2*(g1^2 + g2^2) + c^2*g3^2)", {"a": 2, "c": 1})
>>> print(found)
h = sqrt(a^2*g1^2 + a^2*g2^2 + c^2*g3^2)
>>> [str(e) for e in found.contact][2], found.revolution
('-c^2*g3/sqrt(a^2*g1^2 + a^2*g2^2 + c^2*g3^2)', True)

Small vectors of expressions: sums, products, turns about axes (SCOPE M2).

>>> from chetaev.expr.graph.node import symbol
>>> a = [symbol(f"a{i}") for i in (1, 2, 3)]
>>> [str(e) for e in turned("z", symbol("psi"), a)]
['cos(psi)*a1 - sin(psi)*a2', 'sin(psi)*a1 + cos(psi)*a2', 'a3']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, ask
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, call, mul, neg, sub, symbol, symbols
from chetaev.expr.print import to_text
from chetaev.laws.standpoint import standpoints
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System

NORMAL = ("g1", "g2", "g3")
"""The names of the components of γ."""
EFFORT = 20_000_000
"""What gradient and curvature may cost."""


@dataclass(frozen=True)
class Support:
    """h(γ), its gradient and what follows from it."""

    on: System  # parameters and γ, as a system without motion: the scope of h
    function: Expr  # h
    # where the centre of mass lies; its height is h + c·γ, and ρ − c leads from it to the point of contact
    centre: tuple[Expr, Expr, Expr] = (ZERO, ZERO, ZERO)

    @cached_property
    def _field(self) -> Field:
        field = Field(Budget(EFFORT))
        for name in (*self.on.parameters, *NORMAL):
            field.symbol(name)
        return field

    @cached_property
    def _h(self) -> Element:
        return self._element(self.function)

    def _element(self, e: Expr) -> Element:
        found = ask(self._field, e)
        if isinstance(found, GivenUp):
            raise ModelError(
                f"the support function {to_text(e)[:100]} has no normal form: {found.reason}",
                expected="polynomials, roots and other analytic functions of g1, g2, g3",
            )
        return found

    @cached_property
    def _gradient(self) -> tuple[Element, ...]:
        """Of h continued with degree 1, on the sphere."""
        h = self._h
        slopes = [h.diff(n) for n in NORMAL]
        gamma = [self._field.symbol(n) for n in NORMAL]
        rest = h
        for x, y in zip(gamma, slopes, strict=True):
            rest = rest - x * y
        if rest.is_zero:
            return tuple(slopes)
        return tuple(y + rest * x for x, y in zip(gamma, slopes, strict=True))

    @cached_property
    def contact(self) -> tuple[Expr, ...]:
        """ρ − c, from the centre of mass to the point of contact."""
        rho = [(-g).to_expr() for g in self._gradient]
        return tuple(_less(e, c) for e, c in zip(rho, self.centre, strict=True))

    @property
    def height(self) -> Expr:
        """h + c·γ, the height of the centre of mass."""
        terms = [mul(c, symbol(n)) for c, n in zip(self.centre, NORMAL, strict=True) if c is not ZERO]
        return add(self.function, *terms) if terms else self.function

    @cached_property
    def slopes(self) -> tuple[tuple[Expr, ...], ...]:
        """∂ρ_i/∂γ_j; the rate of ρ is this times γ × ω."""
        return tuple(tuple((-g).diff(n).to_expr() for n in NORMAL) for g in self._gradient)

    @cached_property
    def curvature(self) -> tuple[Expr, Expr]:
        """Sum and product of the principal radii of curvature, as functions on |γ| = 1.

        With H = ∂²h/∂γ∂γ, P = 1 − γγᵀ and c = h − γ·∂h/∂γ they are the eigenvalues of PHP + c on the plane
        tangent to the sphere.
        """
        gamma = [self._field.symbol(n) for n in NORMAL]
        H = [[self._h.diff(m, n) for n in NORMAL] for m in NORMAL]
        c = self._h - _combined([self._h.diff(n) for n in NORMAL], gamma)
        moved = [_combined(row, gamma) for row in H]
        along = _combined(moved, gamma)
        trace = H[0][0] + H[1][1] + H[2][2] - along
        squares = sum((_combined(row, row) for row in H), along**2 - 2 * _combined(moved, moved))
        product = (trace**2 - squares) / 2 + c * trace + c**2
        return (trace + 2 * c).to_expr(), product.to_expr()

    @cached_property
    def revolution(self) -> bool:
        """Whether the third axis is one of revolution and has the centre of mass on it, proved.

        That is γ₁ ∂h/∂γ₂ − γ₂ ∂h/∂γ₁ = 0 and c₁ = c₂ = 0.
        """
        if any(e is not ZERO for e in self.centre[:2]):
            return False
        g1, g2 = (self._field.symbol(n) for n in NORMAL[:2])
        turned = g1 * self._h.diff("g2") - g2 * self._h.diff("g1")
        return turned.is_zero is True

    def with_values(self, functions: tuple[Expr, ...]) -> list[Expr]:
        """Functions of γ alone: parameters have the values given."""
        return standpoints(self.on)[-1].apply(functions)

    def __str__(self) -> str:
        return f"h = {to_text(self.height)}"


def _less(e: Expr, c: Expr) -> Expr:
    """e − c, without two signs."""
    if c is ZERO:
        return e
    return add(e, c.args[0]) if c.op == "neg" else sub(e, c)


def _combined(row: Sequence[Element], gamma: Sequence[Element]) -> Element:
    return sum((x * y for x, y in zip(row[1:], gamma[1:], strict=True)), row[0] * gamma[0])


def read_support(given: Any, parameters: Mapping[str, Any]) -> Support:
    """A support function from text or an expression in g1, g2, g3 and parameters."""
    on = System(
        coordinates=NORMAL,
        dynamics={"velocities": dict.fromkeys(NORMAL, "0")},
        parameters=parameters,
        name="directions",
    )
    h = function_on(on, given, "the support function", 0)
    if (on.time, 0) in symbols(h):
        raise ModelError(
            f"the support function {to_text(h)[:100]} contains {on.time}", expected="a function of g1, g2, g3"
        )
    found = Support(on, h)
    return Support(on, found._h.to_expr())


Vector = Sequence[Expr]
AXES = {"x": 0, "y": 1, "z": 2}


def times(a: Expr, b: Expr) -> Expr:
    """The product, 0 if a factor is."""
    if ZERO in (a, b):
        return ZERO
    return b if a is ONE else a if b is ONE else mul(a, b)


def total(*terms: Expr) -> Expr:
    """The sum of the terms that are not 0."""
    kept = [e for e in terms if e is not ZERO]
    return add(*kept) if kept else ZERO


def minus(a: Expr, b: Expr) -> Expr:
    """a − b."""
    return a if b is ZERO else neg(b) if a is ZERO else sub(a, b)


def dot(a: Vector, b: Vector) -> Expr:
    """a·b."""
    return total(*(times(x, y) for x, y in zip(a, b, strict=True)))


def cross(a: Vector, b: Vector) -> list[Expr]:
    """a × b."""
    places = ((1, 2), (2, 0), (0, 1))
    return [minus(times(a[i], b[j]), times(a[j], b[i])) for i, j in places]


def apply(matrix: Sequence[Vector], a: Vector) -> list[Expr]:
    """A a."""
    return [dot(row, a) for row in matrix]


def turned(axis: str, angle: Expr, a: Vector, back: bool = False) -> list[Expr]:
    """R_axis(angle) a, or with the transpose for `back`."""
    k = AXES[axis]
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = call("cos", angle), call("sin", angle)
    found = list(a)
    first, second = times(s, a[j]), times(s, a[i])
    if back:
        found[i] = total(times(c, a[i]), first)
        found[j] = minus(times(c, a[j]), second)
    else:
        found[i] = minus(times(c, a[i]), first)
        found[j] = total(second, times(c, a[j]))
    return found


def axis(name: str, length: Expr) -> list[Expr]:
    """A vector along an axis."""
    found = [ZERO, ZERO, ZERO]
    found[AXES[name]] = length
    return found
