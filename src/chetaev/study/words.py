"""The summary of a study in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chetaev.compare.comparison_table import WITNESSES
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print.names import SPOKEN
from chetaev.laws.law import DISGUISE
from chetaev.model.model_checks import LEVELS
from chetaev.remedy_words import listed

if TYPE_CHECKING:
    from chetaev.laws.law import Law
    from chetaev.study.study import Study

_HOLONOMY = {
    "unconstrained": "a system without constraints",
    "holonomic": "a holonomic system",
    "semiholonomic": "a semiholonomic system (its {given} constraints are integrable)",
    "nonholonomic": "a nonholonomic system",
    "undecided": "a constrained system whose integrability could not be decided",
}
SHORT_FORCE = 60
"""Letters of a force that is written in the summary."""
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(number: int, thing: str) -> str:
    """A number of things.

    >>> count(1, "degree"), count(3, "degree")
    ('1 degree', '3 degrees')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def power(value: float | None) -> str:
    """A small number as people write it.

    >>> power(8.2e-16), power(0.0), power(0.25), power(None)
    ('8·10⁻¹⁶', '0', '0.25', '–')
    """
    if value is None:
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
    digits, exponent = f"{value:.0e}".split("e")
    return f"{digits}·10".removeprefix("1·") + str(int(exponent)).translate(_RAISED)


def plain_number(text: str) -> str:
    """A number as people write it: a minus that is one, and no e before a power of ten.

    >>> plain_number("-1.40e+3"), plain_number("2.5e-7"), plain_number("0.5"), plain_number("…")
    ('−1400', '2.5·10⁻⁷', '0.5', '…')
    """
    digits, mark, exponent = text.partition("e")
    if mark and exponent.lstrip("+-").isdigit():
        whole = 0 <= int(exponent) < 7
        raised = str(int(exponent)).translate(_RAISED)
        text = f"{float(text):.0f}" if whole else f"{digits}·10{raised}"
    return text.replace("-", "−")


def spoken(text: str, names: Iterable[str]) -> str:
    """A text in which names of Greek letters, and numbers after them, are written as people write them.

    >>> spoken("psi, theta1 and φ_2 are ignorable", ["psi", "theta1", "φ_2"])
    'ψ, θ₁ and φ₂ are ignorable'
    """
    for name in names:
        found = re.fullmatch(r"([^\W\d_]+?)_?(\d*)", name)
        if found and (found[1] in SPOKEN or (found[2] and len(found[1]) == 1)):
            letter = SPOKEN.get(found[1], found[1]) + found[2].translate(_LOWERED)
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", letter, text)
    return text


def typed(text: str, names: Iterable[str]) -> str:
    """A text with formulas of the model language in it, as people type them.

    >>> typed("dc1/dtheta = -2*sin(theta)^2*c1", ["theta"])
    'dc₁/dθ = −2·sin(θ)²·c₁'
    """
    names = list(names)
    text = re.sub(r"(?<!\w)(d?)c(\d+)(?!\w)", lambda m: f"{m[1]}c{m[2].translate(_LOWERED)}", text)
    text = re.sub(r"/d(\w+)", lambda m: "/d" + (spoken(m[1], names) if m[1] in names else m[1]), text)
    text = re.sub(r"\^(\d+)(?![\w./])", lambda m: m[1].translate(_RAISED), spoken(text, names))
    return re.sub(r"(?<![^\s(=*/])-(?=[\w(])| - ", lambda m: m[0].replace("-", "−"), text).replace("*", "·")


