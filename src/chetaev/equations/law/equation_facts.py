"""Equations of motion as plain data, for ``chetaev show --form NAME --json`` and for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.equations.law.law import Equations
from chetaev.equations.law.law_display import aligned, with_validity
from chetaev.equations.law.solved_law import solve
from chetaev.errors import ModelError
from chetaev.expr.graph.node import definitions
from chetaev.expr.print import name_latex, to_latex, to_text

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.equations.leading_form import Shown


def equation_facts(law: Equations, effort: int | None = None, form: Shown | None = None) -> dict[str, Any]:
    """The law, its solution, and where it comes from and holds; `effort` for the normal forms of each, `form`
    the law as it is shown, where that is known.

    Where the law does not determine the accelerations, ``"undetermined"`` says why and there is no solution.
    """
    shown, valid = (form.rows, form.valid) if form is not None else with_validity(law, effort)
    undetermined = ""
    try:
        solution, multipliers = solve(law, effort)
        accelerations = dict(zip(law.system.coordinates, solution, strict=True))
    except ModelError as error:
        accelerations, multipliers, undetermined = {}, [], error.message
    sides = [side for e in shown for side in (e.lhs, e.rhs)]
    named = definitions(*sides, *accelerations.values(), *multipliers)
    return {
        "form": law.form,
        "source": law.source,
        "unknowns": list(law.unknowns),
        "equations": [str(e) for e in shown],
        "equations_latex": [[to_latex(e.lhs), to_latex(e.rhs)] for e in shown],
        "accelerations": {name: to_text(a) for name, a in accelerations.items()},
        "multipliers": [to_text(mu) for mu in multipliers],
        "undetermined": undetermined,
        "definitions": {d.value: to_text(d.args[0]) for d in named},
        "definitions_latex": [[name_latex(d.value), to_latex(d.args[0])] for d in definitions(*sides)],
        "valid": valid.to_json(),
        "operations": law.operations,
        "latex": aligned(shown, valid),
    }
