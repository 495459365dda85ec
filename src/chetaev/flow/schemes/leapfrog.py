"""The nonholonomic leapfrog of McLachlan and Perlmutter, for any L.

For L = v²/2 − V it drifts, kicks and drifts, the kick such that the mean of the velocities before and behind
it satisfies the constraint where it happens:

    q_m = q₀ + h/2 v₀     v₁ = v₀ − h ∇V(q_m) + C(q_m)ᵀλ,  f(q_m, (v₀ + v₁)/2) = 0     q₁ = q_m + h/2 v₁

(R. McLachlan, M. Perlmutter, J. Nonlinear Sci. 16, 2006; one of the methods that Modin and Verdier, Numer.
Math. 145, 2020, compare.) In general V = (q_m − q₀)/(h/2), V' = (q₁ − q_m)/(h/2), and

    Π(q_m, V) = Π(q₀, v₀)     Π(q_m, V') = Π(q_m, V) + h/2 (force(q_m, V) + force(q_m, V')) + C(q_m)ᵀλ
    Π(q₁, v₁) = Π(q_m, V')    f(t + h/2, q_m, (V + V')/2) = 0

which is symmetric and of order 2. Velocities satisfy the constraint in the middle of the steps; at their
ends, where the result is, they miss it by a part of the size of h²: the residual of the result shows it. M
itself must be regular here, not only the reduced matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.flow.kernels.statuses import MULTIPLIERS, POSITION, VELOCITY
from chetaev.flow.schemes import lagrange_dalembert
from chetaev.flow.schemes.solved import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def needs(model: Any) -> str:
    """Why the method does not apply to a model; "" if it does."""
    if model.position:
        return "constraints on velocities, and a constraint is on positions"
    return lagrange_dalembert.needs(model)


def equations(law: StepLaw) -> StepEquations:
    """Drift, kick, drift."""
    import casadi

    from chetaev.flow.derive.step_law import StepEquations

    t, q0, v0, h = law.t, law.q, law.v, law.h
    q1, v1 = law.unknown(POSITION, "q1"), law.unknown(VELOCITY, "v1")
    middle, kick = law.unknown(POSITION, "qm"), law.unknown(MULTIPLIERS, "la")
    before, behind = 2 * (middle - q0) / h, 2 * (q1 - middle) / h
    at, then = (t + h / 2, middle, before), (t + h / 2, middle, behind)
    mean = (t + h / 2, middle, (before + behind) / 2)
    pushed = h / 2 * (law.force(*at) + law.force(*then)) + casadi.mtimes(law.matrix(*mean).T, kick)
    residual = casadi.vertcat(
        law.momentum(*at) - law.momentum(t, q0, v0),
        law.momentum(*then) - law.momentum(*at) - pushed,
        law.momentum(t + h, q1, v1) - law.momentum(*then),
        law.f(*mean),
    )
    return StepEquations((q1, v1, middle, kick), residual)


SCHEME = solved_scheme(
    "leapfrog",
    __name__,
    "nonholonomic leapfrog; constraints hold in the middle of the steps",
    2,
    equations,
    ((POSITION, 1.0), (VELOCITY, 1.0), (POSITION, 0.5), (MULTIPLIERS, 1.0)),
    needs=needs,
    reversible=True,
    on_constraints=False,
    inverts_masses=True,
)