def sentence(text: str, names: Iterable[str]) -> str:
    """A text with a capital at its beginning, unless that is a name, and a full stop.

    >>> sentence("x is ignorable", ["x"]), sentence("the forces do work", ["x"])
    ('x is ignorable.', 'The forces do work.')
    """
    first = re.match(r"\w*", text)
    if first and first[0] not in set(names):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def summary(study: Study) -> list[str]:
    """Sentences: what it is, what is conserved and why, how well the figures are known."""
    sentences = []
    kind = study.data("classification")
    if kind:
        sentences.append(_kind(study, kind))
    sentences += _laws(study.values("laws") or [], study.system.forces)
    sentences += [f"{n.capitalize()}: {why}." for n, why in study.data("laws").get("excluded", {}).items()]
    constrained = study.system.degrees_of_freedom < len(study.system.coordinates)
    sentences += _agreement(study.data("agreement"), constrained)
    sentences += _claims(study.data("claims"))
    sentences += _motion(study)
    missing: dict[tuple[bool, str], list[str]] = {}
    for name, outcome in study.outcomes.items():
        if not outcome.fine:
            missing.setdefault((bool(outcome.data), outcome.status), []).append(f"“{name}”")
    for (begun, status), names in missing.items():
        many = len(names) > 1
        part = f"{'are' if many else 'is'} not complete" if begun else "did not come out"
        sentences.append(f"The part{'s' if many else ''} {listed(names)} {part}: {status}.")
    return [spoken(s, names_of(study)) for s in sentences]


def names_of(study: Study) -> list[str]:
    """The names that sentences about a system may contain."""
    return [study.system.time, *study.system.coordinates, *study.system.parameters]


def _kind(study: Study, kind: dict[str, Any]) -> str:
    freedom = count(kind["degrees_of_freedom"], "degree") + " of freedom"
    system = study.system
    if system.dynamics.hamiltonian is not None:
        held = len(system.position_constraints)
        text = f"This is a system on a phase space of {count(len(system.coordinates), 'variable')}, given by "
        text += "a Poisson bracket and a Hamiltonian"
        return text + (f", with {count(held, 'constraint')} on it." if held else ".")
    levels = [(len(getattr(system, f"{level}_constraints")), level) for level in LEVELS]
    given = [count(n, f"{level} constraint") for n, level in levels if n]
    moving = listed([level for n, level in levels[1:] if n])
    text = f"This is {_HOLONOMY.get(kind['holonomy'], 'a system').format(given=moving)} with {freedom}"
    if study.data("hamilton").get("kind") == "dirac":
        text = text.removesuffix(freedom) + "a degenerate Lagrangian, " + _by_dirac(study, kind)
    if given:
        text += f" ({count(len(system.coordinates), 'coordinate')}, {listed(given)})"
    if kind["velocities"] not in ("none", "", "undecided"):
        many = len(system.position_constraints) + len(system.velocity_constraints) != 1
        degree = (
            f" of degree {kind['degree']}" if kind["velocities"] == "nonlinear" and kind["degree"] else ""
        )
        be, do = ("constraints are", "do not depend") if many else ("constraint is", "does not depend")
        if kind["time"] == "rheonomic":
            do = "depend" if many else "depends"
        which = f"the velocity {be}"
        if system.position_constraints:
            which = f"together, differentiated where they are of positions, the {be}"
        text += f"; {which} {kind['velocities']}{degree} in the velocities and {do} on time"
    elif kind["time"] == "rheonomic":
        many = len(system.position_constraints) + len(system.velocity_constraints) != 1
        text += "; the constraints depend on time" if many else "; the constraint depends on time"
    if kind.get("branches"):
        text += f"; the constraint is a union of {len(kind['branches'])} branches"
    return text + "."


def _by_dirac(study: Study, kind: dict[str, Any]) -> str:
    """How many of the degrees of freedom counted from the coordinates Dirac's algorithm leaves."""
    left = list(dict.fromkeys(study.data("hamilton").get("freedom", [])))
    formal = count(kind["degrees_of_freedom"], "degree") + " of freedom"
    return f"which leaves {' or '.join(left)} of {formal}" if left else f"which need not leave all {formal}"


def _agreement(data: dict[str, Any], constrained: bool = True) -> list[str]:
    if not data:
        return []
    if not data["evaluated"]:
        why = "singular there, or the constraints depend on each other." if constrained else "singular there."
        text = (
            "The equations do not determine the accelerations at any of the random points: the Lagrangian is"
        )
        return [f"{text} {why}"]
    forms = {name: row for name, row in data["forms"].items() if name not in WITNESSES}
    number = len(forms)
    proved = sum(1 for row in forms.values() if row["proved"])
    if not data["agree"]:
        return ["The formulations of the equations of motion do not agree: see below."]
    many = f"{number} independently derived formulations of the equations of motion agree"
    if number == 1:
        many = "The one formulation of the equations of motion that applies was evaluated"
    text = f"{many} at {data['samples']} random points with {data['digits']} digits"
    if all(data["forms"].get(name, {}).get("points") for name in WITNESSES):
        text += ", also" if number > 1 else " and agrees"
        text += " with the oracle and the compiled field"
    if number > 1 and proved == number:
        text += ", and all are proved to agree"
    elif proved and number > 1:
        text += f", and {proved} of them {'is' if proved == 1 else 'are'} proved to agree"
    return [text + "."]


