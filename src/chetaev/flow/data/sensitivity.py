"""How the final state depends on the initial state and on the parameters: the variational equations on Q.

Along a motion y(t) = (q, v) of y' = X(t, y, p), a change δ of the initial state and a change ε of the
parameters move it by

    η' = (∂X/∂y) η + (∂X/∂p) ε      η(t₀) = δ

X preserves the constraints in the ambient space, so η stays tangent to Q = {φ = 0, f = 0} when it starts
so. Initial changes are therefore projected onto the tangent space of Q, and a change of a parameter that
enters a constraint moves the initial state by the least change that keeps it on Q. The derivatives of X
come from automatic differentiation of the compiled elimination and are integrated along with the motion,
under the same error control.

A notebook shows the data set as a table: rows the final state, columns what changes.

>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": 1})
>>> found = ch.sensitivities(spring, until=1.0, initial={"x": 1, "x'": 0})
>>> print(found._table_().csv(), end="")
final,value,by x,by x_dot,by k
x,0.540302,0.5403,0.8415,-0.4207
x_dot,-0.841471,-0.8415,0.5403,-0.6909
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray
from numpy.typing import ArrayLike

from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.kernels import statuses
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.diagnose import why_it_ended
from chetaev.flow.run.integrate import checked
from chetaev.flow.run.run_options import RunOptions, prepared
from chetaev.flow.run.session import Session
from chetaev.flow.run.tangent_flow import smooth_programs
from chetaev.flow.schemes import DEFAULT, find, schemes
from chetaev.model.system import System
from chetaev.numeric import kernel, least_squares
from chetaev.results import Table


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives of the final state (q, v).

    Attributes
    ----------
    time, state
        Final time, and (q, v) there.
    initial
        ∂(q, v)(t₁)/∂(q, v)(t₀), shape (2n, 2n), for changes tangent to the constraints; others are
        projected first.
    parameters
        For each parameter the derivative, shape (2n,); parameters that depend on it change with it.
    """

    time: float
    state: tuple[Array, Array]
    initial: Array
    parameters: Mapping[str, Array]


def sensitivities(
    system: System,
    until: float | None = None,
    initial: Mapping[Any, Any] | None = None,
    tolerance: float | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    method: str = DEFAULT,
) -> xarray.Dataset:
    """How the final state of a motion depends on its initial state and on the parameters.

    Parameters
    ----------
    system, until, initial, tolerance, parameters
        As for :func:`chetaev.simulate`.
    method
        A scheme that chooses its steps, which the derivatives take with the motion: ``"radau"`` for stiff
        systems, ``"auto"`` where one does not know.

    Returns
    -------
    xarray.Dataset
        ``state``, the final state; ``by_initial``, ∂(final)/∂(initial), for changes of the initial state
        tangent to the constraints (others are projected first); ``by_parameter``, where parameters that
        depend on another one change with it. All are labelled by ``final``, ``initial`` and ``parameter``.

    Examples
    --------
    >>> import chetaev as ch
    >>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": 1})
    >>> found = ch.sensitivities(spring, until=1.0, initial={"x": 1, "x'": 0})
    >>> found.by_initial.values.round(6).tolist()  # cos 1, sin 1
    [[0.540302, 0.841471], [-0.841471, 0.540302]]
    >>> round(float(found.by_parameter.sel(final="x", parameter="k")), 6)  # d/dk of cos(√k t)
    -0.420735
    """
    system, end, allowed = prepared(system, until, initial, tolerance, parameters, "ch.sensitivities")
    expect_controlled(method)
    if system.degenerate or system.gauge:
        raise ModelError(
            "the Lagrangian is degenerate, and ch.sensitivities wants what the equations of motion determine",
            remedy="use differences of runs of ch.simulate",
        )
    if system.stops:
        raise ModelError("sensitivities need a smooth motion, and this system has stops")
    state = system.state
    q, v = ([values[c] for c in system.coordinates] for values in (state.position, state.velocity))
    found = integrate_sensitivities(compile_field(system), state.t, q, v, end, allowed, method=method)
    names = [key_name(c, order) for order in (0, 1) for c in system.coordinates]
    by_parameter = np.array(list(found.parameters.values())).reshape(len(found.parameters), len(names)).T
    return labelled(
        {
            "state": ("final", np.concatenate(found.state)),
            "by_initial": (("final", "initial"), found.initial),
            "by_parameter": (("final", "parameter"), by_parameter),
        },
        {"final": names, "initial": names, "parameter": np.array(list(found.parameters), dtype=str)},
        {
            "title": system.name,
            "start_time": state.t,
            "end_time": found.time,
            "tolerance": allowed,
            "method": method,
        },
    )


