"""A step that keeps the energy, by discrete gradients, on the constraint.

With E = v·∂L/∂v − L one has ∂E/∂v = M v, and the law reads

    M q' = E_v        M v' = −E_q − Ω q' − Π_t + F + Cᵀμ        Ω = Π_q − Π_qᵀ, skew.

For two states let g(1) − g(0) = ḡ_q·Δq + ḡ_v·Δv hold exactly (Gonzalez's discrete
gradient, J. Nonlinear Sci. 6, 1996, here in the metric of the masses), and a bar over M, Ω, C, Π_t, F mean
their value in the middle. The step is

    M̄ Δq/h = Ē_v + f̄_vᵀ ν            M̄ Δv/h = −Ē_q − f̄_qᵀ ν − Ω̄ Δq/h − Π̄_t + F̄ + C̄ᵀ μ
    C̄ Δq/h + (f̄ − C̄ v̄) = 0,  φ(q₁) = 0        f(t₁, q₁, v₁) = 0

The second line says that both the motion and its end satisfy the constraint; ν, of the size of h², makes
room for it. Multiplied by Δv and Δq and subtracted,

    E₁ − E₀ = F̄·Δq + μ·C̄ Δq − ν·(f₁ − f₀),

in which μ·C̄ Δq = 0 where f is linear and homogeneous in the velocities (C̄ v̄ = f̄), and f₁ = f₀ = 0 always: the
energy changes by the work of the forces, and else not, whatever h. If f is homogeneous of another degree,
C v = k f, the motion has C v = 0 on Q and keeps the energy, too; then the step asks for C̄ Δq = 0 in the
place of the third equation, which is as exact, and keeps it likewise. Symmetric, of order 2.
(Energy-preserving integrators for nonholonomic systems in reduced coordinates: Celledoni, Farré Puiggalí,
Høiseth, Martín de Diego, J. Nonlinear Sci. 29, 2019.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.flow.kernels.statuses import MULTIPLIERS, POSITION, PUSHES, VELOCITY
from chetaev.flow.schemes.lagrange_dalembert import needs
from chetaev.flow.schemes.solved import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

NEVER_ZERO = 1e-20
"""What the square of a step is at least, against that of the state: at rest, 0/0 is 0."""


def equations(law: StepLaw) -> StepEquations:
    """The two halves of the law, and the constraints twice."""
    import casadi

    from chetaev.flow.derive.step_law import StepEquations

    t, q0, v0, h, n, held = law.t, law.q, law.v, law.h, law.n, law.held
    q1, v1 = law.unknown(POSITION, "q1"), law.unknown(VELOCITY, "v1")
    mu, nu = law.unknown(MULTIPLIERS, "mu"), law.unknown(PUSHES, "nu")
    now, q, v = t + h / 2, (q0 + q1) / 2, (v0 + v1) / 2
    dq, dv, rate = q1 - q0, v1 - v0, (q1 - q0) / h
    mass, matrix = law.mass(now, q, v), law.matrix(now, q, v)
    weights = casadi.sum2(casadi.fabs(mass))
    moved = casadi.vertcat(weights * dq, h * h * weights * dv)
    size = casadi.dot(weights, dq * dq + h * h * dv * dv)
    size = size + NEVER_ZERO * casadi.dot(weights, q * q + h * h * v * v) + 1e-300

    def gradient(function: Any) -> Any:
        """Rows ḡ = (ḡ_q, ḡ_v) of a column of functions of (t, q, v), at the time of the middle."""
        by = law.derivative(function, now, q, v)
        difference = function(now, q1, v1) - function(now, q0, v0)
        rest = difference - casadi.mtimes(by, casadi.vertcat(dq, dv))
        return by + casadi.mtimes(rest, moved.T) / size

    energy, kept = gradient(law.energy), gradient(law.f)
    on_path = casadi.vertcat(gradient(law.phi)[:, :n] if held else casadi.SX(0, n), matrix[held:, :])
    slopes = law.momentum_slopes(now, q, v)
    loads = casadi.mtimes(slopes - slopes.T, rate) + law.momentum_rate(now, q, v) - law.applied(now, q, v)
    met = casadi.mtimes(matrix, rate - v) + law.f(now, q, v)
    along = casadi.mtimes(matrix, rate)
    for row in homogeneous_rows(law):
        met[row] = along[row]
    residual = casadi.vertcat(
        casadi.mtimes(mass, rate) - energy[:, n:].T - casadi.mtimes(kept[:, n:].T, nu),
        casadi.mtimes(mass, dv) / h
        + energy[:, :n].T
        + casadi.mtimes(kept[:, :n].T, nu)
        + loads
        - casadi.mtimes(on_path.T, mu),
        law.phi(t + h, q1, v1),
        met[held:, :],
        law.f(t + h, q1, v1),
    )
    return StepEquations((q1, v1, mu, nu), residual)


def homogeneous_rows(law: StepLaw) -> list[int]:
    """The rows with C v = k f and k ≠ 1, by their values at points of no distinction."""
    import casadi
    import numpy as np

    t, q, v, p = law.t, law.q, law.v, law.p
    both = [casadi.mtimes(law.matrix(t, q, v), v)[: law.rows], law.f(t, q, v)]
    function = casadi.Function("degrees", [t, q, v, p], both)
    points = np.random.default_rng(2).uniform(0.3, 0.7, (6, 1 + 2 * law.n + p.numel()))
    ends = np.cumsum([1, law.n, law.n])
    values = [[x.full().ravel() for x in function(*np.split(point, ends))] for point in points]
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.array([along / f for along, f in values])
    same = np.all(np.abs(degrees - degrees[0]) < 1e-9, axis=0) & (np.abs(degrees[0] - 1) > 1e-6)
    return [int(row) for row in np.flatnonzero(same)]


SCHEME = solved_scheme(
    "discrete-gradient",
    __name__,
    "keeps the energy, by discrete gradients",
    2,
    equations,
    ((POSITION, 1.0), (VELOCITY, 1.0), (MULTIPLIERS, 1.0), (PUSHES, 1.0)),
    needs=needs,
    preserves=("energy",),
    reversible=True,
)
