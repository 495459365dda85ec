"""The vector field of a formulation, as a function of numbers.

>>> import chetaev as ch
>>> from chetaev.equations.field import field
>>> a = field(ch.load("leibniz-particle"))
>>> [round(float(x), 12) for x in a(0.0, [0.0, 0.0, 0.0], [3.0, 0.0, 4.0])]
[4.704, 0.0, -3.528]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from chetaev.checked_arguments import array, count, leading_axes
from chetaev.equations.law.law import Equations, SingularError
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import evaluate, evaluate_mp
from chetaev.model.states.points import parameter_point
from chetaev.model.system import System
from chetaev.numeric import singular_values, solve_stack

Array = npt.NDArray[np.float64]
CERTAIN = 1e-7
"""Laws with σ_min/σ_max below this, after scaling, are looked at again with many digits."""


class LawField:
    """Accelerations a(t, q, v) of one formulation; arrays broadcast over leading axes.

    In double precision, a state where the law is singular, or within rounding error of it, gives nan; where
    doubles leave that open, 50 digits decide. With
    ``precision`` digits, arguments are numbers (or texts of numbers) for one state and the result is a list
    of mpmath numbers.
    """

    def __init__(self, law: Equations, precision: int | None = None) -> None:
        if law.further_states:
            states = ", ".join(law.further_states)
            raise ModelError(
                f"the form {law.form!r} has further states, {states}, so it is no field a(t, q, v)",
                remedy="use ch.equations(system, form).evaluate(point) with values for them",
            )
        self.law = law
        self.system = law.system
        self.precision = precision

    def __call__(self, t: Any, q: Any, v: Any, parameters: Mapping[str, float] | None = None) -> Any:
        """The accelerations at states: t of shape (...), q and v of shape (..., m)."""
        if self.precision is not None:
            return self._precise(t, q, v, parameters)
        return self._double(t, q, v, parameters)[0]

    def multipliers(self, t: Any, q: Any, v: Any, parameters: Mapping[str, float] | None = None) -> Array:
        """The multipliers, for formulations that have them as unknowns."""
        if self.law.multiplier_rows is None:
            raise ModelError(
                f"the form {self.law.form!r} eliminates the multipliers", remedy="use form='chetaev'"
            )
        return self._double(t, q, v, parameters)[1]

    def _values(self, t: Any, q: Any, v: Any, parameters: Mapping[str, Any]) -> dict[Any, Any]:
        values: dict[Any, Any] = {**parameters, self.system.time: t}
        for i, name in enumerate(self.system.coordinates):
            values[(name, 0)] = q[..., i]
            values[(name, 1)] = v[..., i]
        return values

    def _double(self, t: Any, q: Any, v: Any, parameters: Mapping[str, float] | None) -> tuple[Array, Array]:
        law, m = self.law, len(self.system.coordinates)
        t, q, v = array(t, "t"), array(q, "q"), array(v, "v")
        for name, given in (("q", q), ("v", v)):
            if not given.ndim or given.shape[-1] != m:
                raise ModelError(
                    f"{name} has shape {given.shape}", expected=f"(..., {m}): one entry a coordinate"
                )
        numbers = self._parameters(parameters)
        shape = leading_axes(t, q, v, numbers.values())
        values = self._values(t, q, v, numbers)
        flat = iter([np.broadcast_to(x, shape) for x in evaluate(law._roots, values)])

        def matrix(rows: int, columns: int) -> Array:
            entries = [next(flat) for _ in range(rows * columns)]
            if not entries:
                return np.zeros((*shape, rows, columns))
            return np.stack(entries, axis=-1).reshape(*shape, rows, columns)

        n = len(law.unknowns)
        A, b = matrix(len(law.matrix), n), matrix(len(law.right), 1)
        R, r = matrix(len(law.recover), n), matrix(len(law.offset), 1)
        x, condition = _solve(A, b)
        mu = np.zeros((*shape, 0))
        if law.multiplier_rows is not None:
            mu = (matrix(len(law.multiplier_rows), n) @ x[..., None])[..., 0]
            mu += matrix(len(law.multiplier_offset), 1)[..., 0]
        a = (R @ x[..., None])[..., 0] + r[..., 0]
        self._decide(values, shape, np.asarray(condition < CERTAIN), a, mu)
        return a, mu

    def _decide(
        self, values: dict[Any, Any], shape: tuple[int, ...], doubtful: Any, a: Array, mu: Array
    ) -> None:
        """Compute again, with 50 digits, where fewer than half of a double's digits are left."""
        known = {k: np.broadcast_to(x, shape) for k, x in values.items()} if doubtful.any() else {}
        for place in map(tuple, np.argwhere(doubtful)):
            if not np.all(np.isfinite(a[place])):
                continue  # singular to within rounding of the entries
            try:
                point = {k: float(x[place]) for k, x in known.items()}
                found, multipliers = self.law.evaluate(point, 50)
                a[place] = [float(x) for x in found]
                if mu.shape[-1]:
                    mu[place] = [float(x) for x in multipliers]
            except SingularError:
                a[place] = mu[place] = np.nan

    def _parameters(self, parameters: Mapping[str, float] | None) -> dict[str, float]:
        given = self._known(parameters)
        if not given:
            return dict(self.system.parameter_values)
        values: dict[str, Any] = {}
        for name, expr in self.system.parameters.items():  # others may be defined by the given ones
            values[name] = given[name] if name in given else evaluate([expr], values)[0]
        return values

    def _known(self, parameters: Mapping[str, Any] | None) -> Mapping[str, Any]:
        for name in parameters or ():
            if name not in self.system.parameters:
                said = f"the model {self.system.name!r} has no parameter {name!r}"
                raise ModelError.unknown(said, name, self.system.parameters, "a model with parameters")
        return parameters or {}

    def _precise_parameters(self, parameters: Mapping[str, Any] | None, digits: int) -> dict[Any, Any]:
        given = self._known(parameters)
        if not given:
            return parameter_point(self.system, digits)
        values: dict[Any, Any] = {}
        for name, expr in self.system.parameters.items():
            values[name] = given[name] if name in given else evaluate_mp([expr], values, digits)[0]
        return values

    def _precise(self, t: Any, q: Any, v: Any, parameters: Mapping[str, Any] | None) -> list[Any]:
        digits = self.precision or 50
        point = {**self._precise_parameters(parameters, digits), self.system.time: t}
        for i, name in enumerate(self.system.coordinates):
            point[(name, 0)], point[(name, 1)] = q[i], v[i]
        try:
            return self.law.evaluate(point, digits)[0]
        except SingularError as error:
            raise ModelError(
                str(error), remedy="the motion is not determined there; try form='gauss'"
            ) from None

    def __repr__(self) -> str:
        return f"<field of {self.system.name!r} in form {self.law.form!r}>"


