"""When is a Chaplygin system Hamiltonian in another time dτ = N(q) dt? A linear question (SCOPE M4).

In the time τ the Lagrangian L̃(q, q') = L̄(q, N q') + A_s q'^s − U, q' = v/N, has the Euler–Lagrange equations

    d/dt p_s − ∂L̄/∂q^s = (p·v) φ_s − p_s (φ·v) + σ_sr v^r + κ_s,
    p = ∂L̄/∂v,      φ = d log N,      N σ_sr = ∂_s A_r − ∂_r A_s,      κ = −dU.

The equations of the system have S_s on the right (:mod:`chetaev.hamilton.chaplygin_reduction`), so that N
exists, locally, exactly if

    S_s = (p·v) φ_s − p_s (φ·v) + σ_sr v^r + κ_s    for all v,      dφ = 0,   d(Nσ) = 0,   dκ = 0.

The first condition is linear in φ(q), σ(q), κ(q), and where L̄ is regular and there are two or more degrees
of freedom it has at most one solution φ: the question is decided by linear algebra and by derivatives.
For two degrees of freedom, L̄ homogeneous and quadratic, a solution always exists, and dφ = 0 is Chaplygin's
condition, the same as that for an invariant measure. For more, the first condition is the simplicity of
the gyroscopic forces (Ehlers, Koiller, Montgomery and Rios; Fedorov and Jovanović; García-Naranjo).

An invariant measure f(q) dq dp needs less: Γ(log f) = −∂S_s/∂p_s =: θ_r v^r with dθ = 0; a solution of the
above has f = N^(n−1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.hamilton.chaplygin_reduction import OnBase

SAMPLES = ((1, 0, 0), (0, 1, 0), (1, 1, 1), (2, -1, 1), (1, 3, -2), (-3, 2, 1))
"""Where forces are no polynomials in the velocities, these are put in, in eighths, in turn."""


@dataclass(frozen=True)
class Simplicity:
    """φ, σ and κ of the linear condition, and what is left of it."""

    phi: tuple[Element, ...]
    sigma: tuple[tuple[Element, ...], ...]
    kappa: tuple[Element, ...]
    """The solution of as many rows as have one."""
    defects: tuple[Element, ...]
    """S_s less the right side; zero where the condition holds."""
    unique: bool
    """Whether this is the only candidate."""


def simplicity(on: OnBase) -> Simplicity:
    """Solve the linear condition, as far as it goes."""
    field, n, v, p = on.field, len(on.base), on.v, on.momenta
    pairs = list(combinations(range(n), 2))
    power = linear.dot(p, v)
    # for each unknown its coefficient in the n equations
    columns: list[list[Element]] = [
        [(power if s == b else field.zero) - p[s] * v[b] for s in range(n)] for b in range(n)
    ]
    for a, b in pairs:
        columns.append([v[b] if s == a else -v[a] if s == b else field.zero for s in range(n)])
    columns.extend([field.one if s == a else field.zero for s in range(n)] for a in range(n))
    equations = [[*(column[s] for column in columns), on.force[s]] for s in range(n)]
    rows = [row for equation in equations for row in _free_of_velocities(on, equation)]
    unknowns = len(columns)
    found = [field.zero] * unknowns
    pivots: Sequence[int] = []
    if any(not e.is_zero for row in rows for e in row[:-1]):
        echelon = linear.echelon(rows, range(unknowns))
        pivots = echelon.pivots
        for i, j in enumerate(pivots):
            found[j] = echelon.entry(i, unknowns)
    phi, kappa = tuple(found[:n]), tuple(found[n + len(pairs) :])
    sigma = [[field.zero] * n for _ in range(n)]
    for (a, b), x in zip(pairs, found[n : n + len(pairs)], strict=True):
        sigma[a][b], sigma[b][a] = x, -x
    defects = []
    for s in range(n):
        rest = on.force[s]
        for column, x in zip(columns, found, strict=True):
            if not x.is_zero:
                rest = rest - column[s] * x
        defects.append(rest)
    needed = range(0 if n > 1 else 1, unknowns)  # with one coordinate every N will do
    return Simplicity(phi, tuple(map(tuple, sigma)), kappa, tuple(defects), set(needed) <= set(pivots))


def _free_of_velocities(on: OnBase, row: Sequence[Element]) -> Iterator[list[Element]]:
    """One equation for every monomial in the velocities; without such, at some velocities."""
    speeds = [(c, 1) for c in on.base]
    parts = [e.coefficients(*speeds) for e in row]
    if all(part is not None for part in parts):
        kept = [part for part in parts if part is not None]
        for monomial in sorted({m for part in kept for m in part}):
            yield [part.get(monomial, on.field.zero) for part in kept]
        return
    for k in range(len(SAMPLES) + 2 * len(speeds)):
        at: dict[object, Element] = {s: on.field.number(_eighth(k, i)) for i, s in enumerate(speeds)}
        there = ask(lambda at=at: [e.subs(at) for e in row])  # type: ignore[misc]
        if not isinstance(there, GivenUp):
            yield there


def _eighth(k: int, i: int) -> Fraction:
    pattern = SAMPLES[(k + i // 3) % len(SAMPLES)]
    return Fraction(pattern[i % 3] * (1 + (k // len(SAMPLES))) + (i // 3), 8)


Component = tuple[tuple[str, ...], Element]
"""Of a form, by the coordinates it belongs to."""


def curls(phi: Sequence[Element], on: OnBase) -> list[Component]:
    """∂_s φ_r − ∂_r φ_s for s < r."""
    names = on.base
    return [
        ((names[s], names[r]), phi[r].diff((names[s], 0)) - phi[s].diff((names[r], 0)))
        for s, r in combinations(range(len(names)), 2)
    ]


def twisted_curls(found: Simplicity, on: OnBase) -> list[Component]:
    """d(Nσ)/N = dσ + φ ∧ σ, by components a < b < c."""
    names, sigma, phi = on.base, found.sigma, found.phi
    result: list[Component] = []
    for a, b, c in combinations(range(len(names)), 3):
        total = on.field.zero
        for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
            total = total + sigma[y][z].diff((names[x], 0)) + phi[x] * sigma[y][z]
        result.append(((names[a], names[b], names[c]), total))
    return result


def measure_form(on: OnBase) -> list[Element] | None:
    """θ with θ_r v^r = −∂S_s/∂p_s; None where that is not linear and homogeneous in the velocities."""
    field, speeds = on.field, [(c, 1) for c in on.base]
    inverse = linear.inverse(on.hessian)
    total = field.zero
    for s, force in enumerate(on.force):
        for r, speed in enumerate(speeds):
            slope = force.diff(speed)
            if not slope.is_zero and not inverse[r][s].is_zero:
                total = total - inverse[r][s] * slope
    theta = [total.diff(speed) for speed in speeds]
    rest = total
    for x, v in zip(theta, on.v, strict=True):
        rest = rest - x * v
    if rest.is_zero is not True or any(x.symbols & set(speeds) for x in theta):
        return None
    return theta
