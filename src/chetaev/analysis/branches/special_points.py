"""Points of a branch at which something happens: folds, branch points, Hopf points, zeros (SCOPE M3, M6).

* *fold*: the parameter turns back, t_λ = 0;
* *branch point*: det(J; t) = 0, J has a kernel of two dimensions. It is solved for by Moore's system

      G(x) + β ψ = 0,   Jᵀψ = 0,   ψ·ψ = 1,

  which is regular there, so that all digits are right. With the basis φ₁, φ₂ of the kernel the branches leave
  along the zeros α of the quadratic form Σ α_i α_j ψ·G''(φ_i, φ_j): two directions. If one of them has no
  part along the parameter it is a *pitchfork*, else *transcritical*;
* *Hopf*, *Hamiltonian Hopf*, *zero*: see :mod:`chetaev.analysis.branches.nearby_spectrum`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.branches.nearby_spectrum import ON_AXIS, Near, collision_test, pair_test, zero_test
from chetaev.analysis.branches.pseudo_arclength import CurvePoint, corrected, tangent_at, where
from chetaev.analysis.branches.steady_set import CurveOfZeros
from chetaev.numeric import GOOD, SingularMatrixError, kernel, norm, numerical_rank, solve

Array = NDArray[np.float64]
LEVEL = 1e-6
"""A unit direction with less than this along the parameter has nothing along it."""
SEVERAL = 1e-3
"""Several equal roots of a polynomial with rounded coefficients come apart by less than this."""
TOGETHER = 1e-6
"""Two points nearer than this part of a step are one point."""


@dataclass
class BranchEvent:
    """What happens between two points: its kind, where, the frequency of a Hopf point, ways to go on."""

    kind: str
    step: CurvePoint
    after: int
    frequency: float = math.nan
    directions: list[Array] = field(default_factory=list)


def events(
    curve: CurveOfZeros, steps: Sequence[CurvePoint], near: Callable[[CurvePoint], Near | None],
    known: Sequence[Near | None], zeros: int,
) -> list[BranchEvent]:  # fmt: skip
    """Everything that happens on a curve, in order."""
    found: list[BranchEvent] = []
    for i, (a, b) in enumerate(pairwise(steps)):
        here = _geometric(curve, a, b, i)
        before, after = known[i], known[i + 1]
        if before is not None and after is not None:
            spectral = _spectral(curve, a, b, i, near, (before, after), zeros)
            size = max(norm(b.x - a.x), 1e-12)
            here += [
                e
                for e in spectral
                if e.kind != "zero" or not any(norm(e.step.x - g.step.x) < 1e-3 * size for g in here)
            ]
            if before.unstable() != after.unstable() and not here:
                here = _unexplained(curve, a, b, i, near, (before, after), zeros)
        chord = b.x - a.x
        found += sorted(here, key=lambda e: float(chord @ e.step.x))
    return found


def _geometric(curve: CurveOfZeros, a: CurvePoint, b: CurvePoint, i: int) -> list[BranchEvent]:
    k = curve.place
    found: list[BranchEvent] = []
    if (a.orientation > 0) != (b.orientation > 0):
        point = branch_point(curve, a, b)
        if point is not None:
            found.append(BranchEvent(_kind_of_branching(curve, point[1]), point[0], i, directions=point[1]))
    if (a.tangent[k] > 0) != (b.tangent[k] > 0) and min(abs(a.tangent[k]), abs(b.tangent[k])) > 1e-12:
        step = where(curve, a, b, lambda s: float(s.tangent[k]))
        size = TOGETHER * max(norm(b.x - a.x), 1e-12)
        near = step is not None and any(norm(step.x - e.step.x) < max(size, 1e-5) for e in found)
        if step is not None and not near:
            found.append(BranchEvent("fold", step, i))
    return found


def branch_point(curve: CurveOfZeros, a: CurvePoint, b: CurvePoint) -> tuple[CurvePoint, list[Array]] | None:
    """The branch point between two points, and unit directions of the branches through it."""
    rough = where(curve, a, b, lambda s: s.orientation)
    x = _moore(curve, rough.x if rough is not None else (a.x + b.x) / 2)
    if x is None or norm(x - (a.x + b.x) / 2) > 1.5 * norm(b.x - a.x):
        return None if rough is None else (rough, [])  # the sign changes; what leaves is not known
    _, J = curve(x)
    basis = kernel(J, rank=len(J) - 1)
    left = kernel(J.T, rank=len(J) - 1)
    along = b.x - a.x
    along = along / norm(along)
    step = CurvePoint(x, along, 0.0)
    if basis.shape[1] != 2 or left.shape[1] != 1:
        return step, []
    H = curve.second(x, left[:, 0])
    form = basis.T @ H @ basis
    directions = [basis @ alpha for alpha in _zeros_of_form(form)]
    directions = [d / norm(d) for d in directions]
    if directions:
        directions.sort(key=lambda d: -abs(float(d @ along)))
        step = CurvePoint(x, directions[0] * (1 if directions[0] @ along > 0 else -1), 0.0)
    return step, directions


def _zeros_of_form(form: Array) -> list[Array]:
    """The directions in the plane on which a quadratic form vanishes; none if it is definite or zero."""
    a, b, c = float(form[0, 0]), float(form[0, 1] + form[1, 0]) / 2, float(form[1, 1])
    size = max(abs(a), abs(b), abs(c))
    if size == 0 or b * b - a * c <= 1e-12 * size * size:
        return []
    root = math.sqrt(b * b - a * c)
    if max(abs(a), abs(c)) < 1e-14 * size:
        return [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    if abs(a) >= abs(c):
        return [np.array([-b + root, a]), np.array([-b - root, a])]
    return [np.array([c, -b + root]), np.array([c, -b - root])]


def _moore(curve: CurveOfZeros, x: Array) -> Array | None:
    """Newton's method for Moore's system."""
    _, J = curve(x)
    m, n = J.shape
    psi = kernel(J.T, rank=m - 1)[:, 0]
    beta: float = 0.0
    best = np.inf
    for _ in range(20):
        g, J = curve(x)
        if not (np.isfinite(g).all() and np.isfinite(J).all()):
            return None
        H = curve.second(x, psi)
        right = np.concatenate([g + beta * psi, J.T @ psi, [float(psi @ psi) - 1]])
        matrix = np.zeros((m + n + 1, n + 1 + m))
        matrix[:m, :n], matrix[:m, n], matrix[:m, n + 1 :] = J, psi, beta * np.eye(m)
        matrix[m : m + n, :n], matrix[m : m + n, n + 1 :] = H, J.T
        matrix[m + n, n + 1 :] = 2 * psi
        try:
            step = solve(matrix, right)
        except SingularMatrixError:
            return None
        size = norm(step[:n])
        if not np.isfinite(size) or size > 10:
            return None
        x, beta, psi = x - step[:n], beta - float(step[n]), psi - step[n + 1 :]
        if size < 1e-13 * (1 + norm(x)) or (size < 1e-9 * (1 + norm(x)) and size >= best):
            return x if abs(beta) < 1e-8 else None
        best = size
    return x if best < 1e-8 and abs(beta) < 1e-8 else None


def _kind_of_branching(curve: CurveOfZeros, directions: list[Array]) -> str:
    if len(directions) != 2:
        return "branch point"
    level = [abs(float(d[curve.place])) < LEVEL for d in directions]
    if all(level):
        return "branch point"
    return "pitchfork" if any(level) else "transcritical"


def _spectral(
    curve: CurveOfZeros, a: CurvePoint, b: CurvePoint, i: int, near: Callable[[CurvePoint], Near | None],
    ends: tuple[Near, Near], zeros: int,
) -> list[BranchEvent]:  # fmt: skip
    before, after = ends
    found: list[BranchEvent] = []

    def located(test: Callable[[Near], float | None]) -> tuple[CurvePoint, Near] | None:
        def tested(step: CurvePoint) -> float | None:
            n = near(step)
            return None if n is None else test(n)

        step = where(curve, a, b, tested)
        n = None if step is None else near(step)
        return None if step is None or n is None else (step, n)

    change = abs(after.unstable() - before.unstable())
    if (zero_test(before, zeros) > 0) != (zero_test(after, zeros) > 0):
        change -= 1
        here = located(partial(zero_test, zeros=zeros))
        if here is not None:
            found.append(BranchEvent("zero", here[0], i))
    if change < 2:
        return found
    if before.is_symmetric(zeros) and after.is_symmetric(zeros):
        wide = after if after.unstable() > before.unstable() else before
        for z in (z for z in wide.pairs(zeros) if z.imag > SEVERAL * wide.size**2):
            here = located(partial(collision_test, zeros=zeros, square=z.real))
            if here is None:
                continue
            square = _nearest(here[1].pairs(zeros), z.real)
            if square.real < 0:
                found.append(BranchEvent("Hamiltonian Hopf", here[0], i, frequency=math.sqrt(-square.real)))
        return found
    for frequency in _crossing(before, after, zeros):
        here = located(partial(pair_test, zeros=zeros, frequency=frequency))
        if here is None:
            continue
        pairs = [z for z in here[1].essential(zeros) if z.imag > 1e-6 * here[1].size]
        if pairs:
            z = _nearest(pairs, complex(0, frequency))
            found.append(BranchEvent("Hopf", here[0], i, frequency=z.imag))
    return found


def _unexplained(
    curve: CurveOfZeros, a: CurvePoint, b: CurvePoint, i: int, near: Callable[[CurvePoint], Near | None],
    ends: tuple[Near, Near], zeros: int,
) -> list[BranchEvent]:  # fmt: skip
    """Where the number on the right changes and no simple point was found: several pass at once."""
    first = min(n.unstable() for n in ends)  # so many stay on the right
    symmetric = all(n.is_symmetric(zeros) for n in ends)

    def ranked(values: Sequence[complex]) -> float:
        parts = sorted((z.real for z in values), reverse=True)
        return parts[first] if first < len(parts) else 0.0

    def square(step: CurvePoint) -> float | None:
        n = near(step)
        return None if n is None else ranked(n.pairs(zeros))

    def real_part(step: CurvePoint) -> float | None:
        n = near(step)
        return None if n is None else ranked(n.essential(zeros)) / n.size - ON_AXIS

    # squares go through 0 smoothly, where real parts stay 0 until they have a root's vertical slope
    step = where(curve, a, b, square) if symmetric else None
    if step is None:
        step = where(curve, a, b, real_part)
        n = None if step is None else near(step)
        if step is None or n is None:
            return []
        z = sorted(n.essential(zeros), key=lambda z: -z.real)[first]
        if abs(z.imag) > 1e-3 * n.size:
            return [BranchEvent("Hamiltonian Hopf" if symmetric else "Hopf", step, i, frequency=abs(z.imag))]
    singular = numerical_rank(curve(step.x)[1], GOOD, least=1.0) < len(step.x) - 1
    return [BranchEvent("branch point" if singular else "zero", step, i)]


def _nearest(values: Sequence[complex], to: complex) -> complex:
    return min(values, key=lambda z: abs(z - to))


def _crossing(before: Near, after: Near, zeros: int) -> list[float]:
    """Frequencies of complex pairs that are on different sides before and after, matched by nearness."""
    one = [z for z in before.essential(zeros) if z.imag > 0]
    two = [z for z in after.essential(zeros) if z.imag > 0]
    found = []
    for z in one:
        if not two:
            break
        partner = min(two, key=lambda y: abs(y - z))
        if (z.real > 0) != (partner.real > 0):
            found.append((z.imag + partner.imag) / 2)
    return found


def switched(
    curve: CurveOfZeros, event: BranchEvent, h: float, inside: Callable[[Array], float]
) -> list[tuple[Array, Array]]:
    """Points on the other branch through a branch point, on both sides, with the directions away from it: as
    near as it takes to lie inside.
    """
    if len(event.directions) != 2:
        return []
    d = event.directions[1]
    found = []
    for sign in (1.0, -1.0):
        away = sign * d
        one: list[tuple[Array, Array]] = []
        for part in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003):
            guess = event.step.x + part * h * away
            end = corrected(curve, guess, away, float(away @ guess))
            if end is not None and norm(end[0] - guess) < 0.5 * part * h:
                step = tangent_at(curve, end[0], away)
                if step is not None and step.tangent @ away > 0.5:
                    one.append((end[0], step.tangent))
                    if inside(end[0]) > 0:
                        break
        if one:
            found.append(one[-1] if inside(one[-1][0]) > 0 else one[0])
    return found
