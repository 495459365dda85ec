"""The characteristic polynomial of a matrix of functions, one factor for each block that moves by itself.

A matrix whose graph (an edge i → j where A_ij ≠ 0) is not strongly connected is block triangular after a
permutation; its characteristic polynomial is the product of those of the diagonal blocks (Tarjan). Each is
found by Faddeev and Leverrier's recursion, B_1 = 1, c_k = −tr(A B_k)/k, B_{k+1} = A B_k + c_k.
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import Expr, add, mul, number, power, symbol

Rows = Sequence[Sequence[Element]]


def blocks(pattern: Sequence[Sequence[bool]]) -> list[list[int]]:
    """The strongly connected parts of a matrix, given where its entries are not zero.

    >>> blocks([[False, True, False], [True, False, False], [True, False, True]])
    [[0, 1], [2]]
    """
    n = len(pattern)
    reach = [[i == j or bool(pattern[i][j]) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            if reach[i][k]:
                reach[i] = [a or b for a, b in zip(reach[i], reach[k], strict=True)]
    found: list[list[int]] = []
    seen: set[int] = set()
    for i in range(n):
        if i not in seen:
            part = [j for j in range(n) if reach[i][j] and reach[j][i]]
            seen.update(part)
            found.append(part)
    return found


def characteristic(rows: Rows) -> list[list[Element]]:
    """The factors of det(λ − A), coefficients from λ⁰ upwards, one for each block."""
    pattern = [[not e.is_zero for e in row] for row in rows]
    return [_leverrier([[rows[i][j] for j in part] for i in part]) for part in blocks(pattern)]


def _leverrier(A: Rows) -> list[Element]:
    n = len(A)
    field = A[0][0].field
    coefficients = [field.one]
    B = [[field.one if i == j else field.zero for j in range(n)] for i in range(n)]
    for k in range(1, n + 1):
        columns = list(zip(*B, strict=True))
        product = [[linear.dot(row, column) for column in columns] for row in A]
        c = -sum((product[i][i] for i in range(n)), field.zero) / k
        coefficients.append(c)
        B = [[e + c if i == j else e for j, e in enumerate(row)] for i, row in enumerate(product)]
    return coefficients[::-1]


def polynomial(coefficients: Sequence[Element], name: str) -> Expr:
    """c_0 + c_1 λ + … as an expression, highest power first."""
    terms = []
    for k in range(len(coefficients) - 1, -1, -1):
        c = coefficients[k]
        if c.is_zero:
            continue
        variable = symbol(name) if k == 1 else power(symbol(name), number(k))
        if k == 0:
            terms.append(c.to_expr())
        else:
            terms.append(variable if c == c.field.one else mul(c.to_expr(), variable))
    return add(*terms)
