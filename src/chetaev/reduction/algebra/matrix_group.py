"""From the algebra back to a group of matrices: ġ = g ξ^i E_i from g = 1 on (SCOPE M4, M6).

Entries that stay as they are, such as the last row of motions of the plane, are put to their values.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.print import to_text


def in_matrices(
    E: Sequence[Sequence[Sequence[int]]], velocity: Sequence[Element]
) -> tuple[dict[str, str], dict[str, float]]:
    """Rates of the entries g_11, g_12, … that move, and their values in g = 1."""
    if not E:
        raise ModelError(
            "nothing is known of the group but its algebra, so the motion cannot be taken back to it",
            remedy="so3, se2, se3 and heisenberg have matrices; a model with a frame has coordinates",
        )
    n, f = len(E[0]), velocity[0].field
    turn = [[f.zero] * n for _ in range(n)]
    for matrix, speed in zip(E, velocity, strict=True):
        for k in range(n):
            for j in range(n):
                if matrix[k][j]:
                    turn[k][j] = turn[k][j] + speed * matrix[k][j]
    places = [(i, j) for i in range(n) for j in range(n)]
    moving = set(places)
    while True:
        g = {(i, j): f.symbol(_name(i, j)) if (i, j) in moving else f.one * int(i == j) for i, j in places}
        rates = {}
        for i, j in places:
            rates[i, j] = sum((g[i, k] * turn[k][j] for k in range(n)), f.zero)
        still = {p for p in moving if rates[p].is_blank}
        if not still:
            break
        moving -= still
    kept = [p for p in places if p in moving]
    laws = {_name(*p): to_text(rates[p].to_expr()) for p in kept}
    return laws, {_name(i, j): float(i == j) for i, j in kept}


def _name(i: int, j: int) -> str:
    return f"g_{i + 1}{j + 1}"
