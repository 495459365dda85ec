"""Equations of motion of a system that is given on Q itself (SCOPE K25, Sa1; Krupková (67), (75); Sarlet 1).

    Ā_s + B̄_sr a^r = 0,      a^a = d_c g^a/dt:      C_D a_D = −C_S a_S − d'f/dt,

in the chart of the coordinates that Ā and B̄ are given for (a mixed system has Ā = f, B̄ = −1). There are no
multipliers. Redundant constraints are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi

from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Around, Setup, names
from chetaev.errors import ModelError
from chetaev.model.dynamics.submanifold import Intrinsic
from chetaev.model.system import System
from chetaev.numeric import regular_minor


def derive(system: System, dependent: Sequence[str] | None = None, chart: Around = None) -> Equations:
    """The equations as they are given; unknowns are the independent accelerations.

    >>> import chetaev as ch
    >>> law = derive(
    ...     ch.System(
    ...         coordinates=["x", "y"],
    ...         dynamics={"accelerations": {"x": "-x"}, "velocities": {"y": "x*x'"}},
    ...     )
    ... )
    >>> law.unknowns, str(law.accelerations["y"])
    (("x''",), "(x' - x)*(x' + x)")
    """
    dynamics = system.dynamics
    assert isinstance(dynamics, Intrinsic)
    s = Setup(system, chart=chart)
    S = [system.coordinates.index(c) for c in dynamics.independent]
    D = [i for i in range(s.m) if i not in S]
    others = [system.coordinates[i] for i in D]
    if dependent is not None and sorted(dependent) != sorted(others):
        raise ModelError(
            f"the system is given in the chart of {', '.join(dynamics.independent)}",
            remedy="form='reduced-lepage' states it in other charts",
        )
    A, B = dynamics.on_q(s)
    solved = casadi.SX(0, len(S) + 1)
    if D:
        C, c = s.by_v(s.f), s.along(s.f)
        held = len(system.position_constraints)
        rows = [held + i for i in range(len(D))]  # x' = g(…), where the dynamics states them
        if not dynamics.states_constraints:
            rows, _ = regular_minor(s.number(C[:, D]))
        if len(rows) < len(D):
            velocities = ", ".join(f"{c}'" for c in others)
            raise ModelError(
                f"the constraints cannot be solved for {velocities}: ∂f/∂v is singular there on all of Q",
                remedy="give A and B for other coordinates",
            )
        solved = -s.solve(C[rows, D], casadi.horzcat(C[rows, S], c[rows]))
    recover, offset = s.lifted(solved[:, :-1], solved[:, -1], S)
    A_graphs, B_rows = s.graphs(A), s.matrix(B)
    return Equations(
        form="reduced",
        system=system,
        unknowns=names([s.accelerations[i] for i in S]),
        matrix=B_rows,
        right=s.graphs(-A),
        recover=s.matrix(recover),
        offset=s.graphs(offset),
        objects={"A": A_graphs, "B": B_rows},
        source="Krupková (67), (75), §4; Sarlet, section 1; K25, Sa1",
    )
