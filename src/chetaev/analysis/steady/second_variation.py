"""Stability by definite integrals: Lagrange and Dirichlet, Routh, energy and momentum (SCOPE M6).

Integrals I_0, I_1, … of the motion on Q, functions of the coordinates y that are kept; any of them may be the
first. If some I_0 + Σ c_j I_j is stationary at the state and its second derivative is definite on the
directions along which no I_j changes to first order, then I_0 + Σ c_j I_j + λ Σ (I_j − I_j(y₀))² has a strict
extremum there for large λ, and the state is stable: motions that start near stay near, in the coordinates
that are kept. Second derivatives on Q are those of I − ν·(φ, f) along its tangent space, with ν from the
first derivatives. Of an integral that is stationary itself any multiple may be added (gyroscopic stability:
Kelvin and Tait).

The integrals are the energy and the momenta ∂L/∂v·ξ of the symmetries, each proved to be conserved; where
they do not suffice and there are velocity constraints, which destroy momenta and bring other integrals, also
those that :func:`chetaev.integrals` finds and proves. Signs are found exactly from doubles with a margin that
rounding errors cannot cross.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import casadi
import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from chetaev.analysis.linear.local_chart import LocalChart, tangent
from chetaev.analysis.linear.quotient import lifted
from chetaev.analysis.linear.residual import NoLinearizationError, Residual
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph.node import ZERO, Expr, add, mul, symbols
from chetaev.laws.energy import is_kept_by_every_term
from chetaev.laws.integrals import integrals as search_integrals
from chetaev.laws.rate import is_first_integral
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.numeric import ROUNDING, kernel, least_squares

Array = NDArray[np.float64]
SMALLEST = 1e-14
"""A diagonal entry below this part of the largest may be rounding error of a zero."""
SEARCH = 400_000
"""What the search for further integrals may cost."""
MOST_COORDINATES = 8
MOST_FREE_COORDINATES = 3
"""Without velocity constraints, which bring integrals that are no momenta."""
TURNS = 24
"""How many weights of an integral that is stationary itself are tried, of either sign."""
MOST_SEARCHED = 4
SHORT = 40
"""Letters of an integral that is named by its formula."""
OFF = 1e-12
"""States are known better than that, relatively: some thousand units in the last place."""
MARGIN = 1e-8
"""Definite by less than this part of the largest entry is not called definite."""


@dataclass(frozen=True)
class Definite:
    """A combination of integrals with a strict extremum: their names, and in which directions."""

    names: tuple[str, ...]
    positive: bool

    @property
    def words(self) -> str:
        """In a sentence."""
        extremum = "minimum" if self.positive else "maximum"
        if len(self.names) == 1:
            name = "the energy" if self.names[0] == "energy" else self.names[0]
            return f"{name}, which is conserved, has a strict {extremum} there"
        return (
            f"a combination of conserved quantities ({', '.join(self.names)}) has a strict {extremum} there "
            "on their common levels"
        )


class MovedAlong(Protocol):
    """A symmetry ξ with its components by coordinate, and with words for it."""

    @property
    def along(self) -> tuple[tuple[str, Expr], ...]:
        """Name and component, in the order of the coordinates."""
        ...


def integrals(
    system: System, cyclic: Sequence[str], fields: Sequence[MovedAlong], effort: int
) -> Iterator[list[tuple[str, Expr]]]:
    """Those that are proved to be conserved: the energy, then the momenta ∂L/∂v·ξ of symmetries."""
    if system.dynamics.lagrangian is None:
        return
    s = Setup(system)
    p = casadi.gradient(s.L, s.v)
    (energy, *momenta) = s.graphs(casadi.vertcat(casadi.dot(p, s.v) - s.L, p))
    by_terms = is_kept_by_every_term(system, effort)
    yield [("energy", energy)] if by_terms or _is_kept(system, energy, effort) else []
    along = [(f"momentum of {c}", momenta[system.coordinates.index(c)]) for c in cyclic]
    for one in fields:
        parts = [mul(p, e) for p, (_, e) in zip(momenta, one.along, strict=True) if e is not ZERO]
        along.append((f"momentum along {one}", add(*parts)))
    yield [(name, e) for name, e in along if _is_kept(system, e, effort)]


def _is_kept(system: System, e: Expr, effort: int) -> bool:
    verdict, _ = is_first_integral(system, e, effort)
    return bool(verdict.is_zero and verdict.proved)


_SEARCHED: OrderedDict[tuple[Any, ...], list[tuple[str, Expr]]] = OrderedDict()
"""The integrals of the last few systems: all members of a family have the same."""


def searched_integrals(system: System, effort: int) -> list[tuple[str, Expr]]:
    """Integrals without time that the search finds and proves, neither energy nor momenta."""
    most = MOST_COORDINATES if system.velocity_constraints else MOST_FREE_COORDINATES
    if not 1 < len(system.coordinates) <= most:
        return []
    has_energy = system.dynamics.lagrangian is not None  # it is among those that are tried first
    functions = (*system.dynamics.functions, *(e.residual for e in every_constraint(system)))
    key = (functions, tuple(system.parameters.items()), effort)
    if key not in _SEARCHED:
        found = []
        for law in search_integrals(system, effort=min(effort, SEARCH)):
            e = law.expression
            if law.coordinate or law.conserved is not True or not law.proof.proved:
                continue
            if has_energy and law.name == "energy":
                continue
            if any(n == system.time for n, _ in symbols(e)):
                continue
            text = str(e)
            found.append((text if len(text) <= SHORT else law.name, e))
        _SEARCHED[key] = found[:MOST_SEARCHED]
        while len(_SEARCHED) > 8:
            _SEARCHED.popitem(last=False)
    return _SEARCHED[key]


def second_variation(
    system: System, chart: LocalChart, names: Sequence[str], cyclic: Sequence[str],
    fields: Sequence[Components], states: Sequence[tuple[float, Array, Array]], effort: int,
) -> Definite | None:  # fmt: skip
    """A definite combination of integrals at the first of the states, on the coordinates of the chart with
    these names; the others are states of Q at which the integrals must not change along symmetries either.
    """

    def in_turn() -> Iterator[list[tuple[str, Expr]]]:
        yield from integrals(system, cyclic, fields, effort)
        yield searched_integrals(system, effort)

    known: list[tuple[str, Expr]] = []
    for more in in_turn():
        known += more
        if more and (found := _combined(system, chart, names, fields, states, known)) is not None:
            return found
    return None


def _combined(
    system: System, chart: LocalChart, names: Sequence[str], fields: Sequence[Components],
    states: Sequence[tuple[float, Array, Array]], known: list[tuple[str, Expr]],
) -> Definite | None:  # fmt: skip
    residual = Residual(system, tuple(e for _, e in known))
    every = chart.names(system.coordinates)
    kept = [i for i, n in enumerate(every) if n in names]
    translations = np.eye(len(every))[:, [i for i, n in enumerate(every) if n not in names]]
    p = residual.model.default_values
    for t, q, v in states:
        try:
            slopes = residual.at(t, q, v, p)
        except NoLinearizationError:  # at one of the others: nothing is seen there
            continue
        if not chart.is_regular(slopes.phi_q, slopes.f_v):
            continue
        E = tangent(chart, slopes.held, slopes.held_by_time)[0]
        rows = residual.outputs_at(t, q, v, p)[1] @ E
        along = translations
        if fields:
            along = np.array([x[chart.places, 0] for x in lifted(residual, fields, q, v, p)]).T
            along = along / np.maximum(np.abs(along).max(axis=0), 1e-12)
        changed = np.abs(rows @ along).max(axis=1, initial=0.0)
        bad = {i for i in range(len(known)) if changed[i] > 1e-8 * np.abs(rows[i]).max()}
        known = [x for i, x in enumerate(known) if i not in bad]
        if bad:
            residual = Residual(system, tuple(e for _, e in known))
        if not known:
            return None
    t, q, v = states[0]
    E = tangent(chart, residual.at(t, q, v, p).held, residual.at(t, q, v, p).held_by_time)[0][:, kept]
    return _definite(residual, [n for n, _ in known], (t, q, v, p), E)


def _definite(residual: Residual, names: list[str], at: tuple[Any, ...], E: Array) -> Definite | None:
    held = casadi.vertcat(residual.phi, residual.f)
    nu, c = casadi.SX.sym("nu", held.numel()), casadi.SX.sym("c", residual.outputs.numel())
    total = casadi.dot(c, residual.outputs) - casadi.dot(nu, held)
    hessian, _ = casadi.hessian(total, residual.state)
    function = casadi.Function("H", [*residual.arguments, c, nu], [casadi.densify(hessian)])
    slopes = residual.at(*at)
    gradients = residual.outputs_at(*at)[1]
    on_q = gradients @ E
    size = max(float(np.abs(on_q).max(initial=0.0)), float(np.abs(gradients).max(initial=0.0)), 1e-30)
    state = max(1.0, *(float(np.abs(x).max(initial=0.0)) for x in at[1:3]))

    def curvature(c: Array) -> Array:
        nu = least_squares(slopes.held.T, c @ gradients) if slopes.held.size else np.zeros(0)
        return np.asarray(E.T @ np.array(function(*at, c, nu).full()) @ E)

    def unsure(c: Array, directions: Array) -> Array:
        """How much the second derivative may be off, row by row: how it changes at states near by."""
        nu = least_squares(slopes.held.T, c @ gradients) if slopes.held.size else np.zeros(0)
        here, found = np.array(function(*at, c, nu).full()), np.zeros(directions.shape[1])
        for turn in (1, 2):
            q, v = (
                x + OFF * np.maximum(1.0, np.abs(x)) * np.cos(turn * np.arange(1, len(x) + 1))
                for x in at[1:3]
            )
            moved = np.array(function(at[0], q, v, at[3], c, nu).full()) - here
            bend = (E @ directions).T @ moved @ (E @ directions)
            found = np.maximum(found, np.abs(bend).sum(axis=1))
        return np.diag(found)

    def stationary(slope: Array, bend: Array) -> bool:
        largest = float(np.abs(bend).max(initial=0.0))
        return bool(np.abs(slope).max(initial=0.0) <= 1e-9 * max(size, state * largest))

    own = [curvature(row) for row in np.eye(len(names))]
    idle = [j for j, x in enumerate(own) if stationary(on_q[j], x)]
    for lead in range(len(names)):  # the others are added, so that the sum is stationary
        others = [j for j in range(len(names)) if j != lead]
        weights = np.zeros(len(names))
        weights[lead] = 1.0
        if others:
            weights[others] = least_squares(on_q[others].T, -on_q[lead], ROUNDING)
        H = curvature(weights)
        if not stationary(weights @ on_q, H):
            continue
        moving = on_q[[j for j in others if j not in idle]]
        directions = kernel(moving, ROUNDING) if moving.size else np.eye(E.shape[1])
        reduced = directions.T @ H @ directions
        error = unsure(weights, directions)
        for sign in (1, -1):
            if positive(sign * reduced - error):
                used = [names[lead], *(names[j] for j in others if abs(weights[j]) > 1e-12)]
                return Definite(tuple(used) if len(moving) == 0 else tuple(names), sign > 0)
        for j in (j for j in idle if j != lead):  # stationary themselves: any multiple may be added
            other = directions.T @ own[j] @ directions
            sign = _pencil(reduced, other, error, unsure(np.eye(len(names))[j], directions))
            if sign:
                return Definite((names[lead], names[j]) if len(moving) == 0 else tuple(names), sign > 0)
    return None


def _pencil(first: Array, second: Array, *errors: Array) -> int:
    """The sign of a definite combination first + c second, 0 if none is found; units set aside.

    >>> none = np.zeros((2, 2))
    >>> [_pencil(np.diag([1.0, -1.0]), np.diag(x), none, none) for x in ([0.0, 2.0], [2.0, -2.0])]
    [1, 0]
    """
    sizes = [float(np.abs(x).max(initial=0.0)) for x in (first, second)]
    if not all(sizes) or not np.isfinite(sizes).all():
        return 0
    for k in range(-TURNS, TURNS + 1):
        a, c = (TURNS + 1 - abs(k)) / sizes[0], k / sizes[1]
        for sign in (1, -1):
            if positive(sign * (a * first + c * second) - a * errors[0] - abs(c) * errors[1]):
                return sign
    return 0


def positive(matrix: Array) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding errors, units set aside.

    >>> positive(np.array([[2.0, 1.0], [1.0, 2.0]])), positive(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (True, False)
    """
    n = len(matrix)
    diagonal = np.diagonal(matrix)
    if not n or not np.isfinite(matrix).all() or (diagonal <= SMALLEST * np.abs(diagonal).max()).any():
        return n == 0
    scale = np.sqrt(diagonal)
    unit = (matrix + matrix.T) / 2 / np.outer(scale, scale) - MARGIN * np.eye(n)
    rows = [[fmpq(*float(x).as_integer_ratio()) for x in row] for row in unit]
    return all(fmpq_mat([r[:k] for r in rows[:k]]).det() > 0 for k in range(1, n + 1))
