r"""A system as mathematics, for notebooks and for ``chetaev show --latex``.

>>> from chetaev.model.loader import load
>>> print(latex_rows(load("nonholonomic-particle"))[1])
('f^{1}', '\\dot{z} = y \\dot{x}')
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from chetaev.expr.latex import meanings, name_latex, to_latex

if TYPE_CHECKING:
    from chetaev.expr.parser import Equation
    from chetaev.model.system import System


def equation_latex(equation: Equation) -> str:
    """``lhs = rhs`` as LaTeX."""
    return f"{to_latex(equation.lhs)} = {to_latex(equation.rhs)}"


def latex_rows(system: System) -> list[tuple[str, str]]:
    """Label and formula of every part: Lagrangian, forces, constraints, then the meanings of definitions."""
    rows: list[tuple[str, str]] = []
    rows += [(part.latex, to_latex(part.expr)) for part in system.dynamics.parts]
    rows += [(f"F_{{{name_latex(n)}}}", to_latex(f)) for n, f in system.forces.items()]
    for symbol, equations in (
        (r"\varphi", system.position_constraints),
        ("f", system.velocity_constraints),
        ("a", system.acceleration_constraints),
    ):
        rows += [(f"{symbol}^{{{i}}}", equation_latex(e)) for i, e in enumerate(equations, 1)]
    return rows + meanings_of(system)


def meanings_of(system: System) -> list[tuple[str, str]]:
    """Name and meaning of every definition that the motion depends on."""
    equations = (*system.position_constraints, *system.velocity_constraints, *system.acceleration_constraints)
    sides = [side for e in equations for side in (e.lhs, e.rhs)]
    return meanings(*system.dynamics.functions, *sides)


_CONSTRAINT = re.compile(r"(?:f|a|\\varphi)\^\{\d+\}")


def sides(label: str, formula: str) -> tuple[str, str, str]:
    r"""Left side, right side and number of a row; only constraints, which are equations, have a number.

    >>> sides("f^{1}", r"\dot{z} = y \dot{x}"), sides("f", "x")
    (('\\dot{z}', 'y \\dot{x}', 'f^{1}'), ('f', 'x', ''))
    """
    if not _CONSTRAINT.fullmatch(label):
        return label, formula, ""
    left, _, right = formula.partition(" = ")
    return left, right, label


def _formula(label: str, formula: str) -> str:
    """One row of an aligned block; an equation is shown as it is, with its label after it."""
    left, right, number = sides(label, formula)
    return rf"{left} &= {right} &&" + (f" ({number})" if number else "")


def system_latex(system: System) -> str:
    """An aligned LaTeX block with everything that defines the motion."""
    body = " \\\\\n".join(_formula(*row) for row in latex_rows(system))
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