def expect_controlled(method: str) -> None:
    """That a scheme chooses its steps: derivatives have none but its control of errors."""
    if find(method).fixed:
        raise ModelError(
            f"the method {method!r} has steps of one length, and sensitivities want their errors controlled",
            expected=", ".join(repr(s.name) for s in schemes() if not s.fixed),
        )


def integrate_sensitivities(
    field: CompiledField,
    t0: float,
    q0: ArrayLike,
    v0: ArrayLike,
    t1: float,
    tolerance: float = 1e-9,
    parameters: Mapping[str, Any] | None = None,
    most: int = 1_000_000,
    method: str = DEFAULT,
) -> Sensitivities:
    """Integrate the motion together with its derivatives, as `flow.run.integrate` does; at most `most` steps.

    Examples
    --------
    >>> import chetaev as ch
    >>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": 1})
    >>> found = integrate_sensitivities(compile_field(spring), 0.0, [1], [0], 1.0)
    >>> found.initial.round(6).tolist()  # cos 1, sin 1
    [[0.540302, 0.841471], [-0.841471, 0.540302]]
    >>> found.parameters["k"].round(6).tolist()  # d/dk of cos(√k t)
    [-0.420735, -0.690887]
    """
    model, n = field.model, field.model.size
    options = RunOptions(tolerance, method)
    start, _ = checked(field, t0, q0, v0, t1, None, options)
    programs = smooth_programs(field, "sensitivities")
    values = np.array([float(x) for x in model.values(parameters)])
    tangent, shift = tangent_space(field, t0, start, values)
    count = len(values)
    directions = np.concatenate([tangent.T, shift.T])
    state = np.concatenate([start, directions.ravel()])
    session = Session(
        programs, values, float(t0), state, float(t1), np.zeros(0), options, directions=2 * n + count,
    )  # fmt: skip
    code = session.run(most)
    end = session.state
    if code != statuses.DONE:
        found = why_it_ended(code, session, field, dict(parameters or {}), start, "")
        raise ModelError(f"the motion does not reach {model.time} = {t1:g}: {found.reason}")
    if not np.all(np.isfinite(end)):
        raise ModelError(
            f"the derivatives of the motion outgrow all numbers before {model.time} = {t1:g}",
            remedy="give an earlier final time",
        )
    matrix = end[2 * n :].reshape(2 * n + count, 2 * n).T
    chain = parameter_chain(model, parameters)
    by_parameter = matrix[:, 2 * n :] @ chain
    names = {name: by_parameter[:, i] for i, name in enumerate(model.parameters)}
    return Sensitivities(session.t, (end[:n], end[n : 2 * n]), matrix[:, : 2 * n], names)


def tangent_space(field: CompiledField, t: float, state: Array, values: Array) -> tuple[Array, Array]:
    """At a state of Q, the projector onto the tangent space of Q in (q, v), (2n, 2n), and the least moves
    that keep it on Q when parameters change, (2n, r).
    """
    n = field.model.size
    if field.model.on_velocities == 0:
        return np.eye(2 * n), np.zeros((2 * n, len(values)))
    import casadi

    d = field.programs.dynamics
    held = casadi.vertcat(d.phi, d.f)
    arguments = d.arguments.list()
    parts = [casadi.jacobian(held, casadi.vertcat(*arguments[1:3])), casadi.jacobian(held, arguments[3])]
    found = casadi.Function("G", arguments, parts)(t, state[:n], state[n:], values)
    by_state, by_parameter = (np.array(x.full()) for x in found)
    along = kernel(by_state)
    moves = [-least_squares(by_state, column) for column in by_parameter.T]
    return along @ along.T, np.array(moves).reshape(-1, 2 * n).T


