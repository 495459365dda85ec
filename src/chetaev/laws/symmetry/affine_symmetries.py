"""Noether's theorem with affine fields, from L alone (SCOPE K10).

A field τ ∂/∂t + ξ ∂/∂q changes L dt by a divergence if

    ∂L/∂t τ + ∂L/∂q·ξ + p·(ξ̇ − v τ̇) + L τ̇ = ḟ,      p = ∂L/∂v,

for all (t, q, v), and then F = p·(ξ − v τ) + L τ − f is constant where there are no constraints and no
forces. With τ and ξ affine in (t, q) and f quadratic this is a linear condition on numbers. Nothing is solved
for accelerations, so that it is cheap where these are long: translations, rotations, boosts and changes of
scale of many bodies with any masses.

The condition is proved for the terms of L one by one where each is kept by itself, as a translation keeps
every distance: the sum of all has a common denominator that nobody can write.

>>> import chetaev as ch
>>> free = ch.System(coordinates=["x"], lagrangian="-sqrt(1 - x'^2)")
>>> [str(one.charge) for one in affine_symmetries(free, 1_000_000)][1:]
["x'/sqrt(1 - x'^2)", "x'/sqrt(1 - x'^2)*(t - x'*x) - sqrt(1 - x'^2)*x"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import Budget, Element, answer, ask
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ONE, ZERO, Expr, add, mul, neg, sub, symbol
from chetaev.expr.graph.sharing import text_length
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, independent_rows, null_vectors
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.given_fields import combination
from chetaev.model.system import System

LONG = 160
"""Fields and functions with longer texts are named, not written."""


@dataclass(frozen=True)
class AffineSymmetry:
    """τ and ξ by name; f; the charge F; whether the condition is proved."""

    field: Mapping[str, Expr]
    gauge: Expr
    charge: Expr
    verdict: Verdict

    @property
    def words(self) -> str:
        """The theorem for this field."""
        text = combination(self.field, "∂/∂")
        field = f"the point symmetry X = {text}" if len(text) <= LONG else "a point symmetry X (a long field)"
        if self.gauge is ZERO:
            return f"{field} preserves L"
        divergence = str(self.gauge) if text_length(self.gauge) <= LONG else "a function of t and q"
        return f"along {field}, δL is the total derivative of {divergence}"


def affine_symmetries(system: System, effort: int) -> list[AffineSymmetry]:
    """The affine symmetries of L up to a divergence, with their charges; none where none was found."""
    L = system.dynamics.lagrangian
    if L is None or not system.dynamics.constraints_react:
        return []
    return answer(ask(_found, system, L, effort)) or []


def new_ones(system: System, found: Sequence[AffineSymmetry], known: Sequence[Expr]) -> list[AffineSymmetry]:
    """Those whose charges are no functions of what is known and of those before them: by differentials."""

    def chosen() -> list[AffineSymmetry]:
        s, view = Setup(system), standpoints(system)[0]
        motion = Motion(_free(system), view)
        state = casadi.vertcat(s.t, s.q, s.v)
        functions = s.column([*known, *(one.charge for one in found)])
        slopes = s.matrix(casadi.jacobian(functions, state))
        graphs = view.apply([e for row in slopes for e in row])
        motion.meet(graphs)
        source = motion.points(seed=5)
        point, n = source.draw(), len(slopes[0])
        flat = point.residues.program(graphs)(point.values)
        rows = [flat[i : i + n] for i in range(0, len(flat), n)]
        kept = independent_rows(rows, range(len(rows)), source.p)
        return [found[i - len(known)] for i in kept if i >= len(known)]

    return (answer(ask(chosen)) or []) if found else []


def _found(system: System, L: Expr, effort: int) -> list[AffineSymmetry]:
    view = standpoints(system)[0]
    motion = Motion(_free(system), view, Budget(8 * effort))
    s = Setup(system)
    slopes = s.graphs(casadi.vertcat(s.L, s.by_t(s.L), casadi.gradient(s.L, s.q), casadi.gradient(s.L, s.v)))
    graphs = view.apply(slopes)
    motion.meet(graphs)
    places = [motion.time, *motion.positions]
    m = len(places)
    products = [k for d in (1, 2) for k in combinations_with_replacement(range(m), d)]
    count = m * (m + 1) + len(products)

    def rows(point: PointOnQ) -> list[list[int]]:
        p = point.residues.p
        value, *slope = point.residues.program(graphs)(point.values)
        by_z, by_v = slope[:m], slope[m:]
        z = [point.values[k] for k in places]
        v = [1, *(point.values[k] for k in motion.velocities)]
        momentum = [(value - sum(a * b for a, b in zip(by_v, v[1:], strict=True))) % p, *by_v]
        row = []
        for i in range(m):  # the field along t, or along a coordinate: 1, t, q_1, …
            row += [by_z[i], *((by_z[i] * z[j] + momentum[i] * v[j]) % p for j in range(m))]
        return [[*row, *(-_rate(product, z, v) % p for product in products)]]

    budget = Budget(20 * effort)
    found = []
    for vector in null_vectors(motion.points(), count, rows, budget).vectors:
        combination = exact(motion, rows, vector, budget=budget)
        if combination is not None:
            found.append(_symmetry(system, s, L, combination, products, view, effort))
    return found


def _free(system: System) -> System:
    """The same coordinates and parameters with L = v²/2: the points (t, q, v) are all there are."""
    return System(
        coordinates=list(system.coordinates),
        lagrangian=str(add(*(mul(symbol(c, 1), symbol(c, 1)) for c in system.coordinates))),
        parameters={n: str(e) for n, e in system.parameters.items()},
        time=system.time,
    )


def _rate(product: Sequence[int], z: Sequence[int], v: Sequence[int]) -> int:
    """The derivative of a product of t and coordinates along the motion."""
    return sum(v[k] * prod(z[j] for i, j in enumerate(product) if i != n) for n, k in enumerate(product))


def _symmetry(
    system: System,
    s: Setup,
    L: Expr,
    combination: Mapping[int, Element],
    products: Sequence[tuple[int, ...]],
    view: Standpoint,
    effort: int,
) -> AffineSymmetry:
    z = [symbol(system.time), *map(symbol, system.coordinates)]
    m = len(z)
    basis = [ONE, *z]
    parts: list[list[Expr]] = [[] for _ in range(m)]
    gauge = []
    for place, c in combination.items():
        i, j = divmod(place, m + 1)
        if i < m:
            parts[i].append(_times(c, basis[j]))
        else:
            gauge.append(_times(c, mul(*(z[k] for k in products[place - m * (m + 1)]))))
    time, *field = [add(*p) if p else ZERO for p in parts]
    f = add(*gauge) if gauge else ZERO
    tau, xi = s(time), casadi.densify(s.column(field))
    (charge,) = s.graphs(casadi.dot(s.Pi, xi - s.v * tau) + s.L * tau)
    verdict = change_by_terms(s, L, tau, xi, f, view, effort)
    names = [system.time, *system.coordinates]
    named = {c: e for c, e in zip(names, [time, *field], strict=True) if e is not ZERO}
    return AffineSymmetry(named, f, sub(charge, f) if gauge else charge, verdict)


def _times(c: Element, e: Expr) -> Expr:
    factor = c.to_expr()
    if e is ONE or factor is ONE:
        return factor if e is ONE else e
    return neg(e) if factor is neg(ONE) else mul(factor, e)


def change_by_terms(
    s: Setup, L: Expr, tau: SX, xi: SX, gauge: Expr, view: Standpoint, effort: int
) -> Verdict:
    """Whether the field changes L dt by dƒ: term by term of L, and what is left together with f."""

    def change(term: Expr) -> Expr:
        T = s(term)
        rate = s.along(casadi.densify(casadi.SX(tau)))
        by_v = casadi.gradient(T, s.v)
        moved = s.by_t(T) * tau + casadi.dot(casadi.gradient(T, s.q), xi)
        return s.graphs(moved + casadi.dot(by_v, s.along(xi) - s.v * rate) + T * rate)[0]

    changes = view.apply([change(term) for term in terms(L)])
    verdicts = zero_tests(changes, effort=effort)
    left = [e for e, verdict in zip(changes, verdicts, strict=True) if not verdict.is_zero]
    rest = neg(s.graphs(s.along(s(gauge)))[0])
    (last,) = zero_tests([add(*left, *view.apply([rest]))], effort=effort)
    kept = [verdict for verdict in verdicts if verdict.is_zero]
    if last.is_zero and all(v.proved for v in kept):
        return last
    return last if not last.is_zero else next(v for v in kept if not v.proved)


def terms(e: Expr) -> Iterator[Expr]:
    """The terms of a sum, of sums in it too, with the numbers and signs before them."""
    stack: list[tuple[Expr, list[Expr]]] = [(e, [])]
    while stack:
        node, factors = stack.pop()
        if node.op == "define":
            stack.append((node.args[0], factors))
        elif node.op == "add":
            stack += [(a, factors) for a in reversed(node.args)]
        elif node.op == "neg":
            stack.append((node.args[0], [*factors, neg(ONE)]))
        elif node.op == "mul" and sum(a.op != "number" for a in node.args) == 1:
            numbers = [a for a in node.args if a.op == "number"]
            stack.append((next(a for a in node.args if a.op != "number"), [*factors, *numbers]))
        elif node.op == "div" and node.args[1].op == "number":
            stack.append((node.args[0], [*factors, ONE / node.args[1]]))
        else:
            yield mul(*factors, node) if factors else node
