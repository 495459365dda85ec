"""Constrained prolongation of a field on Y, and when there is none (SCOPE K16; Krupková §4.1, (53)–(59)).

For ξ = ξ⁰(t) ∂/∂t + ξ^σ(t, q) ∂/∂q^σ a field ζ on Q that projects onto ξ and is a symmetry of the contact
ideal must satisfy L_ζ(dq^σ − v^σ dt) ∈ span ω̄, hence

    ζ = ξ⁰ ∂/∂t + ξ^σ ∂/∂q^σ + (dξ^σ/dt − v^σ dξ⁰/dt) ∂/∂v^σ   on Q,

for all σ, the dependent velocities included. So J¹_c ξ exists iff the ordinary prolongation J¹ξ is tangent
to Q, and is then its restriction.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["z' = y*x'"], ["x", "y", "z"])
>>> print(constrained_prolongation(Q, {"x": 1}))
∂/∂x
>>> constrained_prolongation(Q, {"y": 1})
Traceback (most recent call last):
...
chetaev.geometry.chart.errors.GeometryError: the field has no constrained prolongation: ...
"""

from __future__ import annotations

from collections.abc import Mapping

from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Function
from chetaev.geometry.chart.errors import GeometryError


def prolongation(constraint: Constraint, components: Mapping[str, Function]) -> VectorField:
    """J¹ξ on J¹Y, of a projectable field given by its components; those left out are 0."""
    J = constraint.chart
    known = {constraint.given.time, *constraint.coordinates}
    for name in components:
        if name not in known:
            raise GeometryError(
                f"the field has a component along {name!r}, which is no coordinate of Y",
                expected="one of " + ", ".join(sorted(known)),
            )
    xi = {name: J(value) for name, value in components.items()}
    zero = J.field.zero
    base = xi.get(constraint.given.time, zero)
    for name, value in xi.items():
        allowed = {(constraint.given.time, 0)}
        if name != constraint.given.time:
            allowed |= {(q, 0) for q in constraint.coordinates}
        wrong = [s for s in value.symbols if s not in allowed and s[0] in known]
        if wrong:
            raise GeometryError(
                f"the field is not projectable: its component along {name} depends on "
                f"{wrong[0][0] + chr(39) * wrong[0][1]}",
                expected="ξ⁰(t) along time and ξ(t, q) along the coordinates",
            )
    rate = base.diff((constraint.given.time, 0))
    result: list[Element] = [base, *(xi.get(q, zero) for q in constraint.coordinates)]
    for q in constraint.coordinates:
        result.append(J.cut_total_derivative(xi.get(q, zero)) - J.field.symbol(q, 1) * rate)
    return VectorField.of(J, result)


def obstruction(constraint: Constraint, components: Mapping[str, Function]) -> list[tuple[Element, Element]]:
    """Pairs (f^a, (J¹ξ) f^a) with (J¹ξ) f^a not zero on Q; empty iff the constrained prolongation exists."""
    X = prolongation(constraint, components)
    found = []
    for f in constraint.on:
        change = X.derivative(f)
        if not constraint.zeros(change):
            found.append((f, change))
    return found


def constrained_prolongation(constraint: Constraint, components: Mapping[str, Function]) -> VectorField:
    """J¹_c ξ, written in ambient coordinates and tangent to Q; a GeometryError says why there is none."""
    wrong = obstruction(constraint, components)
    if wrong:
        f, change = wrong[0]
        X = prolongation(constraint, components)
        raise GeometryError(
            f"the field has no constrained prolongation: J¹ξ = {X} is not tangent to Q: "
            f"it changes {f} by {change} there"
        )
    return prolongation(constraint, components)
