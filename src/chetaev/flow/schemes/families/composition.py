"""A step made of several steps of another scheme, of lengths γ₁h, γ₂h, ….

If the scheme is symmetric and the γ_i read the same from both ends, so is the composition, and its order is
even (Yoshida 1990; Suzuki 1990; McLachlan 1995).
"""

from __future__ import annotations

from chetaev.flow.schemes.families.record import solved_scheme
from chetaev.flow.schemes.scheme import Scheme


def composed(
    name: str, module: str, summary: str, order: int, base: Scheme, substeps: tuple[float, ...]
) -> Scheme:
    """The record of a composition: the equations of the base, once for each part of the step."""
    numbers = base.coefficients[0]
    first = 2 + int(numbers[0])
    kinds, places = numbers[first::2], numbers[first + 1 :: 2]
    assert base.equations is not None
    return solved_scheme(
        name,
        module,
        summary,
        order,
        base.equations,
        [(int(kind), place) for kind, place in zip(kinds, places, strict=True)],
        substeps,
        needs=base.needs,
        preserves=base.preserves,
        reversible=base.reversible and substeps == substeps[::-1],
    )
