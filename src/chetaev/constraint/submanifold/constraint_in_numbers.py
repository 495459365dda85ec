"""The constraint in numbers: f, its first and second derivatives, and points on Q, in double precision.

Everything of first and second order on Q follows from f, ∂f and ∂²f at a point (DESIGN, "One idea"). With D
the dependent velocities and T_i the tangent vectors of Q over the chart coordinates x^i = (t, q, v_S),

    ∂_i g = −C_D⁻¹ ∂_i f,        ∂_i ∂_j g = −C_D⁻¹ T_iᵀ (∂²f) T_j,

so no equation is solved and nothing is expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.expr.graph.engine import Engine, is_linear
from chetaev.numeric import dyadic, inverse, newton

Array = NDArray[np.float64]
NEWTON_STEPS = 40
ROUNDOFF = 1e-14
KANTOROVICH = 1e-2
"""Where |f| |∂²f| / |∂f|² is larger, there need not be a point of Q near."""
FAR = 1e6
"""Points beyond this are not used."""
ENOUGH = 5
EFFORT = 2_000_000
"""What the search of points may cost."""
HOPELESS = 24
"""After so many starts without a point there is no more search."""


class Numbers:
    """f, φ and their derivatives as compiled functions of z = (t, q, v)."""

    def __init__(self, given: ConstraintData) -> None:
        self.given = given.at_values()
        self.engine = engine = Engine()
        self.m = len(given.coordinates)
        symbols = self.given.variables
        z = engine.column(symbols)
        rows = self.given.on(engine)
        self.z, self.f, self.phi = z, rows.f, rows.phi
        f, phi = self.f, self.phi
        self.k = int(f.numel())
        self.residual = casadi.Function("F", [z], [casadi.vertcat(f, phi)])
        self.jacobian = casadi.Function("J", [z], [casadi.jacobian(casadi.vertcat(f, phi), z)])
        self.df = casadi.Function("df", [z], [casadi.jacobian(f, z)])
        self._hessians: Any = None
        self._places: tuple[Any, ...] = ()

    @cached_property
    def is_affine(self) -> bool:
        """Whether f is affine in the velocities by its structure."""
        v = self.z[1 + self.m :]
        return is_linear(self.f, v)

    @cached_property
    def is_autonomous(self) -> bool:
        """Whether time does not occur in f and φ."""
        return not bool(casadi.depends_on(casadi.vertcat(self.f, self.phi), self.z[0]))

    def hessians(self, z: Array) -> Array:
        """∂²f at a point, shape (k, n, n) with n = 2m + 1."""
        n = 2 * self.m + 1
        if self._hessians is None:  # the entries that may not be zero, and their places
            parts = [casadi.hessian(self.f[a], self.z)[0] for a in range(self.k)]
            entries = casadi.vertcat(*(H.nz[:] for H in parts))
            triplets = [np.array(H.sparsity().get_triplet(), dtype=int).reshape(2, -1) for H in parts]
            rows = np.repeat(np.arange(self.k), [t.shape[1] for t in triplets])
            self._places = (rows, *np.hstack([np.zeros((2, 0), int), *triplets]))
            self._hessians = casadi.Function("H", [self.z], [casadi.densify(entries)])
        found = np.zeros((self.k, n, n))
        found[self._places] = np.array(self._hessians(z), dtype=float).ravel()
        return found

    def first(self, z: Array) -> Array:
        """∂f at a point, shape (k, 2m + 1)."""
        return np.array(self.df(z), dtype=float).reshape(self.k, 2 * self.m + 1)

    def solve(self, start: Array, *, time: bool = False) -> Array | None:
        """The point of Q near a start: positions are moved onto φ = 0, then velocities; None if that fails.

        Only if no velocities meet the constraints there (hidden relations of positions) all move together,
        and at last with the time, if that may move.
        """
        z: Array | None = start
        o = 1 + self.m
        if self.phi.numel():
            z = self._newton(start, slice(1, o), slice(self.k, None))
        moved = None if z is None else self._newton(z, slice(o, None), slice(0, self.k))
        if moved is None:
            moved = self._newton(start, slice(1, None), slice(None))
        return self._newton(start, slice(None), slice(None)) if moved is None and time else moved

    def _newton(self, start: Array, columns: slice, rows: slice) -> Array | None:
        """Steps in these columns until they are lost in roundoff, then a look at what is left of the rows."""

        def at(x: Array) -> tuple[Array, Array]:
            z = start.copy()
            z[columns] = x
            F = np.array(self.residual(z), dtype=float).ravel()[rows]
            return F, np.array(self.jacobian(z), dtype=float)[rows, columns]

        end = newton(at, start[columns], ROUNDOFF, NEWTON_STEPS)
        if end is None or np.abs(end.x).max(initial=0.0) > FAR:
            return None
        z = start.copy()
        z[columns] = end.x
        before, here = (np.abs(np.array(self.jacobian(x), dtype=float)[rows]) for x in (start, z))
        scale = here @ (np.abs(z) + 1e-3) + 1e-4 * before.max(axis=1, initial=0.0)
        return z if bool(np.all(np.abs(end.f) <= 1e-9 * scale)) else None

    def starts(self, seed: int) -> Iterator[Array]:
        """Places to look for points of Q: near the given state, and anywhere."""
        rng = np.random.default_rng(seed)
        n = 2 * self.m + 1
        base = None
        if self.given.state is not None:
            base = np.array([self.given.state[s.value] for s in self.given.variables])
        while True:
            if base is not None:
                yield base + dyadic(rng.normal(size=n)) * 0.4 * (0.25 + np.abs(base))
                yield base + dyadic(rng.normal(size=n)) * 0.1 * (0.25 + np.abs(base))
            yield rng.uniform(-1.5, 1.5, n)
            yield np.concatenate([rng.uniform(0.2, 2.0, self.m + 1), rng.uniform(-1.5, 1.5, self.m)])

    def _smooth(self, z: Array) -> bool:
        """Whether second derivatives are finite and not so large that a singular point is near, and a point
        of Q is (Kantorovich: |f| |∂²f| well below |∂f|²): x'² + y'² = 10⁻¹³ is far from one.
        """
        if not self.k:
            return True
        H = np.abs(self.hessians(z)).max(axis=(1, 2))
        slope = np.abs(self.first(z)).max(axis=1)
        f = np.abs(np.array(self.residual(z), dtype=float).ravel()[: self.k])
        near = np.all(f * H <= KANTOROVICH * slope**2 + 1e-300)
        return bool(np.all(np.isfinite(H)) and near and np.all(1e7 * slope + 1e-300 >= H))

    @cached_property
    def _price(self) -> int:
        """What one start costs, in the units of exact effort: some steps of Newton's method, and ∂²f."""
        n = 2 * self.m + 1
        operations: int = self.residual.n_instructions() + self.jacobian.n_instructions()
        step = 60 + operations // 50 + self.k * self.k * n // 1000
        return 10 * step + self.k * n * n // 50

    def points(self, count: int, seed: int = 0, tries: int = 12) -> list[Array]:
        """Up to so many points on Q with finite derivatives of first and second order."""
        found: list[Array] = []
        starts = self.starts(seed)
        price, most = self._price, EFFORT
        for attempt in range(count * tries):
            late = (attempt >= HOPELESS and not found) or (attempt >= 4 * count and len(found) >= ENOUGH)
            most -= price
            if late or most < 0:
                break
            z = self.solve(next(starts)) if self.k or self.phi.numel() else next(starts)
            if z is not None and self._smooth(z):
                found.append(z)
                if len(found) == count:
                    break
        return found


