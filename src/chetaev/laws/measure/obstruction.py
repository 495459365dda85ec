"""What forbids an invariant density: a state at rest at which the divergence does not vanish (SCOPE M4, M6).

At an equilibrium Γ(ρ) = ∂ρ/∂t, so div(ρΓ) = ρ div Γ for every density that does not depend on time: where
div Γ ≠ 0 there is no positive smooth one. The same holds at a relative equilibrium, where only ignorable
coordinates move (those that occur neither in the law nor in the constraints), for densities that do not
depend on these.

States are tried at simple values of the coordinates and of the velocities of ignorable ones, then with one
of these solved for (:mod:`chetaev.laws.measure.steady_states`); doubles propose, exact zero tests decide, so
that the witness is exact. On kinks of the equations all sides have to agree.

Where the coordinates that move are angles, such a steady motion is a closed orbit
along which the divergence has a constant sign: f = log ρ would have to grow by −∮ div Γ dt on every turn, so
that no density that is periodic in them is preserved either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import Any

import numpy as np

from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import PI, ZERO, Expr, call, number, postorder, substitute, symbol, symbols
from chetaev.expr.print import to_text
from chetaev.laws.measure.steady_states import steady_states
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.vanishing_on_q import plain_form
from chetaev.results import PlainData

MOST_STATES = 4000
SMALL = 1e-11
PLAIN = (ZERO, number(1), number(-1), number(Fraction(1, 2)))


@dataclass(frozen=True)
class Obstruction(PlainData):
    """An exact state at rest with its divergence.

    Attributes
    ----------
    state
        Values by name, velocities as ``x'``.
    divergence
        div Γ there, a number in the chart of the answer.
    ignorable
        The coordinates that move there; empty at an equilibrium.
    proof
        The verdict that the divergence is not zero.
    """

    state: dict[str, Expr]
    divergence: Expr
    ignorable: tuple[str, ...]
    proof: Verdict

    facts = "kind state divergence ignorable proof.proved"

    @property
    def kind(self) -> str:
        """``equilibrium`` or ``relative equilibrium``."""
        return "relative equilibrium" if self.ignorable else "equilibrium"

    def __str__(self) -> str:
        where = ", ".join(f"{n} = {to_text(e)}" for n, e in self.state.items())
        moving = " and ".join(self.ignorable)
        them = "them" if len(self.ignorable) > 1 else "it"
        whose = f" that does not depend on {moving}, or is periodic in {them}," if self.ignorable else ""
        return (
            f"at the {self.kind} {where} the divergence is {to_text(self.divergence)}, not zero: "
            f"no smooth positive time-independent density{whose} is preserved"
        )


def obstruction(lin: Linearized, effort: int) -> Obstruction | None:
    """A state at rest with a divergence that is not zero, for the values of the parameters given; None if
    none is seen.
    """
    system, s = lin.system, lin.s
    view = standpoints(system)[-1]
    try:
        accelerations = solved_accelerations(system)
    except ModelError:
        return None
    levels = [e.residual for e in system.position_constraints]
    flat = view.apply([*accelerations, *s.graphs(s.f), *levels, *s.graphs(lin.divergence)])
    rest, div = flat[:-1], flat[-1]
    present = {name for name, order in symbols(*flat) if not order}
    if system.time in present:
        return None
    ignorable = [c for c in system.coordinates if c not in present]
    others = [c for c in system.coordinates if c in present]
    law = _LawAtRest(rest, div)
    for state in islice(_states(lin, ignorable, others, flat), MOST_STATES):
        found = _judged(law, state, ignorable, effort)
        if found is not None:
            return found
    return _steady(lin, law, ignorable, others, effort)


class _LawAtRest:
    """What vanishes at rest, and the divergence; both in doubles, by one program for all states."""

    def __init__(self, rest: list[Expr], div: Expr) -> None:
        self.rest, self.div = rest, div
        engine = Engine()
        self.names = sorted(symbols(*rest, div))
        variables = [symbol(*name) for name in self.names]
        self.program = engine.function([variables], [engine.column([*rest, div])])

    def in_doubles(self, state: dict[tuple[str, int], Expr]) -> tuple[list[float], float]:
        """The values at a state; nan where there is none."""
        values = self.program([_double(state.get(name, ZERO)) for name in self.names])
        *zeros, d = np.array(values, dtype=float).ravel().tolist()
        return zeros, d


@lru_cache(maxsize=4096)
def _double(e: Expr) -> float:
    return float(evaluate([e], {})[0])


def _steady(
    lin: Linearized, law: _LawAtRest, ignorable: list[str], others: list[str], effort: int
) -> Obstruction | None:
    """The same at states with one value that is not simple."""
    still = {(c, 0): ZERO for c in ignorable} | {(c, 1): ZERO for c in others}
    at_rest = ask(substitute, law.rest, {symbol(*k): e for k, e in still.items()})
    if isinstance(at_rest, GivenUp):  # the law has no value there: no state of this kind obstructs
        return None
    conditions = [e for e in at_rest if e is not ZERO]
    inside = {name for e in (*law.rest, law.div) for name, order in _angles(e) if not order}
    choices: dict[tuple[str, int], tuple[Expr, ...]] = {
        (c, 0): (PI / 2, ZERO, PI / 4, PI) if c in inside else (*PLAIN[1:], *_initial(lin, c), ZERO)
        for c in others
    }
    choices |= {(c, 1): (number(1), ZERO) for c in ignorable}
    for state in steady_states(conditions, choices, inside):
        found = _judged(law, {**still, **state}, ignorable, effort)
        if found is not None:
            return found
    return None


def _judged(
    law: _LawAtRest, state: dict[tuple[str, int], Expr], ignorable: list[str], effort: int
) -> Obstruction | None:
    """The obstruction at a state, if it is at rest there and the divergence does not vanish: both exactly."""
    values, d = law.in_doubles(state)
    if not abs(d) > 1e3 * SMALL or not all(abs(x) < SMALL for x in values):
        return None
    replaced = {symbol(*k): e for k, e in state.items()}
    point = {k: _double(e) for k, e in state.items()}
    found = ask(_tested, law.rest, law.div, replaced, point, effort)
    if isinstance(found, GivenUp):  # a function of the law has no value there
        return None
    verdicts, value = found
    if not all(v.is_zero and v.proved for v in verdicts[:-1]) or verdicts[-1].is_zero is not False:
        return None
    named = {n + "'" * k: e for (n, k), e in state.items() if k == 0 or e is not ZERO}
    moved = tuple(c for c in ignorable if state[c, 1] is not ZERO)
    return Obstruction(named, plain_form(value), moved, verdicts[-1])


def _tested(
    rest: list[Expr],
    div: Expr,
    replaced: dict[Expr, Expr],
    point: dict[tuple[str, int], float],
    effort: int,
) -> tuple[list[Verdict], Expr]:
    """What has to vanish there on all sides, and the divergence last; its value."""
    *zeros, value = substitute([*rest, div], replaced)
    for *others, there in _sides([*rest, div], point):
        zeros += substitute([*others, there - div], replaced)
    return zero_tests([*zeros, value], effort=effort), value


def _sides(functions: list[Expr], point: dict[tuple[str, int], float]) -> Iterator[list[Expr]]:
    """The functions on every side of the kinks that a state lies on, sign(u) being 1 or -1 there: at rest is
    a state, and has a divergence, only if all sides agree.
    """
    inner = dict.fromkeys(n.args[0] for n in postorder(*functions) if n.op == "sign")
    here = [u for u in inner if abs(evaluate([u], point)[0]) < SMALL]
    for signs in product((1, -1), repeat=len(here)) if here else ():
        yield substitute(functions, {call("sign", u): number(s) for u, s in zip(here, signs, strict=True)})


def _states(lin: Linearized, ignorable: list[str], others: list[str], flat: list[Expr]) -> Any:
    """Simple states at rest but for ignorable coordinates, true equilibria first."""
    inside = {name for e in flat for name, order in _angles(e) if not order}
    right = PI / 2
    choices = [
        (*PLAIN[:1], right, PI, -right) if c in inside else (*PLAIN, *_initial(lin, c)) for c in others
    ]
    speeds = [(ZERO,) * len(ignorable)]
    speeds += [
        v
        for v in product((number(1), ZERO, number(-1)), repeat=len(ignorable))
        if any(x is not ZERO for x in v)
    ][:40]
    for v in speeds:
        for q in product(*choices):
            state = {(c, 0): e for c, e in zip(others, q, strict=True)}
            state |= {(c, 0): ZERO for c in ignorable}
            state |= {(c, 1): ZERO for c in others}
            state |= {(c, 1): e for c, e in zip(ignorable, v, strict=True)}
            yield state


def _initial(lin: Linearized, name: str) -> tuple[Expr, ...]:
    try:
        return (number(Fraction(lin.system.state.position[name]).limit_denominator(10**6)),)
    except ModelError:
        return ()


def _angles(e: Expr) -> set[tuple[str, int]]:
    return {n for node in postorder(e) if node.op in ("sin", "cos", "tan") for n in symbols(node)}
