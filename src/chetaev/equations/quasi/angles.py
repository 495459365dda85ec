"""Spheres and cones of velocities in angles: a constraint Σ a_i(t, q) v_i² = ρ(t, q) that is not affine.

    all a_i > 0          v_i = √(ρ/a_i) n_i(α, β, …),                       a sphere or an ellipsoid
    ρ = 0, a_0 < 0 < a_i v_0 = s/√|a_0|,   v_i = s n_i(α, β, …)/√a_i,       both halves of a cone

with the unit vector n = (cos α cos β …, sin α cos β …, sin β, …) and s, α, β, … in the place of
quasi-velocities; velocities that do not occur in the constraint are free. The angles are singular at the
poles cos β = 0, which are put where the initial velocity is not; in a plane there are none. What holds for
v = V(t, q, u) in :mod:`.quasi_frame` holds here, too: ∂V/∂u spans the admissible directions ker ∂f/∂v.

For a particle whose speed is v0 under gravity (Leibniz): v0 β' = −g cos β, α' = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.short_kernel import parameter_content, parameters_of
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.model.jet_functions import fresh
from chetaev.model.system import System

EFFORT = 200_000
"""What finding the squares may cost."""
NEAR = 0.2
"""A velocity whose first two components are below this part of the largest is near a pole."""
ANGLES = ("alpha", "beta", "gamma", "delta", "epsilon")


@lru_cache(maxsize=128)
def angle_frame(system: System) -> QuasiFrame | None:
    """The angles of a sphere or a cone of velocities; None where the constraint is not seen to be one."""
    if len(system.velocity_constraints) != 1 or system.position_constraints:
        return None
    field = Field(Budget.of(EFFORT))
    return Allowance(EFFORT, EFFORT).attempt(field, lambda: _made(system, field))


def _made(system: System, field: Field) -> QuasiFrame | None:
    v = [graph.symbol(c, 1) for c in system.coordinates]
    coefficients = field(system.velocity_constraints[0].residual).coefficients(*v)
    if coefficients is None:
        return None
    squares: dict[int, Element] = {}
    rho = field.zero
    for exponents, e in coefficients.items():
        used = [i for i, power in enumerate(exponents) if power]
        if not used:
            rho = -e
        elif len(used) == 1 and exponents[used[0]] == 2:
            squares[used[0]] = e
        else:
            return None
    signs = {i: _sign(system, e) for i, e in squares.items()}
    if len(squares) < 2 or None in signs.values():
        return None
    down = sorted(i for i, sign in signs.items() if sign == -1)
    up = sorted(i for i, sign in signs.items() if sign == 1)
    if not up:
        squares, rho, up, down = {i: -e for i, e in squares.items()}, -rho, down, []
    if len(down) > len(up):
        squares, rho, up, down = {i: -e for i, e in squares.items()}, -rho, down, up
    if (
        len(up) - 1 > len(ANGLES)
        or (down and (len(down) > 1 or len(up) < 2 or not rho.is_blank))  # x'² = y'² is two lines, no cone
        or (not down and rho.is_blank)
    ):
        return None
    return _frame(system, field, squares, rho, up, down)


def _sign(system: System, e: Element) -> int | None:
    """The sign of a coefficient that vanishes nowhere; None where that is not seen."""
    values = {n: x for n, x in system.parameter_values.items() if x}
    content = parameter_content(e, parameters_of(e.field, list(values)))
    rest = e / content
    sign = 1 if float(evaluate([content.to_expr()], dict(values))[0]) > 0 else -1
    for way in (1, -1):
        if positive(rest * way) and positive(e.field.polynomial(rest.denominator)):
            return sign * way
    return None


def _root(system: System, e: Element) -> Expr:
    """√e, without a root where e is a square."""
    field = e.field
    k, factors = field.factor(e.numerator)
    below_k, below = field.factor(e.denominator)
    numbers = [int(k.p), int(k.q), int(below_k.p), int(below_k.q)]
    powers = [p for _, p in (*factors, *below)]
    roots = [round(abs(x) ** 0.5) for x in numbers]
    whole = all(x > 0 and r * r == x for x, r in zip(numbers, roots, strict=True))
    if not whole or any(p % 2 for p in powers):
        return graph.call("sqrt", e.to_expr())
    made = field.number(Fraction(roots[0] * roots[3], roots[1] * roots[2]))
    for group, way in ((factors, 1), (below, -1)):
        for p, power in group:
            made = made * field.polynomial(p) ** (way * power // 2)
    shown = made.to_expr()
    if any(name not in system.parameters for name, _ in graph.symbols(shown)):
        return graph.call("sqrt", e.to_expr())
    value = float(evaluate([shown], dict(system.parameter_values))[0])
    return shown if value > 0 else graph.neg(shown)


def _frame(
    system: System, field: Field, squares: dict[int, Element], rho: Element, up: list[int], down: list[int]
) -> QuasiFrame:
    names = [graph.symbol(c, 1) for c in system.coordinates]
    lengths = {i: _root(system, (field.one if down else rho) / squares[i]) for i in up}
    alike = all(squares[i] == squares[up[0]] for i in up)
    labels: list[str] = []
    functions: list[Expr] = []
    velocities: list[Expr] = list(names)
    factor: Expr = graph.ONE
    unit = {i: names[i] if alike else graph.div(names[i], lengths[i]) for i in up}
    if down:
        z = down[0]
        slope = _root(system, (squares[up[0]] if alike else field.one) / -squares[z])
        lengths = {i: graph.ONE if alike else lengths[i] for i in up}
        labels.append(fresh("s", system.names))
        factor = graph.symbol(labels[0])
        functions.append(field(graph.div(names[z], slope)).to_expr())
        velocities[z] = _times(factor, slope)
        unit = {
            i: graph.mul(names[z], e) for i, e in unit.items()
        }  # times v_0² more than n_i: a positive factor
    order = _order(system, up, unit)
    angles = [fresh(name, system.names) for name in ANGLES[: len(up) - 1]]
    for place in range(
        len(order) - 1, 0, -1
    ):  # the last component first: sin β, then cos β sin α, cos β cos α
        i, angle = order[place], graph.symbol(angles[place - 1])
        velocities[i] = _times(lengths[i], factor, graph.call("sin", angle))
        factor = _times(factor, graph.call("cos", angle))
    velocities[order[0]] = _times(lengths[order[0]], factor)
    labels += angles
    for place in range(1, len(order)):
        earlier = [unit[i] for i in order[:place]]
        beside = earlier[0] if place == 1 else _norm(earlier)
        functions.append(graph.call("atan2", unit[order[place]], beside))
    free = [i for i in range(len(names)) if i not in squares]
    labels += [str(names[i]) for i in free]
    functions += [names[i] for i in free]
    fails = (*(names[i] for i in down), *(_norm([unit[i] for i in order[:p]]) for p in range(2, len(order))))
    regular = None if fails else True
    return QuasiFrame(tuple(labels), tuple(velocities), tuple(functions), regular, fails, "angles")


def _order(system: System, up: list[int], unit: dict[int, Expr]) -> list[int]:
    """The components, poles last: as they come, unless the initial velocity is near such a pole."""
    s = Setup(system)
    try:
        here = s.start if system.initial is not None else s.sample
        sizes = {i: abs(float(evaluate([unit[i]], here)[0])) for i in up}
    except ModelError:  # there is no state
        return up
    first = max(sizes[i] for i in up[:2])
    if not first < NEAR * max(sizes.values()):
        return up
    largest = sorted(up, key=lambda i: (-sizes[i], i))[:2]
    return [*sorted(largest), *(i for i in up if i not in largest)]


def _norm(entries: Sequence[Expr]) -> Expr:
    return graph.call("sqrt", graph.add(*(graph.power(e, graph.number(2)) for e in entries)))


def _times(*factors: Expr) -> Expr:
    return (
        graph.mul(*(f for f in factors if f is not graph.ONE)) if set(factors) != {graph.ONE} else graph.ONE
    )
