r"""A system as mathematics, for notebooks and for ``chetaev show --latex``.

>>> from chetaev.model.file.loader import load
>>> print(latex_rows(load("nonholonomic-particle"))[1])
('f^{1}', '\\dot{z} = y \\dot{x}')
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.print import latex, page
from chetaev.expr.print.layout import Indexed, Layout, Name, Number, Relation
from chetaev.model.states.stack_of_constraints import every_constraint, levels

if TYPE_CHECKING:
    from chetaev.model.system import System


@dataclass(frozen=True)
class ModelFormula:
    """One formula of a model."""

    # left, right: its sides
    left: Layout
    right: Layout
    # the name of a constraint, which is an equation of its own; None where the left side is the name
    label: Layout | None = None


@lru_cache(maxsize=16)
def rows(system: System) -> tuple[ModelFormula, ...]:
    """Lagrangian or another dynamics, forces, constraints, then the meanings of definitions."""
    found: list[tuple[Layout, Expr]] = [(part.shown, part.expr) for part in system.dynamics.parts]
    found += [(Indexed(Name("F"), Name(n)), f) for n, f in system.forces.items()]
    made = [ModelFormula(name, *page(e)) for name, e in found]
    for symbol, equations in zip(("varphi", "f", "a"), levels(system), strict=True):
        for i, e in enumerate(equations, 1):
            label = Indexed(Name(symbol), Number(Fraction(i)), above=True)
            left, right = page(e.lhs, e.rhs)
            made.append(ModelFormula(left, right, label))
    return (*made, *meanings_of(system))


@lru_cache(maxsize=16)
def meanings_of(system: System) -> tuple[ModelFormula, ...]:
    """Name and meaning of every definition that the motion depends on."""
    sides = [side for e in every_constraint(system) for side in (e.lhs, e.rhs)]
    found = definitions(*system.dynamics.functions, *sides)
    return tuple(ModelFormula(Name(d.value), *page(d.args[0])) for d in found)


def latex_rows(system: System) -> list[tuple[str, str]]:
    """Label and formula of every row, as LaTeX."""
    return [
        (latex(row.left), latex(row.right))
        if row.label is None
        else (latex(row.label), latex(Relation(row.left, row.right)))
        for row in rows(system)
    ]


def _formula(row: ModelFormula) -> str:
    """One row of an aligned block; an equation is shown as it is, with its label after it."""
    label = "" if row.label is None else f" ({latex(row.label)})"
    return rf"{latex(row.left)} &= {latex(row.right)} &&{label}"


def system_latex(system: System) -> str:
    """An aligned LaTeX block with everything that defines the motion."""
    body = " \\\\\n".join(map(_formula, rows(system)))
    return f"$$\\begin{{aligned}}\n{body}\n\\end{{aligned}}$$"


def system_html(system: System) -> str:
    """Title, summary and formulas for a notebook."""
    parameters = ", ".join(f"{n} = {v:g}" for n, v in system.parameter_values.items())
    lines = [
        f"<h3>{escape(system.name)}</h3>",
        f"<p>{escape(system.summary)}</p>" if system.summary else "",
        f"<p>{len(system.coordinates)} coordinates ({escape(', '.join(system.coordinates))}), "
        f"{system.degrees_of_freedom} degrees of freedom"
        + (f"; {escape(parameters)}</p>" if parameters else "</p>"),
        escape(system_latex(system), quote=False),
    ]
    return "<div>" + "\n".join(line for line in lines if line) + "</div>"
