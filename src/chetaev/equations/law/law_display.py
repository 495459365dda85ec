r"""Laws for people: each row as an equation, short, in text or LaTeX.

>>> import chetaev as ch
>>> from chetaev.equations.registry import equations
>>> for row in rows(equations(ch.load("nonholonomic-particle"), "chetaev")):
...     print(row)
m*x'' + y*mu_1 = 0
y'' = 0
m*z'' - mu_1 = 0
y*x'' - z'' = -x'*y'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chetaev.equations.law.law import row_equation, unknown
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.readable_rows import Readable
from chetaev.equations.law.validity import Validity, validity
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.graph.sharing import name_shared, text_length
from chetaev.expr.language.parser import Equation
from chetaev.expr.print import name_latex, to_latex

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations


LONG_TEXT = 2_000
"""Laws with longer texts are shown with names for what repeats, if that makes them shorter by a quarter."""


SEARCH = 2
"""The part of the effort for shorter forms, one over this."""


def rows(law: Equations, effort: int | None = None) -> list[Equation]:
    """Each row of the law as a short equation, unknowns on the left."""
    effort = effort or law.effort
    if "quasi_frame" in law.objects:
        shown: list[Equation] = law.objects["quasi_frame"].rows(law, effort)
        return shown
    return _rows(law, OnConstraint(law.system, effort), effort)


def with_validity(law: Equations, effort: int | None = None) -> tuple[list[Equation], Validity]:
    """The rows, and where they hold as they are printed."""
    effort = effort or law.effort
    framed = "quasi_frame" in law.objects
    on_q = OnConstraint(law.system, effort, use_closed=not framed)
    found = rows(law, effort) if framed else _rows(law, on_q, effort)
    with on_q.field.limit(Budget(effort // SEARCH, terms=60_000, products=4_000_000)):
        return found, validity(law, found, on_q)


def _rows(law: Equations, on_q: OnConstraint, effort: int) -> list[Equation]:
    symbols = [unknown(n) for n in law.unknowns]
    raw = [[*row, right] for row, right in zip(law.matrix, law.right, strict=True)]
    entries = [[on_q.short(e) for e in row] for row in raw]
    found = [row_equation(row[:-1], row[-1], symbols) for row in entries]
    order = sorted(range(len(found)), key=lambda i: text_length(*entries[i]))  # what is short costs little
    Readable(on_q, symbols).shorten(found, raw, order, effort // SEARCH)
    return _folded(law, found, symbols)


def _folded(law: Equations, found: list[Equation], symbols: Sequence[Expr]) -> list[Equation]:
    """Long equations with names for what repeats in them, as they were found or as they were derived."""
    sides = [side for e in found for side in (e.lhs, e.rhs)]
    length = text_length(*sides)
    if length < LONG_TEXT:
        return found
    derived = [e for row, right in zip(law.matrix, law.right, strict=True) for e in (*row, right)]
    (plain, names), (short, more) = (name_shared(e, avoid=law.system.names) for e in (sides, derived))
    sizes = [text_length(*e, *(d.args[0] for d in n)) for e, n in ((plain, names), (short, more))]
    if 4 * min(sizes) > 3 * length:
        return found
    if sizes[0] <= sizes[1]:
        return [Equation(*plain[i : i + 2]) for i in range(0, len(plain), 2)]
    width = len(symbols) + 1
    as_derived = [short[i : i + width] for i in range(0, len(short), width)]
    return [row_equation(row[:-1], row[-1], symbols) for row in as_derived]


def to_text(law: Equations) -> str:
    """The law in the model language, one equation a line, then the meanings of names that occur in it."""
    return text_of(rows(law))


def text_of(equations: Sequence[Equation]) -> str:
    """Equations one a line, then the meanings of names that occur in them."""
    occurring = definitions(*(side for e in equations for side in (e.lhs, e.rhs)))
    lines = [str(row) for row in equations]
    return "\n".join(lines + [f"  where {d.value} = {d.args[0]}" for d in occurring])


def law_latex(law: Equations) -> str:
    """The law as an aligned block; below it the meanings of definitions, and where it holds."""
    return aligned(*with_validity(law))


def aligned(equations: Sequence[Equation], valid: Validity | None = None) -> str:
    """Equations as an aligned block, below them the meanings of definitions that occur, and where they hold
    if not everywhere.
    """
    lines = [f"{to_latex(e.lhs)} &= {to_latex(e.rhs)}" for e in equations]
    occurring = definitions(*(side for e in equations for side in (e.lhs, e.rhs)))
    lines += [f"{name_latex(d.value)} &= {to_latex(d.args[0])}" for d in occurring]
    if valid is not None and not valid.everywhere:
        lines.append(f"& {valid.latex()}")
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
