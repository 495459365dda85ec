"""`ch.periodic`: periodic and relative periodic orbits by Newton's method, with their multipliers (SCOPE M6).

A motion is closed if y(T) = y(0); relative to symmetries, if y(T) is y(0) moved along them (`closing`).
Newton's method on Q starts from a guess (`shooting`). Closed motions of systems with laws come in families:
then the one is found that is nearest to the guess, by least-norm steps, and the dimension of the family is
told, from the rank of the matrix there.

>>> import chetaev as ch
>>> pendulum = ch.System(coordinates=["theta"], lagrangian="theta'^2/2 + cos(theta)")
>>> orbit = ch.periodic(pendulum, {"theta": 1, "theta'": 0}, period=6.5, hold=["theta", "theta'"])
>>> print(round(orbit.period, 6), orbit.family, [m.because for m in orbit.spectrum.known])  # 4 K(sin 1/2)
6.699976 1 ['the motion itself', 'energy']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.orbits.closed_up_to_symmetry import Closing
from chetaev.analysis.orbits.crossed_surface import SectionSurface, held, vanishing
from chetaev.analysis.orbits.initial_states import expect_period, is_period, positive_period, state_of
from chetaev.analysis.orbits.laws_along import laws_along
from chetaev.analysis.orbits.multipliers import MOTION, Monodromy, Multipliers
from chetaev.analysis.orbits.orbit import PeriodicOrbit
from chetaev.analysis.orbits.orbit_family import tangents
from chetaev.analysis.orbits.reversal import expect_reversal
from chetaev.analysis.orbits.shooting import Shooting, Shot
from chetaev.checked_arguments import count, number, table
from chetaev.effort import expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.flow.run.events import Event
from chetaev.flow.run.tangent_flow import TangentFlow
from chetaev.model.system import System, expect_system
from chetaev.numeric import inverse, norm

Array = NDArray[np.float64]
TOLERANCE = 1e-11
"""Of the runs, where neither the call nor the model asks for less."""
CLOSED = 1e-8
"""What misses by less, in units of the orbit, is closed."""
OF_ITS_WAY = 1e-6
"""And by less than this part of the way that it goes: orbits that errors of a step can hide are none."""
GATHERED = 100.0
"""The error of the monodromy, relative to its size, in units of that allowed in a step."""
REST = 1e-7
MOST_STEPS = 20_000
"""Of a run over one segment: trials that need more come too near to a singular place."""
EFFORT = 200_000
"""What the proof that energy and momenta are conserved may cost."""


def periodic(
    system: System,
    guess: Mapping[Any, Any] | None = None,
    period: float | None = None,
    event: Event | str | None = None,
    relative_to: Iterable[Any] = (),
    *,
    shift: Mapping[str, Any] | None = None,
    hold: Iterable[Any] = (),
    reversal: Any = None,
    returns: int = 1,
    segments: int = 1,
    laws: Iterable[Any] | None = None,
    tolerance: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    effort: int = EFFORT,
) -> PeriodicOrbit:
    """A closed motion near a guess.

    Parameters
    ----------
    system
        The system.
    guess
        A state near the orbit, laid over the model's initial state; on the constraints.
    period
        A guess of the period. Where law or constraints depend on time it is no guess, but a period of
        theirs, or a multiple of it.
    event
        Instead of a period: a surface, crossed upwards (a :class:`chetaev.Event` says another direction).
        The orbit starts on it and closes at the crossing number `returns` after that.
    relative_to
        Cyclic coordinates, which need not return; or symmetries, as tables of components such as ``{"x":
        "-y", "y": "x"}`` or from :func:`chetaev.symmetries`: the motion has to return up to their action.
    shift
        Fixed differences after a period, such as ``{"theta": "2*pi"}`` for an angle that turns once.
    hold
        Expressions, such as ``"theta"``, that keep the value that they have at the guess: they choose a
        member of a family.
    reversal
        A map that reverses the motion, from :func:`chetaev.reversals` or a table ``{"x": "-x"}``: the orbit
        starts at a state that it leaves where it is, and is carried by it into itself.
    segments
        Parts of equal time for multiple shooting: several, for a long or very unstable orbit.
    laws
        Conserved quantities, expressions or from :func:`chetaev.integrals`, whose multipliers are 1. If
        left out, the energy and the momenta of cyclic coordinates, where they are proved to be conserved.
    tolerance
        Error allowed in a step, at most 1e-8.
    parameters
        As for :func:`chetaev.simulate`.
    effort
        What that proof may cost (:mod:`chetaev.effort`).

    Returns
    -------
    PeriodicOrbit
        With ``period``, ``state``, ``motion``, ``drift``, ``multipliers``, ``stable``, ``family``,
        ``residual``.

    Raises
    ------
    ModelError
        Where Newton's method does not find one, with the best residual.
    """
    expect_system(system, "ch.periodic")
    system = first_order_motion(system)
    guess, parameters = table(guess, "the guess"), table(parameters, "parameters")
    segments = count(segments, "the number of segments", 1, 200)
    returns = count(returns, "the number of returns", 1, 1000)
    effort = expect_effort(effort)
    if (period is None) == (event is None):
        raise ModelError(
            "ch.periodic needs "
            + ("a period or an event" if period is None else "a period or an event, not both"),
            expected='period=6.3, a guess, or event="x", a surface that the orbit crosses',
        )
    if guess or parameters:
        system = system.with_data(parameters, guess)
    allowed = TOLERANCE if tolerance is None else number(tolerance, "the tolerance", 1e-14, 1e-8)
    flow = TangentFlow(system, allowed, "periodic orbits", MOST_STEPS)
    closing = Closing(system, flow, relative_to, shift)
    t0, y = state_of(system)
    autonomous = closing.residual.autonomous
    conditions: list[Any] = []
    if event is not None:
        if not autonomous:
            raise ModelError(
                f"law or constraints depend on {system.time}: a motion closes after a period of theirs only",
                remedy="give that period, period=…, instead of an event",
            )
        surface = SectionSurface(flow, event)
        y = surface.first(t0, y)
        length = surface.crossing(t0, y, returns)[0] - t0
        conditions.append(surface)
    else:
        length = positive_period(period)
        if not autonomous:
            expect_period(system, flow, length)
    conditions += held(system, t0, y, hold)
    if reversal is not None:
        conditions += vanishing(system, expect_reversal(system, reversal).fixed)
    closing.settle(t0, y)
    shooting = Shooting(flow, closing, t0, not autonomous, conditions)
    shot = shooting.solved(shooting.start(y, length, segments, event is None), CLOSED)
    if not (shot.size <= CLOSED and (shot.speed <= REST or shot.merit <= OF_ITS_WAY)):
        raise ModelError(
            f"no closed motion was found near the guess: Newton's method came to a motion that misses by "
            f"{max(shot.size, shot.merit):.2g}, relative to its size, after the period {shot.period:.6g}",
            remedy="start nearer to one, give another period, more segments, or relative_to the symmetries "
            "along which it drifts",
        )
    return _orbit(system, closing, shooting, shot, laws, effort, autonomous)


def _orbit(
    system: System, closing: Closing, shooting: Shooting, shot: Shot, laws: Any, effort: int, autonomous: bool
) -> PeriodicOrbit:
    flow, t0, y = closing.flow, shooting.t0, shot.states[0]
    closing.settle(t0, y)
    velocity = flow.rate(t0, y)
    if autonomous and shot.speed <= REST:
        raise ModelError(
            "Newton's method came to a state of rest, which is no periodic orbit: " + _state_text(system, y),
            remedy="start farther from it, or hold what is not to vanish, such as hold=['x']; ch.equilibria "
            "finds states of rest",
        )
    E = closing.embedding(t0, y)
    end, carried = shooting.around(shot, E)
    _, by_state, _ = closing.image(y, shot.group)
    back = carried if not closing.actions else inverse(by_state) @ carried
    gradients = _gradients(system, t0, y, laws_along(system, closing, laws, effort), E)
    right = [(MOTION, velocity)] if autonomous else []
    right += [(f"symmetry along {a}", a.generator(y)) for a in closing.actions]
    along = tangents(shooting, shot, CLOSED)
    spectrum, refused, family = _spectrum(closing, back, right, gradients, along, shooting.scale)
    steady = bool(closing.names or closing.actions) and _along_group(closing, y, velocity)
    notes = [f"{name} is not kept along this orbit, so that it explains no multiplier" for name in refused]
    part = None if steady else _part(shooting, y, shot)
    if part:
        notes.append(f"its least period is {shot.period / part:.10g}, of which this one is {part} times")
    drift = {
        c: float(end[system.coordinates.index(c)] - y[system.coordinates.index(c)]) for c in closing.names
    }
    drift.update({str(a): float(s) for a, s in zip(closing.actions, shot.group, strict=True)})
    moved = {c: float(k) for c, k in zip(system.coordinates, closing.shift, strict=False) if k}
    kind = "periodic orbit" if not (drift or moved) else "relative periodic orbit"
    if steady:
        kind = "relative equilibrium"
    if shooting.fixed:
        kind = f"forced {kind}"
    names = system.coordinates
    data = {
        **dict(zip(names, y, strict=False)),
        **{f"{c}_dot": y[len(names) + i] for i, c in enumerate(names)},
    }
    placed = system.with_initial({**{k: float(x) for k, x in data.items()}, system.time: t0})
    return PeriodicOrbit(
        placed,
        kind,
        shot.period,
        {**drift, **moved},
        spectrum,
        family,
        shot.size,
        flow.tolerance,
        tuple(notes),
    )


def _spectrum(
    closing: Closing, back: Array, right: Sequence[tuple[str, Array]], left: Sequence[tuple[str, Array]],
    along: Array | None, scale: Array,
) -> tuple[Multipliers, list[str], int | None]:  # fmt: skip
    """The multipliers of the coordinates that are compared, then those of the cyclic ones; what is not
    kept; and the dimension of the family. All in units of the orbit.
    """
    assert closing.chart is not None
    places = closing.chart.places
    cyclic = [i for i, p in enumerate(places) if p in closing.cyclic]
    kept = [i for i in range(len(places)) if i not in cyclic]
    unit = scale[places]
    matrix = back[places] * unit / unit[:, None]
    compared = [places[i] for i in kept]
    outer = [
        (name, row[kept])
        for name, row in ((name, row * unit) for name, row in left)
        if np.abs(row[cyclic]).max(initial=0.0) <= 1e-7 * (1 + np.abs(row).max(initial=0.0))
    ]
    error = GATHERED * closing.flow.tolerance
    block = Monodromy(matrix[np.ix_(kept, kept)], error)
    block.keeps([(name, (d / scale)[compared]) for name, d in right])
    block.has_laws(outer)
    family = None if along is None else block.has_family((along / scale[:, None])[compared])
    found = block.multipliers().with_cyclic(matrix[np.ix_(cyclic, cyclic)], closing.names, error)
    return found, block.refused, family


def _gradients(
    system: System, t0: float, y: Array, known: Sequence[tuple[str, Expr]], E: Array
) -> list[tuple[str, Array]]:
    if not known:
        return []
    residual = Residual(system, tuple(e for _, e in known))
    n = len(y) // 2
    _, by_state, _ = residual.outputs_at(t0, y[:n], y[n:], residual.model.default_values)
    rows = by_state @ E
    return [(name, row) for (name, _), row in zip(known, rows, strict=True)]


def _along_group(closing: Closing, y: Array, velocity: Array) -> bool:
    """Whether the motion itself only moves along the symmetries."""
    rest = velocity[closing.compared]
    basis: list[Array] = []
    for action in closing.actions:
        d = action.generator(y)[closing.compared]
        left = d - sum((float(b @ d) * b for b in basis), np.zeros(len(d)))
        if norm(left) > 1e-9 * (1 + norm(d)):
            basis.append(left / norm(left))
    for b in basis:
        rest = rest - float(b @ rest) * b
    return norm(rest) <= REST * (1 + norm(velocity))


def _part(shooting: Shooting, y: Array, shot: Shot) -> int | None:
    """How often a shorter closed motion is run through; None if it is not."""
    flow, closing, t0 = shooting.flow, shooting.closing, shooting.t0
    if shot.group.any() or closing.shift.any():
        return None
    none = np.zeros((0, len(y)))
    for part in (12, 10, 8, 7, 6, 5, 4, 3, 2):
        if shooting.fixed and not is_period(flow, shot.period / part):
            continue
        end = flow.moved(t0, y, t0 + shot.period / part, none)[0]
        if np.abs(((end - y) / shooting.scale)[closing.compared]).max() <= 1e-6:
            return part
    return None


def _state_text(system: System, y: Array) -> str:
    names = [*system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
    return ", ".join(f"{n} = {x:.8g}" for n, x in zip(names, y, strict=True))