def parameter_chain(model: Ingredients, given: Mapping[str, Any] | None = None) -> Array:
    """∂(all parameters)/∂(each): a parameter given by an expression follows those it depends on."""
    import casadi

    from chetaev.expr.graph.engine import Engine
    from chetaev.expr.graph.node import symbol

    names = list(model.parameters)
    chain = np.eye(len(names))
    if not names:
        return chain
    engine = Engine()
    symbols = engine.column([symbol(name) for name in names])
    free = [name for name in names if name not in (given or {})]
    column = engine.column([model.parameters[name] for name in free])
    function = casadi.Function("P", [symbols], [casadi.jacobian(column, symbols)])
    direct = (
        np.array(function([float(x) for x in model.values(given)]).full())
        if free
        else np.zeros((0, len(names)))
    )
    for row, name in zip(direct, free, strict=True):
        chain[names.index(name)] += row @ chain
    return chain


PARTS = {"by_initial": "initial", "by_parameter": "parameter"}
"""Tables of derivatives, and the axis that says by what."""


class Sensitivity(xarray.Dataset):  # type: ignore[no-untyped-call]
    """A data set of derivatives of the final state."""

    __slots__ = ()

    def _table_(self) -> Table:
        parts = [(name, axis) for name, axis in PARTS.items() if name in self]
        head = ("final", "value", *(f"by {x}" for _, axis in parts for x in self[axis].values))
        rows = []
        for i, name in enumerate(self["final"].values):
            derivatives = [f"{x:.4g}" for part, _ in parts for x in self[part].values[i]]
            rows.append((str(name), f"{self['state'].values[i]:.6g}", *derivatives))
        end = self.attrs.get("end_time")
        where = "" if end is None else f" at {float(end):g}"
        return Table(head, tuple(rows), f"{self.attrs.get('title', '')}: derivatives of the state{where}")

    def _is_whole(self) -> bool:
        return "state" in self and all(self[n].dims == ("final", a) for n, a in PARTS.items() if n in self)

    def _repr_html_(self) -> str:
        return self._table_().html() if self._is_whole() else str(super()._repr_html_())

    def _plot_(self, figure: Any) -> None:
        """Both tables of derivatives as coloured squares with their numbers (for `ch.plot`)."""
        parts = [(name, axis) for name, axis in PARTS.items() if name in self and self[name].size]
        wide = 2.5 * len(parts) + 0.5 * sum(self[name].shape[1] for name, _ in parts)
        figure.set_size_inches(max(wide, figure.get_figwidth()), figure.get_figheight())
        for k, (name, axis) in enumerate(parts):
            ax = figure.add_subplot(1, len(parts), k + 1)
            values = self[name].values
            size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
            ax.imshow(values, cmap="RdBu_r", vmin=-size, vmax=size, aspect="auto")
            ax.set_xticks(range(values.shape[1]), [str(x) for x in self[axis].values], rotation=60)
            ax.set_yticks(range(values.shape[0]), [str(x) for x in self["final"].values])
            if values.size <= 150:
                for (i, j), x in np.ndenumerate(values):
                    ink = "white" if abs(x) > 0.6 * size else "black"
                    said = "0" if abs(x) < 1e-9 * size else f"{x:.3g}"
                    ax.text(j, i, said, ha="center", va="center", fontsize=7, color=ink)
            ax.set(title=name.replace("_", " "))


def labelled(variables: Any, coordinates: Any, attributes: Any) -> xarray.Dataset:
    """The data set of some derivatives."""
    return Sensitivity(variables, coordinates, attributes)
