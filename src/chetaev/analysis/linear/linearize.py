"""`ch.linearize`: A, B, C, D of a motion near a state, or along a motion (SCOPE M3, M6, B12).

In a chart y of Q the motion is y' = X(y), and with δ(q, v) = E δy on Q

    A = ∂X/∂y = P [[0, 1], [∂a/∂q, ∂a/∂v]] E,

where P picks the coordinates of the chart. X is tangent to Q, so no eigenvalue comes from directions that the
constraints forbid, and dim Q of them are left. At a steady motion only cyclic coordinates move; they enter no
other row of A and are left out with their own rows, while their velocities stay.

>>> import chetaev as ch
>>> hoop = ch.System(
...     coordinates=["theta"],
...     lagrangian="m*R^2*(theta'^2 + Omega^2*sin(theta)^2)/2 + m*g*R*cos(theta)",
...     parameters={"m": 1, "R": 1, "g": 9.8, "Omega": 2},
... )
>>> bottom = ch.linearize(hoop, at={"theta": 0, "theta'": 0})
>>> [[str(e) for e in row] for row in bottom.exact]
[['0', '1'], ['(R*Omega^2 - g)/R', '0']]
>>> bottom.kind, [str(e) for e in bottom.characteristic]
('equilibrium', ['s^2 + (g - R*Omega^2)/R'])
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.linear import along_a_motion as along_motion
from chetaev.analysis.linear.characteristic import characteristic, polynomial
from chetaev.analysis.linear.criteria import Criteria, criteria
from chetaev.analysis.linear.enclosed_spectrum import enclosed_spectrum
from chetaev.analysis.linear.exact_slopes import ExactSlopes, is_singular
from chetaev.analysis.linear.exact_state import exact_state, modest
from chetaev.analysis.linear.flat_kinks import without_flat_kinks
from chetaev.analysis.linear.linearization import Linearization
from chetaev.analysis.linear.local_chart import tangent
from chetaev.analysis.linear.quotient import exact_frame, moving_frame
from chetaev.analysis.linear.residual import CoarseError, KinkError, NoLinearizationError, Residual
from chetaev.analysis.linear.spectrum import Spectrum, of_doubles, of_factors
from chetaev.analysis.linear.state_matrices import CYCLIC, DECOUPLED, Array, Asked, Matrices, matrices_at
from chetaev.analysis.linear.steady_directions import Moving, moving_of
from chetaev.checked_arguments import table
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, GivenUp, answer, ask
from chetaev.expr.graph.evaluate import evaluate, key_name
from chetaev.expr.graph.node import Expr, ImplicitNumber, is_implicit, size
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.symmetry.linearized import away_from_kinks
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System, expect_system

if TYPE_CHECKING:
    import xarray

SMALL = 1e-9
"""A drift below this, beside the sizes it is made of, is roundoff."""
ROUNDED = 1e-13
"""A drift below this, in the same way, is that of a state given in rounded numbers."""
UNITS = 4
"""So is that of a state which is an equilibrium but for so many units in the last places of its numbers."""
LATER = (0.37, 1.1, 2.9)
"""At which a state of a system that depends on time has to be at rest, too."""
LARGEST = 14
"""States of a system that is treated exactly."""
MOST_NODES = 300
"""Nodes of its graphs: beyond them exact matrices cost more than compiling the field."""
MANY_NODES = 3000
"""Nodes where a verdict on stability is asked for."""
MOST_FREE = 200
"""Nodes of graphs for which matrices are tried for free parameters, too."""


def linearize(
    system: System,
    at: Mapping[Any, Any] | None = None,
    along: xarray.Dataset | None = None,
    relative_to: Iterable[Any] = (),
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    *,
    effort: int = EFFORT,
) -> Any:
    """The motion near a state, to first order: A, B, C, D on the constraint manifold.

    Parameters
    ----------
    system
        The system.
    at
        Values laid over the model's initial state, velocities as ``x_dot`` or ``x'``; texts such as
        ``"pi/2"`` and ``"g/k"`` stay exact. Velocities left out are solved from the constraints.
    along
        A motion that :func:`chetaev.simulate` returned, instead of a state: then the result is a data set
        with A(t), B(t), C(t), D(t).
    relative_to
        Cyclic coordinates, which are left out: in which the motion near is the same wherever they are. Or
        generators of symmetries such as ``{"x": "-y", "y": "x"}``: then the motion is seen from a frame that
        moves along them, and directions along them are left out.
    inputs
        Parameters, or coordinates: then an additional generalized force on them.
    outputs
        Expressions of the model language in coordinates, velocities, time and parameters.
    effort
        What exact matrices may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Linearization or xarray.Dataset
    """
    return linearized(
        system, at, along, relative_to, inputs, outputs, effort=expect_effort(effort), nodes=MOST_NODES
    )


def linearized(
    system: System, at: Mapping[Any, Any] | None = None, along: xarray.Dataset | None = None,
    relative_to: Iterable[Any] = (), inputs: Iterable[str] = (), outputs: Iterable[str] = (), *,
    effort: int, nodes: int = MANY_NODES,
) -> Any:  # fmt: skip
    """:func:`linearize`, exact for graphs of so many nodes."""
    expect_system(system, "ch.linearize")
    system = first_order_motion(system)
    if along is not None and at is not None:
        raise ModelError("a state and a motion are given", expected="at=… or along=…, not both")
    if along is None:
        at = table(at, "the state", "a dictionary such as {'x': 1, 'x_dot': 0}")
        system = system.with_initial(at) if at else system
        _ = system.state
    moving = moving_of(system, relative_to, "relative_to")
    asked = Asked.of(system, moving.cyclic, inputs, outputs)
    residual = Residual(system, asked.outputs)
    if along is not None and moving.fields:
        raise ModelError(
            "relative_to has fields, and a motion is given",
            expected="names of cyclic coordinates along a motion",
        )
    if along is not None:
        return along_motion.matrices_along(system, residual, asked, along)
    flat: tuple[str, ...] = ()
    if not (moving.fields or moving.cyclic):  # elsewhere the law is another, and is looked at for these
        system, flat = without_flat_kinks(system)
        residual = Residual(system, asked.outputs) if flat else residual
    state = system.state
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    try:
        found = matrices_at(system, residual, asked, state.t, q, v)
    except KinkError:
        raise
    except NoLinearizationError:
        _expect_singular(system, effort)
        raise
    if moving.fields:
        return _in_moving_frame(system, residual, asked, found, moving, q, v, effort, nodes)
    exact = _exact(system, found, effort) if _small(system, found, nodes) else []
    result = _result(system, residual, asked, found, exact, effort)
    if not flat:
        return result
    note = f"{', '.join(flat)}: the kink does not matter here, beside a factor that is 0"
    return dataclasses.replace(result, notes=(*result.notes, note))


def _expect_singular(system: System, effort: int) -> None:
    """A CoarseError where exact numbers show that a law which doubles take to be singular is regular."""
    state = ask(exact_state, system, standpoints(system)[-1], modest(effort))
    if not isinstance(state, GivenUp) and is_singular(system, state, effort) is False:
        raise CoarseError(
            "the law is regular at this state, but so near to a singular one that doubles do not tell",
            remedy="choose units in which masses and constraints are of like sizes",
        )


def _in_moving_frame(
    system: System, residual: Residual, asked: Asked, found: Matrices, moving: Moving, q: Array, v: Array,
    effort: int, nodes: int,
) -> Linearization:  # fmt: skip
    """Relative to generators that are no translations: X − Σ c_i Ξ_i on the quotient by the group."""
    p = residual.model.default_values
    slopes = residual.at(found.t, q, v, p)
    E, _ = tangent(found.chart, slopes.held, slopes.held_by_time)
    frame = moving_frame(residual, moving.fields, found.chart, E, found.A, found.drift, q, v, p)
    changed = found.C @ frame.directions
    for text, row, along in zip(asked.texts, found.C, changed, strict=True):
        if np.abs(along).max(initial=0.0) > DECOUPLED * max(np.abs(row).max(initial=0.0), 1e-12):
            raise ModelError(
                f"the output {text} changes along the symmetries of relative_to",
                remedy="ask for an output that does not change along them",
            )
    kept, out = frame.kept, frame.out
    turned = Matrices(
        found.chart, kept, frame.A, found.B[kept] - frame.slope @ found.B[out] + 0.0, found.C,
        found.D, frame.drift, (frame.directions @ frame.rates)[out], found.size, found.t,
    )  # fmt: skip
    words = tuple(str(x) for x in moving.fields)
    exact = _exact(system, turned, effort, moving.fields, out) if _small(system, found, nodes) else []
    return _result(system, residual, dataclasses.replace(asked, relative_to=words), turned, exact, effort)


def _nodes(system: System) -> int:
    return size(*system.dynamics.functions, *(e.residual for e in every_constraint(system)))


def _small(system: System, found: Matrices, nodes: int) -> bool:
    return len(found.chart.places) <= LARGEST and _nodes(system) <= nodes and not system.tables


class _Exact:
    """A in exact numbers, the accelerations, the characteristic polynomial; with the model's values too."""

    def __init__(self, rows: list[list[Element]], drift: list[Element], words: str, s: str) -> None:
        self.rows, self.drift, self.words = rows, drift, words
        self.factors = characteristic(rows) if rows else []
        self.table: tuple[tuple[Expr, ...], ...] | None = None
        self.polynomials: tuple[Expr, ...] | None = None
        if not any(isinstance(g.name, ImplicitNumber) for row in rows[:1] for g in row[0].field.generators):
            self.table = tuple(tuple(e.to_expr() for e in row) for row in rows)
            self.polynomials = tuple(polynomial(c, s) for c in self.factors)

    def numbers(self, values: Any) -> Array:
        """A in doubles."""
        if self.table is not None:
            flat = evaluate([e for row in self.table for e in row], values)
        else:
            flat = [0.0 if e.is_zero else float(e.evaluate({}, 128).mid()) for row in self.rows for e in row]
        return np.array(flat, dtype=float)


