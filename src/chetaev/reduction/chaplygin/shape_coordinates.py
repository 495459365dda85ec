"""A model in coordinates of its shape: functions that the group leaves as they are take the place of others.

Where no coordinates of the model are coordinates of Q/G, functions σ(q) can be given that are. They must be
affine in as many coordinates e, with coefficients of the others,

    σ = A(q̂) e + b(q̂)      ⇒      e = A⁻¹ (σ − b),

so that the model can be written in (q̂, σ) by putting in e and its rate (SCOPE M4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import ZERO, Expr, substitute, symbol
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.given_fields import read_fields
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System
from chetaev.reduction.chaplygin.action import expect_kind
from chetaev.reduction.given_invariants import Invariant, read_invariants
from chetaev.reduction.reconstruction import written_out

MOST_CHOICES = 200
EFFORT = 50_000_000
"""What the new functions may cost."""


def in_shape_coordinates(system: System, symmetries: Any, shape: Any) -> tuple[System, list[dict[str, Expr]]]:
    """The model and the generators in the new coordinates."""
    expect_kind(system)
    invariants = _read(system, shape)
    fields = read_fields(system, symmetries, "point")
    field = Field(Budget(EFFORT))
    functions = [field(s.function) for s in invariants]
    for s, e in zip(invariants, functions, strict=True):
        for one in fields:
            moved = linear.dot([e.diff((c, 0)) for c in system.coordinates], [field(x) for _, x in one.along])
            if moved.is_zero is not True:
                raise ModelError(
                    f"{s.name} = {to_text(s.function)[:80]} is no coordinate of the shape: {one} changes it "
                    f"by {str(moved.to_expr())[:80]}",
                    expected="functions that the group leaves as they are",
                )
    solved = _solved(system, invariants, functions, field)
    kept = [c for c in system.coordinates if c not in solved]
    names = [*kept, *(s.name for s in invariants)]
    put: dict[Expr, Expr] = {}
    slopes: dict[str, dict[str, Element]] = {c: {c: field.one} for c in kept}
    for c, e in solved.items():
        slopes[c] = {n: e.diff((n, 0)) for n in names}
        speed = linear.dot(list(slopes[c].values()), [field.symbol(n, 1) for n in names])
        put[symbol(c)] = e.to_expr()
        put[symbol(c, 1)] = speed.to_expr()
    forces = {n: _force(system, n, slopes, put) for n in names}
    model = System(
        coordinates=names,
        lagrangian=written_out(substitute([system.lagrangian], put)[0]),
        constraints=[f"{written_out(e)} = 0" for e in substitute(constraint_functions(system), put)],
        forces={n: written_out(e) for n, e in forces.items() if e is not ZERO},
        parameters={n: to_text(e) for n, e in system.parameters.items()},
        data=dict(system.tables),
        initial=_start(system, kept, invariants),
        time=system.time,
        until=system.until,
        name=f"{system.name}, in coordinates of the shape",
    )
    moved_fields = []
    for one in fields:
        along = dict(one.along)
        moved_fields.append(dict(zip(kept, substitute([along[c] for c in kept], put), strict=True)))
    return model, moved_fields


def _read(system: System, shape: Any) -> tuple[Invariant, ...]:
    if not isinstance(shape, Mapping) or not shape:
        raise ModelError(f"the shape is {shown(shape)}", expected='functions by name, such as {"d": "x - y"}')
    found = read_invariants(system, shape)
    for s in found:
        function_on(system, s.function, f"the shape coordinate {s.name!r}", 0)
        if s.name in system.coordinates or s.name in system.names:
            raise ModelError(
                f"the shape coordinate {s.name!r} has a name that the model uses", remedy="give it another"
            )
    return found


def _solved(
    system: System, invariants: Sequence[Invariant], functions: Sequence[Element], field: Field
) -> dict[str, Element]:
    """Coordinates as functions of the others and of σ."""
    k = len(invariants)
    used = {n for e in functions for n, _ in e.symbols}
    candidates = [c for c in system.coordinates if c in used]
    for chosen in islice(combinations(candidates, k), MOST_CHOICES):
        A = [[e.diff((c, 0)) for c in chosen] for e in functions]
        if any((c, 0) in x.symbols for row in A for x in row for c in chosen):
            continue
        if linear.rank(A) < k:
            continue
        still = {(c, 0): 0 for c in chosen}
        right = [field.symbol(s.name) - e.subs(still) for s, e in zip(invariants, functions, strict=True)]
        return dict(zip(chosen, linear.solve(A, right), strict=True))
    raise ModelError(
        "the shape coordinates are not affine in as many coordinates of the model, or they are dependent",
        expected="functions such as x*cos(phi) + y*sin(phi)",
    )


def _force(
    system: System, name: str, slopes: Mapping[str, Mapping[str, Element]], put: dict[Expr, Expr]
) -> Expr:
    """F·∂q/∂q̂ along a new coordinate."""
    total = ZERO
    for c, e in system.forces.items():
        slope = slopes[c].get(name)
        if slope is not None and not slope.is_blank and e is not ZERO:
            term = substitute([e], put)[0] * slope.to_expr()
            total = term if total is ZERO else total + term
    return total


def _start(system: System, kept: Sequence[str], invariants: Sequence[Invariant]) -> dict[str, float] | None:
    if system.initial is None:
        return None
    state, field = system.state, Field(Budget(EFFORT))
    found = {system.time: state.t, **{c: state.position[c] for c in kept}}
    found |= {f"{c}_dot": state.velocity[c] for c in kept}
    for s in invariants:
        e = field(s.function)
        speed = [e.diff((c, 0)) for c in system.coordinates]
        rate = linear.dot(speed, [field.symbol(c, 1) for c in system.coordinates])
        found[s.name], found[f"{s.name}_dot"] = system.at_start([s.function, rate.to_expr()])
    return found
