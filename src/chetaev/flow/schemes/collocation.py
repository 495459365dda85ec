"""Gauss collocation on Q, projected so that the step stays symmetric.

    V_i = v̂₀ + h Σ a_ij A_j,   Q_i = q̂₀ + h Σ a_ij V_j        M A_i + h_i = C_iᵀ λ_i,   C_i A_i + c_i = 0
    v̂₁ = v̂₀ + h Σ b_i A_i,     q̂₁ = q̂₀ + h Σ b_i V_i

with the nodes and weights of Gauss: order 2s, symmetric (Hairer, Lubich and Wanner, Geometric Numerical
Integration, II.1). The accelerations and multipliers of the stages are unknowns of the step, so that no chart
is needed. What the method misses the constraints by is put right half at the start and half at the end, with
the same κ and ν (symmetric projection, Hairer 2000; loc. cit. V.4.1):

    q̂₀ = q₀ + φ_q(q₀)ᵀ κ,   q₁ = q̂₁ + φ_q(q₁)ᵀ κ,   φ(q₁) = 0
    v̂₀ = v₀ + C(q₀, v₀)ᵀ ν,  v₁ = v̂₁ + C(q₁, v₁)ᵀ ν,  f(q₁, v₁) = 0

Equations of first order q̇^a = g^a(t, q, q̇^β) exert no forces: they hold at the stages and at the end, in the
place of the rows that M does not have, and nothing is projected. Where all are of first order this is Gauss's
method for q̇ = g.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chetaev.flow.kernels.statuses import ACCELERATION, MULTIPLIERS, POSITION, PUSHES, SHIFTS, VELOCITY
from chetaev.flow.schemes.scheme import Scheme
from chetaev.flow.schemes.solved import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw

Tableau = tuple[Sequence[Sequence[float]], Sequence[float], Sequence[float]]
"""a_ij, b_i, c_i."""


def blocks(stages: int) -> tuple[tuple[int, float], ...]:
    """q₁, v₁, κ, ν and the accelerations and multipliers of the stages."""
    each = ((ACCELERATION, 0.5), (MULTIPLIERS, 0.5))
    return ((POSITION, 1.0), (VELOCITY, 1.0), (SHIFTS, 1.0), (PUSHES, 1.0), *(each * stages))


def needs(model: Any) -> str:
    """Why the method does not apply to a model; "" if it does."""
    if not model.dynamics.constraints_react and model.acceleration:
        return "constraints that act by forces, or none on accelerations"
    return ""


def equations(law: StepLaw, tableau: Tableau) -> StepEquations:
    """The equations of a step with these coefficients."""
    import casadi

    from chetaev.flow.derive.step_law import StepEquations

    a, b, c = tableau
    stages = range(len(b))
    t, q0, v0, h = law.t, law.q, law.v, law.h
    q1, v1 = law.unknown(POSITION, "q1"), law.unknown(VELOCITY, "v1")
    shift, push = law.unknown(SHIFTS, "kappa"), law.unknown(PUSHES, "nu")
    accelerations = [law.unknown(ACCELERATION, f"A{i}") for i in stages]
    multipliers = [law.unknown(MULTIPLIERS, f"la{i}") for i in stages]
    rows, held, reacting = law.rows, law.held, law.dynamics.model.dynamics.constraints_react

    def moved(t: Any, q: Any, v: Any) -> tuple[Any, Any]:
        if not reacting:
            return 0, 0
        matrix = law.matrix(t, q, v)
        return casadi.mtimes(matrix[:held, :].T, shift), casadi.mtimes(matrix[:rows, :].T, push)

    (shift0, push0), (shift1, push1) = moved(t, q0, v0), moved(t + h, q1, v1)
    start_q, start_v = q0 + shift0, v0 + push0
    speeds = [start_v + h * _sum(a[i], accelerations) for i in stages]
    places = [start_q + h * _sum(a[i], speeds) for i in stages]
    missed = v1 - start_v - h * _sum(b, accelerations) - push1
    residual = [
        q1 - start_q - h * _sum(b, speeds) - shift1,
        missed if reacting else casadi.mtimes(law.mass(t + h, q1, v1), missed),
        law.phi(t + h, q1, v1),
        law.f(t + h, q1, v1),
    ]
    for i in stages:
        at = (t + c[i] * h, places[i], speeds[i])
        inertia = law.inertia(*at, accelerations[i])
        if reacting:
            reaction = casadi.mtimes(law.matrix(*at).T, multipliers[i])
            residual += [inertia - reaction, law.constrained(*at, accelerations[i])]
        else:
            residual += [inertia, law.f(*at)]
    pairs = [x for pair in zip(accelerations, multipliers, strict=True) for x in pair]
    return StepEquations((q1, v1, shift, push, *pairs), casadi.vertcat(*residual))


def _sum(weights: Sequence[float], terms: Sequence[Any]) -> Any:
    total = weights[0] * terms[0]
    for weight, term in zip(weights[1:], terms[1:], strict=True):
        total = total + weight * term
    return total


def gauss_scheme(name: str, stages: str, tableau: Tableau) -> Scheme:
    """The record of Gauss's method with these coefficients; how many stages it has, in words."""
    count = len(tableau[1])
    summary = f"Gauss collocation with {stages}, projected symmetrically"
    made, unknowns = partial(equations, tableau=tableau), blocks(count)
    return solved_scheme(name, __name__, summary, 2 * count, made, unknowns, needs=needs, reversible=True)


ROOT3, ROOT15 = 3**0.5 / 6, 15**0.5
SCHEMES = (
    gauss_scheme("gauss2", "one stage", (((0.5,),), (1.0,), (0.5,))),  # the implicit midpoint rule
    gauss_scheme(  # Hammer and Hollingsworth
        "gauss4",
        "two stages",
        (((0.25, 0.25 - ROOT3), (0.25 + ROOT3, 0.25)), (0.5, 0.5), (0.5 - ROOT3, 0.5 + ROOT3)),
    ),
    gauss_scheme(  # Kuntzmann and Butcher
        "gauss6",
        "three stages",
        (
            (
                (5 / 36, 2 / 9 - ROOT15 / 15, 5 / 36 - ROOT15 / 30),
                (5 / 36 + ROOT15 / 24, 2 / 9, 5 / 36 - ROOT15 / 24),
                (5 / 36 + ROOT15 / 30, 2 / 9 + ROOT15 / 15, 5 / 36),
            ),
            (5 / 18, 4 / 9, 5 / 18),
            (0.5 - ROOT15 / 10, 0.5, 0.5 + ROOT15 / 10),
        ),
    ),
)
