"""The reduced motion as a system, and the way back to the full one (SCOPE B11, M6).

The reduced motion σ̇ = P(t, σ) is a first-order system. The full motion follows from

    σ^i(t, q, q̇) = σ^i(t)   and   f(t, q, q̇) = 0,

the reconstruction equation, a first-order equation for q as soon as these determine the velocities. Nothing
is solved for them: both together are a system with as many independent constraints as coordinates, a
prescribed motion, which the integrator keeps to. Where they leave velocities open, as all rotations of space
do for one particle, these follow the law of the full system: the same constraints beside its Lagrangian,
which exert no force, because its motion satisfies them.

>>> import chetaev as ch
>>> plane = ch.System(
...     coordinates=["x", "phi"],
...     lagrangian="x'^2/2 + (1 + x^2)*phi'^2/2",
...     initial={"x": 1, "x_dot": 0, "phi_dot": 2},
... )
>>> found = ch.reduce(plane, invariants={"x": "x", "u": "x'", "w": "phi'"})
>>> [str(e) for e in found.lifted.velocity_constraints]
["u' = x*w^2", "w' = -2*x*u*w/(x^2 + 1)", "x' = u", "phi' = w"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, definitions, substitute, symbols
from chetaev.expr.print import to_text
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.nullspace import independent_rows
from chetaev.model.system import System
from chetaev.reduction.given_invariants import Invariant


def reduced_system(full: System, invariants: Sequence[Invariant], field: Mapping[str, Expr]) -> System:
    """σ̇ = P(t, σ) with the parameters of the full system, from its initial state if it has one."""
    return System(
        coordinates=[s.name for s in invariants],
        dynamics={"velocities": {s.name: written_out(field[s.name]) for s in invariants}},
        parameters=_parameters(full),
        data=dict(full.tables),
        initial=_start(full, invariants),
        time=full.time,
        name=f"{full.name}, reduced",
        until=full.until,
    )


def lifted(full: System, invariants: Sequence[Invariant], field: Mapping[str, Expr]) -> System:
    """The invariants that are no coordinates and the coordinates, with the reconstruction equation."""
    new = [s for s in invariants if not s.is_coordinate]
    fast = [s for s in new if any(k for _, k in symbols(s.function))]
    kept, is_all = _determining(full, fast)
    constraints = [f"{s.name}' = {written_out(field[s.name])}" for s in new]
    constraints += [f"{written_out(s.function)} = {s.name}" for i, s in enumerate(fast) if i in kept]
    given = enumerate(full.velocity_constraints, start=len(fast) + len(full.position_constraints))
    constraints += [f"{written_out(e.lhs)} = {written_out(e.rhs)}" for i, e in given if i in kept]
    levels = [f"{written_out(e.lhs)} = {written_out(e.rhs)}" for e in full.position_constraints]
    names = [*(s.name for s in new), *full.coordinates]
    moved = [s.name for s in new]
    law = [] if is_all else [f"({written_out(full.lagrangian)})"]
    forces = {} if is_all else {c: written_out(e) for c, e in full.forces.items()}
    start = _start(full, new)
    if start is not None:
        state = full.state
        start |= dict(state.position) | {f"{c}_dot": x for c, x in state.velocity.items()}
    return System(
        coordinates=names,
        lagrangian=" + ".join([*(f"{n}'^2/2" for n in (names if is_all else moved)), *law]),
        forces=forces,
        constraints={"velocity": constraints, "position": levels},
        parameters=_parameters(full),
        data=dict(full.tables),
        initial=start,
        time=full.time,
        name=f"{full.name}, reconstructed",
        until=full.until,
    )


def written_out(e: Expr) -> str:
    """In the model language, definitions written out."""
    while found := definitions(e):
        (e,) = substitute([e], {node: node.args[0] for node in found})
    return to_text(e)


def _parameters(full: System) -> dict[str, str]:
    return {name: to_text(value) for name, value in full.parameters.items()}


def _start(full: System, invariants: Sequence[Invariant]) -> dict[str, float] | None:
    """The values of the invariants at the initial state."""
    if full.initial is None:
        return None
    found = full.at_start([s.function for s in invariants])
    return {full.time: full.state.t, **{s.name: x for s, x in zip(invariants, found, strict=True)}}


def _determining(full: System, invariants: Sequence[Invariant]) -> tuple[list[int], bool]:
    """Independent rows σ(t, q, v) = σ and f = (dφ/dt, f) = 0, and whether they determine the velocities.

    dφ/dt comes with the position constraints in any case; then invariants, which are mostly simpler than
    the constraints that they make redundant. If all of them are not enough, the constraints come first, and
    a system that has no law to follow is answered with a sentence.
    """
    motion = Motion(full)
    functions = [motion.function(s.function) for s in invariants] + [motion.field(e) for e in motion.f]
    point = motion.points(seed=3).draw()
    tangents = [point.along({v: 1}) for v in motion.velocities]
    rows = [[point.slope(f, tangent) for tangent in tangents] for f in functions]
    first, m = len(invariants), len(tangents)
    levels = range(first, first + len(full.position_constraints))
    given = range(first, len(rows))

    kept = independent_rows(
        rows, [*levels, *(i for i in range(len(rows)) if i not in levels)], point.residues.p
    )
    if len(kept) == m:
        return kept, True
    if full.dynamics.lagrangian is None:
        raise ModelError(
            f"invariants and constraints determine {len(kept)} of the {m} velocities, and without a "
            "Lagrangian there is no law for the others: the motion cannot be reconstructed",
            remedy="reduce by invariants that contain the velocities, as quasi-velocities do",
        )
    return independent_rows(rows, [*given, *range(first)], point.residues.p), False
