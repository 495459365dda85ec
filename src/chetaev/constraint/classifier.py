"""Which kind of constraint does a system have? (SCOPE K13, K16–K18, K23; the public entry ``ch.classify``)

Everything is decided on Q = {f = 0} at the given values of the parameters, in space-time (t, q, v), and not by
the way the equations are written. Points decide every "no"; exact algebra proves every "yes" within its budget of
time, and what it does not prove is said to be tested. The conditions of Theorem 7 and the growth vector must agree.

>>> from chetaev.constraint.given import Given
>>> print(classify(Given.of(["x' + z*z' = 0"], ["x", "y", "z"])).kind)
semiholonomic, linear, skleronomic
>>> print(classify(Given.of(["x' + y*z' = 0"], ["x", "y", "z"])).kind)
nonholonomic, linear, skleronomic
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chetaev.constraint import disguise, verdicts
from chetaev.constraint.classification import Classification, Integral
from chetaev.constraint.evidence import Clock, Finding, tested
from chetaev.constraint.given import Given
from chetaev.constraint.hidden import hidden_positions
from chetaev.constraint.integrals import find, lift
from chetaev.constraint.reducible import Branches, branches
from chetaev.constraint.regularity import Regularity, regularity
from chetaev.constraint.submanifold import Constraint
from chetaev.constraint.theorem7 import locals_of, theorem7
from chetaev.constraint.unite import unite
from chetaev.expr.latex import to_latex

if TYPE_CHECKING:
    from chetaev.model.system import System

SECONDS = 2.0
SINGULAR = "the constraint is singular everywhere: the rank condition (46) fails at all points found"


def classify(system: System | Given, seconds: float = SECONDS) -> Classification:
    """The classification of a system's constraints.

    Parameters
    ----------
    system
        A model, or constraint functions alone (then nothing is said about regularity).
    seconds
        Time for exact proofs; beyond it verdicts rest on points.
    """
    model = None if isinstance(system, Given) else system
    given = system if isinstance(system, Given) else Given.from_system(system)
    clock = Clock(seconds, seconds / 4)
    accelerations = len(model.acceleration_constraints) if model is not None else 0
    if not given.velocity and not given.position:
        return _free(given, model, accelerations)
    split = branches(given) if given.velocity else Branches((given,))
    parts = [_classify(choice, given, model, clock, split) for choice in split.choices]
    result = parts[0] if len(parts) == 1 else unite(given, split.choices, parts)
    if accelerations:
        result = replace(result, degrees_of_freedom=result.degrees_of_freedom - accelerations)
    return result


def _free(given: Given, model: System | None, accelerations: int) -> Classification:
    m = len(given.coordinates)
    findings = [Finding("holonomy", "unconstrained", "there are no constraints", "proved")]
    holonomy, warnings = "unconstrained", []
    if accelerations:
        words = "the constraint is on accelerations: it restricts J²Y and leaves J¹Y free, so Theorem 7 does not apply"
        findings = [Finding("holonomy", "nonholonomic", words, "proved", "SCOPE L9")]
        holonomy = "nonholonomic"
    regular = None
    if model is not None:
        found = regularity(model)
        regular = found.regular
        findings.append(_regular(found))
        warnings = disguise.ignorable(model)
    return Classification(
        holonomy, "none", 0, "skleronomic", True, True, regular, m - accelerations, (m,),
        tuple(str(f) for f in findings), integrable=not accelerations, warnings=tuple(warnings),
        findings=tuple(findings), codimension=0,
    )  # fmt: skip


def _classify(
    given: Given, original: Given, model: System | None, clock: Clock, split: Branches, depth: int = 0
) -> Classification:
    """One branch: given is at the values of the parameters, original still has symbols."""
    Q = Constraint(given, symbolic=False)
    if not Q.points:
        return _nothing(given, "no point that satisfies the constraints was found")
    survey = Q.survey
    if survey.rank and not any(survey.charts):
        return _nothing(given, SINGULAR)
    if survey.hidden > 0 and depth < 3:
        extended, words = hidden_positions(Q, clock)
        if extended is not None:
            result = _classify(extended, extended, model, clock, split, depth + 1)
            finding = Finding("rank", "hidden", words, "proved", "(46)")
            return replace(
                result, findings=(finding, *result.findings), reasons=(str(finding), *result.reasons)
            )
    if survey.rank == 0:
        return _nothing(
            given,
            "the constraint is singular everywhere: ∂f/∂v = 0 at all points found, the rank condition (46) fails",
        )
    return _Work(Q, original if len(split.choices) == 1 else given, model, clock, split, original).run()


def _nothing(given: Given, words: str) -> Classification:
    finding = Finding("holonomy", "undecided", words, "", "(46)")
    return Classification(
        "undecided", "undecided", None, "undecided", None, None, False, len(given.coordinates), (),
        (str(finding),), findings=(finding,), equations=tuple(map(str, given.velocity)),
    )  # fmt: skip


class _Work:
    """The steps of one classification."""

    def __init__(
        self, Q: Constraint, original: Given, model: System | None, clock: Clock, split: Branches, root: Given
    ) -> None:
        self.Q, self.original, self.model, self.clock, self.split, self.root = (
            Q,
            original,
            model,
            clock,
            split,
            root,
        )
        self.findings: list[Finding] = []
        self.symbolic = Constraint(original)

    def say(self, question: str, answer: str, reason: str, evidence: str, source: str = "") -> None:
        self.findings.append(Finding(question, answer, reason, evidence, source))

    def run(self) -> Classification:
        from chetaev.constraint.affine import straighten

        Q, clock = self.Q, self.clock
        as_written, degree = verdicts.written(self.symbolic)
        T = theorem7(Q, clock)
        core, sheets = Q, ()
        if T.affine and not Q.is_affine_as_written:
            core, sheets = straighten(Q, clock)
            if len(sheets) > 1:
                parts = [
                    _Work(Constraint(s, symbolic=False), s, self.model, clock, self.split, self.root).run()
                    for s in sheets
                ]
                return unite(self.original, sheets, parts, "found by solving for a velocity")
            if core is not Q:
                T = theorem7(core, clock)
        cone, cone_evidence = verdicts.homogeneous(core, clock)
        still, still_evidence = verdicts.skleronomic(core, clock)
        kind, bent = self._velocities(core, T.affine, cone, as_written, T.points)
        degree = 1 if kind in ("linear", "affine") else 0 if kind == "none" else degree
        linear = bool(T.affine) and cone is True and still is True
        growth, space, dimension, evidence = verdicts.growth_vector(core, bool(T.affine), linear, clock)
        holonomy, whole = self._holonomy(core, T, growth, space, dimension, evidence, bent)
        integrals = self._integrals(core, dimension)
        time = {True: "skleronomic", False: "rheonomic", None: "undecided"}[still]
        tangent = (
            "∂/∂t is tangent to Q" if still else "∂/∂t is not tangent to Q: time occurs in the constraint"
        )
        self.say("time", time, tangent if still is not None else "undecided", still_evidence)
        self.say(
            "homogeneous", str(cone),
            "Q is invariant under v → λv" if cone else "Q is not invariant under v → λv", cone_evidence,
        )  # fmt: skip
        regular = self._regular()
        return self._result(
            holonomy,
            kind,
            as_written,
            degree,
            time,
            cone,
            T.affine,
            regular,
            growth,
            space,
            whole,
            dimension,
            integrals,
        )

    # --- parts ------------------------------------------------------------------------------------
    def _velocities(
        self, Q: Constraint, affine: bool | None, cone: bool | None, as_written: str, points: int
    ) -> tuple[str, str]:
        if as_written == "none":
            self.say("velocities", "none", "all constraints are on positions", "proved")
            return "none", ""
        kind = (
            "undecided" if affine is None else "nonlinear" if not affine else "linear" if cone else "affine"
        )
        proved = Q.is_affine_as_written
        evidence = "proved: no ∂f/∂v contains a velocity" if proved else tested(points)
        if not proved:
            evidence = verdicts.bending(Q, bool(affine), self.clock) or evidence
        self.findings.append(verdicts.finding_of_velocities(kind, as_written, evidence))
        answer = {"nonlinear": "does not project", "undecided": "may or may not project"}.get(
            kind, "projects"
        )
        self.say(
            "projectable", str(affine), f"the canonical distribution {answer} onto Y", evidence, "Theorem 6"
        )
        return kind, evidence if affine is False else ""

    def _holonomy(
        self,
        Q: Constraint,
        T: object,
        growth: tuple[int, ...],
        space: str,
        dimension: int,
        evidence: str,
        bent: str,
    ) -> tuple[str, bool | None]:
        from chetaev.constraint.holonomy import holonomy

        verdict, whole, finding = holonomy(Q, T, growth, space, dimension, evidence, bent)  # type: ignore[arg-type]
        self.findings.insert(0, finding)
        return verdict, whole

    def _integrals(self, Q: Constraint, dimension: int) -> tuple[Integral, ...]:
        if dimension <= 0:
            return ()
        from chetaev.constraint.affine import affine_part

        if not Q.given.velocity:
            return tuple(Integral(str(e), to_latex(e), self._value(e)) for e in self.original.position)
        part = affine_part(Q)
        if part is None:
            return ()
        found = find(part, dimension, min(1.2, self.clock.end_in))
        shown = []
        for u in found:
            expression = (
                lift(u, self.symbolic) if self.symbolic.is_affine_as_written and part is Q else u.to_expr()
            )
            shown.append(Integral(str(expression), to_latex(expression), self._value(expression)))
        missing = dimension - len(found)
        words = f"the constraints keep {dimension} function{'s' if dimension > 1 else ''} u(t, q) constant"
        if missing:
            words += f", {missing} of them not found in closed form"
        self.say(
            "integrals", str(dimension), words, "verified" if not missing else "counted", "Theorem 7, (52)"
        )
        return tuple(shown)

    def _value(self, expression: object) -> float | None:
        from chetaev.expr.evaluate import evaluate

        state = self.original.state
        if state is None:
            return None
        values = {n: float(evaluate([e], {})[0]) for n, e in self.original.values.items()}
        return float(evaluate([expression], {**values, **state})[0])  # type: ignore[list-item]

    def _regular(self) -> Regularity | None:
        if self.model is None:
            return None
        found = regularity(self.model, self.symbolic, min(0.6, self.clock.end_in + 0.1))
        self.findings.append(_regular(found))
        return found

    def _result(
        self, holonomy: str, kind: str, as_written: str, degree: int | None, time: str, cone: bool | None,
        affine: bool | None, regular: Regularity | None, growth: tuple[int, ...], space: str,
        whole: bool | None, dimension: int, integrals: tuple[Integral, ...],
    ) -> Classification:  # fmt: skip
        Q, given = self.Q, self.original
        names = list(given.names)
        if Q.survey.redundant:
            self.say("rank", str(Q.survey.rank), f"of {len(names)} constraints {Q.survey.rank} are independent",
                     tested(len(Q.points)), "(46)")  # fmt: skip
        for text in self.root.branching:
            self.say("branch", text, f"the constraint holds on the branch chosen by {text}", "as written")
        for e in self.split.dropped:
            self.say(
                "branch",
                str(e),
                f"a factor without velocities is left out: the constraint is meant where {e} ≠ 0",
                "",
            )
        for e in self.split.powers:
            self.say("branch", str(e), f"a power of {e} is replaced by {e}", "proved: factorization")
        rank = self.symbolic.rank_condition if len(names) <= 6 else None
        fails = (
            ()
            if rank is None or rank.vanishing is None or rank.everywhere
            else tuple(map(str, rank.vanishing))
        )
        forms = self.symbolic.normal_forms() if as_written != "none" else []
        warnings = disguise.integrable(integrals, dimension, Q.codimension, len(given.position), tuple(names))
        warnings += disguise.redundant(names, Q.survey.redundant)
        if self.model is not None and len(self.split.choices) == 1:
            warnings += disguise.does_nothing(self.model, Q, names) + disguise.ignorable(self.model)
        return Classification(
            holonomy, kind, degree, time, cone, affine, None if regular is None else regular.regular,
            len(Q.coordinates) - Q.codimension, growth, tuple(str(f) for f in self.findings),
            growth_on=space, written=as_written, integrable=whole, codimension=Q.codimension,
            integrable_dimension=dimension, integrals=integrals, normal_forms=tuple(map(str, forms)),
            singular_where=() if regular is None else tuple(map(str, regular.vanishing)),
            rank_fails_where=fails, equations=tuple(map(str, given.velocity)), warnings=tuple(warnings),
            findings=tuple(self.findings),
        )  # fmt: skip


def _regular(found: Regularity) -> Finding:
    where = ""
    if found.vanishing:
        where = "; singular where " + " or ".join(f"{e} = 0" for e in found.vanishing)
    det = "" if found.determinant is None else f", det = {found.determinant}"
    if found.regular:
        words = f"B̄ of (86) is regular at generic points{det}{where}"
    else:
        words = f"B̄ of (86) has rank {found.rank} of {found.size}{det}"
    return Finding("regular", str(found.regular), words, tested(found.points), "(86)")