def _claims(data: dict[str, Any]) -> list[str]:
    """How many claims of the model were judged, and how many of them against expectation."""
    judged = data.get("claims", [])
    if not judged:
        return []
    wrong = [f"{i + 1}" for i, one in enumerate(judged) if one["surprising"]]
    open_ = sum(one["holds"] is None for one in judged)
    told = f"{'number' if len(wrong) == 1 else 'numbers'} {listed(wrong)}" if wrong else "none"
    text = f"Of {count(len(judged), 'claim')}, {told} came out against expectation"
    return [text + (f", and {open_} {'is' if open_ == 1 else 'are'} undecided." if open_ else ".")]


def _laws(laws: Sequence[Law], forces: Mapping[str, Expr]) -> list[str]:
    sentences = [f"Energy is {law.cause}." for law in laws if law.name == "energy"]
    for conserved in (True, False):
        found = [law for law in laws if law.coordinate and law.conserved is conserved]
        for reason in dict.fromkeys(_acting(law, forces) for law in found):
            names = [law.coordinate for law in found if _acting(law, forces) == reason]
            sentences.append(_momenta(names, conserved, reason))
    found = [law for law in laws if law.number]
    if found:
        more = " more" if any(law.conserved for law in laws if not law.number) else ""
        many = f"one{more} integral" if len(found) == 1 else f"{len(found)}{more} independent integrals"
        implied = sum(any(r.theorem == DISGUISE for r in law.reasons) for law in found)
        which = "which" if implied == len(found) else f"{implied} of which"
        told = f", {which} the constraints imply, whatever the forces are" if implied else ""
        sentences.append(f"A search found {many}{told}.")
    return sentences


def _acting(law: Law, forces: Mapping[str, Expr]) -> str:
    """The applied force that changes the momentum of a cyclic coordinate; empty if there is none."""
    name = law.coordinate
    if law.conserved is not False or forces.get(name, ZERO) is ZERO:
        return ""
    text = str(forces[name])
    force = f"the applied force {typed(text, ())}" if len(text) <= SHORT_FORCE else "an applied force"
    return f"{force} and a constraint act" if len(law.actors) > 1 else f"{force} acts"


def _momenta(names: list[str], conserved: bool, reason: str = "") -> str:
    if len(names) == 1:
        verdict = "conserved" if conserved else f"not conserved, although {names[0]} is cyclic"
        return f"The momentum of {names[0]} is {verdict}{f': {reason} on it' if reason else ''}."
    verdict = "conserved" if conserved else "not conserved, although these coordinates are cyclic"
    return f"The momenta of {listed(names)} are {verdict}{f': {reason} on each' if reason else ''}."


def _motion(study: Study) -> list[str]:
    data = study.data("motion")
    if not data:
        return []
    time = study.system.time
    text = (
        f"The motion from {time} = {data['first_time']:g} to {data['end_time']:g} was computed with "
        f"tolerance {power(data['tolerance'])}"
    )
    residuals = [
        data[k] for k in ("largest_residual", "largest_position_residual") if data.get(k) is not None
    ]
    if residuals:
        given = study.system.degrees_of_freedom < len(study.system.coordinates)
        which = "" if given else " of its phase space"  # those that Dirac's algorithm finds
        text += f" and stays on the constraints{which} to {power(max(residuals))}"
    whole = data["status"] in ("done", "event")
    if whole and data.get("check_error") is not None:
        text += (
            f"; a second run with a hundredth of the tolerance ends within {power(data['check_error'])} of it"
        )
    elif whole and "check_error" in data:
        text += "; a second run with a hundredth of the tolerance ends otherwise, so do not trust its end"
    ended = [] if whole else [f"The motion ended early: {data['reason']}."]
    return [text + ".", *ended]
