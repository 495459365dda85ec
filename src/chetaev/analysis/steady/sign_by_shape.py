"""The sign that an expression has everywhere, seen from its shape: |v| v² ≥ 0, −c |v| v · v ≤ 0 for c > 0.

Absolute values, roots, exponentials, even powers, products of equal factors are not negative; a sum has the
sign that all its terms have, and a product with a sum is multiplied out.

>>> from chetaev.expr.graph.node import call, number, symbol
>>> v, w = symbol("v"), symbol("w")
>>> sign_by_shape(-call("abs", v) * v * v / 10), sign_by_shape((v + v**3) * v), sign_by_shape(v * w)
(-1, 1, None)
>>> sign_by_shape(-(v * call("sqrt", v**2 + w**2)) * v - w**4), sign_by_shape(v**2 - w**2)
(-1, None)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chetaev.expr.graph.node import Expr

NEVER_NEGATIVE = ("abs", "sqrt", "exp", "cosh")
_INSIDE = ("mul", "div", "define")
MOST_TERMS = 400
"""Of products that are multiplied out."""


def sign_by_shape(e: Expr) -> int | None:
    """1 for e ≥ 0, −1 for e ≤ 0, 0 for e = 0, wherever it has a value; None where the shape does not tell."""
    return _product([e], [MOST_TERMS])


def _product(factors: Sequence[Expr], left: list[int]) -> int | None:
    """The sign of a product; `left` counts what may still be multiplied out."""
    sign, odd = 1, Counter[Expr]()
    pending = list(factors)
    while pending:
        f = pending.pop()
        if f.op == "number":
            sign *= (f.value > 0) - (f.value < 0)
        elif f.op == "neg":
            sign = -sign
            pending += f.args
        elif f.op in _INSIDE:  # a divisor has the sign of its inverse
            pending += f.args
        elif f.op == "pow" and f.args[1].op == "number":
            if f.args[1].value.denominator == 1:  # other powers have a positive base
                odd[f.args[0]] += int(f.args[1].value) % 2
        elif f.op not in NEVER_NEGATIVE:
            odd[f] += 1
    if sign == 0:
        return 0
    unknown = [f for f, n in odd.items() if n % 2]
    for i, f in enumerate(unknown):
        if f.op in ("add", "neg", *_INSIDE):  # a power of such a one stood there
            terms = f.args if f.op == "add" else (f,)
            left[0] -= len(terms)
            if left[0] < 0:
                return None
            others = unknown[:i] + unknown[i + 1 :]
            signs = {_product([term, *others], left) for term in terms} - {0}
            common = signs.pop() if len(signs) == 1 else None if signs else 0
            return None if common is None else sign * common
    return None if unknown else sign