def _exact(
    system: System, found: Matrices, effort: int, fields: Sequence[Components] = (), out: Sequence[int] = ()
) -> list[_Exact]:
    """For free parameters, where that can be, and for the values given; with fields, in their frame. A state
    that is known by what it solves belongs to the values given.
    """
    slopes = ExactSlopes(system)
    given = system.initial
    numbers = [] if given is None else [*given.position.values(), *given.velocity.values()]
    alone = any(map(is_implicit, numbers)) or _nodes(system) > MOST_FREE

    def at(view: Standpoint) -> _Exact:
        field = modest(effort)
        state = exact_state(system, view, field)
        point = slopes.at(field, view, state)
        if fields:
            rows, drift = exact_frame(point, view, state, fields, found.chart, found.kept, out)
        else:
            full = point.on(found.chart)
            rows = [[full[i][j] for j in found.kept] for i in found.kept]
            rates = [field(state[c, 1]) for c in system.coordinates] + point.a
            drift = [rates[found.chart.places[i]] for i in found.kept]
        return _Exact(rows, drift, view.words, "s" if "s" not in system.names else "lambda")

    answers = [ask(at, view) for view in standpoints(system)[-1 if alone else 0 :]]
    return [x for x in answers if not isinstance(x, GivenUp)]


def _enclosed(system: System, found: Matrices, effort: int) -> Spectrum:
    """Eigenvalues in balls, for the values given."""
    view = standpoints(system)[-1]
    state = exact_state(system, view, modest(effort))
    return enclosed_spectrum(ExactSlopes(system), view, state, found.chart, found.kept)


