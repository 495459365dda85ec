"""Momenta by integration, where constraints are not affine (SCOPE K24; Krupková (91)).

    P_l = v^s ∫₀¹ (−B̄_ls)(t, q, u v) du,

for −B̄ polynomial in the independent velocities: a term c v^α of degree d gives c v^α v^s/(d + 1).

>>> from chetaev.expr.exact import Field
>>> v = Field().symbol("x", 1)
>>> [str(e) for e in integrated([[1 + v**2]], [("x", 1)], [])]
["x'*(x'^2 + 3)/3"]
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.errors import ModelError
from chetaev.expr.exact.field.element import Element

Symbol = tuple[str, int]


def integrated(
    table: Sequence[Sequence[Element]], speeds: Sequence[Symbol], dependent: Sequence[Symbol]
) -> list[Element]:
    """P_l from the rows of −B̄; a ModelError where these are no polynomials in the independent velocities."""
    found = []
    for row in table:
        total = row[0].field.zero
        for speed, entry in zip(speeds, row, strict=True):
            parts = entry.coefficients(*speeds)
            if parts is None or any(s in dependent for s in entry.symbols):
                raise ModelError(
                    "momenta exist, by (89), but the integral (91) is not found in closed form: B̄ is no "
                    "polynomial in the independent velocities alone"
                )
            for exponents, coefficient in parts.items():
                term = coefficient / (sum(exponents) + 1) * entry.field.symbol(*speed)
                for name, power in zip(speeds, exponents, strict=True):
                    term = term * entry.field.symbol(*name) ** power
                total = total + term
        found.append(total)
    return found
