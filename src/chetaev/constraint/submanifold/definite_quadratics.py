"""Quadratic equations that are definite: Σ d_i ℓ_i² = 0 with d_i > 0 means that all ℓ_i vanish (SCOPE K13).

    x'² + x'y' + y'² = 0   is   x' = y' = 0,       x'² + y'² − 2x' + 1 = 0   is   x' = 1, y' = 0

The squares are completed exactly, one velocity after the other; all d_i must be seen to have one sign.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbol("x", 1), field.symbol("y", 1)
>>> f = x**2 + 2 * x * y + 3 * y**2
>>> [str(e) for e in squares(f, ["x", "y"])]
["x' + y'", "y'"]
>>> squares(f + 1, ["x", "y"])
[]
>>> squares(f - 1, ["x", "y"]) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.expr.exact import Element


def squares(f: Element, names: Iterable[str]) -> list[Element] | None:
    """The functions ℓ_i that vanish where f does; empty if f vanishes nowhere; None if f is not definite."""
    top = Element(f.field, f.numerator, f.field.tower.one)
    velocities = [(q, 1) for q in names if (q, 1) in top.symbols]
    parts = top.coefficients(*velocities) if velocities else None
    if parts is None or max(sum(e) for e in parts) != 2:
        return None
    zero = f.field.zero
    n = len(velocities)
    form = [[zero] * (n + 1) for _ in range(n + 1)]  # over (v_1, …, v_n, 1)
    for exponents, c in parts.items():
        i, j = ([k for k, e in enumerate(exponents) for _ in range(e)] + [n, n])[:2]
        form[i][j] = form[i][j] + c / 2
        form[j][i] = form[j][i] + c / 2
    basis = [*(f.field.symbol(*v) for v in velocities), f.field.one]
    found: list[Element] = []
    sign = 0
    for i in range(n):
        d = form[i][i]
        if all(e.is_zero for e in form[i]):
            continue
        now = _sign(d)
        if not now or (sign and now != sign):
            return None
        sign = now
        row = [e / d for e in form[i]]
        found.append(sum((e * b for b, e in zip(basis, row, strict=True)), zero))
        form = [[form[j][k] - d * row[j] * row[k] for k in range(n + 1)] for j in range(n + 1)]
    rest = form[n][n]
    if rest.is_zero:
        return found
    return [] if sign and _sign(rest) == sign else None


def _sign(e: Element) -> int:
    """1 or −1 for a function that is seen to have this sign everywhere, else 0."""
    found = 1
    for p in (e.numerator, e.denominator):
        part = Element(e.field, p, e.field.tower.one)
        found *= 1 if positive(part) else -1 if positive(-part) else 0
    return found
