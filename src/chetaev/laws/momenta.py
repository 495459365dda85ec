"""Momenta of cyclic coordinates (SCOPE K10, B10).

A coordinate q^i is cyclic when ∂L/∂q^i = 0 on Q. Its momentum p_i = ∂L/∂v^i is conserved when neither a force
nor a constraint force acts along it, or where the two cancel; a constraint force does, in general, act on a
cyclic coordinate, and then the symmetry gives no conservation law: d p_i/dt = F_i + μ_a ∂f^a/∂v^i.

(A coordinate is called *ignorable* in a classification if it occurs neither in L nor in the forces nor in the
constraints, :mod:`chetaev.constraint.kind.disguise`.)
"""

from __future__ import annotations

from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.node import ZERO
from chetaev.laws.law import Law
from chetaev.laws.rate import EFFORT, is_first_integral
from chetaev.laws.standpoint import judge, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System


def momenta(system: System, effort: int = EFFORT) -> list[Law]:
    """The momentum of every cyclic coordinate, with the verdict."""
    s = Setup(system)
    gradient, p, reaction = s.matrices(s.push, s.Pi, s.rows.C)
    slopes = vanish(system, [row[0] for row in gradient], standpoints(system)[-1], max(1, effort // 2))
    show = OnConstraint(system, effort)
    laws = []
    for i, (name, cyclic) in enumerate(zip(system.coordinates, slopes, strict=True)):
        if not cyclic.is_zero or p[i][0] is ZERO:
            continue
        expression = show.plain(p[i][0])
        proof, standpoint = is_first_integral(system, expression, effort)
        forced = name in system.forces and system.forces[name] is not ZERO
        acted = any(row[i] is not ZERO for row in reaction)
        actors = tuple(what for what, acts in (("a force", forced), ("a constraint", acted)) if acts)
        if proof.is_zero is None and not actors:  # dp/dt = ∂L/∂q needs no accelerations
            slope = gradient[i][0]
            proof, standpoint = judge(system, lambda view, e=slope: vanish(system, [e], view, effort)[0])  # type: ignore[misc]
        cause = _cause(name, proof.is_zero, actors)
        row = "K10" if proof.is_zero or not actors else ""
        title, words = f"momentum of {name}", standpoint.words
        laws.append(Law(title, expression, cause, proof, words, row, name, actors=actors))
    return laws


def _cause(name: str, conserved: bool | None, actors: tuple[str, ...]) -> str:
    if not actors:
        return f"{name} is cyclic, and neither a force nor a constraint acts on it"
    if conserved:
        verb = "leave" if len(actors) > 1 else "leaves"
        return f"{name} is cyclic, and {' and '.join(actors)} that could act on it {verb} it unchanged"
    verb = "act" if len(actors) > 1 else "acts"
    return f"{name} is cyclic, but {' and '.join(actors)} {verb} on it"
