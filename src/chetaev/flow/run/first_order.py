"""`ch.rhs`: the motion as a first-order system y' = f(t, y), for other people's integrators and controllers.

    y = (q, v)      f(t, y) = (v, a(t, q, v))

in the order of the coordinates, positions first: ``rhs.names`` says it. The accelerations are those of the
law on all of J¹Y, so f is defined beside the constraints, too, and is tangent to them: a motion that starts
on Q stays there as well as the integrator integrates. Nobody projects here; `ch.simulate` does.

>>> import chetaev as ch
>>> f = ch.rhs(ch.load("knife-edge"))
>>> f.names
('x', 'y', 'phi', 'x_dot', 'y_dot', 'phi_dot')
>>> f(0.0, f.initial).shape, f(0.0, [[y] * 5 for y in f.initial]).shape
((6,), (6, 5))

A call at one state is one call of machine code. Its flags tell where the chart is weak, the matrix indefinite
or digits are lost; there the state is computed again by complete pivoting (`compiled_field`), and where the
law does not determine the accelerations they are nan, which makes integrators of variable step refuse it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.checked_arguments import array, shown, table
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import symbols
from chetaev.flow.run.array_calls import Array
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.model.system import System, expect_system

CALL = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 4)
"""A call that keeps the interpreter's lock: giving it back takes longer than most fields."""


class _Room(threading.local):
    """Arrays of one thread that machine code reads and writes."""

    def __init__(self, size: int, parameters: Array) -> None:
        self.y, self.out, self.aux = np.zeros(2 * size), np.zeros(2 * size), np.zeros(size + 1)
        self.p = np.concatenate([parameters, np.zeros(1)])
        arrays = (self.y, self.p, self.out, self.aux)
        self.pointers = tuple(ctypes.c_void_p(x.ctypes.data) for x in arrays)


