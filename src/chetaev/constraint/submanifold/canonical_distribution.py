r"""The canonical distribution C on Q (the Chetaev bundle), its forms and fields (SCOPE K16, K17, Sa2).

    φ^a = dq^a − B^a_s dq^s − A^a dt                                 A = g − B v                          (60)
    ∂_c/∂t = ∂/∂t + A^a ∂/∂q^a,    ∂_c/∂q^s = ∂/∂q^s + B^a_s ∂/∂q^a,    ∂/∂v^s                            (61)

all derivations being those of Q. C is projectable onto Y iff Q is affine (Theorem 6). Forms and fields are
written on J¹Y and meant on Q: the fields are tangent to it.

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> Q = Constraint.of(["z' = y*x'"], ["x", "y", "z"])
>>> canonical_forms(Q) == [Q.chart.d("z") - Q.chart("y") * Q.chart.d("x")]
True
>>> canonical_fields(Q)[2] == Q.chart.partial("y") + Q.chart("x'") * Q.chart.partial("z'")
True

Constrained prolongation of a field on Y, and when there is none (SCOPE K16; Krupková §4.1, (53)–(59)).

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
chetaev.geometry.chart.functions.GeometryError: the field has no constrained prolongation: ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chetaev.constraint.submanifold.adapted_chart import AdaptedChart
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.expr.exact import Element
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import CoordinateLike, Function
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.distribution.distribution import Distribution

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint


def contact_forms(constraint: Constraint) -> list[Form]:
    """ω̄^σ = dq^σ − v^σ dt, the generators of the contact ideal on Q (55)."""
    chart = constraint.chart
    return [
        chart.d(q) - chart.field.symbol(q, 1) * chart.d(constraint.given.time) for q in constraint.coordinates
    ]


def canonical_forms(constraint: Constraint, chart: AdaptedChart | None = None) -> list[Form]:
    """The constraint forms φ^a (60), normalised to φ^a = dq^a − …"""
    chart = chart or constraint.adapted
    J = constraint.chart
    dt = J.d(constraint.given.time)
    forms = []
    for a, q in enumerate(chart.dependent):
        form = J.d(q) - chart.A[a] * dt
        for s, p in enumerate(chart.free):
            form = form - chart.B[a][s] * J.d(p)
        forms.append(form)
    return forms


def time_field(constraint: Constraint, chart: AdaptedChart | None = None) -> VectorField:
    """∂_c/∂t of (61)."""
    chart = chart or constraint.adapted
    down = (chart.A[a] * chart.derivation(q) for a, q in enumerate(chart.dependent))
    return sum(down, chart.derivation(constraint.given.time))


def position_field(constraint: Constraint, coordinate: str, chart: AdaptedChart | None = None) -> VectorField:
    """∂_c/∂q^s of (61)."""
    chart = chart or constraint.adapted
    if coordinate not in chart.free:
        raise GeometryError(
            f"there is no ∂_c/∂{coordinate} in this chart of Q: {coordinate}' is dependent"
            if coordinate in chart.dependent
            else f"{coordinate!r} is not a coordinate of Q",
            expected="one of " + ", ".join(chart.free),
            remedy="Constraint.charts() lists the other charts",
        )
    s = chart.free.index(coordinate)
    down = (chart.B[a][s] * chart.derivation(q) for a, q in enumerate(chart.dependent))
    return sum(down, chart.derivation(coordinate))


def canonical_fields(constraint: Constraint, chart: AdaptedChart | None = None) -> list[VectorField]:
    """The spanning fields (61): ∂_c/∂t, all ∂_c/∂q^s, all ∂/∂v^s."""
    chart = chart or constraint.adapted
    fields = [time_field(constraint, chart)]
    fields += [position_field(constraint, q, chart) for q in chart.free]
    fields += [chart.derivation((q, 1)) for q in chart.free]
    return fields


def chetaev_field(
    constraint: Constraint,
    components: Mapping[CoordinateLike, Function],
    chart: AdaptedChart | None = None,
) -> VectorField:
    """Z = Z⁰ ∂_c/∂t + Z^s ∂_c/∂q^s + Z̃^s ∂/∂v^s (62), from its components by chart coordinate.

    >>> from chetaev.constraint.submanifold.submanifold import Constraint
    >>> Q = Constraint.of(["z' = y*x'"], ["x", "y", "z"])
    >>> Z = chetaev_field(Q, {"x": "y"})
    >>> Z == Q.chart("y") * Q.chart.partial("x") + Q.chart("y^2") * Q.chart.partial("z")
    True

    Components belong to time, to the free coordinates and to their velocities:

    >>> chetaev_field(Q, {"z": 1})
    Traceback (most recent call last):
    chetaev.geometry.chart.functions.GeometryError: there is no ∂_c/∂z in this chart of Q: z' is dependent
      expected one of x, y
      Constraint.charts() lists the other charts
    """
    chart = chart or constraint.adapted
    J = constraint.chart
    Z = VectorField.of(J, [J.field.zero] * J.dimension)
    for coordinate, value in components.items():
        name, order = J.symbols[J.index(coordinate)]
        if name == constraint.given.time:
            X = time_field(constraint, chart)
        elif order:
            X = chart.derivation((name, 1))
        else:
            X = position_field(constraint, name, chart)
        Z = Z + J(value) * X
    return Z


def canonical_distribution(constraint: Constraint) -> Distribution:
    """C as a distribution on Q, in ambient coordinates."""
    return Distribution.spanned_by(canonical_fields(constraint), on=constraint.on, check=False)


def projected_fields(constraint: Constraint) -> list[VectorField]:
    """The fields (63) on Y of an affine constraint: ∂/∂t + A^a ∂/∂q^a and ∂/∂q^s + B^a_s ∂/∂q^a.

    What counts is Q: exp(z' − y x') = 1 is affine however it is written.

    >>> from chetaev.constraint.submanifold.submanifold import Constraint
    >>> for X in projected_fields(Constraint.of(["exp(z' - y*x') = 1"], ["x", "y", "z"])):
    ...     print(X)
    ∂/∂t
    ∂/∂x + y*∂/∂z
    ∂/∂y
    """
    if not constraint.is_affine_as_written:
        constraint = written_affine(constraint)
    chart = constraint.adapted
    Y = constraint.chart.at_order(0)  # (t, q), in the same field
    zero, one = Y.field.zero, Y.field.one
    rows: list[Sequence[object]] = []
    time = [zero] * Y.dimension
    time[0] = one
    for a, i in enumerate(chart.D):
        time[1 + i] = chart.A[a]
    rows.append(time)
    for s, j in enumerate(chart.S):
        row = [zero] * Y.dimension
        row[1 + j] = one
        for a, i in enumerate(chart.D):
            row[1 + i] = chart.B[a][s]
        rows.append(row)
    return [VectorField(Y, row) for row in rows]  # type: ignore[arg-type]


def written_affine(constraint: Constraint) -> Constraint:
    """The same constraint with equations affine in the velocities; a GeometryError if none are found."""
    from chetaev.constraint.submanifold.affine_in_disguise import straighten
    from chetaev.constraint.submanifold.evidence import Allowance
    from chetaev.constraint.submanifold.reducible import branches
    from chetaev.constraint.submanifold.submanifold import Constraint

    choices = branches(constraint.given).choices
    found = constraint if len(choices) != 1 else Constraint(choices[0], symbolic=False)
    if not found.is_affine_as_written:
        found, *_ = straighten(found, Allowance())
    if not found.is_affine_as_written:
        several = f": it has {len(choices)} branches, each with its own" if len(choices) > 1 else ""
        raise GeometryError(
            f"no equations affine in the velocities were found for the constraint{several}",
            remedy="ch.classify says whether its canonical distribution projects onto Y (Theorem 6)",
        )
    return found


def projected_distribution(constraint: Constraint) -> Distribution:
    """The distribution D on Y of an affine constraint (63); position constraints are integrals of it."""
    return Distribution.spanned_by(projected_fields(constraint), check=False)


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
