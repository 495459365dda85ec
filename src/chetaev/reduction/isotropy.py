"""Where fields are dependent: positions that a motion along the group leaves in place (SCOPE B11, M6).

The orbits in configuration space have the rank of (ξ_a^σ) as their dimension. Where all minors of the generic
rank vanish it is smaller; where one of them is a number other than zero, nowhere.

>>> import chetaev as ch
>>> from chetaev.laws.symmetry.given_fields import read_fields
>>> edge = ch.load("knife-edge")
>>> isotropy(edge, read_fields(edge, [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}], "point"))
'orbits in configuration space of dimension 3 everywhere'
>>> isotropy(edge, read_fields(edge, [{"x": "-y", "y": "x"}], "point"))
'orbits in configuration space of dimension 1, smaller where y = x = 0'
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice, product
from math import prod

from chetaev.expr.exact import Budget, Element, Field, answer, ask
from chetaev.expr.exact.linear.matrix import determinant, rank
from chetaev.expr.graph.node import Expr, call
from chetaev.expr.print import to_text
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System

MOST_MINORS = 60
MOST_SHOWN = 4
EFFORT = 2_000_000


def isotropy(system: System, fields: Sequence[Components]) -> str | None:
    """In words: the dimension of the orbits of positions, and where it is smaller; None if not decided."""
    return answer(ask(_smaller, system, fields, Field(Budget(EFFORT))))


def _smaller(system: System, fields: Sequence[Components], ring: Field) -> str | None:
    rows = [[ring(e) for _, e in f.along] for f in fields]
    size = rank(rows)
    if not size:
        return None
    said = f"orbits in configuration space of dimension {size}"
    choices = product(combinations(range(len(rows)), size), combinations(range(len(rows[0])), size))
    found: dict[str, None] = {}
    zeros: list[list[Element]] = []
    chosen = list(islice(choices, MOST_MINORS + 1))
    for first, second in chosen[:MOST_MINORS]:
        minor = determinant([[rows[i][j] for j in second] for i in first])
        if minor.is_zero is not False:
            continue
        if minor.is_number or not any(n in system.coordinates for n, _ in minor.symbols):
            return f"{said} everywhere"
        factors = [
            ring.polynomial(p)
            for p, _ in ring.factor(minor.numerator)[1]
            if any(n in system.coordinates for n, _ in ring.polynomial(p).symbols)
        ]
        if not factors:
            return f"{said} everywhere"
        found["*".join(_factor(to_text(f.to_expr()), len(factors)) for f in factors)] = None
        zeros.append(factors)
    if zeros and _never(zeros):
        return f"{said} everywhere"
    if len(chosen) > MOST_MINORS or not found or len(found) > MOST_SHOWN:
        return None
    return f"{said}, smaller where {' = '.join(found)} = 0"


def _never(minors: Sequence[Sequence[Element]]) -> bool:
    """Whether minors are seen to have no zero in common: sin u and cos u in every choice of factors."""
    if prod(map(len, minors)) > MOST_MINORS:
        return False
    return all(_has_sine_and_cosine([f.to_expr() for f in choice]) for choice in product(*minors))


def _has_sine_and_cosine(factors: Sequence[Expr]) -> bool:
    return any(call("cos", e.args[0]) in factors for e in factors if e.op == "sin")


def _factor(text: str, count: int) -> str:
    return f"({text})" if count > 1 and (" + " in text or " - " in text) else text
