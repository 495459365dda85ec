"""Is a function on Q a function of invariants? Its differential must be a combination of theirs (SCOPE B11).

    G = P(t, σ) near a generic point of Q   ⇔   dG ∈ span(dt, dσ¹, …, dσⁿ)  modulo df, dφ

The rank is taken at points modulo a prime. Where G is no such function, a witness is a state of this model
and a direction w tangent to Q along which time and all invariants stand still and G changes, with 50 digits.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> from chetaev.reduction.given_invariants import read_invariants
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - x^2*y^2")
>>> sigma = read_invariants(plane, {"a": "x^2 + y^2"})
>>> is_function_of(Motion(plane), sigma, parse("(x^2 + y^2)^3", plane.scope))
True
>>> is_function_of(Motion(plane), sigma, parse("x*y", plane.scope))
False
>>> shown = witness(plane, sigma, parse("x*y", plane.scope))
>>> sorted(shown.direction), shown.change > 0
(['x', 'y'], True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.graph.evaluate import evaluate_mp, mp_context
from chetaev.expr.graph.node import Expr
from chetaev.laws.search.first_integrals import LOOKS, Differentials
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.model.states.points import random_points
from chetaev.model.system import System
from chetaev.numeric.many_digits import independent_rows, outside
from chetaev.reduction.given_invariants import Invariant
from chetaev.results import PlainData

DIGITS = 50
SMALL = 1e-20
"""A change along a unit direction that is smaller than this is none, with so many digits."""
TRIES = 6


def is_function_of(motion: Motion, invariants: Sequence[Invariant], function: Expr) -> bool | None:
    """Whether dG depends on the differentials of time and invariants at generic points; None if that could
    not be computed.
    """

    def seen() -> bool:
        known = [motion.function(s.function) for s in invariants]
        known.append(motion.field.variable(motion.time))
        G = motion.function(function)
        points = motion.points(seed=3)
        stacks = [Differentials(motion, points.draw(), known) for _ in range(LOOKS)]
        return not any(stack.grows(stack.of(G)) for stack in stacks)

    return answer(ask(seen))


def rank_of(motion: Motion, invariants: Sequence[Invariant]) -> int:
    """How many of the invariants are independent on Q, at a time."""
    known = [motion.field.variable(motion.time), *(motion.function(s.function) for s in invariants)]
    points = motion.points(seed=3)
    return max(Differentials(motion, points.draw(), known).rank for _ in range(LOOKS)) - 1


@dataclass(frozen=True)
class Witness(PlainData):
    """A state, a direction that keeps time and invariants, and the rate of change of a function along it."""

    state: dict[str, float]
    direction: dict[str, float]
    change: float

    def __str__(self) -> str:
        state = ", ".join(f"{n} = {x:.4g}" for n, x in self.state.items())
        words = ""
        for n, x in self.direction.items():
            size = "" if abs(x) == 1 else f"{abs(x):.3g} "
            words += (" − " if x < 0 else " + " if words else "") + f"{size}∂/∂{n}"
        return (
            f"at {state}, along {words.removeprefix(' ')}, which keeps all invariants, it changes at the "
            f"rate {self.change:.3g}"
        )


def witness(system: System, invariants: Sequence[Invariant], function: Expr) -> Witness | None:
    """A state and a direction that show that G is no function of the invariants; None if none was met."""
    s = Setup(system)
    variables = casadi.vertcat(s.q, s.v)
    rows = casadi.vertcat(s.f, s.phi, *(s(x.function) for x in invariants))
    graphs = s.matrices(casadi.jacobian(rows, variables), casadi.gradient(s(function), variables))
    fixed, gradient = graphs[0], [row[0] for row in graphs[1]]
    names = [*system.coordinates, *(c + "'" for c in system.coordinates)]
    mp = mp_context(DIGITS)
    try:
        for point in random_points(system, TRIES, seed=11, digits=DIGITS):
            flat = ask(evaluate_mp, [*(e for row in fixed for e in row), *gradient], point, DIGITS)
            if isinstance(flat, GivenUp):
                continue
            n = len(names)
            rows = [flat[i * n : (i + 1) * n] for i in range(len(fixed))]
            kept, _ = independent_rows([[*row, 0] for row in rows], SMALL)
            w = flat[-n:]
            if kept:
                w = list(outside(mp, mp.matrix([rows[i] for i in kept]), mp.matrix(w)))
            size = mp.sqrt(sum(x * x for x in w))
            if size > SMALL * (1 + mp.sqrt(sum(x * x for x in flat[-n:]))):
                largest = max(abs(x) for x in w)
                shown = {k: float(x / largest) for k, x in zip(names, w, strict=True)}
                direction = {k: x for k, x in shown.items() if abs(x) > 1e-12}
                values = [point[c, k] for k in (0, 1) for c in system.coordinates]
                state = {k: float(x) for k, x in zip(names, values, strict=True)}
                return Witness(state, direction, float(size * size / largest))
    except ModelError:
        return None
    return None
