"""The answer to "which kind of constraint do I have?" (SCOPE K18, K23; issue "Geometry of the constraint").

A :class:`Classification` is plain, frozen data. Every verdict has a reason in words, the evidence (proved,
or tested at so many points) and the theorem; :meth:`Classification.to_json` gives it to programs.

Words: *holonomic* — all constraints are on positions; *semiholonomic* — the velocity constraints are
integrable (their canonical distribution is, Theorem 7): they are position constraints whose constants the
initial state fixes; *nonholonomic* — they are not. `integrable` is True for the first two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from chetaev.constraint.submanifold.evidence import Finding
from chetaev.constraint.submanifold.normal_form import NormalForm
from chetaev.expr.graph.node import Expr
from chetaev.expr.print import to_latex
from chetaev.results import brief

NOT_APPLICABLE = "not applicable"
"""The verdict on constraints of velocities where there are none to ask about: on a phase space."""


@dataclass(frozen=True)
class Integral:
    """A function u(t, q) that the constraint keeps constant."""

    expression: Expr
    """u."""
    value: float | None = None
    """Its constant at the initial state; None without one."""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"expression": str(self.expression), "value": self.value}

    def __str__(self) -> str:
        constant = "const" if self.value is None else f"{self.value:.12g}"
        return f"{self.expression} = {constant}"


@dataclass(frozen=True)
class Classification:
    """Which kind of constraint a system has.

    Attributes
    ----------
    holonomy
        "unconstrained", "holonomic", "semiholonomic", "nonholonomic"; "undecided" where no answer can be
        given, "not applicable" on a phase space with a bracket, as all that is about velocities.
    velocities
        "none", "linear", "affine" or "nonlinear": the constraint on Q itself, however it is written.
    written
        The same for the equations as they are written.
    degree
        The degree in the velocities: 0 without velocity constraints, 1 for linear and affine, the degree of
        the polynomial equations, None if there are none.
    time
        "skleronomic" if ∂/∂t is tangent to Q, else "rheonomic".
    homogeneous
        Whether Q is invariant under v → λv, λ > 0.
    projectable
        Whether the canonical distribution projects onto Y (Theorem 6: iff affine).
    regular
        Whether B̄ of (86) is invertible at generic points.
    growth_vector
        Ranks of D, D + [D, D], …: on configuration space if the constraint is linear and skleronomic, on
        space-time if it is affine otherwise, on Q if it is nonlinear (`growth_on` says which).
    integrable
        Whether all constraints are integrable; None if undecided.
    integrable_dimension
        How many independent functions u(t, q) the constraints keep constant.
    integrals
        Those found in closed form.
    normal_forms
        The constraints solved for velocities, where that is possible in closed form.
    singular_where, rank_fails_where
        Functions: B̄ is singular where one of the first vanishes, rank ∂f/∂v falls where all of the second do.
    branches
        The classifications of the branches, if the constraint is a union of several.
    warnings
        Constraints in disguise, in sentences.
    """

    holonomy: str
    velocities: str
    degree: int | None
    time: str
    homogeneous: bool | None
    projectable: bool | None
    regular: bool | None
    degrees_of_freedom: int
    growth_vector: tuple[int, ...]
    growth_on: str = "configuration space"
    written: str = ""
    integrable: bool | None = None
    codimension: int = 0
    integrable_dimension: int = 0
    integrals: tuple[Integral, ...] = ()
    normal_forms: tuple[NormalForm, ...] = ()
    singular_where: tuple[Expr, ...] = ()
    rank_fails_where: tuple[Expr, ...] = ()
    branches: tuple[Classification, ...] = ()
    equations: tuple[Expr, ...] = ()
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The findings in words."""
        return tuple(map(str, self.findings))

    @property
    def kind(self) -> str:
        """The verdict in a few words."""
        return ", ".join(self.kinds)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The verdict, one thing after the other."""
        if self.holonomy in ("unconstrained", NOT_APPLICABLE):
            return (self.holonomy,)
        words = [self.holonomy]
        if self.velocities != "none":
            degree = f" of degree {self.degree}" if self.velocities == "nonlinear" and self.degree else ""
            words.append(self.velocities + degree)
        words.append(
            "scleronomic" if self.time == "skleronomic" else self.time
        )  # the value is Greek, the prose English
        words += [f"union of {f.answer} branches" for f in self.findings if f.question == "branches"][:1]
        return tuple(dict.fromkeys(words))

    def reason(self, question: str) -> str:
        """The reason for one verdict, such as ``reason("holonomy")``."""
        return "; ".join(str(f) for f in self.findings if f.question == question)

    __repr__ = brief

    def __str__(self) -> str:
        n = self.degrees_of_freedom
        freedom = (
            f"; {n} degree{'' if n == 1 else 's'} of freedom"
            if self.holonomy not in (NOT_APPLICABLE, "undecided")
            else ""
        )
        lines = [f"{self.kind}{freedom}"]
        lines += [f"  - {r}" for r in self.reasons]
        if self.integrals:
            lines.append("  integrals: " + ", ".join(map(str, self.integrals)))
        lines += [f"  normal form: {n.brief}" for n in self.normal_forms]
        for i, branch in enumerate(self.branches, 1):
            lines.append(f"  branch {i} ({', '.join(f'{e} = 0' for e in branch.equations)}): {branch.kind}")
        lines += [f"  warning: {w}" for w in self.warnings]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """As plain data: lists, numbers, texts."""
        return {name: _plain(getattr(self, name)) for name in (*self.__dataclass_fields__, "reasons", "kind")}

    def _rows(self) -> list[tuple[str, Any]]:
        if self.holonomy == NOT_APPLICABLE:
            return [("constraint", self.kind), *(("because", r) for r in self.reasons)]
        rows: list[tuple[str, Any]] = [
            ("constraint", self.kind),
            ("degrees of freedom", self.degrees_of_freedom),
            ("growth vector", f"({', '.join(map(str, self.growth_vector))}) on {self.growth_on}"),
            ("homogeneous", _yes(self.homogeneous)),
            ("projectable", _yes(self.projectable)),
            ("regular", _yes(self.regular)),
        ]
        rows += [("integral", u) for u in self.integrals]
        rows += [("normal form", n.brief) for n in self.normal_forms]
        rows += [("because", r) for r in self.reasons]
        rows += [("warning", w) for w in self.warnings]
        return rows

    def _repr_html_(self) -> str:
        body = "".join(f"<tr><th>{escape(a)}</th><td>{escape(str(b))}</td></tr>" for a, b in self._rows())
        return f"<table>{body}</table>"

    def latex(self) -> str:
        """A LaTeX tabular with the verdicts; integrals as formulas."""
        rows = [f"{name} & {_tex(value)} \\\\" for name, value in self._rows()]
        return "\\begin{tabular}{ll}\n" + "\n".join(rows) + "\n\\end{tabular}"


def _plain(value: Any) -> Any:
    """Lists, numbers and texts: an expression as text in the model language."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Classification | Finding | Integral):
        return value.to_json()
    return str(value) if isinstance(value, Expr | NormalForm) else value


def _yes(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "undecided"}[value]


def _tex(value: Any) -> str:
    if isinstance(value, Integral):
        return f"${to_latex(value.expression)} = \\mathrm{{const}}$"
    special = {
        "_": r"\_",
        "^": r"\^{}",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
    }
    return "".join(special.get(c, c) for c in str(value))
