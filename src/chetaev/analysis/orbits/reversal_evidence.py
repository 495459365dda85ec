"""Whether a map reverses the motion: states that refute it, and proofs; see `reversal`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import states_of_q
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import Expr, number, substitute, symbol
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.numeric import first_largest

Array = NDArray[np.float64]
STATES = 12
"""States of Q at which a map is tested."""
CLEAR = 1e-6
"""A difference of accelerations above this part of them is none of rounding."""


class StatesOfQ:
    """The motion at some states of Q, in doubles."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.field: CompiledField = compile_field(system)
        self.data = system.random_states(STATES, seed=7)
        self.t, self.q, self.v = map(np.array, zip(*states_of_q(system, STATES, seed=7), strict=True))
        self.a = self.field(self.t, self.q, self.v)

    def witness(self, map_: Mapping[str, Expr]) -> tuple[int | None, str]:
        """The number of a state where the map fails, and how; None if there is none."""
        q, v, a = self._image(map_)
        with np.errstate(all="ignore"):
            there = self.field(-self.t, q, v)
            off = self.field.residuals(-self.t, q, v)
        for k in range(len(q)):
            if not (np.isfinite(a[k]).all() and np.isfinite(there[k]).all()):
                continue
            size = 1 + max(np.abs(v[k]).max(), np.abs(q[k]).max())
            if np.abs(off[k]).max(initial=0.0) > CLEAR * size**2:
                return k, f"its image misses a constraint by {np.abs(off[k]).max():.3g}"
            i = first_largest(np.abs(there[k] - a[k]))
            if abs(there[k, i] - a[k, i]) > CLEAR * (1 + np.abs(a[k]).max() + np.abs(there[k]).max()):
                name = self.system.coordinates[i]
                return k, f"{name}'' is {there[k, i]:.6g} at its image, and {a[k, i]:.6g} is needed"
        return None, ""

    def _image(self, map_: Mapping[str, Expr]) -> tuple[Array, Array, Array]:
        function = in_doubles(self.system, map_)
        parts = function.map(len(self.q))(self.q.T, self.v.T, self.a.T)
        q, v, a = (np.array(x.full()).T for x in parts)
        return q, v, a


def in_doubles(system: System, map_: Mapping[str, Expr]) -> Any:
    """r, −∂r v and the acceleration of r(q(−t)), as functions of (q, v, a) in doubles."""
    engine = Engine()
    put = {symbol(n): number(Fraction(x)) for n, x in system.parameter_values.items()}
    q, v, a = (engine.column([symbol(c, order) for c in system.coordinates]) for order in (0, 1, 2))
    r = casadi.densify(engine.column(substitute(list(map_.values()), put)))
    first = casadi.jtimes(r, q, v)
    second = casadi.jtimes(first, casadi.vertcat(q, v), casadi.vertcat(v, a))
    return casadi.Function("R", [q, v, a], [r, -first, second])


def proof(system: System, map_: Mapping[str, Expr], effort: int) -> tuple[bool, str]:
    """Whether invariance of law and constraints is proved; and for which parameters, or what is missing."""
    s = Setup(system)
    r = s.column(list(map_.values()))
    by_q = casadi.jacobian(r, s.q)
    first = casadi.jtimes(r, s.q, s.v)
    second = casadi.jtimes(first, casadi.vertcat(s.q, s.v), casadi.vertcat(s.v, s.a))
    here = casadi.vertcat(s.t, s.q, s.v, s.a)
    there = casadi.vertcat(-s.t, r, -first, second)

    def moved(column: Any) -> Any:
        return casadi.substitute(column, here, there)

    held = s.graphs(casadi.vertcat(s.phi, s.f))
    images = s.graphs(casadi.vertcat(moved(s.phi), moved(s.f)))
    further = s.graphs(s.alpha), s.graphs(moved(s.alpha))
    force = casadi.densify(s.F)
    forces = s.graphs(casadi.mtimes(by_q.T, moved(force)) - force)
    laws: list[list[Expr]] = []
    if system.dynamics.lagrangian is not None:
        laws.append([*s.graphs(moved(s.L) - s.L), *forces])
    form = _form(s)
    if form is not None:
        laws.append(s.graphs(casadi.mtimes(by_q.T, moved(form)) - form))
    if not system.degrees_of_freedom:  # the constraints alone say how it moves
        laws.append([])
    missing = "the law has no form whose invariance could be asked for"
    for view in standpoints(system):
        kept = _kept(system, held, images, view, effort)
        if not (
            kept
            and _all_zero(zero_tests(view.apply(further[1]), view.apply([*held, *further[0]]), effort=effort))
        ):
            missing = "that the constraints are invariant is not proved"
            continue
        for law in laws:
            if _all_zero(zero_tests(view.apply(law), effort=effort)) or _all_zero(
                vanish(system, law, view, effort)
            ):
                return True, f", {view.words}" if view.words else ""
            missing = "L and F, or M a + h − F, are not proved to be invariant"
    return False, missing


def _kept(system: System, held: list[Expr], images: list[Expr], view: Standpoint, effort: int) -> bool:
    """Whether the images of the constraints are proved to vanish on Q: mostly they are ± the constraints."""
    left = []
    for f, image in zip(held, images, strict=True):
        signed = view.apply([image - f, image + f])
        if not any(_all_zero(zero_tests([e], effort=effort)) for e in signed):
            left.append(image)
    return not left or _all_zero(vanish(system, left, view, effort))


def _form(s: Setup) -> Any:
    """M a + h − F, where there are momenta."""
    try:
        force, momentum = s.fundamental
    except ModelError:
        return None
    rate = s.along(momentum) + casadi.mtimes(s.by_v(momentum), s.a)
    return casadi.densify(rate - force - s.F)


def _all_zero(verdicts: Sequence[Verdict]) -> bool:
    return all(v.is_zero and v.proved for v in verdicts)
