"""`ch.ensemble`: many motions of one system, also of one whose Lagrangian is degenerate (SCOPE B7).

Where the equations of motion leave accelerations open, the members are motions on phase space: those of
:meth:`chetaev.hamilton.dirac.dirac_result.DiracBranch.system`, with coordinates and momenta as initial data.

>>> import chetaev as ch
>>> turning = ch.System(
...     coordinates=["x", "y"],
...     dynamics={"lagrangian": "x*y' - (x^2 + k*y^2)/2", "degenerate": True},
...     parameters={"k": 1},
... )
>>> found = ch.ensemble(turning, {"k": [1, 4]}, until=3.141592653589793, initial={"x": 1, "y": 0})
>>> found.final.sel(state="x").values.round(6).tolist()
[-1.0, 1.0]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import table
from chetaev.ensemble.ensemble import ensemble as ensemble_of
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.node import symbols
from chetaev.hamilton.dirac.dirac_run import start, undetermined
from chetaev.model.system import System, expect_system

if TYPE_CHECKING:
    import xarray

    from chetaev.hamilton.dirac.dirac_result import DiracBranch


def ensemble(
    system: System,
    over: Mapping[str, Any] | None = None,
    samples: int | Mapping[str, Any] | None = None,
    until: float | None = None,
    *,
    initial: Mapping[Any, Any] | None = None,
    gauge: Any = None,
    **options: Any,
) -> xarray.Dataset:
    """Run many motions of one system.

    Parameters
    ----------
    system
        The system.
    over
        What varies, by name: parameters, ``"x"``, ``"x_dot"``, ``"t"``, and momenta ``"p_x"`` where the
        Lagrangian is degenerate. Values are numbers, or a grid ``"start:stop:count"``; several names are all
        combinations, the last varies fastest. With `samples` a value may be a distribution,
        ``"uniform(low, high)"`` or ``"normal(mean, deviation)"``.
    samples
        How many members are drawn, at each point of the grid; or lists by name, one member for each place.
    until
        The final time; the model's own if left out.
    initial
        Initial data that all members share; what is left out is solved for each member.
    gauge
        For a degenerate Lagrangian that leaves multipliers free, as for :func:`chetaev.simulate`.
    **options
        ``keep``, ``at``, ``parameters``, ``energy``, ``tolerance``, ``events``, ``laws``, ``method``,
        ``step``, ``max_step``, ``max_steps``, ``seed``, ``store``, ``chunk``, ``threads``, ``lanes``,
        ``scheduler``, ``progress``: see :func:`chetaev.ensemble.ensemble.ensemble`.

    Returns
    -------
    xarray.Dataset
        Dimension ``run``, the varying values along it; ``status``, ``reason``, ``end_time``, ``steps``,
        ``rejected`` and what `keep` says. A member that fails has its reason and its last good state.
    """
    expect_system(system, "ch.ensemble")
    gauge = list(system.gauge) or None if gauge is None else gauge
    given = [*_names(over), *_names(samples), *_names(initial)]
    if gauge is None and not any(name.startswith("p_") for name in given):
        system = first_order_motion(system)
    if gauge is None and not (system.degenerate and undetermined(system)):
        return ensemble_of(system, over, samples, until, initial=initial, **options)
    if shared := table(options.pop("parameters", None), "parameters"):
        system = system.with_parameters(dict(shared))
    varied = {*_names(over), *_names(samples)}
    branch = _branch(system, varied)
    values, velocities = start(branch, initial) if initial or system.initial is not None else ({}, {})
    if velocities:
        _expect_fixed(branch, varied)
    values = {n: x for n, x in values.items() if n not in varied}
    return ensemble_of(branch.system(gauge), over, samples, until, initial=values, **options)


def _names(given: Any) -> Iterable[str]:
    return [str(n) for n in given] if isinstance(given, Mapping) else []


def _branch(system: System, varied: set[str]) -> DiracBranch:
    """The one branch that has motions, for all values of the parameters that vary."""
    from chetaev.hamilton.dirac.dirac import dirac
    from chetaev.laws.standpoint import VALUES_GIVEN

    found = dirac(system)
    special = sorted(varied.intersection(system.parameters))
    if special and found.parameters == VALUES_GIVEN:
        raise ModelError(
            f"the model's own values of the parameters are special ones, and '{special[0]}' varies",
            remedy="give the model values that stand for those of the members",
        )
    going = [b for b in found.branches if b.contradiction is None]
    if len(going) == 1:
        return going[0]
    if not going:
        raise ModelError(
            "the conditions contradict each other: there is no motion", remedy="see ch.dirac(system)"
        )
    raise ModelError(
        f"Dirac's algorithm has {len(going)} branches with motions here",
        remedy="choose one: ch.ensemble(ch.dirac(system).branches[0].system(), …)",
    )


def _expect_fixed(branch: DiracBranch, varied: Iterable[str]) -> None:
    """Momenta from velocities are those of all members only if they depend on nothing that varies."""
    space = branch.motion.space
    L = space.element(space.system.lagrangian)
    used = {n for v in space.v for n, order in symbols(L.diff(v).to_expr()) if not order}
    for name in sorted(used.intersection(varied)):
        raise ModelError(
            f"the momenta depend on '{name}', which is not the same for all members",
            remedy=f"give initial coordinates and momenta such as {space.momenta[0]} instead of velocities",
        )
