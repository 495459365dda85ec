r"""A system as mathematics, for notebooks and ``chetaev show --latex``, and as plain data, for ``--json``.

>>> from chetaev.model.file.loader import load
>>> print(latex_rows(load("nonholonomic-particle"))[1])
('f^{1}', '\\dot{z} = y \\dot{x}')
>>> facts(load("knife-edge"))["coordinates"]
['x', 'y', 'phi']
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.graph.program import key_name
from chetaev.expr.print import latex, page, to_text
from chetaev.expr.print.layout import Indexed, Layout, Name, Number, Relation
from chetaev.model.model_checks import LEVELS
from chetaev.model.reading.model_reader import thaw
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


# --- plain data ---------------------------------------------------------------------------------------


def facts(system: System) -> dict[str, Any]:
    """Coordinates, parameters, dynamics, constraints, forces and the initial state."""
    data: dict[str, Any] = {
        "name": system.name,
        "summary": system.summary,
        "source": system.source,
        "time": system.time,
        "coordinates": list(system.coordinates),
        "velocities": [key_name(c, 1) for c in system.coordinates],
        "degrees_of_freedom": system.degrees_of_freedom,
        "parameters": {
            name: {"expression": to_text(expr), "value": system.parameter_values[name]}
            for name, expr in system.parameters.items()
        },
        "definitions": {name: to_text(node.args[0]) for name, node in system.definitions.items()},
        "units": dict(system.units),
        "dynamics": system.dynamics.kind,
        "lagrangian": None if system.dynamics.lagrangian is None else to_text(system.lagrangian),
        "kinetic": None if system.kinetic is None else to_text(system.kinetic),
        "potential": None if system.potential is None else to_text(system.potential),
        "forces": {name: to_text(force) for name, force in system.forces.items()},
        "constraints": {
            name: [str(e) for e in level] for name, level in zip(LEVELS, levels(system), strict=True)
        },
        "quasi": {name: to_text(u) for name, u in system.quasi.items()},
        "initial": None,
        "run": {"until": system.until_value},
        "view": thaw(system.view),
        "claims": [thaw(c) for c in system.claims],
    }
    if system.initial is not None:
        data["initial"] = _initial(system)
    return data


def _initial(system: System) -> dict[str, Any]:
    state = system.state
    count = len(system.position_constraints)
    return {
        "t": state.t,
        "position": dict(state.position),
        "velocity": dict(state.velocity),
        "solved": [n.rstrip("'") + "_dot" * n.endswith("'") for n in state.solved],
        "residuals": {
            "position": list(state.residuals[:count]),
            "velocity": list(state.residuals[count:]),
        },
        "branches": [{key_name(n, 1): x for n, x in branch.items()} for branch in state.branches],
    }
