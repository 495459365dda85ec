"""A discrete Lagrange–d'Alembert step on the group of rotations, where coordinates are unit quaternions.

Four coordinates that a position constraint a² + b² + c² + d² = r² keeps on a sphere are a rotation. Between
two of them the step does not go along the chord, through the inside of the sphere, but on the group: with
Cayley's map for the exponential, from Q₀ to Q₁ = Q₀ cay(hξ), whose middle and rate there are

    Q̄ = r (Q₀ + Q₁)/|Q₀ + Q₁|        Q̇ = 2r (Q₁ − Q₀)/(h |Q₀ + Q₁|),        Q̄·Q̇ = 0.

Both are equivariant under rotations from the left and from the right, in the body and in space. Other
coordinates have the middle and the rate of the chord. With L_d = h L(t̄, q̄, q̇) and f(t̄, q̄, q̇) = 0 the step is

    −D₁L_d = Π(q₀, v₀) + C(q₀)ᵀλ + h (∂q̄/∂q₀)ᵀF      Π(q₁, v₁) = D₂L_d + h (∂q̄/∂q₁)ᵀF + C(q₁)ᵀμ

as in `lagrange_dalembert`, and the position constraint at the end; symmetric, of order 2. A free
rotation about a fixed axis keeps its axis exactly, and momenta of rotations that L has are kept exactly.
(Lie-group variational integrators: Bou-Rabee and Marsden, Found. Comput. Math. 9, 2009; Leok and McClamroch.)
Coordinates that are angles need no group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.expr.graph.node import Expr
from chetaev.flow.kernels.statuses import MULTIPLIERS, POSITION, VELOCITY
from chetaev.flow.schemes import lagrange_dalembert
from chetaev.flow.schemes.solved import solved_scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.step_law import StepEquations, StepLaw


def quaternions(model: Any) -> list[tuple[int, ...]]:
    """The numbers of the coordinates of each quaternion, by its position constraint."""
    places = {name: i for i, name in enumerate(model.coordinates)}
    found = (_squares(expr, places) for expr in model.position)
    return [numbers for numbers in found if len(numbers) == 4]


def _squares(expr: Expr, places: dict[str, int]) -> tuple[int, ...]:
    """Which coordinates' squares an expression is the sum of, constants aside; () if it is something else."""
    import casadi
    import numpy as np

    from chetaev.expr.graph.engine import Engine
    from chetaev.expr.graph.node import symbol, symbols

    names = [name for name, order in symbols(expr) if name in places and order == 0]
    if len(names) != 4:
        return ()
    engine = Engine()
    column = engine.column([symbol(name) for name in names])
    hessian, _ = casadi.hessian(engine(expr), column)
    gradient = casadi.gradient(engine(expr), column)
    if casadi.symvar(hessian):
        return ()
    values = casadi.evalf(hessian).full()
    at_zero = casadi.substitute(gradient, column, casadi.SX.zeros(4))
    if casadi.symvar(at_zero) or abs(casadi.evalf(at_zero).full()).max() != 0:
        return ()
    one = values[0, 0]
    if one == 0 or (values != one * np.eye(4)).any():
        return ()
    return tuple(places[name] for name in names)


def needs(model: Any) -> str:
    """Why the method does not apply to a model; "" if it does."""
    if not quaternions(model):
        return (
            "a rotation: four coordinates with a position constraint such as a^2 + b^2 + c^2 + d^2 = 1, and "
            "the model has none"
        )
    return lagrange_dalembert.needs(model)


def equations(law: StepLaw) -> StepEquations:
    """The middle of the step on the group, and the principle there."""
    import casadi

    from chetaev.flow.derive.step_law import StepEquations

    t, q0, v0, h = law.t, law.q, law.v, law.h
    q1, v1 = law.unknown(POSITION, "q1"), law.unknown(VELOCITY, "v1")
    first, second = law.unknown(MULTIPLIERS, "la"), law.unknown(MULTIPLIERS, "mu")
    middle, rate = (q0 + q1) / 2, (q1 - q0) / h
    for numbers in quaternions(law.dynamics.model):
        places = list(numbers)
        radius = casadi.sqrt(casadi.sumsqr(q0[places]) / 2 + casadi.sumsqr(q1[places]) / 2)
        longer = radius / casadi.sqrt(casadi.sumsqr(middle[places]))
        middle[places], rate[places] = longer * middle[places], longer * rate[places]
    at = (t + h / 2, middle, rate)
    momentum, force = law.momentum(*at), law.force(*at)

    def slope(end: Any) -> Any:
        """D L_d with the work of the forces: (∂q̇/∂q)ᵀ Π h + (∂q̄/∂q)ᵀ (∂L/∂q + F) h."""
        by_rate, by_middle = casadi.jtimes(rate, end, momentum, True), casadi.jtimes(middle, end, force, True)
        return h * (by_rate + by_middle)

    residual = casadi.vertcat(
        -slope(q0) - law.momentum(t, q0, v0) - casadi.mtimes(law.matrix(t, q0, v0).T, first),
        law.phi(t + h, q1, v1),
        law.f(*at)[law.held :, :],
        law.momentum(t + h, q1, v1) - slope(q1) - casadi.mtimes(law.matrix(t + h, q1, v1).T, second),
        law.f(t + h, q1, v1),
    )
    return StepEquations((q1, v1, first, second), residual)


SCHEME = solved_scheme(
    "lie-midpoint",
    __name__,
    "discrete Lagrange–d'Alembert on the group of rotations, for quaternions",
    2,
    equations,
    lagrange_dalembert.BLOCKS,
    needs=needs,
    preserves=("momenta of rotations that L has and the constraints allow",),
    reversible=True,
)
