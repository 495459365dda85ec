"""What a model itself calls a velocity: definitions and squares in its energy that are linear in v."""

from __future__ import annotations

import casadi

from chetaev.equations.law.setup import Setup
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System

MOST_FORMS = 12
"""Linear forms of the model that are looked at."""


def moves(node: Expr) -> bool:
    """Whether velocities occur in an expression."""
    return any(order == 1 for _, order in graph.symbols(node))


def linear_forms(system: System) -> list[list[Expr]]:
    """Coefficients of what the model writes as a velocity: linear definitions, and bases of squares.

    >>> import chetaev as ch
    >>> [[str(e) for e in form] for form in linear_forms(ch.load("suslov"))][:1]
    [['sin(phi)*sin(theta)', 'cos(phi)', '0']]
    """
    nodes = list(system.definitions.values())
    for node in graph.postorder(*system.dynamics.functions):
        if node.op == "pow" and node.args[1].op == "number" and node.args[1].value == 2:
            nodes.append(node.args[0])
    s = Setup(system)
    found: dict[tuple[Expr, ...], None] = {}
    for node in dict.fromkeys(nodes):
        if node.op == "symbol" or not moves(node) or any(order > 1 for _, order in graph.symbols(node)):
            continue
        column: SX = s.column([node])
        if not casadi.is_linear(column, s.v):
            continue
        row = s.by_v(column)
        zero = casadi.SX.zeros(s.m)
        if not casadi.SX(casadi.simplify(casadi.substitute(column, s.v, zero))).is_zero():
            continue
        found[tuple(s.graphs(casadi.substitute(row, s.v, zero)))] = None
        if len(found) >= MOST_FORMS:
            break
    return [list(row) for row in found]
