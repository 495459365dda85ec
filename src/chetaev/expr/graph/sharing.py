"""Names for what repeats: a graph whose text would be long, shown with its shared parts as definitions.

A node that is used twice is written out twice in a plain text, and so on down: the text of a small graph
may be astronomically long. Giving the shared nodes names keeps the text as short as the graph.

>>> from chetaev.expr.graph.node import symbol
>>> x = symbol("x") + symbol("y")
>>> for _ in range(40):
...     x = x * x
>>> (short,), names = name_shared([x])
>>> len(names), str(short)
(13, '(c13*c13)*(c13*c13)')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr, postorder

WORTH_A_NAME = 30
"""Shared parts with shorter texts are written out each time."""
_LEAVES = ("number", "constant", "symbol", "define")


def text_length(*roots: Expr, through_definitions: bool = False) -> int:
    """About how many characters the texts have, counted without writing them."""
    length: dict[int, int] = {}
    for node in postorder(*roots, through_definitions=through_definitions):
        if node.op in _LEAVES:
            length[id(node)] = 2 if node.op == "number" else 4
        else:
            length[id(node)] = 2 + sum(length[id(a)] + 1 for a in node.args)
    return sum(length[id(r)] for r in roots)


def name_shared(
    roots: Sequence[Expr], prefix: str = "c", avoid: Iterable[str] = ()
) -> tuple[list[Expr], list[Expr]]:
    """The expressions with definition nodes for shared parts, and these definitions, in order.

    Names that occur in the expressions, and those in `avoid`, are not used again.
    """
    uses: dict[int, int] = {}
    nodes = list(postorder(*roots, through_definitions=False))
    for node in nodes:
        for a in node.args if node.op != "define" else ():
            uses[id(a)] = uses.get(id(a), 0) + 1
    taken = {name for name, _ in graph.symbols(*roots)} | {d.value for d in graph.definitions(*roots)}
    taken.update(avoid)
    new: dict[int, Expr] = {}
    length: dict[int, int] = {}
    named: list[Expr] = []
    count = 0
    for node in nodes:
        length[id(node)] = 4
        if node.op in _LEAVES:
            new[id(node)] = node
            continue
        made = graph.make(node.op, [new[id(a)] for a in node.args], node.value)
        length[id(node)] = 2 + sum(length[id(a)] + 1 for a in node.args)
        if uses.get(id(node), 0) > 1 and node.op != "neg" and length[id(node)] > WORTH_A_NAME:
            length[id(node)] = 4
            count += 1
            while f"{prefix}{count}" in taken:
                count += 1
            made = graph.define(f"{prefix}{count}", made)
            named.append(made)
        new[id(node)] = made
    return [new[id(r)] for r in roots], named
