"""What a study looks at, stage by stage: each takes a system and gives plain data.

Stages are independent: one that fails or runs out of time takes nothing from the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chetaev.model.system import System

SAMPLES = 64


def classification(system: System, seconds: float) -> dict[str, Any]:
    """Which kind of constraint it is, with reasons and evidence."""
    from chetaev.constraint.classifier import classify

    result = classify(system, seconds=min(seconds, 10.0))
    data = result.to_json()
    data["normal_form_latex"] = []
    return data


def equations(system: System, seconds: float) -> dict[str, Any]:
    """The equations of motion in every formulation that applies; those that do not, with the reason."""
    from chetaev.equations import forms as registry
    from chetaev.equations.facts import equation_facts

    found = registry.forms(system)
    share = max(0.3, 0.4 * seconds / max(1, len(found)))
    facts = [equation_facts(registry.equations(system, name), share) for name in found]
    return {"forms": facts, "excluded": dict(found.excluded)}


def agreement(system: System, seconds: float) -> dict[str, Any]:
    """Do all formulations give the same accelerations?"""
    from chetaev.equations.compare import compare

    return compare(system, SAMPLES, prove=True, seconds=seconds / 2).to_json()


def laws(system: System, seconds: float) -> dict[str, Any]:
    """Energy and momenta, each proved, refuted or undecided."""
    from chetaev.laws.integrals import judged

    return {"laws": [law.to_json() for law in judged(system)]}


STAGES: dict[str, Callable[[System, float], dict[str, Any]]] = {
    "classification": classification,
    "equations": equations,
    "agreement": agreement,
    "laws": laws,
}
"""The exact stages, in order."""

SHARES = {"classification": 0.2, "equations": 0.3, "agreement": 0.3, "laws": 0.2}
"""How a time budget is divided; what a stage leaves goes to the next."""
