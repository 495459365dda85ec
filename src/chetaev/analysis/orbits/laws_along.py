"""The laws whose multipliers are 1: those given, or the energy and the momenta of the symmetries.

The energy is conserved where L does not depend on time, there are no forces, and v·∂f/∂v vanishes on Q, so
that the constraints do no work: that is cheaper to prove than that its rate vanishes, which is tried where
this fails.
"""

from __future__ import annotations

from typing import Any

from chetaev.analysis.linear.state_matrices import Asked
from chetaev.analysis.orbits.closed_up_to_symmetry import Closing
from chetaev.analysis.steady.second_variation import integrals
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.laws.law import Law
from chetaev.model.system import System
from chetaev.model.system_arguments import as_list

MOST = 1000
"""Laws that can be given."""


def laws_along(system: System, closing: Closing, laws: Any, effort: int) -> list[tuple[str, Expr]]:
    """Laws with their names."""
    if laws is None:
        try:
            named = integrals(system, closing.names, closing.actions, effort)
            return [law for laws in named for law in laws]
        except ModelError:
            return []
    listed = [laws] if isinstance(laws, (str, Expr, Law)) else as_list(laws, "the laws")
    if len(listed) > MOST:
        raise ModelError(f"{len(listed)} laws are given", expected=f"at most {MOST}")
    asked = Asked.of(system, (), (), [x.expression if isinstance(x, Law) else x for x in listed])
    return list(zip(asked.texts, asked.outputs, strict=True))
