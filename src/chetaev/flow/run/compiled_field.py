"""The acceleration field of a system as compiled code, over arrays of states.

The null-space form in a fixed chart computes a vector of states at a time; states where that chart is weak,
the reduced matrix indefinite, or digits are lost by cancellation, and all states of a system with redundant
constraints, are computed again by elimination with complete pivoting (`doubtful_states`), which needs no
chart; M may be singular or indefinite. Where the law

    M a + h = Cᵀμ,      C a + c = 0

does not determine the accelerations the result is nan; `flow.derive.many_digits` states how that is decided.

The reaction force Cᵀμ = M a + h is unique; the multipliers are not where constraints are redundant, and are
then those of least norm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chetaev.errors import ModelError
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.run.array_calls import Array, States, gather, run
from chetaev.flow.run.doubtful_states import settle
from chetaev.flow.run.observables import Seen, see
from chetaev.numeric import shortest_stack

if TYPE_CHECKING:
    from chetaev.model.system import System

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
        """The multipliers μ, shape (…, m): d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v.

        Where constraints are redundant many μ give the same reaction; these are the ones of least norm.
        """
        return self.observe(t, q, v, parameters)["multipliers"]

    def reactions(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """The reaction force μ_a ∂f^a/∂v on each coordinate, shape (…, n); unique wherever a is."""
        return self.observe(t, q, v, parameters)["reactions"]

    def energy(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """E = v·∂L/∂v − L, shape (…)."""
        self.model.dynamics.expect_lagrangian()
        return self.observe(t, q, v, parameters, dynamic=False)["energy"]

    def residuals(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, parameters: Mapping[str, Any] | None = None
    ) -> Array:
        """What the constraints miss zero by: dφ/dt, f, then φ; shape (…, number of them)."""
        seen = self.observe(t, q, v, parameters, dynamic=False)
        return np.concatenate([seen["velocity_residuals"], seen["position_residuals"]], axis=-1)

    def observe(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        parameters: Mapping[str, Any] | None = None,
        dynamic: bool = True,
        modes: Array | None = None,
    ) -> dict[str, Array]:
        """Everything at once.

        Returns ``energy``, ``velocity_residuals`` (dφ/dt and f), ``position_residuals`` (φ) and, if
        `dynamic`, ``accelerations``, ``multipliers``, ``reactions`` = μ_a ∂f^a/∂v, ``power`` = reaction · v
        and ``acceleration_residuals`` (α). A model that was taken apart (`kinks`) needs its `modes`.
        """
        states = gather(self.model, t, q, v, parameters, modes)
        model, shape, seen = self.model, states.shape, see(self.programs, states)
        result = {
            "energy": seen.energy.reshape(shape),
            "velocity_residuals": seen.velocity.reshape(*shape, seen.velocity.shape[1]),
            "position_residuals": seen.position.reshape(*shape, len(model.position)),
        }
        if dynamic:
            a, mu, reactions, power = self._certain(states, seen)
            result["accelerations"] = a.reshape(*shape, model.size)
            result["multipliers"] = mu.reshape(*shape, model.rows)
            result["reactions"] = reactions.reshape(*shape, model.size)
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

    @property
    def pivots(self) -> bool:
        """Whether all states are computed by complete pivoting."""
        return self.form == "safe" or self.model.rank is not None or not self.model.symmetric

    # --- inside ---------------------------------------------------------------------------------------

    def _certain(self, states: States, seen: Seen) -> tuple[Array, Array, Array, Array]:
        """a, μ, reaction and power; by complete pivoting where elimination in the chart is in doubt."""
        everywhere = self.pivots
        which = np.arange(states.count) if everywhere else seen.doubtful
        if len(which):
            part = states.part(which)
            with np.errstate(over="ignore", invalid="ignore"):  # masses may be so small that a force is none
                a, mu, reactions = self._settled(part)
                seen.accelerations[which], seen.multipliers[which], seen.reactions[which] = a, mu, reactions
                seen.power[which] = np.sum(reactions * states.v[which], axis=1)
        return seen.accelerations, seen.multipliers, seen.reactions, seen.power

    def _alpha(self, states: States, a: Array) -> Array:
        count = len(self.model.acceleration)
        if not count:
            return np.zeros((states.count, 0))
        _, _, matrix, rest = self._matrices(states)
        return np.asarray(((matrix @ a[..., None])[..., 0] + rest)[:, -count:])

    def _laws(self, states: States) -> Array:
        """M, h, C column by column, and c, in a row for each state."""
        n, m = self.model.size, self.model.rows
        chart = self.programs.first_chart
        return run(
            states, n * n + n + m * n + m,
            lambda libm: self.programs.batch("matrices", chart, libm, states.varying),
        )[0]  # fmt: skip

    def _matrices(self, states: States) -> tuple[Array, Array, Array, Array]:
        n, m = self.model.size, self.model.rows
        flat = self._laws(states)
        mass, h, matrix, rest = np.split(flat, [n * n, n * n + n, n * n + n + m * n], axis=-1)
        return (
            mass.reshape(len(flat), n, n).swapaxes(1, 2), h,
            matrix.reshape(len(flat), n, m).swapaxes(1, 2), rest,
        )  # fmt: skip

    def _solve(self, states: States) -> Array:
        """Accelerations (N, n)."""
        if self.pivots:
            return self._settle(states)
        chart = self.programs.first_chart
        code = lambda libm: self.programs.batch("field", chart, libm, states.varying)  # noqa: E731
        a, margins = run(states, self.model.size, code)
        if margins is not None:
            doubtful = np.flatnonzero(~(margins >= 0))
            a[doubtful] = self._settle(states.part(doubtful))
        return a

    def _settle(self, states: States) -> Array:
        mass, h, matrix, rest = self._matrices(states)
        parts = (mass.reshape(len(h), -1), h, matrix.reshape(len(h), -1), rest)
        return settle(self.programs, states, np.concatenate(parts, axis=1))

    def _settled(self, states: States) -> tuple[Array, Array, Array]:
        """a, the μ of least norm, and the reaction M a + h."""
        a = self._settle(states)
        mass, h, matrix, _ = self._matrices(states)
        reactions = np.sum(mass * a[:, None, :], axis=2) + h
        mu = np.full((len(a), self.model.rows), np.nan)
        fine = np.isfinite(reactions).all(axis=1) & np.isfinite(matrix).all(axis=(1, 2))
        if self.model.rows:
            mu[fine] = shortest_stack(matrix[fine].swapaxes(1, 2), reactions[fine], self.model.independent)
        else:
            reactions = np.zeros_like(a)
        return a, mu, reactions


def compile_field(system: System, form: str = "null", cache: Cache | None = None) -> CompiledField:
    """Compile the acceleration field of a system; `cache` keeps machine code, the default one if left out.

    The form ``"null"`` is elimination on the fibre in a chart, with complete pivoting where that is in doubt,
    ``"safe"`` complete pivoting everywhere.

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
    return CompiledField(Programs(Ingredients.of(system), cache), form)
