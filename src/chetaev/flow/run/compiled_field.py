"""The acceleration field of a system as compiled code, over arrays of states.

The null-space form in a fixed chart computes all states; those where that chart is weak, the reduced matrix
indefinite, or digits are lost by cancellation, and all states of a system with redundant constraints, are
computed again by elimination with complete pivoting (`derive.law`), which needs no chart; M may be
singular or indefinite. Where its smallest pivot leaves less than half of the digits, `derive.law`
decides with 50 of them. Where the law

    M a + h = Cᵀμ,      C a + c = 0

does not determine the accelerations the result is nan; `flow.derive.law` states how that is decided.

The reaction force Cᵀμ = M a + h is unique; the multipliers are not where constraints are redundant, and are
then those of least norm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chetaev.errors import ModelError
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.programs import Programs
from chetaev.flow.derive.chart import CERTAIN, OFF
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.law import settle
from chetaev.flow.run.array_calls import Array, States, finite_rows, gather
from chetaev.numeric import shortest_stack

if TYPE_CHECKING:
    from chetaev.model.system import System

FORMS = ("null", "safe")
EFFORT = 20_000_000
"""Operations with many digits, in all; beyond, doubles decide."""
HARDLY = 1e-11
"""Then, pivots below this count as lost."""


@dataclass(frozen=True)
class Seen:
    """What there is to see of states, in rows, by elimination in the first chart."""

    # accelerations, multipliers, reactions: a, shape (N, n), μ, shape (N, m), and μ_a ∂f^a/∂v, shape (N, n)
    accelerations: Array
    multipliers: Array
    reactions: Array
    # energy, power: E and the power of the constraint forces, shape (N,)
    energy: Array
    power: Array
    # velocity, position: residuals f and dφ/dt, and φ
    velocity: Array
    position: Array
    # the states at which the chart is weak, the reduced matrix not definite, or digits are lost; a, μ,
    # reactions and the power are not to be trusted there
    doubtful: NDArray[np.intp]


def see(programs: Programs, states: States) -> Seen:
    """Everything at some states, in the first chart."""
    model, chart, cache = programs.model, programs.first_chart, programs.cache
    n, m, kept = model.size, model.rows, model.independent
    places = np.cumsum([3, model.on_velocities, len(model.position), m, n])
    field, sight = programs.code("rhs", chart, "null"), programs.sight(chart)
    rates, aux, flags = states.each(field.address("f"), 2 * n, n + 1, cache=cache)
    a = rates[:, n:]
    p = np.broadcast_to(states.p, (states.count, states.p.shape[-1]))
    out, _, _ = states.each(sight.address("s"), int(places[-1]), 1, np.concatenate([p, a], axis=1), cache)
    first, velocity, position, mu, reactions = np.split(out, places[:-1], axis=1)
    diagonal = aux[:, kept:n]
    with np.errstate(all="ignore"):
        definite = np.all(diagonal * diagonal[:, :1] > 0, axis=1)
        finite = np.isfinite(a.sum(axis=1) + mu.sum(axis=1))
        lost = ~(first[:, 0] >= CERTAIN)
    doubtful = np.flatnonzero((flags != 0) | ~definite | ~finite | lost)
    return Seen(a, mu, reactions, first[:, 1], first[:, 2], velocity, position, doubtful)


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
        and ``acceleration_residuals`` (α). A model that was taken apart (`derive.modes`) needs its `modes`.
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

    def _matrices(self, states: States) -> tuple[Array, Array, Array, Array]:
        """M, h, C and c of each state."""
        n, m = self.model.size, self.model.rows
        places = np.cumsum([n * n, n, n * m, m])
        code = self.programs.code("law")
        flat, _, _ = states.each(code.address("f"), int(places[-1]), cache=self.programs.cache)
        mass, h, matrix, rest = np.split(flat, places[:-1], axis=1)
        count = states.count
        return (
            mass.reshape(count, n, n).swapaxes(1, 2), h,
            matrix.reshape(count, n, m).swapaxes(1, 2), rest,
        )  # fmt: skip

    def _solve(self, states: States) -> Array:
        """Accelerations (N, n)."""
        if self.pivots:
            return self._settle(states)
        programs, n = self.programs, self.model.size
        code = programs.code("field", programs.first_chart)
        a = states.each(code.address("f"), 2 * n, cache=programs.cache)
        found = a[0][:, n:]
        doubtful = np.flatnonzero((a[2] != 0) | ~finite_rows(found))
        if len(doubtful):
            found[doubtful] = self._settle(states.part(doubtful))
        return found

    def _settle(self, states: States) -> Array:
        """Accelerations (N, n) by complete pivoting, nan where they are not determined."""
        laws = self._matrices(states)
        fine = np.logical_and.reduce([finite_rows(x) for x in laws])
        a = np.full((states.count, self.model.size), np.nan)
        which = np.flatnonzero(fine)
        with np.errstate(all="ignore"):
            found, excess, smallest = settle(self.model.independent, *(x[which] for x in laws))
        good = (smallest > 0) & (excess <= OFF)
        a[which[good]] = found[good]
        doubtful = np.flatnonzero(smallest < CERTAIN)
        if len(doubtful):
            law = self.programs.exact
            able = max(1, EFFORT // max(1, law.effort))
            for i in which[doubtful[:able]]:
                row = law.accelerations(law.point(*states.point(int(i))))
                a[i] = np.nan if row is None else [float(x) for x in row]
            rest = doubtful[able:]
            a[which[rest[smallest[rest] < HARDLY]]] = np.nan
        return a

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
