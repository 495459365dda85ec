"""The reduced motion derived at one state of every orbit, and proved by symmetry (SCOPE B11, M6).

Let the slow invariants σ(q) have the orbits in configuration space as their levels, let the fast ones w(q, v)
with the constraints f(t, q, v) = 0 determine the velocities, and let q(σ), v(σ, w) be a state for each of
their values (`section.py`). There, with

    [∂f/∂v]       [0]         [∂f/∂v]       [−d'f/dt]
    [∂w/∂v] W  =  [1],        [∂w/∂v] a₀ =  [   0   ]

accelerations are a = a₀ + W z, the principle of d'Alembert is Wᵀ(M a + h − F) = 0, and ẇ = z + d'w/dt: as
many equations as there are fast invariants. Symmetries of the motion take Γ to itself, so rates of invariants
are invariants; near the section each state lies on the orbit through it, because the ranks say so; and Q, a
bundle of affine spaces, is connected. So what holds on the section holds on Q: nothing else is to be tested.

>>> import chetaev as ch
>>> from chetaev.laws.standpoint import standpoints
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> from chetaev.reduction.given_invariants import read_invariants
>>> sleigh = ch.load("caratheodory-sleigh")
>>> moves = read_fields(sleigh, [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}], "point")
>>> sigma = read_invariants(sleigh, {"u": "x'*cos(phi) + y'*sin(phi)", "w": "phi'"})
>>> found = rates_on_section(sleigh, moves, sigma, standpoints(sleigh)[0], 4_000_000)
>>> {n: str(e) for n, e in found.items()}
{'u': 'a*w^2', 'w': '-m*a*u*w/(m*a^2 + J)'}

Rates of invariants read off a section: a state for every value of the invariants (SCOPE B11, M6).

Where Γ(σ) is a function P(t, σ) of invariants, any state with these values has the same rate. A state is had
from linear equations where the invariants of positions alone are affine in the coordinates and others are
affine in the velocities,

    σ^i(t, q) = σ^i;      σ^i(t, q, v) = σ^i,   f(t, q, v) = 0;

coordinates and velocities that these leave free are put to 0. Invariants such as x cos φ + y sin φ are affine
where φ is fixed: as many coordinates are, as there are fewer invariants. What is read off there is a
proposal: that it holds at all other states is proved, not concluded.

>>> import chetaev as ch
>>> from chetaev.laws.standpoint import standpoints
>>> from chetaev.reduction.given_invariants import read_invariants
>>> edge = ch.load("knife-edge")
>>> sigma = read_invariants(edge, {"u": "x'*cos(phi) + y'*sin(phi)", "omega": "phi'"})
>>> found = section(edge, sigma, standpoints(edge)[0])
>>> {str(k): str(e) for k, e in found.items()}
{'x': '0', 'y': '0', 'phi': '0', "x'": 'u', "y'": '0', "phi'": 'omega'}
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice, product
from typing import Any

import casadi
import numpy as np

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import Budget, Element, Field, answer, ask
from chetaev.expr.exact.linear.matrix import determinant, echelon, rank, solve, solve_columns
from chetaev.expr.graph.node import ONE, ZERO, Expr, neg, postorder, substitute, symbol, symbols
from chetaev.laws.standpoint import EVERY_VALUE, Standpoint
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System
from chetaev.numeric import unit_rows
from chetaev.reduction.expressed import PLACES
from chetaev.reduction.given_invariants import Invariant

EFFORT = 4_000_000
"""What the linear system may cost."""
ALGEBRAIC = ("number", "symbol", "constant", "define", "add", "sub", "mul", "div", "neg", "pow")
AT_FUNCTIONS, ELSEWHERE = PLACES, (ZERO, ONE)
"""Values of coordinates that are fixed: of those inside functions, of others."""
MOST_TRIED = 120


def section(system: System, invariants: Sequence[Invariant], view: Standpoint) -> dict[Expr, Expr]:
    """Coordinates and velocities as functions of the invariants; errors of the exact field if that fails."""
    field = Field(Budget(EFFORT))
    positions, velocities = ([symbol(c, k) for c in system.coordinates] for k in (0, 1))
    slow = [s for s in invariants if not any(k for _, k in symbols(s.function))]
    fast = [s for s in invariants if s not in slow]
    place = _place(field, positions, _levels(view, slow))
    constraints = [(e, ZERO) for e in view.apply(constraint_functions(system))]
    equations = [*constraints, *_levels(view, fast)]
    here = substitute([function for function, _ in equations], place)
    return place | _solved(field, velocities, list(zip(here, (h for _, h in equations), strict=True)))


def _place(field: Field, positions: Sequence[Expr], levels: Sequence[tuple[Expr, Expr]]) -> dict[Expr, Expr]:
    """Coordinates for values of functions of them: affine in all, or in those left when some are fixed."""
    if all(_affine(field, function, positions) is not None for function, _ in levels):
        return _solved(field, positions, levels)
    functions = [function for function, _ in levels]
    inside = {n for node in postorder(*functions) if node.op not in ALGEBRAIC for n, _ in symbols(node)}
    used = sorted(
        (x for x in positions if x.value in symbols(*functions)), key=lambda x: x.value[0] not in inside
    )
    count = len(used) - len(levels)
    tried = product(combinations(used, count), AT_FUNCTIONS, ELSEWHERE) if count > 0 else ()
    for fixed, angle, other in islice(tried, MOST_TRIED):
        here = {x: angle if x.value[0] in inside else other for x in fixed}
        free = [x for x in positions if x not in here]
        found = answer(ask(_solved_all, field, free, here, levels))
        if found is not None:
            return here | found
    return _solved(field, positions, levels)


def _solved_all(
    field: Field, free: Sequence[Expr], here: dict[Expr, Expr], levels: Sequence[tuple[Expr, Expr]]
) -> dict[Expr, Expr] | None:
    """The free coordinates where others are fixed; None unless every level is affine and independent."""
    functions = substitute([function for function, _ in levels], here)
    rows = []
    for function, (_, height) in zip(functions, levels, strict=True):
        affine = _affine(field, function, free)
        if affine is None:
            return None
        rows.append([*affine[0], field(height) - affine[1]])
    if len(echelon(rows, range(len(free))).pivots) < len(levels):
        return None
    return _solved(field, free, list(zip(functions, (h for _, h in levels), strict=True)))


def _levels(view: Standpoint, invariants: Sequence[Invariant]) -> list[tuple[Expr, Expr]]:
    """Functions and the letters they are equal to."""
    functions = view.apply([s.function for s in invariants])
    return list(zip(functions, (s.letter for s in invariants), strict=True))


def _solved(
    field: Field, unknown: Sequence[Expr], equations: Sequence[tuple[Expr, Expr]]
) -> dict[Expr, Expr]:
    """The unknowns from those equations that are affine in them, 0 where these leave them free."""
    rows, last = [], len(unknown)
    for function, height in equations:
        affine = _affine(field, function, unknown)
        if affine is not None:
            row, rest = affine
            rows.append([*row, field(height) - rest])
    found = dict.fromkeys(unknown, ZERO)
    if rows:
        solved = echelon(rows, range(last))
        found |= {unknown[j]: solved.entry(i, last).to_expr() for i, j in enumerate(solved.pivots)}
    return found


def _affine(field: Field, function: Expr, unknown: Sequence[Expr]) -> tuple[list[Element], Element] | None:
    """Coefficients and constant of a function that is affine in the unknowns; None if it is not."""
    names = [x.value for x in unknown]
    found = field(function).coefficients(*names)
    if found is None or any(sum(exponents) > 1 for exponents in found):
        return None
    zero = field.zero
    rest = found.get((0,) * len(names), zero)
    row = [found.get(tuple(int(i == j) for i in range(len(names))), zero) for j in range(len(names))]
    return row, rest


SMOOTH = frozenset(
    [
        *("number", "symbol", "define", "add", "sub", "mul", "div", "neg", "pow"),
        *("sin", "cos", "tan", "exp", "sinh", "cosh", "tanh"),
    ]
)
"""Functions that are analytic on a connected domain; roots and the rest may have branches."""


def rates_on_section(
    system: System,
    fields: Sequence[Components],
    invariants: Sequence[Invariant],
    view: Standpoint,
    effort: int,
) -> dict[str, Expr] | None:
    """P by name, proved for symmetries of the motion and their invariants; None where it is not."""
    slow = [s for s in invariants if not any(k for _, k in symbols(s.function))]
    fast = [s for s in invariants if s not in slow]
    n = len(system.coordinates)
    s = Setup(system)
    if not _applies(system, s) or len(fast) + s.k != n or not fast:
        return None
    if view.words == EVERY_VALUE:  # parameters that are defined by others keep their names
        view = Standpoint(view.words, ())
    return answer(ask(_rates, system, s, fields, slow, fast, view, Field(Budget(effort))))


def poles_of_section(
    system: System, invariants: Sequence[Invariant], effort: int
) -> tuple[int, float] | None:
    """How many factors of det(∂(f, w)/∂v) may vanish: there the fast invariants do not give the velocities.

    And how near to that the initial state is: less the better, −1 at the best.
    """
    fast = [x for x in invariants if any(k for _, k in symbols(x.function))]
    s = Setup(system)
    if len(fast) + s.k != len(system.coordinates):
        return None
    field = Field(Budget(effort))
    rows = s.matrix(s.by_v(casadi.vertcat(s.f, s.column([x.function for x in fast]))))

    def factors() -> list[Element] | None:
        states = section(system, invariants, Standpoint("", ()))
        flat = iter([field(e) for e in substitute([e for row in rows for e in row], states)])
        found = determinant([[next(flat) for _ in row] for row in rows])
        if found.is_zero is not False:
            return None
        parts = [*field.factor(found.numerator)[1], *field.factor(found.denominator)[1]]
        return [field.polynomial(p) for p, _ in parts]

    elements = answer(ask(factors))
    if elements is None:
        return None
    moving = {x.name for x in invariants}
    count = sum(
        not positive(e) and not positive(-e) for e in elements if any(n in moving for n, _ in e.symbols)
    )
    return count, _nearness(system, rows)


def _nearness(system: System, rows: list[list[Expr]]) -> float:
    """−|det| of rows of length one, at the initial state."""
    if system.initial is None:
        return 0.0
    matrix = np.array([system.at_start(row) for row in rows], dtype=float)
    if not np.isfinite(matrix).all():
        return 0.0
    return -abs(float(np.linalg.det(unit_rows(matrix))))


def _applies(system: System, s: Setup) -> bool:
    """A Lagrangian or the like with smooth functions, and constraints that are affine in the velocities."""
    if not system.dynamics.constraints_react or system.position_constraints or s.alpha.numel():
        return False
    slopes = [e for row in s.matrix(s.by_v(s.f)) for e in row] if s.k else []
    if any(k for e in slopes for _, k in symbols(e)):
        return False
    parts = [part.expr for part in system.dynamics.parts]
    given = [*parts, *system.forces.values(), *(e.residual for e in system.velocity_constraints)]
    return all(_is_smooth(node) for node in postorder(*given))


def _is_smooth(node: Expr) -> bool:
    if node.op == "pow":
        exponent = node.args[1]
        return exponent.op == "number" and exponent.value.denominator == 1
    return node.op in SMOOTH


def _rates(
    system: System,
    s: Setup,
    fields: Sequence[Components],
    slow: Sequence[Invariant],
    fast: Sequence[Invariant],
    view: Standpoint,
    field: Field,
) -> dict[str, Expr] | None:
    states = section(system, [*slow, *fast], view)
    order = [*map(symbol, system.parameters), *(x.letter for x in (*slow, *fast))]
    for one in order:
        field.base(one)

    def at(table: list[list[Expr]]) -> list[list[Element]]:
        flat = substitute(view.apply([e for row in table for e in row]), states)
        values = iter([field(e) for e in flat])
        return [[next(values) for _ in row] for row in table]

    w = s.column([x.function for x in fast])
    M, h = s.inertia
    tables = [
        s.by_v(s.f) if s.k else None,
        s.along(s.f) if s.k else None,
        s.by_v(w),
        s.along(w),
        M,
        h - s.F,
        s.f if s.k else None,
    ]
    graphs = [[] if x is None else s.matrix(casadi.densify(x)) for x in tables]
    B, f_dot, N, w_dot, mass, rest, f = map(at, graphs)
    known = at([[x.function for x in (*slow, *fast)]])[0]
    letters = [field(x.letter) for x in (*slow, *fast)]
    if not all(e.is_zero for row in f for e in row):
        return None
    if not all((a - b).is_zero for a, b in zip(known, letters, strict=True)):
        return None
    moved = at([[e for _, e in X.along] for X in fields])
    if rank(moved) != len(system.coordinates) - len(slow):
        return None
    z = _projected(field, [*B, *N], [row[0] for row in f_dot], len(fast), mass, [row[0] for row in rest])
    rates = {x.name: a + b[0] for x, a, b in zip(fast, z, w_dot, strict=True)}
    if slow:
        drift = at(s.matrix(s.along(s.column([x.function for x in slow]))))
        rates |= {x.name: row[0] for x, row in zip(slow, drift, strict=True)}
    return {x.name: _shortest(rates[x.name]) for x in (*slow, *fast)}


def _projected(
    field: Field,
    rows: list[list[Element]],
    f_dot: list[Element],
    count: int,
    mass: list[list[Element]],
    rest: list[Element],
) -> list[Element]:
    """z of a = a₀ + W z with Wᵀ(M a + rest) = 0."""
    zero, one = field.zero, field(1)
    n = len(rows)
    units = [[one if i == n - count + j else zero for i in range(n)] for j in range(count)]
    *W, start = solve_columns(rows, [*units, [*(-x for x in f_dot), *[zero] * count]])

    def dot(a: Sequence[Element], b: Sequence[Element]) -> Element:
        return sum((x * y for x, y in zip(a, b, strict=True) if not (x.is_blank or y.is_blank)), zero)

    carried = [[dot(row, column) for row in mass] for column in W]
    inertia = [[dot(a, b) for b in carried] for a in W]
    push = [dot(row, start) + r for row, r in zip(mass, rest, strict=True)]
    return solve(inertia, [-dot(a, push) for a in W])


def _shortest(e: Element) -> Expr:
    if e.is_blank:
        return ZERO
    shown: list[Any] = [e.to_expr(), neg((-e).to_expr())]
    found: Expr = min(shown, key=lambda x: len(str(x)))
    return found
