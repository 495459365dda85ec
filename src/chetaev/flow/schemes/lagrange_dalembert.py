"""The discrete Lagrange–d'Alembert principle for any L, F and constraint, as a map on Q.

    L_d(q₀, q₁) = h Σ b_i L(t_i, q_i, (q₁ − q₀)/h)        q_i = (1 − c_i) q₀ + c_i q₁,   t_i = t + c_i h
    f_d(q₀, q₁) = Σ w_j f(t_j, q_j, (q₁ − q₀)/h) = 0

    D₂L_d(q₋₁, q₀) + D₁L_d(q₀, q₁) ∈ span C(q₀)ᵀ

(Cortés and Martínez, Nonlinearity 14, 2001). The momenta D₂L_d and −D₁L_d at a point differ by a reaction, so
both stand for one velocity v with f(t, q, v) = 0, the one whose momentum differs from them by a reaction. In
(q, v) the principle is a map of Q to itself, and q₋₁ is not needed:

    −D₁L_d(q₀, q₁) = Π(q₀, v₀) + C(q₀, v₀)ᵀ λ,   f_d(q₀, q₁) = 0
    Π(q₁, v₁) = D₂L_d(q₀, q₁) + C(q₁, v₁)ᵀ μ,    f(t₁, q₁, v₁) = 0

Forces are added to both momenta with the same weights. Position constraints are kept as φ(t₁, q₁) = 0. For
constraints that are not linear in the velocities C is taken where the momentum is (de León, Martín de Diego,
Santamaría-Merino 2004 have another choice); the map stays symmetric where b, c and w are.

A composition takes several steps of lengths γ₁h, γ₂h, …. If the γ_i read the same from both ends, a
composition of a symmetric map of Q to itself, such as dla-midpoint, is symmetric, and its order is even
(Yoshida 1990; Suzuki 1990; McLachlan 1995):

    suzuki4     Φ_{γh} ∘ Φ_{γh} ∘ Φ_{(1 − 4γ)h} ∘ Φ_{γh} ∘ Φ_{γh},   γ = 1/(4 − 4^{1/3})
    kahan-li6   γ_i = γ_{10−i},   Σ γ_i = 1,   Σ γ_i³ = 0,   Σ γ_i⁵ = 0, …

(Hairer, Lubich and Wanner, Geometric Numerical Integration, II.4; Kahan and Li, Math. Comp. 66, 1997, and
loc. cit. V.3.2.) Suzuki's five steps are shorter than Yoshida's three, of which the middle one goes back by
1.7 h.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chetaev.flow.kernels.statuses import MULTIPLIERS, POSITION, VELOCITY
from chetaev.flow.schemes.scheme import Scheme
from chetaev.flow.schemes.solved import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

Nodes = Sequence[tuple[float, float]]
"""Pairs of a weight and a fraction of the step."""

MIDDLE: Nodes = ((1.0, 0.5),)
ENDS: Nodes = ((0.5, 0.0), (0.5, 1.0))
START: Nodes = ((1.0, 0.0),)
END: Nodes = ((1.0, 1.0),)

MOMENTA = "momenta of affine symmetries of L along which the constraints allow to move"
"""Noether's theorem for L_d: the nodes move with q₀ and q₁, and reactions do no work along the symmetry."""

BLOCKS = ((POSITION, 1.0), (VELOCITY, 1.0), (MULTIPLIERS, 1.0), (MULTIPLIERS, 1.0))
"""q₁, v₁, λ, μ."""


def needs(model: Any) -> str:
    """Why a model has no discrete Lagrange–d'Alembert principle; "" if it has one."""
    if not model.dynamics.constraints_react:
        if len(model.velocity) >= model.size:
            return "equations of second order, and those of the model are of first order"
        return "constraints that act by forces"
    if model.acceleration:
        return "constraints on positions or velocities, and a constraint is on accelerations"
    if model.dynamics.lagrangian is None and model.dynamics.hamiltonian is None:
        return f"a Lagrangian, and the dynamics is given by {model.dynamics.given_by}"
    if model.dynamics.lagrangian is None:
        return "a Lagrangian, and the dynamics is given by a Hamiltonian"
    return ""


def equations(law: StepLaw, action: Nodes, constraint: Nodes) -> StepEquations:
    """The equations of a step for a discrete action and a discrete constraint."""
    import casadi

    from chetaev.flow.derive.step_law import StepEquations

    t, q0, v0, h = law.t, law.q, law.v, law.h
    q1, v1 = law.unknown(POSITION, "q1"), law.unknown(VELOCITY, "v1")
    first, second = law.unknown(MULTIPLIERS, "la"), law.unknown(MULTIPLIERS, "mu")
    moved = (q1 - q0) / h
    start = end = casadi.SX.zeros(law.n, 1)
    for b, c in action:
        at = (t + c * h, (1 - c) * q0 + c * q1, moved)
        momentum, force = law.momentum(*at), law.force(*at)
        start = start + b * (momentum - h * (1 - c) * force)
        end = end + b * (momentum + h * c * force)
    held = law.held
    kept = law.phi(t + h, q1, v1)
    met = casadi.SX.zeros(law.rows, 1)
    for w, c in constraint:
        met = met + w * law.f(t + c * h, (1 - c) * q0 + c * q1, moved)
    residual = casadi.vertcat(
        start - law.momentum(t, q0, v0) - casadi.mtimes(law.matrix(t, q0, v0).T, first),
        kept,
        met[held:, :],
        law.momentum(t + h, q1, v1) - end - casadi.mtimes(law.matrix(t + h, q1, v1).T, second),
        law.f(t + h, q1, v1),
    )
    return StepEquations((q1, v1, first, second), residual)


def discrete_scheme(
    name: str,
    summary: str,
    order: int,
    action: Nodes,
    constraint: Nodes,
    substeps: tuple[float, ...] = (1.0,),
) -> Scheme:
    """The record of the principle with these nodes; a step back undoes a step where they are symmetric."""
    turned = [[(weight, 1 - c) for weight, c in reversed(nodes)] for nodes in (action, constraint)]
    return solved_scheme(
        name,
        __name__,
        summary,
        order,
        partial(equations, action=action, constraint=constraint),
        BLOCKS,
        substeps,
        needs=needs,
        preserves=(MOMENTA,),
        reversible=turned == [list(action), list(constraint)] and substeps == substeps[::-1],
    )


G = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
SUZUKI = (G, G, 1.0 - 4.0 * G, G, G)
HALF = (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023)
KAHAN_LI = (*HALF, 0.79854399093482996340, *reversed(HALF))

WHAT, OF = "discrete Lagrange–d'Alembert,", "steps of dla-midpoint"
SCHEMES = (
    # found in the literature; the one is the adjoint of the other, and they show what f_d does
    discrete_scheme("dla-left", f"{WHAT} the constraint at the start of the step", 1, ENDS, START),
    discrete_scheme("dla-right", f"{WHAT} the constraint at the end of the step", 1, ENDS, END),
    discrete_scheme("dla-midpoint", f"{WHAT} L and f in the middle of the step", 2, MIDDLE, MIDDLE),
    discrete_scheme("dla-trapezoidal", f"{WHAT} the mean of both ends for L and f (Verlet)", 2, ENDS, ENDS),
    discrete_scheme("suzuki4", f"composition of five {OF} (Suzuki)", 4, MIDDLE, MIDDLE, SUZUKI),
    discrete_scheme("kahan-li6", f"composition of nine {OF} (Kahan and Li)", 6, MIDDLE, MIDDLE, KAHAN_LI),
)
