"""Which kind of constraint does a system have? (SCOPE K13, K16–K18, K23; the public entry ``ch.classify``)

Everything is decided on Q = {f = 0} at the given values of the parameters, in space-time (t, q, v), and not
by the way the equations are written. Points decide every "no"; exact algebra proves every "yes" within its
effort, and what it does not prove is said to be tested. The conditions of Theorem 7 and the growth
vector must agree.

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> print(classify(ConstraintData.of(["x' + z*z' = 0"], ["x", "y", "z"])).kind)
semiholonomic, linear, scleronomic
>>> print(classify(ConstraintData.of(["x' + y*z' = 0"], ["x", "y", "z"])).kind)
nonholonomic, linear, scleronomic
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chetaev.constraint.integrability.theorem7 import locals_of
from chetaev.constraint.kind import disguise
from chetaev.constraint.kind.acceleration_origin import origin_of
from chetaev.constraint.kind.acceleration_rows import OnAccelerations, on_accelerations
from chetaev.constraint.kind.classification import NOT_APPLICABLE, Classification
from chetaev.constraint.kind.classification_steps import Task, Work, regular_finding, unite
from chetaev.constraint.kind.regularity import NamedZeros, regularity
from chetaev.constraint.kind.verdicts import vanish_on
from chetaev.constraint.submanifold.affine_in_disguise import hidden_positions
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.empty_set import is_empty
from chetaev.constraint.submanifold.evidence import EFFORT, NONE, PROVED, Allowance, Evidence, Finding
from chetaev.constraint.submanifold.plainer_equations import plain
from chetaev.constraint.submanifold.reducible import Branches, branches
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.effort import beyond, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Field
from chetaev.model.system import System

SINGULAR = "the constraint is singular everywhere: the rank condition (46) fails at all points found"
CONTRADICTION = "the constraints contradict each other: no state satisfies all of them"
UNEQUAL = (
    "numbers do not tell the differential of {} from those of the others, but it does not follow from them "
    "({}): the rank condition (46) seems to fail on all of Q"
)
NOWHERE = "no regular point that satisfies the constraints was found"


def classify(system: System | ConstraintData, effort: int = EFFORT) -> Classification:
    """The classification of a system's constraints.

    Parameters
    ----------
    system
        A model, or constraint functions alone (then nothing is said about regularity).
    effort
        What exact proofs may cost (:mod:`chetaev.effort`); beyond it verdicts rest on points, and say so.
    """
    with np.errstate(all="ignore"):  # at points outside a domain numbers may be anything
        return _classify(system, expect_effort(effort))


def _classify(system: System | ConstraintData, effort: int) -> Classification:
    if not isinstance(system, (ConstraintData, System)):
        kind = type(system).__name__
        raise ModelError(f"a System was expected, got {kind}", remedy="use ch.load or ch.loads")
    model = None if isinstance(system, ConstraintData) else system
    if model is not None and model.dynamics.hamiltonian is not None:
        return _phase_space(model)
    given = system if isinstance(system, ConstraintData) else ConstraintData.from_system(system)
    allowance = Allowance(effort)
    extra = on_accelerations(model) if model is not None and model.acceleration_constraints else None
    given, empty = without_identities(given, effort)
    if not given.velocity and not given.position:
        free = _free(given, model, extra, effort)
        return replace(free, warnings=(*empty, *free.warnings))
    split = branches(given, effort // 4) if given.velocity else Branches((given,))
    if split.none:
        return _nothing(given, split.none, PROVED)
    task = Task(given, model, allowance, split)
    parts = [_branch(task, choice, given) for choice in split.choices]
    result = parts[0] if len(parts) == 1 else unite(given, split.choices, parts, split.evidence)
    if model is not None and extra is not None:
        result = _with_accelerations(result, model, extra, Allowance(2 * effort, effort // 2))
    if split.given_up:
        empty = (*empty, f"whether the constraint is a union of branches was {beyond(effort)}")
    return replace(result, warnings=(*empty, *result.warnings)) if empty else result


def without_identities(given: ConstraintData, effort: int = EFFORT) -> tuple[ConstraintData, tuple[str, ...]]:
    """The constraints without those that hold identically, and a sentence for each of these.

    >>> without_identities(ConstraintData.of(["x' = x'", "x' = y'"], ["x", "y"]))[1]
    ("the constraint x' - x' = 0 is redundant: it holds identically",)
    """
    field, allowance = Field(), Allowance(3 * effort // 20, effort // 20)
    kept, names, empty = [], [], []
    held = given.names[: len(given.position)]
    for f, name in zip(given.velocity, given.names[len(held) :], strict=True):
        element = allowance.attempt(field, lambda f=f: field(f))  # type: ignore[misc]
        if element is not None and element.is_zero:
            empty.append(f"the constraint {name} is redundant: it holds identically")
        else:
            kept.append(f)
            names.append(name)
    if not empty:
        return given, ()
    return replace(given, velocity=tuple(kept), labels=(*held, *names)), tuple(empty)


def _free(
    given: ConstraintData, model: System | None, extra: OnAccelerations | None, effort: int
) -> Classification:
    m = len(given.coordinates)
    findings = [Finding("holonomy", "unconstrained", "there are no constraints", PROVED)]
    regular = seen = None
    if model is not None and extra is None:
        seen = regularity(model)
        if seen.vanishing:
            everything = Constraint(given.at_values(), symbolic=False, effort=effort)
            seen = NamedZeros(everything, given, Allowance(effort)).of_determinant(
                seen, model, full_rank=True
            )
        regular = seen.regular
        findings.append(regular_finding(seen))
    found = Classification(
        "unconstrained", "none", 0, "skleronomic", True, True, regular, m, (m,),
        integrable=True, findings=tuple(findings), written="none",
        singular_where=seen.vanishing if seen is not None else (),
        warnings=tuple(disguise.ignorable(model)) if model is not None else (),
    )  # fmt: skip
    if model is None or extra is None:
        return found
    return _with_accelerations(found, model, extra, Allowance(2 * effort, effort // 2))


def _with_accelerations(
    found: Classification, model: System, extra: OnAccelerations, allowance: Allowance
) -> Classification:
    """The verdicts, with what constraints on accelerations change in them (SCOPE L9)."""
    warnings = disguise.redundant([str(e) for e in model.acceleration_constraints], extra.redundant)
    if not extra.independent:
        return replace(found, warnings=(*found.warnings, *warnings))
    origin = origin_of(model, allowance)
    holonomy, integrable = origin.finding, origin.integrable
    if found.integrable is False:  # what is said about the velocity constraints stays
        holonomy, integrable = replace(holonomy, question="accelerations"), False
    replaced = {"regular": extra.regular_finding}
    if found.time == "skleronomic":
        replaced["time"] = extra.time_finding
    findings = [f for f in found.findings if f.question not in replaced and f.answer != "unconstrained"]
    findings = [holonomy, *([origin.kept] if origin.kept else []), *findings, *replaced.values()]
    return replace(
        found,
        holonomy="nonholonomic" if integrable is False else holonomy.answer,
        integrable=integrable,
        time="rheonomic" if extra.rheonomic else found.time,
        regular=extra.regular,
        degrees_of_freedom=found.degrees_of_freedom - extra.independent,
        findings=tuple(findings),
        warnings=(*found.warnings, *warnings),
    )


def _branch(task: Task, given: ConstraintData, original: ConstraintData, depth: int = 0) -> Classification:
    """One branch: `given` is at the values of the parameters, `original` still has symbols."""
    Q = Constraint(given, symbolic=False, effort=task.allowance.total)
    if not Q.points:
        if task.allowance.attempt(Q.field, lambda: Q.exact and is_empty(Q, [])):
            return _nothing(given, CONTRADICTION, PROVED)
        return _nothing(given, NOWHERE)
    if Q.survey.hidden > 0 and depth < 3:
        extended, words = hidden_positions(Q, task.allowance)
        if extended is not None:
            result = _branch(task, extended, extended, depth + 1)
            finding = Finding("rank", "hidden", words, PROVED, "(46)")
            return replace(result, findings=(finding, *result.findings))
    missed = _missed(task, Q) if depth < 3 else None
    if missed is not None:
        a, evidence = missed
        first = _with_first(given, a)
        if _missed(task, Constraint(first, symbolic=False, effort=task.allowance.total)) is None:
            return _branch(task, first, first, 3)
        return _nothing(given, UNEQUAL.format(given.names[a], evidence))
    if Q.survey.rank == 0 or not any(Q.survey.charts) or not locals_of(Q):
        return _nothing(given, SINGULAR)
    return Work(task, Q, _with_symbols(given, original)).run()


def _missed(task: Task, Q: Constraint) -> tuple[int, Evidence] | None:
    """A constraint that is left out as redundant, but proved not to follow from those that are kept."""
    for a in Q.survey.redundant if Q.exact else ():
        follows, evidence = vanish_on(Q, [Q.all_functions[a]], task.allowance)
        if follows is False and evidence.proved:
            return a, evidence
    return None


def _with_first(given: ConstraintData, a: int) -> ConstraintData:
    """The same with one velocity constraint before the others: it is kept where one must be left out."""
    k = len(given.position)
    order = [a - k, *(i for i in range(len(given.velocity)) if i != a - k)]
    labels = (*given.names[:k], *(given.names[k + i] for i in order))
    return replace(given, velocity=tuple(given.velocity[i] for i in order), labels=labels)


def _with_symbols(branch: ConstraintData, original: ConstraintData) -> ConstraintData:
    """The branch with parameters as symbols, where it is the whole constraint; else the branch itself."""
    shapes = [plain(f) for f in original.velocity]
    if all(len(s.ways) == 1 for s in shapes):
        said = replace(original, velocity=tuple(e for s in shapes for e in s.ways[0]), labels=())
        for written in (original, said):
            if written.at_values().velocity == branch.velocity:
                return written
    return branch


def _phase_space(model: System) -> Classification:
    """A phase space with a bracket has constraints on its points: kinds of constraints on velocities are no
    question there.
    """
    words = (
        "the variables are those of a phase space, and their motion is of first order: kinds of constraints "
        "on velocities do not apply; ch.poisson(system) has rank, Casimir functions and multipliers"
    )
    return Classification(
        NOT_APPLICABLE, NOT_APPLICABLE, None, NOT_APPLICABLE, None, None, None, model.degrees_of_freedom, (),
        findings=(Finding("holonomy", NOT_APPLICABLE, words, NONE, "B13"),),
    )  # fmt: skip


def _nothing(given: ConstraintData, words: str, evidence: Evidence = NONE) -> Classification:
    finding = Finding("holonomy", "undecided", words, evidence, "(46)")
    return Classification(
        "undecided", "undecided", None, "undecided", None, None, None, len(given.coordinates), (),
        findings=(finding,), equations=given.velocity,
    )  # fmt: skip