@np.errstate(over="ignore", invalid="ignore")  # what is beyond all numbers becomes nan
def _solve(A: Array, b: Array) -> tuple[Array, Array]:
    """Batched solution, and σ_min/σ_max or, above `CERTAIN`, a lower bound of it.

    The solution is nan where the matrix is singular, within rounding error of it, or not finite.

    Rows and columns are scaled to largest entries near 1 first, so that units do not matter. The entries of
    an n×n matrix are known to about ε = 2^−52 of their size: where σ_min ≤ n ε σ_max there are singular
    matrices with the same entries, and no digit of a solution would mean anything. More rows than columns:
    least squares.
    """
    good = np.asarray(np.isfinite(A).all(axis=(-1, -2)) & np.isfinite(b).all(axis=(-1, -2)))
    n = A.shape[-1]
    if not n:
        return np.zeros((*A.shape[:-2], 0)), np.ones(A.shape[:-2])
    A = np.where(good[..., None, None], A, np.eye(*A.shape[-2:]))
    b = np.where(good[..., None, None], b, 0.0)
    columns = _unit(np.abs(A).max(axis=-2, keepdims=True))
    A = A * columns
    rows = _unit(np.abs(A).max(axis=-1, keepdims=True))
    A, b = A * rows, b * rows
    x, ratio = solve_stack(A.reshape(-1, *A.shape[-2:]), b.reshape(-1, A.shape[-2]))
    for i in np.flatnonzero(~(ratio > CERTAIN)):  # rare: where a lower bound does not settle it
        sizes = singular_values(A.reshape(-1, *A.shape[-2:])[i])
        ratio[i] = sizes[-1] / sizes[0] if sizes[0] > 0 else 0.0
    x, ratio = x.reshape(*good.shape, n), ratio.reshape(good.shape)
    x = x * columns[..., 0, :]
    fine = good & (ratio > n * np.finfo(float).eps) & np.isfinite(x).all(axis=-1)
    return np.where(fine[..., None], x, np.nan), ratio


def _unit(sizes: Array) -> Array:
    """Powers of two that bring sizes near 1, as far as there are such numbers: 2^1074 is none."""
    _, exponents = np.frexp(sizes)
    return np.where(sizes > 0, np.ldexp(1.0, np.clip(-exponents, -1000, 1000)), 1.0)


def field(system: System, form: str = "reduced", precision: int | None = None) -> LawField:
    """The accelerations of a formulation as a function ``a(t, q, v)``.

    Parameters
    ----------
    system
        The system; its parameter values are used unless others are given in a call.
    form
        The formulation.
    precision
        Digits, for evaluation in mpmath; double precision over arrays if left out.
    """
    if precision is not None:
        precision = count(precision, "the precision", 1, 100_000)
    return LawField(equations(system, form), precision)