def _result(
    system: System, residual: Residual, asked: Asked, found: Matrices, exact: list[_Exact], effort: int
) -> Linearization:
    import xarray

    names = [found.chart.names(system.coordinates)[i] for i in found.kept]
    A, drift = found.A, found.drift
    table: tuple[tuple[Expr, ...], ...] | None = None
    factors: tuple[Expr, ...] | None = None
    spectrum: Spectrum | None = None
    evidence = "derivatives in doubles, by automatic differentiation"
    values = np.array(
        [[s[c] for c in system.coordinates] for s in (system.state.position, system.state.velocity)]
    )
    places = [found.chart.places[i] for i in found.kept]
    last_bits = UNITS * np.finfo(float).eps * (np.abs(A) @ np.abs(values.ravel()[places]))
    still = bool((np.abs(drift) <= np.maximum(SMALL * found.size, last_bits)).all())
    rounded, cyclic = False, set(asked.relative_to) <= set(system.coordinates)
    if exact:
        first, last = exact[0], exact[-1]
        table, factors = first.table, first.polynomials
        spectrum = of_factors(last.factors) if _plain(last) else None
        A = first.numbers(system.parameter_values).reshape(A.shape)
        zero = [e.is_zero for e in last.drift]
        if None not in zero and _plain(last) and not all(zero):
            rounded = bool((np.abs(drift) <= np.maximum(ROUNDED * found.size, last_bits)).all())
            still = rounded
        drift = np.where([z is True for z in zero], 0.0, drift) if zero else drift
        evidence = f"exact {first.words}".strip()
    if rounded:  # what is zero at the state that is meant need not be zero here
        table = factors = None
        spectrum, evidence = (
            of_doubles(A),
            "derivatives exact at the rounded values given; eigenvalues in doubles",
        )
    elif spectrum is None:
        enclosed = GivenUp("") if asked.relative_to and not cyclic else ask(_enclosed, system, found, effort)
        spectrum = of_doubles(A) if isinstance(enclosed, GivenUp) else enclosed
        words = "doubles" if isinstance(enclosed, GivenUp) else "balls"
        evidence += f"; eigenvalues in {words}" if exact or words == "balls" else ""
    still = still and (residual.autonomous or _lasting(system, residual, found))
    moving = bool(asked.relative_to) and bool(np.abs(found.dropped_drift).max(initial=0.0) > 0)
    kind = "no equilibrium" if not still else "relative equilibrium" if moving else "equilibrium"
    notes = [_not_still(names, drift, system.time)] if not still else []
    if rounded:
        notes.append("this is so up to the rounding of the values given")
    if not residual.autonomous:
        notes.append(
            f"law or constraints depend on {system.time}: this is A at {system.time} = {found.t:g}, and its "
            "eigenvalues decide nothing about other times"
        )
    if asked.relative_to:
        listed = ", ".join(asked.relative_to)
        if cyclic:
            notes.append(f"that {listed} are cyclic was tested at {CYCLIC} states of Q")
        else:
            notes.append(f"seen from a frame that moves along {listed}; directions along them are left out")
    limits = None
    if exact and still and not rounded and system.parameters and residual.autonomous and _everywhere(exact):
        limits = _criteria(system, exact[0])
    kinks = away_from_kinks(system)
    state = system.state
    point = {system.time: state.t, **state.position}
    return Linearization(
        system.name, tuple(names),
        xarray.DataArray(A, dims=("state", "by"), coords={"state": names, "by": names}, name="A"),
        _named(found.B, "state", names, "input", list(asked.inputs), "B"),
        _named(found.C[:, found.kept], "output", list(asked.texts), "by", names, "C"),
        _named(found.D, "output", list(asked.texts), "input", list(asked.inputs), "D"),
        xarray.DataArray(drift, dims=("state",), coords={"state": names}, name="drift"),
        kind, point | {key_name(c, 1): x for c, x in state.velocity.items()},
        asked.relative_to, table, factors, spectrum, residual.autonomous, evidence, found.chart, limits,
        tuple(notes) + ((kinks,) if kinks else ()),
    )  # fmt: skip


