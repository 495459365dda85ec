"""`ch.vakonomic`: motions of the vakonomic equations, another dynamics with the multipliers as states (K15).

The extremals of L + μ_a f^a with f = 0 satisfy (Krupková (50)–(52))

    d/dt ∂L/∂v − ∂L/∂q = F + μ_a (∂f^a/∂q − d/dt ∂f^a/∂v) − μ̇_a ∂f^a/∂v,      f = 0

Let μ_a be the velocity of a coordinate σ^a. Then these are the Euler–Lagrange equations, without any
constraint, of

    L̂(t, q, σ, v, σ̇) = L + σ̇_a f^a      whose σ are ignorable:   d/dt ∂L̂/∂σ̇_a = df^a/dt = 0

so f stays 0 if it is 0 at first, and the Hessian of L̂ is the bordered matrix (M + μ_a ∂²f^a/∂v∂v, Cᵀ; C, 0)
of (a, μ̇). The compiled integrators run this system as they run any other; where the bordered matrix is
singular they stop and say so. Position constraints stay what they are: for them both dynamics are the same.

Motions depend on the initial multipliers, for which there is no natural choice: another μ(t₀) is another
motion from the same q and v. With μ(t₀) = 0 both dynamics have the same acceleration at first.

>>> import chetaev as ch
>>> skate = ch.load("knife-edge")
>>> motion = ch.vakonomic(skate, until=1.0, multipliers=[0.5], at=[0.0, 1.0])
>>> motion.mu_1.values[0].item(), motion.attrs["dynamics"]
(0.5, 'vakonomic')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.checked_arguments import number, shown, table
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import symbol
from chetaev.flow.data.labels import renamed
from chetaev.flow.data.simulate import simulate
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.run_options import prepared
from chetaev.model.jet_functions import fresh_names
from chetaev.model.reading.text_places import PythonSource
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of

if TYPE_CHECKING:
    import xarray

ENERGY = "energy of L + μ f: v·∂L/∂v − L + μ v·∂f/∂v"
REACTION = "force of the constraints: d/dt ∂L/∂v − ∂L/∂q − F"


def vakonomic(
    system: System,
    until: float | None = None,
    multipliers: Sequence[float] | Mapping[str, float] | None = None,
    *,
    at: Any = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> xarray.Dataset:
    """Integrate the vakonomic equations of a system (K15).

    Parameters
    ----------
    system
        A system with a Lagrangian and constraints on velocities.
    until, at, initial, tolerance, parameters
        As for :func:`chetaev.simulate`.
    multipliers
        The multipliers at the start, one for each velocity constraint, in order, or by name:
        ``{"mu_1": 0.5}``. All 0 if left out.
    **options
        Further ones of :func:`chetaev.simulate`: ``events``, ``laws`` (both may contain ``mu_1``),
        ``method``, ``check``, ``progress``, ``max_step``, ``max_steps``.

    Returns
    -------
    xarray.Dataset
        As of :func:`chetaev.simulate`, with ``mu_1``, ``mu_1_dot``, … in place of ``multiplier``. ``energy``
        is that of L + μ f, ``reaction_x`` what keeps the motion from being free. ``residual`` is f, which is
        conserved but not projected away.

    Raises
    ------
    ModelError
        If there is no Lagrangian or no constraint on velocities, and where the bordered matrix of (a, μ̇) is
        singular at the start.

    Examples
    --------
    >>> import chetaev as ch
    >>> skate = ch.load("knife-edge")
    >>> a, b = (ch.vakonomic(skate, until=2, multipliers=[m], at=[2.0]).y.item() for m in (0, 1))
    >>> a == b
    False
    """
    system, end, allowed = prepared(system, until, initial, tolerance, parameters, "ch.vakonomic")
    check(system)
    for name in options:
        if name not in OPTIONS:
            raise ModelError(f"ch.vakonomic has no option {name!r}", expected="one of " + ", ".join(OPTIONS))
    names = fresh_names(system, len(system.velocity_constraints))
    start = _multipliers(multipliers, names)
    larger, integrals = extended(system, names, start)
    motion = simulate(larger, end, at, tolerance=allowed, **options)
    if not motion.attrs["steps"] and motion.attrs["status"] not in ("done", "event"):
        raise ModelError(
            "the vakonomic equations determine no motion from here: the bordered matrix of the accelerations "
            "and of the rates of the multipliers is singular at the initial state",
            remedy="try other multipliers=…, and remove constraints that follow from others",
        )
    return _as_motion(system, motion, names, integrals)


OPTIONS = ("events", "laws", "method", "check", "progress", "max_step", "max_steps")


def check(system: System) -> None:
    """Raise unless the system has vakonomic equations."""
    system.dynamics.expect_lagrangian()
    if system.acceleration_constraints:
        raise ModelError(
            "vakonomic equations come from L + μ f with f(t, q, v); there are constraints on accelerations"
        )
    if not system.velocity_constraints:
        raise ModelError(
            f"the model {system.name!r} has no constraint on velocities to be added to its Lagrangian",
            remedy="its motions are those of ch.simulate",
        )


def extended(
    system: System, names: Sequence[str], multipliers: Sequence[float]
) -> tuple[System, tuple[str, ...]]:
    """The system of L + σ̇ f, with these multipliers at the start, and the names of the σ."""
    integrals = fresh_names(system, len(names), "sigma")
    state, data = system.state, data_of(system)
    augmented = system.lagrangian
    for name, equation in zip(integrals, system.velocity_constraints, strict=True):
        augmented = augmented + symbol(name, 1) * equation.residual
    data["coordinates"] = [*system.coordinates, *integrals]
    data["define"] = data["define"] | {m: symbol(s, 1) for m, s in zip(names, integrals, strict=True)}
    data["dynamics"] = {"lagrangian": augmented, "forces": dict(system.forces), "degenerate": True}
    data["constraints"] = {"position": list(system.position_constraints)}
    data["initial"] = {
        "t": state.t,
        "position": {**state.position, **dict.fromkeys(integrals, 0)},
        "velocity": {**state.velocity, **dict(zip(integrals, multipliers, strict=True))},
    }
    data["view"], data["claims"] = {}, []
    return System.from_data(data, PythonSource(data)), integrals


def _multipliers(given: Any, names: Sequence[str]) -> list[float]:
    if given is None:
        return [0.0] * len(names)
    if isinstance(given, Mapping):
        found = dict.fromkeys(names, 0.0)
        for name, value in table(given, "the multipliers").items():
            if name not in found:
                raise ModelError.unknown(f"there is no multiplier {shown(name)}", name, names)
            found[name] = number(value, f"the multiplier {name}")
        return list(found.values())
    several = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 0)
    values = list(given) if several else [given]
    if len(values) != len(names):
        raise ModelError(f"{len(values)} multipliers are given", expected=f"{len(names)}: {', '.join(names)}")
    return [number(v, f"the multiplier {name}") for v, name in zip(values, names, strict=True)]


def _as_motion(
    system: System, motion: xarray.Dataset, names: Sequence[str], integrals: Sequence[str]
) -> xarray.Dataset:
    """The motion in the terms of the system itself."""
    there = renamed(system.coordinates)  # the further coordinates are named so that nothing else is renamed

    def named(key: str) -> str:
        return there.get(key, key)

    time = named("time")
    gone = {key_name(s, order) for s in integrals for order in range(3)}
    gone |= {named(k) for k in ("multiplier", "residual", "power", "position_residual")}
    gone |= {named(f"reaction_{c}") for c in (*system.coordinates, *integrals)}
    gone |= {named("constraint"), named("position_constraint")}
    found = motion.drop_vars([name for name in gone if name in motion.variables])
    t = np.asarray(found[time].values, float)
    q, v, a = (
        np.column_stack([found[key_name(c, order)].values for c in system.coordinates]) for order in range(3)
    )
    for name, s in zip(names, integrals, strict=True):
        for order in (1, 2):
            found[key_name(name, order - 1)] = (time, motion[key_name(s, order)].values)
            found[key_name(name, order - 1)].attrs["long_name"] = ("multiplier μ", "rate of μ")[order - 1]
    found = found.assign_coords({named("constraint"): [str(e) for e in every_constraint(system)]})
    field = compile_field(system)
    mass, rest, _, _ = field.matrices(t, q, v)
    force = np.sum(mass * a[:, None, :], axis=2) + rest
    for i, c in enumerate(system.coordinates):
        name = named(f"reaction_{c}")
        found[name] = (time, force[:, i], {"long_name": f"{REACTION}, on {c}"})
    found[named("power")] = (time, np.sum(force * v, axis=1), {"long_name": "power of that force"})
    found[named("energy")].attrs["long_name"] = ENERGY
    for key, rows in residuals(system, t, q, v).items():
        axis = "constraint" if key == "residual" else "position_constraint"
        label = named(axis)
        if axis == "position_constraint":
            found = found.assign_coords({label: [str(e) for e in system.position_constraints]})
        found[named(key)] = ((time, label), rows)
    further = " ".join(key_name(n, order) for n in names for order in (0, 1))
    return found.assign_attrs(
        title=f"{system.name}: vakonomic", model=system.text, dynamics="vakonomic", further_states=further
    )


def residuals(system: System, t: Any, q: Any, v: Any) -> dict[str, Any]:
    """What the constraints miss zero by, position constraints first, as in any motion."""
    seen, count = compile_field(system).residuals(t, q, v), len(every_constraint(system))
    found = {"residual": seen[:, :count], "position_residual": seen[:, count:]}
    return {key: rows for key, rows in found.items() if rows.shape[1]}
