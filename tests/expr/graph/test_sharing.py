"""Names for shared parts."""

from __future__ import annotations

from chetaev.expr.graph.sharing import name_shared
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope

FUNCTIONS = Scope.of(coordinates=["x", "theta_1"], parameters=["m", "alpha", "speed2"])


def test_names_for_shared_parts_avoid_given_names() -> None:
    expr = parse("sin(x) + cos(x) + m", FUNCTIONS)
    for _ in range(8):
        expr = expr * expr + expr
    _, named = name_shared([expr], avoid=["c1", "c3"])
    assert named
    assert not {d.value for d in named} & {"c1", "c3"}
