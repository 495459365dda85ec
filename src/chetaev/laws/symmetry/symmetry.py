"""A symmetry as a value: its components, what it is a symmetry of, and how each of these is known (SCOPE
K10, Sa7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr
from chetaev.expr.print import to_text
from chetaev.laws.standpoint import decisive
from chetaev.laws.symmetry.given_fields import combination
from chetaev.results import TextResult


@dataclass(frozen=True)
class Answer:
    """True, False or None, and how it is known: in words, whether by a proof, and for which parameters."""

    holds: bool | None
    evidence: str
    proved: bool = False
    parameters: str = ""
    strict: bool = True
    """Of L: not only up to a total derivative."""

    def __str__(self) -> str:
        words = {True: "yes", False: "no", None: "undecided"}[self.holds]
        return f"{words} ({self.evidence})"


NOT_ASKED = Answer(None, "not asked")


def answer_of(verdicts: Sequence[Verdict], parameters: str = "") -> Answer:
    """Whether all functions vanish."""
    where = f" {parameters}" if parameters else ""
    for v in verdicts:
        if v.is_zero is False:
            return Answer(False, f"{v.how}{where}: {v.method}", v.proved, parameters)
    for v in verdicts:
        if v.is_zero is None:
            return Answer(None, str(v))
    weakest = decisive(verdicts)
    return Answer(True, f"{weakest.how}{where}", weakest.proved, parameters)


@dataclass(frozen=True)
class Symmetry(TextResult):
    """A field, or the 1-form of an adjoint symmetry, and what it is a symmetry of.

    Attributes
    ----------
    kind
        ``"point"``, ``"dynamical"`` or ``"adjoint"``.
    components
        By name of the coordinate, the time with its own name; zero where left out. For an adjoint symmetry
        the a_s of independent and the c_a of dependent coordinates.
    dynamics
        Whether motions go to motions (for an adjoint symmetry, whether the adjoint equation holds).
    lagrangian, constraint, connection
        Whether it is a symmetry of L (strict, or up to the derivative of `divergence`), of the constraint,
        of the constrained connection; None where the question has no meaning, with the reason.
    divergence
        f with ξ^(1)(L) + L τ' = df/dt; None unless found.
    integral, new_lagrangian
        For an adjoint symmetry: a first integral F, or a Lagrangian L* of the second-order part, if it
        gives one (Sa8).
    """

    kind: str
    components: Mapping[str, Expr]
    dynamics: Answer
    lagrangian: Answer = NOT_ASKED
    constraint: Answer = NOT_ASKED
    connection: Answer = NOT_ASKED
    divergence: Expr | None = None
    integral: Expr | None = None
    new_lagrangian: Expr | None = None
    remark: str = ""

    @property
    def of_dynamics(self) -> bool | None:
        """Whether it is a symmetry of the motion."""
        return self.dynamics.holds

    @property
    def of_lagrangian(self) -> bool | None:
        """Whether it is a symmetry of L, perhaps up to a divergence."""
        return self.lagrangian.holds

    @property
    def of_constraint(self) -> bool | None:
        """Whether it is a symmetry of the constraint."""
        return self.constraint.holds

    @property
    def of_connection(self) -> bool | None:
        """Whether it is a symmetry of the constrained connection."""
        return self.connection.holds

    @property
    def evidence(self) -> str:
        """How it is known to be a symmetry of the motion, or not to be one."""
        return self.dynamics.evidence

    @property
    def words(self) -> str:
        """The field as it is written."""
        return combination(self.components, "ω^" if self.kind == "adjoint" else "∂/∂")

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        answers = {"dynamics": self.dynamics}
        if self.kind != "adjoint":
            answers |= {
                "lagrangian": self.lagrangian,
                "constraint": self.constraint,
                "connection": self.connection,
            }
        data: dict[str, Any] = {
            "kind": self.kind,
            "components": {n: to_text(e) for n, e in self.components.items()},
            "field": self.words,
        }
        data |= {f"of_{name}": a.holds for name, a in answers.items()}
        data["evidence"] = {name: a.evidence for name, a in answers.items()}
        for name, e in (
            ("divergence", self.divergence), ("integral", self.integral), ("lagrangian", self.new_lagrangian)
        ):  # fmt: skip
            if e is not None:
                data[name] = to_text(e)
        return data | ({"remark": self.remark} if self.remark else {})

    def __str__(self) -> str:
        verdict = {
            True: "symmetry of the motion", False: "no symmetry of the motion", None: "undecided",
        }[self.of_dynamics]  # fmt: skip
        if self.kind == "adjoint":
            verdict = "adjoint " + verdict if self.of_dynamics else verdict
        parts = [f"{self.words}: {verdict} ({self.evidence})"]
        if self.kind == "point":
            asked = {"L": self.lagrangian, "the constraint": self.constraint}
            asked |= {"the connection": self.connection}
            parts += [f"of {name}: {_word(a.holds)}" for name, a in asked.items() if a != NOT_ASKED]
        if self.divergence is not None:
            parts.append(f"up to d/dt of {to_text(self.divergence)}")
        if self.integral is not None:
            parts.append(f"first integral {to_text(self.integral)}")
        if self.new_lagrangian is not None:
            parts.append(f"Lagrangian {to_text(self.new_lagrangian)}")
        return "; ".join([*parts, *([self.remark] if self.remark else [])])


def _word(holds: bool | None) -> str:
    return {True: "yes", False: "no", None: "—"}[holds]
