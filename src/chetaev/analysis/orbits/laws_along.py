"""The laws whose multipliers are 1: those given, or the energy and the momenta of the symmetries.

The energy is conserved where L does not depend on time, there are no forces, and v·∂f/∂v vanishes on Q, so
that the constraints do no work: that is cheaper to prove than that its rate vanishes, which is tried where
this fails.
"""

from __future__ import annotations

from typing import Any

import casadi

from chetaev.analysis.linear.state_matrices import Asked
from chetaev.analysis.orbits.closed_up_to_symmetry import Closing
from chetaev.analysis.steady.second_variation import integrals
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.expr.graph.node import Expr
from chetaev.laws.law import Law
from chetaev.laws.rate import is_first_integral
from chetaev.laws.standpoint import standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list

MOST = 1000
"""Laws that can be given."""


def laws_along(system: System, closing: Closing, laws: Any, effort: int) -> list[tuple[str, Expr]]:
    """Laws with their names."""
    if laws is None:
        try:
            return _found(system, closing, effort)
        except ModelError:
            return []
    listed = [laws] if isinstance(laws, (str, Expr, Law)) else as_list(laws, "the laws")
    if len(listed) > MOST:
        raise ModelError(f"{len(listed)} laws are given", expected=f"at most {MOST}")
    asked = Asked.of(system, (), (), [x.expression if isinstance(x, Law) else x for x in listed])
    return list(zip(asked.texts, asked.outputs, strict=True))


def _found(system: System, closing: Closing, effort: int) -> list[tuple[str, Expr]]:
    if system.dynamics.lagrangian is None:
        return []
    s = Setup(system)
    p = casadi.gradient(s.L, s.v)
    found: list[tuple[str, Expr]] = []
    if _works_not(system, s, closing, effort):
        found += [("energy", e) for e in s.graphs(casadi.dot(p, s.v) - s.L)]
        if closing.names:
            found += [law for law in integrals(system, closing.names, (), effort) if law[0] != "energy"]
    else:
        found += integrals(system, closing.names, (), effort)
    fields = [s.column(list(a.components.values())) for a in closing.actions]
    momenta = s.graphs(casadi.vertcat(*(casadi.dot(p, x) for x in fields))) if fields else []
    for action, e in zip(closing.actions, momenta, strict=True):
        verdict, _ = is_first_integral(system, e, effort)
        if verdict.is_zero and verdict.proved:
            found.append((f"momentum along {action.text}", e))
    return found


def _works_not(system: System, s: Setup, closing: Closing, effort: int) -> bool:
    """Whether it is proved that nothing does work, and time occurs nowhere."""
    if system.dynamics.forces or system.acceleration_constraints or not closing.residual.autonomous:
        return False
    if not s.f.numel():
        return True
    powers = s.graphs(casadi.mtimes(s.by_v(s.f), s.v))
    linear = s.graphs(casadi.mtimes(s.by_v(s.f), s.v) - s.f)
    view = standpoints(system)[-1]
    if all(v.is_zero and v.proved for v in zero_tests(view.apply(linear), effort=effort)):
        return True
    return all(v.is_zero and v.proved for v in vanish(system, powers, view, effort))