def _lasting(system: System, residual: Residual, found: Matrices) -> bool:
    """Whether a state of a system that depends on time is at rest at other times, too."""
    state, p = system.state, residual.model.default_values
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    for later in LATER:
        try:
            a = residual.at(state.t + later, q, v, p).a
        except NoLinearizationError:
            return False
        misses = residual.misses(state.t + later, q, v, p)
        drift = np.concatenate([v, a])[[found.chart.places[i] for i in found.kept]]
        if max(np.abs(drift).max(initial=0.0), misses) > SMALL * found.size:
            return False
    return True


def _criteria(system: System, exact: _Exact) -> Criteria | None:
    return answer(ask(criteria, exact.factors, [n for n, x in system.parameter_values.items() if x > 0]))


def _everywhere(exact: list[_Exact]) -> bool:
    """Whether the state is at rest for every value of the parameters that are free."""
    return len(exact) == 1 or all(e.is_zero is True for e in exact[0].drift)


def _plain(exact: _Exact) -> bool:
    """Whether no symbol is left in the matrix."""
    return not any(e.symbols for row in exact.rows for e in row)


def _named(values: Any, first: str, rows: list[str], second: str, columns: list[str], name: str) -> Any:
    import xarray

    coordinates = {first: np.array(rows, dtype=str), second: np.array(columns, dtype=str)}
    return xarray.DataArray(values, dims=(first, second), coords=coordinates, name=name)


def _not_still(names: list[str], drift: np.ndarray[Any, Any], time: str) -> str:
    moving = ", ".join(f"{n}' = {x:.6g}" for n, x in zip(names, drift, strict=True) if abs(x) > SMALL)
    return (
        f"the state is no equilibrium: {moving or f'it is at rest at this {time} only'}; A δy is added to "
        "this drift, and eigenvalues decide nothing about stability"
    )
