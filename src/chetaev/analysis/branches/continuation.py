"""`ch.follow`: families of equilibria and of steady motions, followed in a parameter (SCOPE M3, M6).

>>> import chetaev as ch
>>> hoop = ch.System(
...     coordinates=["theta"],
...     parameters={"omega": 5},
...     lagrangian="theta'^2/2 + omega^2*sin(theta)^2/2 + 10*cos(theta)",
... )
>>> diagram = ch.follow(hoop, {"theta": 0}, "omega", (1, 6))
>>> (fork,) = diagram.of_kind("pitchfork")
>>> fork.criticality, round(fork.parameter**2, 10)
('supercritical', 10.0)

Points of a branch are zeros of the whole set of equations (:mod:`.steady_set`), in doubles up to rounding;
special points are solved for (:mod:`.special_points`); spectra come from exact derivatives
(:mod:`.nearby_spectrum`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.branches.branch_starts import Start, held_names, parameter_name, range_of, starts
from chetaev.analysis.branches.diagram import Diagram, SpecialPoint, SteadyBranch
from chetaev.analysis.branches.nearby_spectrum import NEGLIGIBLE, Near, Nearby, least_zeros
from chetaev.analysis.branches.pseudo_arclength import (
    LARGEST,
    CurvePoint,
    Traced,
    corrected,
    tangent_at,
    trace,
)
from chetaev.analysis.branches.special_points import BranchEvent, events, switched
from chetaev.analysis.branches.steady_set import CurveOfZeros, SteadySet
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, decoupled
from chetaev.analysis.linear.steady_directions import Moving, moving_of
from chetaev.analysis.steady.equilibria import expect_autonomous
from chetaev.checked_arguments import count, flag
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.model.system import System, expect_system
from chetaev.numeric import norm

Array = NDArray[np.float64]
MOST_BRANCHES = 24
ON_LEFT = 1e-6
NUDGE = 1.37e-3
"""So far from a singular point, as a part of the range, a branch is begun instead."""
ROUNDOFF = 1e-13
"""What is below this, in its unit, is shown as 0."""


def follow(
    system: System,
    start: Any = None,
    parameter: str = "",
    over: Iterable[float] = (),
    *,
    symmetries: Iterable[Any] = (),
    given: Mapping[Any, Any] | None = None,
    hold: Iterable[str] = (),
    switch: bool = True,
    points: int = 400,
    effort: int = EFFORT,
) -> Diagram:
    """Follow equilibria, or steady motions, while a parameter changes.

    Parameters
    ----------
    system
        A system that does not depend on time.
    start
        Where to begin: an :class:`Equilibrium`, a list of them, or a state ``{"theta": 0.1}`` near
        one, laid over the model's initial state. Left out, all that :func:`chetaev.equilibria` or, with
        `symmetries`, :func:`chetaev.relative_equilibria` finds.
    parameter
        A parameter of the model; or a coordinate or a speed such as ``"psi'"``, to go along a family.
    over
        Its range, two numbers.
    symmetries
        What moves in a steady motion: cyclic coordinates by name, or generators such as
        ``{"x": "-y", "y": "x"}``, whose speeds are called ``rate_1``, ….
    given
        For :func:`chetaev.relative_equilibria`, where `start` is left out.
    hold
        Names of positions or speeds that keep their values where the steady motions form a larger family. If
        more is needed than is named, what nothing depends on and then the last speeds are held.
    switch
        Whether branches that leave at branch points are followed, too.
    points
        Most points of one branch, in each direction.
    effort
        What an exact search for starts may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Diagram
        With ``.branches``, ``.points`` (folds, pitchforks, transcritical and Hopf points, zeros),
        ``to_xarray()``, ``to_json()``; `ch.plot` draws it.
    """
    expect_system(system, "ch.follow")
    system = first_order_motion(system)
    effort = expect_effort(effort)
    most = count(points, "the number of points", 2, 100_000)
    switch = flag(switch, "switch")
    low, high = range_of(over)
    name = parameter_name(system, parameter)
    expect_autonomous(system)
    moving = moving_of(system, symmetries)
    found, moving = starts(system, start, moving, given, name, (low, high), effort)
    names = held_names(system, moving, hold, name)
    followed = _Following(system, moving, name, (low, high), names, most, switch)
    for one in found:
        followed.begin(one)
    return followed.result()


class _Following:
    """All branches of one diagram while they are being found."""

    def __init__(
        self, system: System, moving: Moving, name: str, over: tuple[float, float], hold: list[str],
        most: int, switch: bool,
    ) -> None:  # fmt: skip
        self.system, self.moving, self.name, self.over = system, moving, name, over
        self.hold, self.most, self.switch = hold, most, switch
        self.residual = Residual(system)
        self.nearby = Nearby(system, self.residual, moving)
        self.branches: list[SteadyBranch] = []
        self.points: list[SpecialPoint] = []
        self.known: list[tuple[CurveOfZeros, list[CurvePoint]]] = []
        self.notes: list[str] = []

    def begin(self, start: Start) -> None:
        """Follow the branch through a start, and what leaves it."""
        steady, w = self._steady(start)
        w = self._beside_singular(steady, w)
        curve = steady.curve(w, self.hold)
        curve.with_range(self.over[1] - self.over[0])
        x = curve.short(w)
        if self._is_known(curve, x):
            return
        self._branch(curve, x)

    def _beside_singular(self, steady: SteadySet, w: Array) -> Array:
        """Another point near, if equations become dependent at just this one: branches cross there."""
        k, (low, high) = steady.parameter, self.over
        free = [i for i in range(len(w)) if i != k and steady.unknowns[i].name not in self.hold]
        rank = steady.rank(w)
        for part in (NUDGE, -NUDGE):
            near = w.copy()
            near[k] += part * (high - low)
            if low < near[k] < high:
                end = steady.reached(near, free)
                if end is not None and steady.rank(end) > rank:
                    return end
        return w

    def _steady(self, start: Start) -> tuple[SteadySet, Array]:
        """The set, and its point for the start with the parameter inside the range."""
        names = self.system.coordinates
        q = np.array([start.values[c] for c in names])
        v = np.array([start.values[key_name(c, 1)] for c in names])
        p = np.array([start.values[n] for n in self.residual.model.parameters])
        dependent: Sequence[int] = ()
        if self.moving.cyclic:
            slopes = self.residual.at(0.0, q, v, p)
            chart = next(
                decoupled(self.system, self.residual, Asked(self.moving.cyclic, (), (), ()), slopes, p)
            )
            dependent = chart.dependent_velocities
        steady = SteadySet(self.system, self.residual, self.moving, dependent, self.name, start.values)
        w = np.array([start.values.get(u.name, 0.0) for u in steady.unknowns])
        free = [i for i in range(len(w)) if i != steady.parameter]
        loose = [i for i in free if steady.unknowns[i].name not in self.hold]
        unsaid = [i for i in loose if steady.unknowns[i].name not in start.said]
        for places in (unsaid, loose, free):
            end = steady.reached(w, places)
            if end is not None:
                return steady, end
        what = "steady motion" if self.moving.cyclic or self.moving.fields else "equilibrium"
        raise ModelError(
            f"there is no {what} near the start {start.words} at {self.name} = {w[steady.parameter]:g}",
            remedy="ch.equilibria(system) and ch.relative_equilibria(system, …) look for all of them",
        )

    def _inside(self, curve: CurveOfZeros, x: Array) -> float:
        value = float(x[curve.place] * curve.unit[curve.place])
        return min(value - self.over[0], self.over[1] - value)

    def _branch(self, curve: CurveOfZeros, x: Array) -> None:
        """Both directions from a point."""
        first = tangent_at(curve, x, None)
        if first is None or self._is_full():
            return
        if first.tangent[curve.place] < 0:
            first = CurvePoint(x, -first.tangent, -first.orientation)

        def inside(y: Array) -> float:
            return self._inside(curve, y)

        forward = trace(curve, x, first.tangent, inside, self.most)
        back = Traced()
        if not forward.closed:
            back = trace(curve, x, -first.tangent, inside, self.most)
        before = [CurvePoint(s.x, -s.tangent, -s.orientation) for s in back.steps[:0:-1]]
        if len(before) + len(forward.steps) > 1:
            self._add(curve, [], [], before + forward.steps, back.ended, forward.ended)

    def _add(
        self, curve: CurveOfZeros, before: list[CurvePoint], middle: list[CurvePoint],
        after: list[CurvePoint], began: str, ended: str,
    ) -> None:  # fmt: skip
        """A branch of one part, or of two parts that meet in a branch point that is known already."""
        self.known.append((curve, before + middle + after))
        spectra = [self._near(curve, s) for s in before + middle + after]
        zeros = least_zeros([n for n in spectra if n is not None])
        place = len(self.branches)
        cut = len(before)
        self.branches.append(
            self._made(curve, before + middle + after, spectra, zeros, began, ended)
        )  # fmt: skip
        for steps, known in ((before, spectra[:cut]), (after, spectra[cut + len(middle) :])):
            for event in events(curve, steps, lambda s: self._near(curve, s), known, zeros):
                self._record(curve, event, known, place)

    def _near(self, curve: CurveOfZeros, step: CurvePoint) -> Near | None:
        return self.nearby.at(*curve.steady.state(curve.full(step.x)))

    def _record(
        self, curve: CurveOfZeros, event: BranchEvent, spectra: list[Near | None], place: int
    ) -> None:
        n = self._near(curve, event.step)
        values = self._values(curve, event.step)
        new = []
        if event.directions:
            new = switched(curve, event, LARGEST / 5, lambda x: self._inside(curve, x))
        if any(_is_vertical(curve, event.step, x, away) for x, away in new):
            event.kind, new = "vertical family", []
        criticality = _criticality(curve, event, spectra, new)
        self.points.append(
            SpecialPoint(
                event.kind, values[self.name], {k: x for k, x in values.items() if k != self.name},
                () if n is None else tuple(n.values), event.frequency, criticality, place,
            )
        )  # fmt: skip
        if not self.switch:
            return
        leaving = [
            (x, away) for x, away in new if self._inside(curve, x) > 0 and not self._is_known(curve, x)
        ]
        if leaving:
            self._leave(curve, event.step, leaving)

    def _leave(self, curve: CurveOfZeros, middle: CurvePoint, leaving: list[tuple[Array, Array]]) -> None:
        """The branch that leaves at a branch point: both its halves, if there are two, and the point."""
        if self._is_full():
            return
        halves = [trace(curve, x, away, lambda y: self._inside(curve, y), self.most) for x, away in leaving]
        forward = halves[0]
        back = halves[1] if len(halves) == 2 and not forward.closed else Traced()
        before = [CurvePoint(s.x, -s.tangent, -s.orientation) for s in back.steps[::-1]]
        along = forward.steps[0].tangent
        self._add(curve, before, [CurvePoint(middle.x, along, 0.0)], forward.steps, back.ended, forward.ended)

    def _is_full(self) -> bool:
        if len(self.branches) < MOST_BRANCHES:
            return False
        if not self.notes:
            self.notes.append(f"{MOST_BRANCHES} branches were followed, and others left alone")
        return True

    def _values(self, curve: CurveOfZeros, step: CurvePoint) -> dict[str, float]:
        w = curve.full(step.x)
        low, high = self.over
        clean = np.where(
            np.abs(w) < ROUNDOFF * np.where(curve.unit_of_all > 1, curve.unit_of_all, 1.0), 0.0, w
        )
        if abs(clean[curve.steady.parameter]) < ROUNDOFF * (high - low):
            clean[curve.steady.parameter] = 0.0
        return {u.name: float(x) for u, x in zip(curve.steady.unknowns, clean, strict=True) if u.shown}

    def _is_known(self, curve: CurveOfZeros, x: Array) -> bool:
        """Whether a point lies on a branch that was followed before."""
        w = curve.full(x)
        for other, steps in self.known:
            if len(other.base) != len(w) or other.free != curve.free:
                continue
            if not np.allclose(other.base[other.held], w[other.held], rtol=1e-9, atol=1e-9):
                continue
            y = other.short(w)
            for a, b in pairwise(steps):
                chord = b.x - a.x
                length = norm(chord)
                if length == 0 or norm(y - a.x) > 2 * length:
                    continue
                part = float(chord @ (y - a.x)) / length**2
                if not -1e-6 <= part <= 1 + 1e-6:
                    continue
                normal = chord / length
                end = corrected(other, a.x + part * chord, normal, float(normal @ y))
                if end is not None and norm(end[0] - y) < 1e-6 * (1 + norm(y)):
                    return True
        return False

    def _made(
        self, curve: CurveOfZeros, steps: list[CurvePoint], spectra: list[Near | None], zeros: int,
        began: str, ended: str,
    ) -> SteadyBranch:  # fmt: skip
        values = [self._values(curve, s) for s in steps]
        size = max((len(n.values) for n in spectra if n is not None), default=0)
        eigenvalues = np.full((len(steps), size), complex(math.nan, math.nan))
        for i, n in enumerate(spectra):
            if n is not None and len(n.values) == size:
                eigenvalues[i] = n.values
        still = [_zeros(spectra, i, zeros) for i in range(len(spectra))]
        family = len(curve.held) + (self.name not in self.residual.model.parameters)
        family -= self.nearby.left_out
        names = [u.name for u in curve.steady.unknowns]
        return SteadyBranch(
            np.array([v[self.name] for v in values]),
            {n: np.array([v[n] for v in values]) for n in values[0] if n != self.name},
            eigenvalues,
            np.array([-1 if n is None else n.unstable(z) for n, z in zip(spectra, still, strict=True)]),
            tuple(_stable(n, z, family) for n, z in zip(spectra, still, strict=True)),
            zeros,
            {names[i]: float(curve.base[i]) for i in curve.held},
            began, ended,
        )  # fmt: skip

    def result(self) -> Diagram:
        """What was found."""
        return Diagram(
            self.system.name or "Unnamed system", self.name, self.over, self.branches, self.points,
            tuple(self.notes),
        )  # fmt: skip


def _is_vertical(curve: CurveOfZeros, middle: CurvePoint, x: Array, away: Array) -> bool:
    """Whether the parameter keeps its value on a branch that leaves: a family at one value, and no branch."""
    if abs(away[curve.place]) > 1e-4:
        return False
    steps = trace(curve, x, away, lambda _: 1.0, 6).steps
    return all(abs(s.x[curve.place] - middle.x[curve.place]) < 1e-10 for s in steps)


def _zeros(spectra: Sequence[Near | None], i: int, zeros: int) -> int:
    """How many eigenvalues are zero at a point: those of every point, and those that pass through zero here.

    There the lowest coefficients are what is left of cancellation, and small only against the neighbours.
    """
    n = spectra[i]
    beside = [m for m in (*spectra[max(i - 1, 0) : i], *spectra[i + 1 : i + 2]) if m is not None]
    if n is None or not beside:
        return zeros
    count = zeros
    while count < len(n.coefficients) - 1 and abs(n.coefficients[count]) <= NEGLIGIBLE * max(
        abs(m.coefficients[count]) for m in beside if len(m.coefficients) > count
    ):
        count += 1
    return count


def _stable(n: Near | None, zeros: int, family: int) -> bool | None:
    if n is None:
        return None
    if n.unstable(zeros):
        return False
    left = all(z.real < -ON_LEFT * n.size for z in n.essential(zeros))
    return True if left and zeros <= family else None


def _criticality(
    curve: CurveOfZeros, event: BranchEvent, spectra: list[Near | None], new: list[tuple[Array, Array]]
) -> str:
    """Whether the branches that leave a pitchfork lie where the old one is less stable."""
    if event.kind != "pitchfork" or len(new) != 2 or abs(event.step.tangent[curve.place]) < 1e-3:
        return ""
    k = curve.place
    sides = [float(x[k] - event.step.x[k]) for x, _ in new]
    before, after = spectra[event.after], spectra[event.after + 1]
    if before is None or after is None or sides[0] * sides[1] <= 0:
        return ""
    rising = event.step.tangent[k] > 0
    here, there = (after, before) if (sides[0] > 0) == rising else (before, after)
    if here.unstable() == there.unstable():
        return ""
    return "supercritical" if here.unstable() > there.unstable() else "subcritical"
