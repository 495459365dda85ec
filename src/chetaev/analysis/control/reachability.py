"""What `ch.accessibility` returns: verdicts with their evidence."""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.analysis.control.linear_control import LinearControl
from chetaev.analysis.control.local_control import LocalControl
from chetaev.analysis.control.symmetric_products import AtRest
from chetaev.analysis.linear.linearization import written
from chetaev.expr.graph.node import Expr
from chetaev.results import Table, TableResult

WORDS = {True: "yes", False: "no", None: "undecided"}


@dataclass(frozen=True)
class Accessibility(TableResult):
    """Where inputs can take a system.

    Attributes
    ----------
    level
        ``"kinematic"``: the inputs are velocities; ``"dynamic"``: forces or parameters of the law.
    inputs
        Their names.
    dimension
        Of the state space.
    growth_vector
        Ranks of the brackets of X and Y_a, of one field, of two, …, at generic points.
    accessible
        Whether the states reached from generic points have an interior.
    strongly_accessible
        Whether those reached at one time have; None where it is not decided.
    brackets
        Brackets that span, by name, if they do.
    obstruction
        If they do not: 1-forms that vanish along X and all Y_a and their brackets, as text.
    invariants
        Functions that neither the motion nor an input changes.
    state
        The state that was asked about, by name; empty if none was.
    accessible_there
        Whether brackets span at that state; None where neither is shown.
    controllable
        Whether the system is small-time locally controllable there, with the reason.
    linear
        Kalman's test there; None without a state or without exact values.
    at_rest
        What symmetric products say, for mechanical systems without potential; else None.
    remarks
        What else is known.
    evidence
        How the verdicts at generic points are known.
    """

    level: str
    inputs: tuple[str, ...]
    dimension: int
    growth_vector: tuple[int, ...]
    accessible: bool | None
    strongly_accessible: bool | None
    brackets: tuple[str, ...]
    obstruction: tuple[str, ...]
    invariants: tuple[Expr, ...]
    state: dict[str, str]
    accessible_there: bool | None
    controllable: LocalControl | None
    linear: LinearControl | None
    at_rest: AtRest | None
    remarks: tuple[str, ...]
    evidence: str

    def rows(self) -> list[tuple[str, str, str]]:
        """Question, answer, reason."""
        ranks = ", ".join(map(str, self.growth_vector))
        span = f"brackets have the ranks {ranks} of {self.dimension}" if ranks else "their brackets"
        if self.brackets:
            span += f"; {', '.join(self.brackets)} span"
        if self.invariants:
            span += f"; nothing changes {', '.join(map(str, self.invariants))}"
        elif self.obstruction:
            span += f"; {', '.join(self.obstruction)} vanishes on all of them"
        found = [
            ("accessible", WORDS[self.accessible], f"{span} ({self.evidence})"),
            ("strongly accessible", WORDS[self.strongly_accessible], ""),
        ]
        if self.state:
            found.append(("accessible there", WORDS[self.accessible_there], ""))
        if self.controllable is not None:
            said = self.controllable
            source = f" ({said.source})" if said.source else ""
            found.append(("locally controllable there", WORDS[said.verdict], said.reason + source))
        if self.linear is not None:
            found += self._linear_rows(self.linear)
        if self.at_rest is not None:
            found += self._rest_rows(self.at_rest)
        return found

    def _linear_rows(self, linear: LinearControl) -> list[tuple[str, str, str]]:
        where = "at the equilibrium" if linear.equilibrium else "along the motion from there"
        reason = f"rank {linear.rank} of {linear.full} {where}"
        found = [("linear system controllable", WORDS[linear.controllable], reason)]
        if linear.equilibrium:
            why = ""
            if linear.spectrum is not None:
                fixed = [written(complex(z)) for z in linear.spectrum.values]
                why = f"no input changes the eigenvalue{'s' if len(fixed) > 1 else ''} {', '.join(fixed)}"
            found.append(("stabilizable by linear feedback", WORDS[linear.stabilizable], why))
        return found

    def _rest_rows(self, rest: AtRest) -> list[tuple[str, str, str]]:
        whose = "its" if len(rest.products) == 1 else "their"
        reason = f"{', '.join(rest.products)} and {whose} brackets have rank {rest.lie_rank} of {rest.full}"
        found = [("positions accessible from rest", WORDS[rest.configuration_accessible], reason)]
        if self.state and rest.reason:
            found.append(
                ("positions controllable from rest", WORDS[rest.configuration_controllable], rest.reason)
            )
        return found

    def __str__(self) -> str:
        what = "velocities" if self.level == "kinematic" else "inputs"
        head = f"{what} {', '.join(self.inputs)}; states have the dimension {self.dimension}"
        if self.state:
            head += "\nat " + ", ".join(f"{n} = {x}" for n, x in self.state.items())
        lines = [head]
        for question, answer, reason in self.rows():
            lines.append(f"{question}: {answer}" + (f"\n  {reason}" if reason else ""))
        return "\n".join([*lines, *self.remarks])

    def _table_(self) -> Table:
        caption = f"{self.level}, inputs {', '.join(self.inputs)}"
        return Table(("question", "", "because"), tuple(self.rows()), caption)
