"""A frame made orthogonal in the kinetic metric, as far as that divides by constants only (SCOPE D1)."""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.equations.quasi.frame_proposals import Proposal
from chetaev.expr.exact import Element


def orthogonal(made: Proposal, G: list[list[Element]], constants: frozenset[int]) -> Proposal | None:
    """W_r − (G_sr/G_ss) W_s in the place of W_r, wherever nothing new is divided by but constants."""
    n = len(made.W)
    W, theta = [list(w) for w in made.W], [list(t) for t in made.theta]
    table = [list(row) for row in G]
    changed = False
    order = sorted(range(n), key=lambda s: (sum(not e.is_blank for e in table[s]) > 1, table[s][s].terms, s))
    for place, s in enumerate(order):
        if table[s][s].is_blank:
            continue
        for r in order[place + 1 :]:
            if table[s][r].is_blank:
                continue
            ratio = table[s][r] / table[s][s]
            if not _divides_by_known(ratio, made.failing, constants):
                continue
            changed = True
            W[r] = [a - ratio * b for a, b in zip(W[r], W[s], strict=True)]
            theta[s] = [a + ratio * b for a, b in zip(theta[s], theta[r], strict=True)]
            for i in range(n):
                table[i][r] = table[i][r] - ratio * table[i][s]
            table[r] = [a - ratio * b for a, b in zip(table[r], table[s], strict=True)]
    if not changed:
        return None
    return Proposal(tuple(map(tuple, W)), made.w, tuple(map(tuple, theta)), made.failing)


def _divides_by_known(ratio: Element, failing: Sequence[Element], constants: frozenset[int]) -> bool:
    """Whether the denominator holds constants only, and powers of what the frame divides by anyway."""
    below = ratio.field.polynomial(ratio.denominator)
    for e in failing:
        while not below.is_number and (smaller := below / e).is_polynomial:
            below = smaller
    return all(k in constants for k in below.field.tower.used(below.numerator))
