"""The acceleration field of a system as compiled code, over arrays of states.

The null-space form in a fixed chart computes a vector of states at a time; states where that chart is weak,
or where the reduced matrix is indefinite, are computed again from the bordered system

    [ M  −Cᵀ ] [a]   [−h]
    [ C   0  ] [μ] = [−c]

by LU with pivoting, which needs no chart and asks only that the bordered matrix be regular; M may be singular
or indefinite. Where it is singular the result is nan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.errors import ModelError
from chetaev.flow.batch import Array, States, gather, run
from chetaev.flow.cache import Cache
from chetaev.flow.ingredients import Ingredients, SystemLike
from chetaev.flow.observe import Seen, see
from chetaev.flow.programs import Programs

FORMS = ("null", "safe")


@dataclass(frozen=True)
class CompiledField:
    """Accelerations, multipliers and energies of a system, compiled.

    All methods take t, q (…, n), v (…, n) that broadcast over leading axes, and `parameters`, a mapping of
    names to values (or arrays over the leading axes) laid over the model's own. Nothing is compiled again
    when they change.
    """

    programs: Programs
    form: str = "null"

    @property
    def model(self) -> Ingredients:
        """The graphs and names behind it."""
        return self.programs.model

    def __call__(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """The accelerations, shape (…, n)."""
        states = gather(self.model, t, q, v, parameters)
        return self._solve(states).reshape(*states.shape, self.model.size)

    def multipliers(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """The multipliers μ, shape (…, m): d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v."""
        return self.observe(t, q, v, parameters)["multipliers"]

    def energy(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """E = v·∂L/∂v − L, shape (…)."""
        return self.observe(t, q, v, parameters, dynamic=False)["energy"]

    def residuals(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """What the constraints miss zero by: f, dφ/dt, then φ; shape (…, number of them)."""
        seen = self.observe(t, q, v, parameters, dynamic=False)
        return np.concatenate([seen["velocity_residuals"], seen["position_residuals"]], axis=-1)

    def observe(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        parameters: Mapping[str, Any] | None = None,
        dynamic: bool = True,
    ) -> dict[str, Array]:
        """Everything at once.

        Returns ``energy``, ``velocity_residuals`` (f and dφ/dt), ``position_residuals`` (φ) and, if
        `dynamic`, ``accelerations``, ``multipliers``, ``power`` = Σ μ_a (∂f^a/∂v)·v and
        ``acceleration_residuals`` (α).
        """
        states = gather(self.model, t, q, v, parameters)
        model, shape, seen = self.model, states.shape, see(self.programs, states)
        result = {
            "energy": seen.energy.reshape(shape),
            "velocity_residuals": seen.velocity.reshape(*shape, seen.velocity.shape[1]),
            "position_residuals": seen.position.reshape(*shape, len(model.position)),
        }
        if dynamic:
            a, mu, power = self._certain(states, seen)
            result["accelerations"] = a.reshape(*shape, model.size)
            result["multipliers"] = mu.reshape(*shape, model.rows)
            result["power"] = power.reshape(shape)
            result["acceleration_residuals"] = self._alpha(states, a).reshape(*shape, len(model.acceleration))
        return result

    def matrices(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """M (…, n, n), h − F (…, n), C (…, m, n) and c (…, m), with M a + h − F = Cᵀμ and C a + c = 0."""
        states = gather(self.model, t, q, v, parameters)
        mass, h, matrix, rest = self._matrices(states)
        n, m, shape = self.model.size, self.model.rows, states.shape
        return (
            mass.reshape(*shape, n, n), h.reshape(*shape, n),
            matrix.reshape(*shape, m, n), rest.reshape(*shape, m),
        )  # fmt: skip

    # --- inside ---------------------------------------------------------------------------------------

    def _certain(self, states: States, seen: Seen) -> tuple[Array, Array, Array]:
        """a, μ and the power, from the bordered system where elimination in the chart is in doubt."""
        which = np.arange(states.count) if self.form == "safe" else seen.doubtful
        if len(which):
            part = states.part(which)
            a, mu = self._bordered(part)
            along = np.einsum("kij,kj->ki", self._matrices(part)[2], states.v[which])
            seen.accelerations[which], seen.multipliers[which] = a, mu
            seen.power[which] = np.sum(mu * along, axis=1)
        return seen.accelerations, seen.multipliers, seen.power

    def _alpha(self, states: States, a: Array) -> Array:
        count = len(self.model.acceleration)
        if not count:
            return np.zeros((states.count, 0))
        _, _, matrix, rest = self._matrices(states)
        return (np.einsum("kij,kj->ki", matrix, a) + rest)[:, -count:]  # type: ignore[no-any-return]

    def _matrices(self, states: States) -> tuple[Array, Array, Array, Array]:
        n, m = self.model.size, self.model.rows
        chart = self.programs.first_chart
        flat, _ = run(
            states, n * n + n + m * n + m,
            lambda libm: self.programs.batch("matrices", chart, libm, states.varying),
        )  # fmt: skip
        mass, h, matrix, rest = np.split(flat, [n * n, n * n + n, n * n + n + m * n], axis=-1)
        return (
            mass.reshape(len(flat), n, n).swapaxes(1, 2), h,
            matrix.reshape(len(flat), n, m).swapaxes(1, 2), rest,
        )  # fmt: skip

    def _solve(self, states: States) -> Array:
        """Accelerations (N, n)."""
        if self.form == "safe":
            return self._bordered(states)[0]
        chart = self.programs.first_chart
        code = lambda libm: self.programs.batch("field", chart, libm, states.varying)  # noqa: E731
        a, margins = run(states, self.model.size, code)
        if margins is not None:
            doubtful = np.flatnonzero(~(margins >= 0))
            a[doubtful] = self._bordered(states.part(doubtful))[0]
        return a

    def _bordered(self, states: States) -> tuple[Array, Array]:
        mass, h, matrix, rest = self._matrices(states)
        count, n, m = len(h), self.model.size, self.model.rows
        full = np.zeros((count, n + m, n + m))
        full[:, :n, :n], full[:, n:, :n] = mass, matrix
        full[:, :n, n:] = -matrix.swapaxes(1, 2)
        right = -np.concatenate([h, rest], axis=-1)
        solution = _solve_each(full, right)
        return solution[:, :n], solution[:, n:]


def _solve_each(matrices: Array, right: Array) -> Array:
    """Solve scaled systems; nan where a matrix is singular to working precision or not finite."""
    result = np.full(right.shape, np.nan)
    fine = np.all(np.isfinite(matrices), axis=(1, 2)) & np.all(np.isfinite(right), axis=1)
    rows = np.max(np.abs(matrices), axis=2, initial=0.0)
    fine &= np.all(rows > 0, axis=1)
    index = np.flatnonzero(fine)
    if not len(index):
        return result
    a = matrices[index] / rows[index][:, :, None]
    columns = np.max(np.abs(a), axis=1)
    a = a / columns[:, None, :]
    b = right[index] / rows[index]
    smallest = np.linalg.svd(a, compute_uv=False)
    regular = smallest[:, -1] > 1e-14 * smallest[:, 0]
    index, a, b, columns = index[regular], a[regular], b[regular], columns[regular]
    if len(index):
        result[index] = np.linalg.solve(a, b[..., None])[..., 0] / columns
    return result


def compile_field(
    system: SystemLike,
    form: str = "null",
    cache: Cache | None = None,
    near: tuple[float, ArrayLike, ArrayLike] | None = None,
) -> CompiledField:
    """Compile the acceleration field of a system.

    Parameters
    ----------
    system
        A :class:`chetaev.model.system.System`.
    form
        ``"null"``: elimination on the fibre in a chart, with the bordered system where the chart is weak;
        ``"safe"``: the bordered system everywhere.
    cache
        Where machine code is kept; the default directory if left out.
    near
        A state (t, q, v) at which the chart is chosen; random states if left out.

    Examples
    --------
    >>> import chetaev as ch
    >>> pendulum = ch.System(
    ...     coordinates=["x", "y"],
    ...     lagrangian="m*(x'^2 + y'^2)/2 - m*g*y",
    ...     constraints={"position": ["x^2 + y^2 = 1"]},
    ...     parameters={"m": 2, "g": 9.8},
    ... )
    >>> field = compile_field(pendulum)
    >>> field(0.0, [1, 0], [0, 3]).tolist()  # a = (−v², −g)
    [-9.0, -9.8]
    >>> field.multipliers(0.0, [1, 0], [0, 3], {"m": 4}).tolist()  # the pull: μ·2x = −m v²
    [-18.0]
    """
    if form not in FORMS:
        raise ModelError(
            f"unknown form {form!r} of the compiled field", expected=" or ".join(map(repr, FORMS))
        )
    state = None if near is None else (float(near[0]), np.asarray(near[1], float), np.asarray(near[2], float))
    return CompiledField(Programs(Ingredients.of(system), cache, state), form)
