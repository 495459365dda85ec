"""What a page needs to compute the motions of a system by itself: a few programs, and where they start.

The law is given whole, M(t,q,v), h, C, c of

    M a + h = Cᵀ μ,        C a + c = 0,

and the page solves for (a, μ) with full pivoting: no chart has to be chosen, none ever to be left, redundant
rows and singular masses are no special cases. The compiled integrators eliminate instead, so that a motion
in the page is an independent computation of the same motion.

>>> import chetaev as ch
>>> played = PlayedSystem(ch.load("rolling-disc"))
>>> played.data["coordinates"], played.data["rows"], played.data["rank"]
(['x', 'y', 'psi', 'phi', 'theta'], 2, 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import casadi

from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import Expr, symbol
from chetaev.flow.derive.dynamics import DerivedDynamics
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.modes import unfold
from chetaev.flow.derive.program import from_casadi
from chetaev.model.checked_fields import Initial
from chetaev.model.system import System
from chetaev.view.play.javascript import javascript

STATE = ("t", "q", "v", "p")
"""The arguments of every program: time, positions, velocities, parameters."""
SEEN = (*STATE, "a", "u", "w")
"""Those of what is seen: also accelerations, multipliers and integrals over time."""
LARGEST = 60_000
"""Operations of a law at most: a page that runs more of them a thousand times is no play."""


def cannot_play(system: System) -> str:
    """Why a page cannot compute the motions of a system by itself; empty if it can."""
    model = Ingredients.of(system)
    if system.stops:
        return "the page computes no impacts"
    if system.degenerate:
        return "the page does not follow Dirac's algorithm, which this degenerate Lagrangian needs"
    if system.tables:
        return "the page has no tables of data"
    if unfold(model)[1]:
        return "the page does not look for the kinks of abs, sign, min and max"
    return ""


class PlayedSystem:
    """The programs of one system.

    Parameters
    ----------
    system
        The system, with initial data.
    shown
        Expressions to evaluate along the motion, in time, positions, velocities, accelerations,
        multipliers ``mu_1`` …, ``reaction_x`` …, ``energy`` and the integrals.
    integrals
        Rates of what is integrated along the motion, by name.
    known
        What further names in them stand for.
    """

    def __init__(
        self,
        system: System,
        shown: Sequence[Expr] = (),
        integrals: Mapping[str, Expr] | None = None,
        known: Mapping[str, Expr] | None = None,
    ) -> None:
        self.system, self.shown, self.integrals = system, list(shown), dict(integrals or {})
        self.known = dict(known or {})
        self.model = Ingredients.of(system)
        self.dynamics = DerivedDynamics(self.model)
        self.initial = system.initial or Initial()

    @cached_property
    def data(self) -> dict[str, Any]:
        """What is no program, for JSON."""
        model, state = self.model, self.system.state
        given = self.initial
        return {
            "coordinates": list(model.coordinates),
            "time": self.system.time,
            "rows": model.rows,
            "rank": model.independent,
            "held": model.on_velocities,
            "positions": len(model.position),
            "integrals": len(self.integrals),
            "start": {
                "t": state.t,
                "q": [state.position[c] for c in model.coordinates],
                "v": [state.velocity[c] for c in model.coordinates],
            },
            "given": [list(given.position), list(given.velocity)],
            "parameters": list(model.parameters),
        }

    @cached_property
    def programs(self) -> dict[str, str]:
        """The functions of the page by name, as texts.

        ``law`` has M, h, C and c, rows one after the other; ``held`` has f, φ and ∂f/∂v; ``seen`` what is
        shown; ``rates`` the rates of the integrals; ``values`` all parameters from those that are numbers;
        ``initial`` the initial data that are given, from all parameters.
        """
        d, arguments = self.dynamics, self.dynamics.arguments.list()

        def flat(matrix: Any) -> Any:
            return casadi.vec(casadi.densify(matrix).T)

        law = [flat(d.mass()), d.h, flat(d.matrix), d.rest]
        held = [d.f, d.phi, flat(d.matrix[: self.model.on_velocities, :])]
        return {
            "law": javascript(from_casadi(arguments, law), STATE),
            "held": javascript(from_casadi(arguments, held), STATE),
            "seen": self._along(self.shown, SEEN),
            "rates": self._along(list(self.integrals.values()), SEEN[:-1]),
            "values": self._values(),
            "initial": self._initial(),
        }

    @cached_property
    def _extra(self) -> tuple[Any, Any, Any]:
        """Accelerations, multipliers and integrals as columns."""
        model = self.model
        mu = [symbol(f"mu_{i + 1}") for i in range(model.rows)]
        column = self.dynamics.engine.column
        return column(model.symbols(2)), column(mu), column([symbol(name) for name in self.integrals])

    def _along(self, exprs: list[Expr], names: Sequence[str]) -> str:
        """Expressions of a view along the motion."""
        d = self.dynamics
        column = d.expressions(exprs)
        reaction = casadi.mtimes(d.matrix.T, self._extra[1])
        known = {f"reaction_{c}": reaction[i] for i, c in enumerate(self.model.coordinates)}
        known["energy"] = d.energy
        own = self.system.scope.values
        known = {name: value for name, value in known.items() if name not in own}
        known |= {name: d.engine(expr) for name, expr in self.known.items()}
        for name, value in known.items():
            column = casadi.substitute(column, d.engine(symbol(name)), casadi.densify(value))
        inputs = [*d.arguments.list(), *self._extra][: len(names)]
        return javascript(from_casadi(inputs, [column]), names)

    def _values(self) -> str:
        """All parameters, from an array that has at the place of each that is a number its value."""
        engine = Engine()
        given = casadi.SX.sym("given", len(self.model.parameters))
        values: list[Any] = []
        for i, expr in enumerate(self.model.parameters.values()):
            values.append(given[i] if expr.op == "number" else self._in(engine, expr, values))
        return javascript(from_casadi([given], [casadi.vertcat(*values)]), ["p"])

    def _initial(self) -> str:
        """t, then the given positions and velocities."""
        engine, given = Engine(), self.initial
        parameters = casadi.SX.sym("p", len(self.model.parameters))
        values = [parameters[i] for i in range(len(self.model.parameters))]
        exprs = [given.t, *given.position.values(), *given.velocity.values()]
        column = casadi.vertcat(*(self._in(engine, expr, values) for expr in exprs))
        return javascript(from_casadi([parameters], [column]), ["p"])

    def _in(self, engine: Engine, expr: Expr, values: list[Any]) -> Any:
        """An expression in the parameters whose values are known already."""
        node = engine(expr)
        for name, value in zip(self.model.parameters, values, strict=False):
            node = casadi.substitute(node, engine(symbol(name)), value)
        return node
