"""Rates of invariants read off a section: a state for every value of the invariants (SCOPE B11, M6).

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

from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact import Budget, Element, Field, answer, ask
from chetaev.expr.exact.linear.matrix import echelon
from chetaev.expr.graph.node import ONE, ZERO, Expr, postorder, substitute, symbol, symbols
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System
from chetaev.reduction.given_invariants import Invariant
from chetaev.reduction.one_place import PLACES

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