class FirstOrder:
    """The right-hand side ``f(t, y)`` of a system as a first-order equation.

    Attributes
    ----------
    names
        What the entries of y are: positions, then velocities.
    inputs
        Names of parameters that are arguments: then it is called as ``f(t, y, u)``.
    system
        The system.
    """

    def __init__(self, system: System, inputs: tuple[str, ...] = ()) -> None:
        self.system = system
        self.inputs = inputs
        self.names = tuple(key_name(c, order) for order in (0, 1) for c in system.coordinates)
        self._field: CompiledField = compile_field(system)
        model = self._field.model
        self._n = model.size
        self._room = _Room(model.size, model.default_values)
        order = list(model.parameters)
        self._places = [order.index(name) for name in inputs]
        followed = {n for name, e in model.parameters.items() if name not in inputs for n, _ in symbols(e)}
        self._simple = not followed & set(inputs)
        self._call = None
        if not self._field.pivots:
            programs = self._field.programs
            self._library = programs.code("field", programs.first_chart)  # which keeps the code alive
            self._call = CALL(self._library.address("f"))

    @property
    def initial(self) -> Array:
        """The initial state of the model, on its constraints, as y; shape (2n,)."""
        state, names = self.system.state, self.system.coordinates
        return np.array([*(state.position[c] for c in names), *(state.velocity[c] for c in names)], float)

    @property
    def initial_time(self) -> float:
        """The initial time of the model."""
        return float(self.system.state.t)

    def __call__(self, t: Any, y: ArrayLike, u: ArrayLike | None = None) -> Array:
        """The derivative of y.

        Parameters
        ----------
        t
            The time; for many states also one time for each, shape (k,).
        y
            One state, shape (2n,), or many side by side, shape (2n, k), as SciPy's ``vectorized=True`` has
            them.
        u
            Values of the inputs, shape (r,) or (r, k); the model's own if left out.

        Returns
        -------
        numpy.ndarray
            The shape of y.
        """
        call = self._call
        if call is None or (u is not None and not self._simple):
            return self._many(t, y, u)
        room = self._room
        own, pointers = room.y, room.pointers
        try:
            if len(y) != len(own):  # type: ignore[arg-type]
                raise ValueError
            own[:] = y
            if self.inputs or u is not None:
                self._put(u)
            flags = call(t, *pointers)
        except (TypeError, ValueError, ctypes.ArgumentError):
            return self._many(t, y, u)
        return self._many(t, own.copy(), u) if flags else room.out.copy()

    def _put(self, u: ArrayLike | None) -> None:
        """Write the inputs where the code finds them."""
        values = self._field.model.default_values[self._places] if u is None else self._inputs(u)
        if values.ndim != 1:
            raise ValueError
        self._room.p[self._places] = values

    def _inputs(self, u: ArrayLike | None) -> Array:
        values: Array = array(u, "the input")
        if not self.inputs and values.size:
            raise ModelError(
                "values of inputs are given, and none are named", remedy="give ch.rhs(…, inputs=['tau'])"
            )
        if values.ndim == 0 or len(values) != len(self.inputs):
            raise self._wrong(values, "the inputs have", len(self.inputs), self.inputs)
        return values

    def _many(self, t: Any, y: ArrayLike, u: ArrayLike | None) -> Array:
        states, times = array(y, "the state"), array(t, "the time")
        n = self._n
        if states.ndim not in (1, 2) or len(states) != 2 * n:
            raise self._wrong(states, "the state has", 2 * n, self.names)
        known = None
        if u is not None:
            known = dict(zip(self.inputs, self._inputs(u), strict=True))
        rows = states.T
        a = self._field(times, rows[..., :n], rows[..., n:], known)
        return np.concatenate([states[n:], a.T])

    def _wrong(self, found: Array, what: str, count: int, names: Sequence[str]) -> ModelError:
        shape = f"({count},) or ({count}, k)"
        return ModelError(f"{what} the shape {found.shape}", expected=f"{shape}: {', '.join(names)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return FirstOrder, (self.system, self.inputs)

    def __repr__(self) -> str:
        more = ", u" if self.inputs else ""
        return f"<rhs of {self.system.name!r}: f(t, y{more}), y = ({', '.join(self.names)})>"


def rhs(
    system: System, *, inputs: Sequence[str] = (), parameters: Mapping[str, Any] | None = None
) -> FirstOrder:
    """The system as a first-order equation y' = f(t, y) with y = (q, v), compiled.

    Parameters
    ----------
    system
        The system.
    inputs
        Names of parameters that become arguments, such as motor torques: then the result is called as
        ``f(t, y, u)``, as control toolboxes want it.
    parameters
        Parameter values laid over the model's own.

    Returns
    -------
    FirstOrder
        A function ``f(t, y)``; `names` are the entries of y, `initial` is the model's initial state.

    Examples
    --------
    >>> import chetaev as ch
    >>> from scipy.integrate import solve_ivp
    >>> f = ch.rhs(ch.load("knife-edge"))
    >>> found = solve_ivp(f, (0, 1), f.initial, rtol=1e-10, atol=1e-10, vectorized=True)
    >>> motion = ch.simulate(ch.load("knife-edge"), until=1.0, at=[1.0])
    >>> bool(abs(found.y[0, -1] - motion.x.values[-1]) < 1e-8)
    True
    """
    expect_system(system, "ch.rhs")
    system = first_order_motion(system)
    given = table(parameters, "parameters")
    if given:
        system = system.with_data(given, {})
    if not isinstance(inputs, (list, tuple)) or not all(isinstance(name, str) for name in inputs):
        raise ModelError(f"the inputs are {shown(inputs)}", expected="names of parameters, such as ['tau']")
    for name in inputs:
        if name not in system.parameters:
            raise ModelError.unknown(
                f"the input {shown(name)} is no parameter of {system.name!r}",
                name,
                system.parameters,
                "no inputs",
            )
    if len(set(inputs)) != len(inputs):
        raise ModelError(f"the inputs are {shown(inputs)}", expected="every name once")
    return FirstOrder(system, tuple(inputs))
