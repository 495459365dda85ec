r"""Laws in quasi-velocities for people: u' = …, then q' = …, all in (t, q, u) (SCOPE D5, L6).

>>> import chetaev as ch
>>> print(ch.equations(ch.load("knife-edge"), "quasi"))
u' = g*cos(phi)*sin(alpha)
phi'' = 0
x' = u*cos(phi)
y' = u*sin(phi)
  where u = x'*cos(phi) + y'*sin(phi)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chetaev.equations.law.law import row_equation
from chetaev.equations.law.law_display import LONG_TEXT, SEARCH
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.readable_rows import Readable
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.short_kernel import primitive
from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.graph.sharing import name_shared, text_length
from chetaev.expr.language.parser import Equation
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations

LONG_NORMAL_FORM = 3000
"""Normal forms with longer texts are kept only where they are shorter than what was derived."""

LONG_ROW = 300
"""Common factors of rows with more terms are not looked for."""


class InQuasiVelocities:
    """Normal forms of functions of (t, q, u)."""

    def __init__(self, system: System, frame: QuasiFrame, effort: int) -> None:
        self.system, self.frame = system, frame
        self.f: list[Expr] = []
        self.closed: dict[Expr, Element] = {}
        self.field = Field(Budget(effort, terms=max(60_000, effort // 50), products=max(4_000_000, effort)))
        for name in (*system.parameters, system.time, *system.coordinates)[:300]:
            self.field.symbol(name)
        for symbol in frame.symbols:
            self.field.symbol(*symbol.value)

    def short(self, expr: Expr) -> Expr:
        """The shorter of an expression and its normal form."""
        found = ask(lambda: self.field(expr).to_expr())
        if isinstance(found, GivenUp):
            return expr
        return expr if text_length(found) > max(LONG_NORMAL_FORM, text_length(expr)) else found

    def row(self, entries: Sequence[Expr]) -> list[Expr]:
        """A row of a law, without denominators and without the factor that all its entries have in common.

        Where that factor vanishes the row says nothing, and what is left of it holds there by continuity.
        A row without unknowns, 0 = r, keeps r, which has to vanish.
        """
        plain = [self.short(e) for e in entries]

        def without_factor() -> list[Expr]:
            elements = [self.field(e) for e in entries]
            if all(e.is_blank for e in elements[:-1]) or sum(e.terms for e in elements) > LONG_ROW:
                return plain
            return [e.to_expr() for e in primitive(elements)]

        scaled = answer(ask(without_factor)) or plain
        return scaled if text_length(*scaled) <= max(LONG_NORMAL_FORM, text_length(*plain)) else plain


def quasi_rows(law: Equations, frame: QuasiFrame, effort: int) -> list[Equation]:
    """The rows of a law in quasi-velocities with a frame; in form ``quasi`` with q' = V(t, q, u)."""
    system = law.system
    in_u = InQuasiVelocities(system, frame, effort)
    symbols = [_derivative(symbol) for symbol in frame.symbols]
    raw = [
        frame.in_quasi_velocities([*row, right], system.coordinates)
        for row, right in zip(law.matrix, law.right, strict=True)
    ]
    table = [in_u.row(entries) for entries in raw]
    readable = Readable(in_u, symbols, still=True)
    flat = [e for entries in table for e in entries]
    if text_length(*flat) > LONG_TEXT:
        flat, _ = name_shared(flat, avoid={*system.names, *frame.labels})
        width = len(symbols) + 1
        table = [flat[i : i + width] for i in range(0, len(flat), width)]
    rows = [row_equation(entries[:-1], entries[-1], symbols) for entries in table]
    share = effort // (SEARCH * (len(raw) + len(system.coordinates)))
    kinematic = [
        Equation(own, readable.function(in_u.short(V), share))
        for own, V in zip((graph.symbol(c, 1) for c in system.coordinates), frame.velocities, strict=True)
        if law.form == "quasi" and V is not own
    ]
    sizes = sorted((text_length(*entries), i) for i, entries in enumerate(table))
    order = [i for size, i in sizes if size <= LONG_TEXT]  # folded ones cost too much
    readable.shorten(rows, raw, order, effort // SEARCH)
    rows += kinematic
    meanings = _meanings(law, frame, share)
    rows = _with_meanings(rows, meanings)
    occurring = set(definitions(*(side for row in rows for side in (row.lhs, row.rhs))))
    for symbol, node in meanings.items():  # what occurs by its derivative only has its meaning in a row
        if node not in occurring:
            rows.append(Equation(symbol, node.args[0]))
    return rows


def _meanings(law: Equations, frame: QuasiFrame, effort: int) -> dict[Expr, Expr]:
    """Symbols of quasi-velocities by definition nodes with their meanings, for people: names of the model
    stay, sums of angles too.
    """
    readable = Readable(OnConstraint(law.system, effort, use_closed=False), (), still=True)
    return {
        symbol: graph.define(node.value, readable.function(node.args[0], effort))
        for symbol, node in frame.meanings.items()
    }


def _derivative(symbol: Expr) -> Expr:
    name, order = symbol.value
    return graph.symbol(name, order + 1)


def _with_meanings(rows: list[Equation], meanings: Mapping[Expr, Expr]) -> list[Equation]:
    """The same rows with definition nodes for quasi-velocities, so that they are functions on J¹Y.

    Names that were given to shared parts stay, although quasi-velocities occur in them.
    """
    sides = [side for row in rows for side in (row.lhs, row.rhs)]
    new: dict[int, Expr] = {}
    for node in graph.postorder(*sides):
        if node in meanings:
            new[id(node)] = meanings[node]
        else:
            args = [new[id(a)] for a in node.args]
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            new[id(node)] = node if same else graph.make(node.op, args, node.value)
    return [Equation(new[id(row.lhs)], new[id(row.rhs)]) for row in rows]
