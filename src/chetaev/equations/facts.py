"""Equations of motion as plain data, for ``chetaev show --form NAME --json`` and for reports."""

from __future__ import annotations

from typing import Any

from chetaev.equations.law import Equations
from chetaev.expr.graph import definitions
from chetaev.expr.text import to_text


def equation_facts(law: Equations) -> dict[str, Any]:
    """The law, its solution, and where it comes from."""
    rows = law.rows
    accelerations, multipliers = law.accelerations, law.multipliers
    sides = [side for e in rows for side in (e.lhs, e.rhs)]
    named = definitions(*sides, *accelerations.values(), *multipliers)
    return {
        "form": law.form,
        "source": law.source,
        "unknowns": list(law.unknowns),
        "equations": [str(e) for e in rows],
        "accelerations": {name: to_text(a) for name, a in accelerations.items()},
        "multipliers": [to_text(mu) for mu in multipliers],
        "definitions": {d.value: to_text(d.args[0]) for d in named},
        "operations": law.operations,
        "latex": law.latex(),
    }