@dataclass(frozen=True)
class Local:
    """Q near one point, to second order: g_i = ∂_i g, g_ij = ∂_i ∂_j g over chart coordinates (t, q, v_S)."""

    z: Array
    m: int
    dependent: tuple[int, ...]
    free: tuple[int, ...]
    """Indices of the velocities in D and in S."""
    first: Array
    second: Array
    """Shapes (k, n) and (k, n, n) with n = 1 + m + (m − k)."""
    size: Array
    """The sums of the absolute values of the terms of `second`: what it would be if nothing cancelled."""
    noise: Array
    """For each row, how much its derivatives change per unit of change of the point."""

    @property
    def B(self) -> Array:
        """∂g^a/∂v^s, shape (k, m − k)."""
        return self.first[:, 1 + self.m :]

    @property
    def v(self) -> Array:
        """All velocities."""
        return self.z[1 + self.m :]


def _on_tangent_vectors(H: Array, first: Array, columns: list[int], down: list[int]) -> Array:
    """T_iᵀ H_b T_j for all b: T is 1 on chart coordinates and ∂g on the dependent velocities."""
    found = np.zeros((len(H), len(columns), len(columns)))
    for b, form in enumerate(H):
        used = np.flatnonzero(form.any(axis=1))
        if len(used):
            half = np.zeros((len(form), len(columns)))
            half[used] = form[used][:, columns] + form[used][:, down] @ first
            found[b] = half[columns] + first.T @ half[down]
    return found


def local(numbers: Numbers, z: Array, rows: tuple[int, ...], dependent: tuple[int, ...]) -> Local:
    """Q near a point, in the chart with these dependent velocities."""
    m = numbers.m
    free = tuple(i for i in range(m) if i not in dependent)
    df = numbers.first(z)[list(rows)]
    H = numbers.hessians(z)[list(rows)] if rows else np.zeros((0, 2 * m + 1, 2 * m + 1))
    columns = [*range(m + 1), *(1 + m + s for s in free)]
    CD = df[:, [1 + m + a for a in dependent]]
    inverted = inverse(CD) if rows else CD
    first = -(inverted @ df[:, columns])
    down = [1 + m + a for a in dependent]
    second = -np.einsum("ab,bij->aij", inverted, _on_tangent_vectors(H, first, columns, down))
    sizes = _on_tangent_vectors(np.abs(H), np.abs(first), columns, down)
    size = np.einsum("ab,bij->aij", np.abs(inverted), sizes)
    largest = np.abs(H).max(axis=(1, 2), initial=0.0)
    noise = np.abs(inverted) @ largest * max(1.0, float(np.abs(z).max()))
    return Local(z, m, dependent, free, first, second, size, noise)
