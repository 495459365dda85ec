"""The steps of one classification, one after the other, each with its sentence (SCOPE K13, K17, K18, K23).

A union of branches: f = f₁ f₂ … = 0 is one constraint on each branch (SCOPE K13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

from chetaev.constraint.integrability.combination import lift
from chetaev.constraint.integrability.constants_of_the_constraint import find
from chetaev.constraint.integrability.theorem7 import Theorem7, holonomy, theorem7
from chetaev.constraint.kind import disguise, verdicts
from chetaev.constraint.kind.classification import Classification, Integral
from chetaev.constraint.kind.regularity import NamedZeros, Regularity, regularity
from chetaev.constraint.submanifold.affine_in_disguise import affine_part, straighten
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import (
    FACTORED,
    NONE,
    PROVED,
    Allowance,
    Evidence,
    Finding,
    tested,
)
from chetaev.constraint.submanifold.normal_form import normal_forms
from chetaev.constraint.submanifold.reducible import Branches
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.effort import written as effort_text
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, add

if TYPE_CHECKING:
    from chetaev.model.system import System

ENDLESS = "infinitely many"


def unite(given: ConstraintData, choices: Sequence[ConstraintData], parts: Sequence[Classification],
          evidence: Evidence = FACTORED, endless: str = "") -> Classification:  # fmt: skip
    """The classification of a union: that of the branch with the initial state, or the least integrable one.

    Branches without points are left out; `endless` says what infinitely many others differ by.
    """
    pairs = [(g, p) for g, p in zip(choices, parts, strict=True) if p.holonomy != "undecided"]
    if not pairs:
        return parts[0]
    if len(pairs) == 1:
        return pairs[0][1]
    chosen, where = None, "the branch that is farthest from integrable"
    for g, p in pairs:
        if g.state is not None:
            chosen, where = p, "the branch of the initial state"
            break
    if chosen is None:
        order = ("nonholonomic", "semiholonomic", "holonomic")
        chosen = min((p for _, p in pairs), key=lambda p: order.index(p.holonomy))
    equations = " or ".join(f"{', '.join(map(str, p.equations))} = 0" for _, p in pairs)
    count = ENDLESS if endless else str(len(pairs))
    equations += f" {endless}" if endless else ""
    words = f"the constraint is a union of {count} branches: {equations}; the verdicts are those of {where}"
    finding = Finding("branches", count, words, evidence, "(45)")
    return replace(
        chosen,
        branches=tuple(p for _, p in pairs),
        findings=(finding, *chosen.findings),
        equations=given.velocity,
    )


YES_NO = {True: "True", False: "False", None: "undecided"}


@dataclass(frozen=True)
class Task:
    """What all branches share: the constraint as given, the model, the effort left, the factorization."""

    given: ConstraintData
    model: System | None
    allowance: Allowance
    split: Branches


@dataclass
class Work:
    """One branch."""

    task: Task
    """What was asked."""
    Q: Constraint
    """The branch, parameters put in."""
    given: ConstraintData
    """The branch with parameters as symbols, where that is possible, for display."""
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.allowance = self.task.allowance
        self.symbolic = Constraint(self.given, effort=self.Q.effort)
        at_values = self.given.at_values()
        if at_values.functions == self.Q.given.functions:
            if self.given.values:
                self.symbolic.share_points(self.Q)
            else:  # without parameters it is the same constraint: nothing is computed twice
                self.symbolic = self.Q

    def say(self, question: str, answer: str, reason: str, evidence: Evidence, source: str = "") -> None:
        """One more finding."""
        self.findings.append(Finding(question, answer, reason, evidence, source))

    def run(self) -> Classification:
        """All steps."""
        as_given = self.symbolic if self.task.given is self.given else Constraint(self.task.given)
        written, degree = verdicts.written(as_given)[0], verdicts.written(self.symbolic)[1]
        written = "none" if self.Q.is_holonomic_as_written else written
        T = theorem7(self.Q, self.allowance)
        core = self.Q
        if T.affine and not core.is_affine_as_written:
            core, sheets, endless = straighten(self.Q, self.allowance)
            solved = Evidence(method="found by solving for a velocity")
            if sheets:
                parts = [
                    Work(self.task, Constraint(s, symbolic=False, effort=self.Q.effort), s).run()
                    for s in sheets
                ]
                return unite(self.given, sheets, parts, solved, endless)
            if endless:
                words = f"the constraint is a union of {ENDLESS} branches, {endless}"
                self.say("branches", ENDLESS, f"{words}; the verdicts are those of one", solved, "(45)")
            if core is not self.Q:
                T = theorem7(core, self.allowance)
        cone, cone_evidence = verdicts.homogeneous(core, self.allowance)
        still, still_evidence = verdicts.skleronomic(core, self.allowance)
        kind, bent = self.velocities(core, T, cone, written)
        split = bool(T.affine) and cone is True and still is True
        growth = verdicts.growth_vector(core, bool(T.affine), split, self.allowance)
        verdict, whole, finding = holonomy(core, T, growth, bent)
        self.findings.insert(0, finding)
        integrals = self.integrals(core, growth.integrals)
        self.time_and_cone(still, still_evidence, cone, cone_evidence)
        regular = self.regularity()
        fails = self.rank()
        self.branching()
        forms = normal_forms(self.symbolic, self.allowance) if written != "none" else []
        return Classification(
            holonomy=verdict,
            velocities=kind,
            degree=1 if kind in ("linear", "affine") else 0 if kind == "none" else degree,
            time={True: "skleronomic", False: "rheonomic", None: "undecided"}[still],
            homogeneous=cone,
            projectable=T.affine,
            regular=None if regular is None else regular.regular,
            degrees_of_freedom=len(core.coordinates) - self.Q.codimension,
            growth_vector=growth.ranks,
            growth_on=growth.space,
            written=written,
            integrable=whole,
            codimension=self.Q.codimension,
            integrable_dimension=growth.integrals,
            integrals=integrals,
            normal_forms=tuple(forms),
            singular_where=() if regular is None else regular.vanishing,
            rank_fails_where=fails,
            equations=self.given.velocity,
            warnings=self.warnings(integrals, growth.integrals, regular),
            findings=tuple(self.findings),
        )

    # --- parts ------------------------------------------------------------------------------------
    def velocities(self, Q: Constraint, T: Theorem7, cone: bool | None, written: str) -> tuple[str, Evidence]:
        """Linear, affine or nonlinear on Q, and the proof that it is not affine if there is one."""
        if written == "none":
            self.say("velocities", "none", "no constraint is on velocities", PROVED)
            return "none", NONE
        if T.affine is None:
            kind, answer = "undecided", "may or may not project"
        elif T.affine:
            kind, answer = "linear" if cone else "affine", "projects"
        else:
            kind, answer = "nonlinear", "does not project"
        if Q.is_affine_as_written:
            evidence = Evidence(True, "no ∂f/∂v contains a velocity")
        else:
            evidence = verdicts.bending(Q, bool(T.affine), self.allowance) or self.allowance.tested(T.points)
        self.findings.append(verdicts.finding_of_velocities(kind, written, evidence))
        words = f"the canonical distribution {answer} onto Y"
        self.say("projectable", YES_NO[T.affine], words, evidence, "Theorem 6")
        return kind, evidence if T.affine is False else NONE

    def integrals(self, Q: Constraint, dimension: int) -> tuple[Integral, ...]:
        """Functions u(t, q) that stay constant, in closed form where found."""
        if dimension <= 0:
            return ()
        if Q.is_holonomic_as_written:
            return tuple(replace(self.integral(_flat(e)), value=0.0) for e in self.given.position)
        part = affine_part(Q)
        if part is None:
            return ()
        self.allowance.exhausted = False
        found = find(part, dimension, self.allowance)
        symbolic = part is Q and self.symbolic.exact and self.symbolic.is_affine_as_written
        shown = tuple(self.integral(lift(u, self.symbolic) if symbolic else u.to_expr()) for u in found)
        given = [Integral(_flat(e), 0.0) for e in self.given.position[: len(Q.positions)]]
        shown = (*given, *shown[len(given) :])  # the first ones: as they were given, with the constant
        missing = dimension - len(found)
        words = f"the constraints keep {dimension} function{'s' if dimension > 1 else ''} u(t, q) constant"
        if missing:
            words += f", {missing} of them not found in closed form"
            if self.allowance.exhausted:
                words += f" within effort {effort_text(self.allowance.total)}, effort= raises it"
        self.say(
            "integrals",
            str(dimension),
            words,
            Evidence(method="counted") if missing else PROVED,
            "Theorem 7, (52)",
        )
        return shown

    def integral(self, expression: Expr) -> Integral:
        """An integral with its value at the initial state."""
        state = self.given.state
        value = None
        if state is not None:
            numbers = {n: float(evaluate([e], {})[0]) for n, e in self.given.values.items()}
            found = float(evaluate([expression], {**numbers, **state})[0])
            value = found if isfinite(found) else None
        return Integral(expression, value)

    def time_and_cone(
        self, still: bool | None, still_evidence: Evidence, cone: bool | None, cone_evidence: Evidence
    ) -> None:
        """The sentences about t and v → λv, λ > 0."""
        tangent = {
            True: "∂/∂t is tangent to Q",
            False: "∂/∂t is not tangent to Q: time occurs in the constraint",
            None: "whether ∂/∂t is tangent to Q is undecided",
        }
        invariant = {
            True: "Q is invariant under v → λv, λ > 0",
            False: "Q is not invariant under v → λv, λ > 0",
            None: "whether Q is invariant under v → λv, λ > 0 is undecided",
        }
        self.say("time", YES_NO[still], tangent[still], still_evidence)
        self.say("homogeneous", YES_NO[cone], invariant[cone], cone_evidence)

    def regularity(self) -> Regularity | None:
        """Regularity of B̄, if there is a Lagrangian."""
        model = self.task.model
        if model is None:
            return None
        found = regularity(model, self.symbolic, self.allowance)
        found = self.zeros.of_determinant(found, model, self.rank_everywhere)
        self.findings.append(regular_finding(found))
        return found

    def rank(self) -> tuple[Expr, ...]:
        """The sentences about the rank condition; the functions whose common zeros it fails at."""
        survey, count = self.Q.survey, len(self.given.names)
        if survey.redundant:
            words = f"of {count} constraints {survey.rank} {'is' if survey.rank == 1 else 'are'} independent"
            self.say("rank", str(survey.rank), words, tested(len(self.Q.points)), "(46)")
        condition = self.symbolic.rank_condition
        if self.rank_everywhere:
            where = "everywhere" if self._differentiable() else "wherever ∂f/∂v exists"
            self.say("rank", str(condition.rank), f"the rank condition holds {where}", PROVED, "(46)")
            return ()
        if not condition.vanishing:
            return ()
        fails = condition.vanishing
        listed = condition.where
        words = f"the rank condition fails where {listed}"
        if not self.zeros.met(condition.vanishing):
            words = f"the rank condition can fail only where {listed}, and no such point of Q was found"
        if len(listed) < 240:
            self.say("rank", str(condition.rank), words, Evidence(True, "maximal minors"), "(46)")
        return fails

    @cached_property
    def rank_everywhere(self) -> bool:
        """Whether it is proved that the rank condition holds on all of Q."""
        condition = self.symbolic.rank_condition
        if condition.everywhere or not condition.vanishing:
            return bool(condition.everywhere)
        return self.zeros.nowhere(condition.vanishing)

    def _differentiable(self) -> bool:
        """Whether ∂f/∂v is proved to exist on all of Q: roots and signs are of what vanishes nowhere."""
        return all(
            e.op in ("sqrt", "pow", "abs", "sign") and self.zeros.nowhere((e.args[0],))
            for e in self.Q.given.rough
        )

    @property
    def zeros(self) -> NamedZeros:
        """Whom to ask where functions vanish on Q."""
        return NamedZeros(self.Q, self.given, self.allowance)

    def branching(self) -> None:
        """The sentences about branches, factors and powers."""
        for text in self.task.given.branching:
            self.say(
                "branch",
                text,
                f"the constraint holds on the branch chosen by {text}",
                Evidence(method="as written"),
            )
        for e in self.task.split.dropped:
            self.say("branch", str(e), f"a factor is left out: the constraint is meant where {e} ≠ 0", NONE)
        for f, ways in self.task.split.blunt:
            words = f"{f} = 0 means {disguise.meaning(ways)}; ∂f/∂v is zero or not defined wherever it holds"
            self.say("rank", "lost as written", words, PROVED, "(46)")
        for f, ways in self.task.split.touching:
            words = f"with the other constraints {f} = 0 means {disguise.meaning(ways)}; {disguise.TOUCHES}"
            self.say("rank", "lost as written", words, PROVED, "(46)")
        for e in self.task.split.powers:
            self.say("branch", str(e), f"a power of {e} is replaced by {e}", FACTORED)

    def warnings(
        self, integrals: tuple[Integral, ...], dimension: int, regular: Regularity | None
    ) -> tuple[str, ...]:
        """Constraints in disguise, and singular initial states."""
        Q, names = self.Q, list(self.given.names)
        found = disguise.integrable(
            integrals, dimension, len(self.given.position), tuple(names), Q.survey.redundant
        )
        found += disguise.redundant(names, Q.survey.redundant)
        found += [disguise.blunt(f, w) for f, w in (*self.task.split.blunt, *self.task.split.touching)]
        if Q.survey.hidden > 0:
            found.append("the velocity constraints imply a relation between positions, which was not found")
        if any(z is Q.start for z in Q.survey.failures):
            found.append("the rank condition (46) fails at the initial state")
        if regular is not None and regular.singular_at_start:
            found.append(
                "B̄ of (86) is singular at the initial state: the accelerations are not determined there"
            )
        if self.task.model is not None and len(self.task.split.choices) == 1:
            found += disguise.does_nothing(self.task.model, Q, names) + disguise.ignorable(self.task.model)
        return tuple(found)


def _flat(e: Expr) -> Expr:
    """(a + b) − c as one sum."""
    if e.op != "add" or e.args[0].op != "add":
        return e
    return add(*e.args[0].args, *e.args[1:])


def regular_finding(found: Regularity) -> Finding:
    """The sentence about B̄."""
    return Finding("regular", YES_NO[found.regular], str(found), tested(found.points), "(86)", found)
