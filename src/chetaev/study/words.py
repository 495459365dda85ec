"""The summary of a study in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chetaev.study.study import Study

_HOLONOMY = {
    "unconstrained": "a system without constraints",
    "holonomic": "a holonomic system",
    "semiholonomic": "a system whose velocity constraints are integrable (semiholonomic)",
    "nonholonomic": "a nonholonomic system",
    "undecided": "a constrained system whose integrability could not be decided",
}


def count(number: int, thing: str) -> str:
    """``1 degree``, ``3 degrees``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def summary(study: Study) -> list[str]:
    """Sentences: what it is, what is conserved and why, how well the figures are known."""
    sentences = []
    kind = study.data("classification")
    if kind:
        sentences.append(_kind(kind))
    sentences += _agreement(study.data("agreement"))
    sentences += _laws(study.data("laws"))
    sentences += _motion(study)
    for name, outcome in study.outcomes.items():
        if outcome.status != "done":
            sentences.append(f"The stage “{name}” did not come out ({outcome.status}).")
    return sentences


def _kind(kind: dict[str, Any]) -> str:
    freedom = count(kind["degrees_of_freedom"], "degree").replace("degrees", "degrees") + " of freedom"
    text = f"This is {_HOLONOMY.get(kind['holonomy'], 'a system')} with {freedom}"
    if kind["velocities"] not in ("none", ""):
        many = kind.get("codimension", 1) != 1
        form = "constraints are" if many else "constraint is"
        degree = (
            f" of degree {kind['degree']}" if kind["velocities"] == "nonlinear" and kind["degree"] else ""
        )
        moving = "depend on time" if many else "depends on time"
        still = "do not depend on time" if many else "does not depend on time"
        time = moving if kind["time"] == "rheonomic" else still
        text += f"; the {form} {kind['velocities']}{degree} in the velocities and {time}"
    return text + "."


def _agreement(data: dict[str, Any]) -> list[str]:
    if not data:
        return []
    forms = data["forms"]
    proved = sum(1 for f in forms.values() if f["proved"])
    if data["agree"]:
        return [
            f"{len(forms)} independently derived formulations of the equations of motion agree at "
            f"{data['samples']} random points with {data['digits']} digits"
            + (f"; {proved} of them are also proved to agree symbolically." if proved else ".")
        ]
    return ["The formulations of the equations of motion do not agree, or could not be evaluated: see below."]


def _laws(data: dict[str, Any]) -> list[str]:
    sentences = []
    laws = data.get("laws", [])
    for law in laws:
        if law["name"] == "energy":
            sentences.append("Energy is " + law["origin"] + ".")
    momenta = [law["name"] for law in laws if law["conserved"] and law["name"] != "energy"]
    if momenta:
        sentences.append("Also conserved: " + ", ".join(momenta) + ".")
    return sentences


def _motion(study: Study) -> list[str]:
    data = study.data("motion")
    if not data:
        return []
    ended = "" if data["status"] in ("done", "event") else f" It ended early: {data['reason']}"
    text = (
        f"The motion from {study.system.time} = {data['first_time']:g} to {data['end_time']:g} was computed with "
        f"tolerance {data['tolerance']:g}"
    )
    if "largest_residual" in data:
        text += f" and stays on the constraint to {max(data['largest_residual'], 1e-17):.0e}"
    if "check_error" in data:
        text += (
            f"; a second run with a hundredth of the tolerance ends within {data['check_error']:.0e} of it"
        )
    return [text + "." + ended]
