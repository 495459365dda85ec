"""The independent blocks of a constraint: equations that share no coordinate do not meet.

On Y = R × Q_1 × Q_2 × … with D = span(∂/∂t + Σ A_i) ⊕ D_1 ⊕ D_2 ⊕ …, where A_i and D_i depend on t and Q_i
only, brackets of different blocks vanish, so the functions that the constraint keeps constant are those of
its blocks (SCOPE K18, D2).

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> given = ConstraintData.of(["x' = y*z'", "u*u' + w*w' = 0"], ["x", "u", "y", "w", "z"])
>>> [block.coordinates for block in blocks(given)]
[('x', 'y', 'z'), ('u', 'w')]
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.expr.graph.node import Expr, symbols


def blocks(given: ConstraintData) -> list[ConstraintData]:
    """The blocks, each with its own coordinates; coordinates that occur in no equation belong to none."""
    names = set(given.coordinates)
    groups: list[tuple[set[str], list[Expr], list[Expr]]] = []
    for level, equations in enumerate((given.position, given.velocity)):
        for f in equations:
            touched = {n for n, _ in symbols(f) if n in names}
            joined: tuple[set[str], list[Expr], list[Expr]] = (touched, [], [])
            apart = []
            for group in groups:
                if group[0].isdisjoint(touched):
                    apart.append(group)
                else:
                    touched |= group[0]
                    joined[1].extend(group[1])
                    joined[2].extend(group[2])
            (joined[2] if level else joined[1]).append(f)
            groups = [*apart, joined]
    first = {name: i for i, name in enumerate(given.coordinates)}
    groups.sort(key=lambda g: min((first[n] for n in g[0]), default=-1))
    return [_block(given, group) for group in groups if group[0]]


def _block(given: ConstraintData, group: tuple[set[str], list[Expr], list[Expr]]) -> ConstraintData:
    coordinates = tuple(q for q in given.coordinates if q in group[0])
    state = None
    if given.state is not None:
        kept = {given.time, *coordinates}
        state = {key: x for key, x in given.state.items() if key[0] in kept}
    return replace(
        given,
        coordinates=coordinates,
        position=tuple(group[1]),
        velocity=tuple(group[2]),
        state=state,
        labels=(),
    )
