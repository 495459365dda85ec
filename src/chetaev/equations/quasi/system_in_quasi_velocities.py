"""A system in (q, u) to be integrated: u' by Ā + B̄ u' = 0, q' = V(t, q, u) (SCOPE K25, D5).

Quasi-velocities that are no velocities of coordinates become such: u = σ' for a quasi-coordinate σ, which
occurs nowhere else. Then A and B of the law in (t, q, u) with q' = V(t, q, u) as constraints are a system
of their own, in normal form: its constraints are solved, whatever the state is, and its motions satisfy
those of the system they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import casadi
import numpy as np

from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.given_quasi_velocities import expect_frame, frame_of_model
from chetaev.equations.quasi.quasi_frame import QuasiFrame, law_in
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.model.jet_functions import fresh
from chetaev.model.system import System
from chetaev.numeric import numerical_rank, unit_rows


@dataclass(frozen=True)
class SystemInQuasiVelocities:
    """The system in (q, u), and how states go there."""

    frame: QuasiFrame
    """The quasi-velocities."""
    system: System
    """The coordinates q, then σ; without initial data."""
    names: Mapping[str, str]
    """Σ by quasi-velocity."""

    def start(self, system: System) -> tuple[list[float], list[float]]:
        """Positions and velocities of the initial state of the system it comes from."""
        state = system.state
        values = system.values_of(state)
        chosen = [i for i, label in enumerate(self.frame.labels) if label in self.names]
        u = [float(x) for x in evaluate([self.frame.functions[i] for i in chosen], values)]
        for i, x in zip(chosen, u, strict=True):
            values[self.frame.symbols[i].value] = values[self.frame.labels[i]] = x
        v = [float(x) for x in evaluate(self.frame.velocities, values)]
        q = [state.position[c] for c in system.coordinates]
        if not (np.isfinite(v).all() and _is_frame_at_start(system, self.frame)):
            raise ModelError(
                "the quasi-velocities are singular at the initial state: they do not give its velocities",
                remedy="choose others in [quasi], or run without form='quasi'",
            )
        return q + [0.0] * len(u), v + u


def _is_frame_at_start(system: System, frame: QuasiFrame) -> bool:
    """Whether the quasi-velocities and the constraints are independent at the initial state."""
    s = Setup(system)
    u = s.column(list(frame.functions))
    rows = s.matrix(casadi.vertcat(s.by_v(u), s.by_v(s.f)))
    numbers = np.array(evaluate([e for row in rows for e in row], s.start), dtype=float)
    if not np.isfinite(numbers).all():
        return False
    table = numbers.reshape(len(rows), s.m)
    return numerical_rank(unit_rows(table)) == s.m


@lru_cache(maxsize=32)
def carrier(system: System) -> SystemInQuasiVelocities:
    """The system in (q, u) of a system whose form ``quasi`` applies; a ModelError where it does not."""
    s = Setup(system)
    expect_frame(s)
    frame = frame_of_model(system)
    law = law_in(s, frame.velocities, frame.symbols)
    matrix, right = s.matrix(law.matrix), s.graphs(law.right)
    names = {(u := frame.labels[i]): fresh(f"integral_{u}", system.names) for i in frame.named}
    into: dict[Expr, Expr] = {graph.symbol(u): graph.symbol(sigma, 1) for u, sigma in names.items()}
    owners = [names.get(label, label.rstrip("'")) for label in frame.labels]
    order = sorted(range(len(owners)), key=lambda i: [*system.coordinates, *names.values()].index(owners[i]))
    A = graph.substitute(right, into)
    B = [graph.substitute([graph.neg(e) for e in row], into) for row in matrix]
    velocities = graph.substitute(frame.velocities, into)
    constraints = [
        Equation(graph.symbol(c, 1), V)
        for c, V in zip(system.coordinates, velocities, strict=True)
        if V is not graph.symbol(c, 1)
    ]
    return SystemInQuasiVelocities(
        frame,
        System(
            coordinates=[*system.coordinates, *names.values()],
            dynamics={"A": {owners[i]: A[i] for i in order}, "B": [[B[i][j] for j in order] for i in order]},
            constraints={"velocity": constraints, "position": list(system.position_constraints)},
            parameters=dict(system.parameters),
            define={n: d.args[0] for n, d in system.definitions.items()},
            time=system.time,
            name=system.name,
        ),
        names,
    )
