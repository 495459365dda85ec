"""Branches as run-time arguments: a step keeps to one branch of a non-smooth function, to one piece of a
table, and ends where that changes. No step ever sees a kink or a knot.

abs, sign, min and max of the state are replaced by smooth functions of a mode s = ±1, the sign of the
argument:

    |x| = s x      sign x = s      min(a, b) = ((1 − s) a + (1 + s) b)/2,   max with −s,   s = sign(a − b)

Inside of roots, logarithms and powers, as in max(0, −x)^(3/2), a branch has no value beyond its end, which a
step may pass by its last bits: there |x|, min and max stay what they are, and are watched all the same.

A call T(u) of a table of data becomes the polynomial of one of its pieces,

    c₀ + x (c₁ + x (c₂ + x c₃)),      x = u − origin,

with origin and coefficients as arguments of the compiled code: it is the same however long the table is. For
an array of states the pieces are found by bisection. While an integrator runs, modes and coefficients stay;
the arguments of non-smooth functions are watched like events, and so are u − low and u − high with the ends
of the piece; the step ends at the crossing, and the next one starts on the other branch or piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ONE, Expr, add, make, mul, postorder, sub, symbol, symbols
from chetaev.expr.graph.table import DataTable

if TYPE_CHECKING:
    from chetaev.flow.derive.ingredients import Ingredients

LOW, HIGH, ORIGIN, FIRST = 0, 1, 2, 3


@dataclass(frozen=True)
class Lookup:
    """One call of a table."""

    # call, table: the node of the call, and its table
    call: Expr
    table: DataTable
    argument: Expr  # u, with the polynomials of other calls in the place of these
    names: tuple[str, ...]  # of the arguments: low, high, origin, c₀, c₁, …

    @property
    def polynomial(self) -> Expr:
        """The value of the call."""
        x = sub(self.argument, symbol(self.names[ORIGIN]))
        *rest, result = (symbol(name) for name in self.names[FIRST:])
        for c in reversed(rest):
            result = add(c, mul(x, result))
        return result

    @property
    def edges(self) -> tuple[Expr, Expr]:
        """u − low, which stays positive on the piece, and u − high, which stays negative."""
        return tuple(sub(self.argument, symbol(self.names[i])) for i in (LOW, HIGH))  # type: ignore[return-value]

    def piece(self, u: Any) -> Any:
        """The number of the piece that u is on."""
        return np.searchsorted(self.table.arrays[0], u, side="right")

    def values(self, piece: Any) -> NDArray[np.float64]:
        """The arguments for a piece, or for an array of pieces along a last axis."""
        _, origins, rows = self.table.arrays
        ends = self.table.ends
        piece = np.asarray(piece)
        head = np.stack([ends[piece], ends[piece + 1], origins[piece]], axis=-1)
        return np.concatenate([head, rows[piece]], axis=-1)


def unfold_tables(model: Ingredients) -> Ingredients:
    """The model with polynomials in place of calls of tables."""
    graphs = model.graphs
    if not any(node.op == "table" for node in postorder(*graphs)):
        return model
    found: list[Lookup] = []
    new = _replaced(graphs, found, grow=True)
    names = [name for lookup in found for name in lookup.names]
    return model.with_graphs(new, [*model.modes, *names], tuple(found))


def without_tables(graphs: Sequence[Expr], lookups: Sequence[Lookup]) -> list[Expr]:
    """Other graphs with the same polynomials; calls that the model does not make stay as they are."""
    return _replaced(graphs, list(lookups), grow=False)


def _replaced(graphs: Sequence[Expr], found: list[Lookup], grow: bool) -> list[Expr]:
    known = {lookup.call: lookup for lookup in found}
    new: dict[int, Expr] = {}
    for node in postorder(*graphs):
        args = [new[id(a)] for a in node.args]
        if node.op == "table" and (grow or node in known):
            if node not in known:
                count = FIRST + node.value.degree + 1
                names = tuple(f"table {len(found)} {i}" for i in range(count))
                found.append(Lookup(node, node.value, args[0], names))
                known[node] = found[-1]
            new[id(node)] = known[node].polynomial
        else:
            new[id(node)] = with_arguments(node, args)
    return [new[id(g)] for g in graphs]


def with_arguments(node: Expr, args: list[Expr]) -> Expr:
    """A node with other arguments, where they are others; a name that is changed stands for its meaning."""
    if all(a is b for a, b in zip(args, node.args, strict=True)):
        return node
    return args[0] if node.op == "define" else make(node.op, args, node.value)


def looked_up(lookups: Sequence[Lookup], values: Mapping[Any, Any]) -> tuple[list[Any], list[Any]]:
    """The arguments of all lookups at a state, or at many, one array after the other; and their pieces."""
    known = dict(values)
    found: list[Any] = []
    pieces = []
    for lookup in lookups:
        piece = lookup.piece(evaluate([lookup.argument], known)[0])
        row = lookup.values(piece)
        for i, name in enumerate(lookup.names):
            known[name, 0] = row[..., i]
            found.append(row[..., i])
        pieces.append(piece)
    return found, pieces


KINKED = ("abs", "sign", "min", "max")


def unfold(model: Ingredients) -> tuple[Ingredients, tuple[Expr, ...]]:
    """The model with modes in place of non-smooth functions, and the expressions whose signs the modes
    are.
    """
    graphs = model.graphs
    if model.operations.isdisjoint(KINKED):
        return model, ()
    moving = {(name, order) for name in model.coordinates for order in (0, 1, 2)} | {(model.time, 0)}
    watched: dict[Expr, Expr] = {}
    switches: list[Expr] = []
    new: dict[int, Expr] = {}

    def mode(original: Expr, replaced: Expr) -> Expr:
        if original not in watched:
            watched[original] = graph.symbol(f"mode {len(watched)}")
            switches.append(replaced)
        return watched[original]

    inside: dict[int, Expr] = {}  # the same in a radicand
    for node in postorder(*graphs):
        args = [new[id(a)] for a in node.args]
        parts = [inside[id(a)] for a in node.args]
        if _is_radical(node):
            args[0] = parts[0]
        kinked = node.op in KINKED and symbols(node) & moving
        new[id(node)] = _branch(node, args, mode) if kinked else with_arguments(node, args)
        whole = not kinked or node.op != "sign"
        inside[id(node)] = with_arguments(node, parts) if whole else new[id(node)]
    names = [s.value[0] for s in watched.values()]
    return model.with_graphs([new[id(g)] for g in graphs], [*model.modes, *names]), tuple(switches)


def _is_radical(node: Expr) -> bool:
    """Whether the first argument must not be negative."""
    if node.op == "pow":
        exponent = node.args[1]
        return exponent.op != "number" or exponent.value.denominator != 1
    return node.op in ("sqrt", "log")


def _branch(node: Expr, args: list[Expr], mode: Callable[[Expr, Expr], Expr]) -> Expr:
    if node.op == "abs":
        return mul(mode(node.args[0], args[0]), args[0])
    if node.op == "sign":
        return mode(node.args[0], args[0])
    value, original = args[0], node.args[0]
    for a, before in zip(args[1:], node.args[1:], strict=True):
        s = mode(sub(original, before), sub(value, a))
        s = s if node.op == "min" else graph.neg(s)
        value = graph.div(add(mul(sub(ONE, s), value), mul(add(ONE, s), a)), graph.number(2))
        original = graph.make(node.op, [original, before])
    return value
