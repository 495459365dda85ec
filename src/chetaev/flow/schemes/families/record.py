"""A record for a scheme that is a system of equations: what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chetaev.flow.schemes.families import solved
from chetaev.flow.schemes.scheme import Scheme


def solved_scheme(
    name: str,
    module: str,
    summary: str,
    order: int,
    equations: Callable[..., Any],
    blocks: Sequence[tuple[int, float]],
    substeps: tuple[float, ...] = (1.0,),
    **traits: Any,
) -> Scheme:
    """The record of a scheme of fixed steps whose unknowns are `blocks`: kinds and fractions of the step."""
    numbers = [len(substeps), *substeps, len(blocks), *(x for block in blocks for x in block)]
    return Scheme(
        name=name,
        module=module,
        summary=summary,
        order=order,
        dense_order=min(order, 4),
        estimate=order + 1,
        stages=2,
        end_stage=1,
        vectors=5,
        fixed=True,
        equations=equations,
        steps_in=solved.__name__,
        substeps=substeps,
        coefficients=(tuple(float(x) for x in numbers),),
        blocks=tuple(int(kind) for kind, _ in blocks),
        **traits,
    )
