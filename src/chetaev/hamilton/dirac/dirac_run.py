"""`ch.simulate`: what the equations of motion determine is integrated as it is, else Dirac's algorithm helps.

A system whose accelerations are determined on its constraints goes to :mod:`chetaev.flow`. One with a
Lagrangian affine in the velocities is one of first order (:mod:`chetaev.equations.law.solved_law`).
Another degenerate Lagrangian is brought to its end (:mod:`chetaev.hamilton.dirac`); where the motion is
determined then, or a choice of gauge determines it, the total Hamiltonian is integrated on the constraints of
phase space (SCOPE B7, B8). The data set has coordinates, their rates and momenta.

>>> import chetaev as ch
>>> oscillator = ch.System(
...     coordinates=["x", "y"], dynamics={"lagrangian": "x*y' - (x^2 + y^2)/2", "degenerate": True}
... )
>>> motion = ch.simulate(oscillator, until=3.141592653589793, initial={"x": 1, "y": 0}, at=2)
>>> [round(float(motion[name][-1]), 6) for name in ("x", "p_y")]
[-1.0, -1.0]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import table
from chetaev.equations.law.first_order_motion import first_order_motion, momenta_and_energy
from chetaev.errors import InitialDataError, ModelError
from chetaev.model.system import System, expect_system

if TYPE_CHECKING:
    import xarray

    from chetaev.hamilton.dirac.dirac_result import DiracBranch

NEAR = 1e-7
"""How far a velocity that is given may be from that of the motion, relative to its size or 1."""
SINGULAR = "reduced matrix singular"


def simulate(
    system: System,
    until: float | None = None,
    at: Any = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    gauge: Any = None,
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> xarray.Dataset:
    """Integrate a system on its constraints.

    Parameters
    ----------
    system
        The system.
    until
        The final time. Before the initial time, the run goes backwards. If left out, the last of the times
        `at`, else the model's own.
    at
        Times of the result, in the direction of the run: a list, or text such as ``"0:10:0.1"``; or their
        number. 1001 evenly spaced ones if left out. See `chetaev.flow.data.times`.
    initial
        Initial data laid over the model's own, ``{"x": 1, "y_dot": 2}``; what neither gives is solved. Where
        the Lagrangian is degenerate, momenta ``p_x`` may be given too.
    tolerance
        Relative and absolute error allowed in a step; the model's own, or 1e-9, if left out.
    gauge
        For a degenerate Lagrangian that leaves multipliers free: functions of t, q, p by multiplier,
        ``{"u_1": "1"}``, or conditions on phase space, ``["z = 0"]``; the model's ``run.gauge`` if left out.
        See :func:`chetaev.dirac`.
    parameters
        Parameter values laid over the model's own.
    **options
        ``events``, ``forces``, ``laws``, ``method``, ``step``, ``form``, ``quasi``, ``check``, ``precision``,
        ``progress``, ``max_step``, ``max_steps``: see :func:`chetaev.flow.data.simulate.simulate`.

    Returns
    -------
    xarray.Dataset
        Dimension ``time``; variables ``x``, ``x_dot``, ``x_ddot`` for each coordinate, ``energy``,
        ``power`` (of the constraint forces), ``multiplier`` and ``residual`` by constraint; provenance in
        ``attrs``. A run that ends early keeps everything up to there, with the reason in ``attrs``.
    """
    from chetaev.flow.data.simulate import simulate as integrate

    expect_system(system, "ch.simulate")
    gauge = list(system.gauge) or None if gauge is None else gauge
    first = first_order_motion(system)
    if first is not system and gauge is None and not any(str(n).startswith("p_") for n in initial or ()):
        laws = {**momenta_and_energy(system), **(options.pop("laws", None) or {})}
        return integrate(first, until, at, initial, tolerance, parameters=parameters, laws=laws, **options)
    direct = gauge is None and not (system.degenerate and undetermined(system))
    if direct:
        found = integrate(system, until, at, initial, tolerance, parameters=parameters, **options)
        if found.attrs["status"] != SINGULAR or not undetermined(system):
            return found
    from chetaev.hamilton.dirac.dirac import dirac

    if parameters:
        system = system.with_parameters(dict(table(parameters, "parameters")))
    try:
        branches = dirac(system).branches
        return _of_a_branch(branches, until, initial, gauge, at=at, tolerance=tolerance, **options)
    except ModelError as error:
        if not direct:  # a Lagrangian that is said to be degenerate, or a choice of gauge
            raise
        found.attrs["reason"] += f"; by Dirac's algorithm, {error.message}"
        return found


def _of_a_branch(
    branches: Sequence[DiracBranch],
    until: float | None,
    initial: Mapping[Any, Any] | None,
    gauge: Any,
    **options: Any,
) -> xarray.Dataset:
    """The motion of the first branch on whose constraints the initial data lie."""
    going = [b for b in branches if b.contradiction is None] or branches[:1]
    missed: InitialDataError | None = None
    for branch in going:
        try:
            return run(branch, until, initial, gauge, **options)
        except InitialDataError as error:
            missed = missed or error
    assert missed is not None
    if len(going) > 1:
        raise ModelError(
            f"the initial data lie on none of {len(going)} branches; on the first, {missed.message}",
            remedy="ch.dirac(system) shows the constraints of each branch",
        )
    raise missed


def undetermined(system: System) -> bool:
    """Whether the equations of motion leave accelerations open at generic points of the constraints."""
    from chetaev.equations.law.singular import singular

    if system.dynamics.lagrangian is None or system.acceleration_constraints:
        return False
    try:
        return singular(system).outcome != "determined"
    except ModelError:
        return False


def run(
    branch: DiracBranch, until: float | None, initial: Mapping[Any, Any] | None, gauge: Any, **options: Any
) -> xarray.Dataset:
    """The motion of one branch after a choice of gauge."""
    from chetaev.flow.data.simulate import simulate as integrate
    from chetaev.hamilton.dirac.total_hamiltonian import Total

    total = Total(branch, gauge)
    values, velocities = start(branch, initial)
    phase = total.system(values)
    _check_velocities(phase, velocities)
    return integrate(phase, until, **{k: v for k, v in options.items() if v is not None})


def start(branch: DiracBranch, initial: Mapping[Any, Any] | None) -> tuple[dict[str, Any], dict[str, float]]:
    """Initial coordinates and momenta, and the velocities that were given."""
    from chetaev.hamilton.dirac.total_hamiltonian import momenta_at

    space = branch.motion.space
    system = space.system
    given = {str(k): v for k, v in table(initial, "the initial data").items()}
    momenta = {n: given.pop(n) for n in space.momenta if n in given}
    if system.initial is None and not given and not momenta:
        raise ModelError(
            "the model has no initial state",
            remedy=f"give initial={{…}}: coordinates, and momenta such as {space.momenta[0]}, or velocities",
        )
    q: dict[str, Any] = {}
    velocities: dict[str, float] = {}
    if momenta or not _has_velocities(system, given):
        own = system.initial
        if own is not None:
            q = {**own.position, "t": own.t}
        q |= given
        if any(n in q for c in system.coordinates for n in (f"{c}_dot", f"{c}'")):
            raise ModelError(
                "initial data give momenta and velocities",
                remedy="give either; with velocities, those of all coordinates",
            )
    else:
        started = system.with_initial(given) if given else system
        state = started.state
        momenta, velocities = momenta_at(branch, started), dict(state.velocity)
        q = {**state.position, "t": state.t}
    return {**q, **momenta}, velocities


def _has_velocities(system: System, given: Mapping[str, Any]) -> bool:
    """Whether velocities are given, in the model or beside it."""
    here = any(str(n).endswith(("_dot", "'")) for n in given)
    return here or (system.initial is not None and bool(system.initial.velocity))


def _check_velocities(phase: System, given: Mapping[str, float]) -> None:
    """Velocities that were given are those of the motion."""
    found = phase.state.velocity
    for name, value in given.items():
        if abs(found[name] - value) > NEAR * max(1.0, abs(value), abs(found[name])):
            raise ModelError(
                f"the initial velocity {name}' = {value:.10g} is given, and the motion has "
                f"{found[name]:.10g}",
                remedy="p = ∂L/∂v does not contain this velocity: it follows from the constraints and the "
                "gauge; give that value, or coordinates and momenta without velocities",
            )
