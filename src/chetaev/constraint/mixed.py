"""Mixed first- and second-order systems, and constrained systems given on Q itself (SCOPE Sa1, K25).

    q̈^α = f^α(t, q, q̇^β)          q̇^a = g^a(t, q, q̇^β)

There need be no Lagrangian and no system on the ambient J¹Y. The first-order equations are a constraint in
normal form; the dynamics is the semispray on Q

    Γ = ∂/∂t + q̇^α ∂/∂q^α + g^a ∂/∂q^a + f^α ∂/∂q̇^α,     here also as a field on J¹Y tangent to Q.

>>> car = MixedSystem(second={"s": "-s'"}, first={"x": "cos(theta)*s'", "theta": "u"}, parameters=["u"])
>>> car.accelerations()["x"] == car.constraint.chart("-s'*(u*sin(theta) + cos(theta))")
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from chetaev.constraint.adapted import AdaptedChart
from chetaev.constraint.given import Given
from chetaev.constraint.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.graph import Expr, sub, symbol, symbols
from chetaev.expr.parser import parse
from chetaev.expr.scope import Scope
from chetaev.geometry.vector_field import VectorField


class MixedSystem:
    """q̈^α = f^α, q̇^a = g^a, as an object of its own.

    Parameters
    ----------
    second
        f^α by coordinate: text in the model language or expressions in t, q and the velocities of these
        coordinates.
    first
        g^a by coordinate, of the same kind.
    parameters
        Names of constants that may occur.
    time
        The name of time.
    """

    def __init__(
        self,
        second: Mapping[str, str | Expr],
        first: Mapping[str, str | Expr],
        parameters: Iterable[str] = (),
        time: str = "t",
    ) -> None:
        both = sorted(set(second) & set(first))
        if both:
            raise ModelError(f"the coordinate {both[0]!r} has an equation of first and one of second order")
        if not second and not first:
            raise ModelError("a mixed system needs equations")
        self.coordinates = (*second, *first)
        self.time = time
        self.parameters = tuple(parameters)
        scope = Scope.of(self.coordinates, self.parameters, time, purpose="an equation of a mixed system")
        self.second = {q: _read(e, scope) for q, e in second.items()}
        self.first = {q: _read(e, scope) for q, e in first.items()}
        for q, e in {**self.second, **self.first}.items():
            wrong = sorted(n for n, order in symbols(e) if order and n in first)
            if wrong:
                raise ModelError(
                    f"the equation of {q} contains {wrong[0]}', which is itself given by an equation",
                    remedy=f"put the right side of {wrong[0]}' = … in its place",
                )

    @cached_property
    def constraint(self) -> Constraint:
        """Q = {q̇^a = g^a}."""
        functions = tuple(sub(symbol(q, 1), e) for q, e in self.first.items())
        labels = tuple(f"{q}' = {e}" for q, e in self.first.items())
        return Constraint(Given(self.coordinates, functions, (), self.time, {}, None, labels))

    @cached_property
    def chart(self) -> AdaptedChart:
        """The chart of Q whose dependent velocities are the q̇^a."""
        return AdaptedChart(self.constraint, tuple(self.coordinates.index(q) for q in self.first))

    def accelerations(self) -> dict[str, Element]:
        """All accelerations on Q: f^α, and d_c g^a/dt with f^α for the free ones."""
        J = self.constraint.chart
        known = {q: J(e) for q, e in self.second.items()}
        put = {(q, 1): J(e) for q, e in self.first.items()}
        result = dict(known)
        for q, g in self.first.items():
            total = self._rate(J(g), put)
            for p, f in known.items():
                total = total + f * J(g).diff((p, 1))
            result[q] = total
        return result

    def _rate(self, g: Element, put: Mapping[tuple[str, int], Element]) -> Element:
        """d'_c g/dt with the q̇^a put in."""
        total = g.diff((self.time, 0))
        for q in self.coordinates:
            v = put.get((q, 1), g.field.symbol(q, 1))
            total = total + v * g.diff((q, 0))
        return total

    @cached_property
    def semispray(self) -> VectorField:
        """Γ as a field on J¹Y that is tangent to Q."""
        J = self.constraint.chart
        accelerations = self.accelerations()
        velocity = [J(self.first[q]) if q in self.first else J.field.symbol(q, 1) for q in self.coordinates]
        return VectorField.of(J, [J.field.one, *velocity, *(accelerations[q] for q in self.coordinates)])

    def __repr__(self) -> str:
        return f"<MixedSystem: {len(self.second)} of second, {len(self.first)} of first order>"


def _read(value: str | Expr, scope: Scope) -> Expr:
    return value if isinstance(value, Expr) else parse(value, scope)
