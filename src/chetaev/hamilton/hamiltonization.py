"""`ch.hamiltonize`: a time dτ = N(q) dt in which a Chaplygin system is Hamiltonian, or what obstructs (SCOPE
M4).

The equations of the base (:mod:`chetaev.hamilton.chaplygin_reduction`) are compared with those of L̃(q, q')
= L̄(q, N q') + A·q' − U (:mod:`chetaev.hamilton.reducing_multiplier`), which decides. What is found is then
proved once more by another way: with the accelerations of the whole system,

    (1/N) Γ(∂L̃/∂q'|_{q' = v/N}) − ∂L̃/∂q|_{q' = v/N} = 0    on Q.

"False" says that no N(q) does it with this L̃, whatever A(q) and U(q); the coordinates are those of the
base, so after a further reduction by symmetry the answer may be another.

>>> import chetaev as ch
>>> found = ch.hamiltonize(ch.load("heisenberg"))
>>> found.verdict, str(found.multiplier), str(found.lagrangian)
(True, '1/sqrt(y^2 + 1)', "x'^2/2 + y'^2/(2*(y^2 + 1))")
>>> print(ch.hamiltonize(ch.load("caratheodory-sleigh")).obstruction.kind)
no invariant measure
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import ONE, Expr, symbols
from chetaev.expr.print import to_latex, to_text
from chetaev.hamilton.by_powers_of_momenta import arranged
from chetaev.hamilton.chaplygin_reduction import OnBase, on_base
from chetaev.hamilton.momenta import hamilton
from chetaev.hamilton.potentials import exponential_primitive, function, with_abs
from chetaev.hamilton.reducing_multiplier import (
    Component,
    Simplicity,
    curls,
    measure_form,
    simplicity,
    twisted_curls,
)
from chetaev.laws.inverse.primitive import vector_potential
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.linearized import away_from_kinks
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System, expect_system
from chetaev.results import PlainData, TextResult


@dataclass(frozen=True)
class TimeObstruction(PlainData):
    """What forbids a change of time.

    Attributes
    ----------
    kind
        ``"no Chaplygin system"``, ``"degenerate"``, ``"no invariant measure"``, ``"gyroscopic forces"``,
        ``"magnetic terms"``, ``"forces"`` or ``"undecided"``.
    sentence
        The same in words.
    term
        The function that would have to vanish; None where there is none.
    evidence
        The verdict on it.
    """

    kind: str
    sentence: str
    term: Expr | None = None
    evidence: Verdict | None = None

    def __str__(self) -> str:
        if self.evidence is None or self.evidence.witness is None:
            return self.sentence
        at = ", ".join(f"{name} = {value}" for name, value in self.evidence.witness.items())
        return f"{self.sentence}; it is not zero at {at}" if at else f"{self.sentence}, which is not zero"


@dataclass(frozen=True)
class Hamiltonization(TextResult):
    """The answer.

    Attributes
    ----------
    base, fibre
        The coordinates whose equations close, and the others.
    verdict
        True: Hamiltonian in the time τ; False: in no such time; None: not decided, or the question does not
        apply.
    obstruction
        Why not, where the verdict is not True.
    multiplier
        N(q), up to a constant factor; None where it exists but was not found in closed form.
    logarithmic
        ∂ log N/∂q by name, which is unique.
    lagrangian
        L̃, velocities being derivatives by τ; None if N, A or U was not found in closed form.
    gyroscopic
        The components N σ_sr of a magnetic 2-form, where there is one: its potential A is part of L̃.
    reconstruction
        The derivatives of the fibre coordinates by τ, as functions of those of the base.
    density
        An invariant density N^(n−1) det ∂²L̄/∂v∂v with respect to dq dv of the base.
    evidence, parameters
        How it is known, and for which parameters.
    """

    system: System
    base: tuple[str, ...]
    fibre: tuple[str, ...]
    verdict: bool | None
    obstruction: TimeObstruction | None = None
    multiplier: Expr | None = None
    logarithmic: Mapping[str, Expr] = field(default_factory=dict)
    lagrangian: Expr | None = None
    gyroscopic: Mapping[tuple[str, str], Expr] = field(default_factory=dict)
    reconstruction: Mapping[str, Expr] = field(default_factory=dict)
    density: Expr | None = None
    evidence: str = ""
    parameters: str = ""

    facts = (
        "verdict base fibre multiplier logarithmic lagrangian reconstruction density obstruction parameters"
    )

    @cached_property
    def transformed(self) -> System:
        """The system of the base in the time τ: a Lagrangian system without constraints."""
        if self.lagrangian is None:
            raise ModelError(
                f"there is no Lagrangian in another time: {self.obstruction or 'N has no closed form'}"
            )
        used = {name for name, _ in symbols(self.lagrangian)}
        given = self.system.parameters
        values = {name: to_text(given[name]) for name in given if name in used}
        time = "tau"
        while time in self.system.names:
            time += "_"
        return System(
            coordinates=list(self.base), lagrangian=self.lagrangian, parameters=values, time=time,
            name=f"{self.system.name or 'Chaplygin system'} in the time dτ = N dt",
        )  # fmt: skip

    @property
    def hamiltonian(self) -> Expr:
        """H̃ = p_s q'^s − L̃ in the q^s and p_s."""
        return hamilton(self.transformed).hamiltonian

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "gyroscopic": [{"pair": list(pair), "term": to_text(e)} for pair, e in self.gyroscopic.items()],
            "evidence": self.evidence + self._where if self.verdict else self.evidence,
        }

    @property
    def _where(self) -> str:
        """Where it holds, if not everywhere."""
        impacts = "; between impacts on the stops" if self.system.stops else ""
        return away_from_kinks(self.system, "; ") + impacts

    def __str__(self) -> str:
        if self.verdict is not True:
            head = "Hamiltonian in no time dτ = N dt" if self.verdict is False else "no answer"
            return f"{head}: {self.obstruction}"
        how = f"{self.evidence} {self.parameters}".strip() + self._where
        lines = [f"Hamiltonian in the time dτ = N dt on the coordinates {', '.join(self.base)} ({how})"]
        if self.multiplier is not None:
            lines.append(f"N = {to_text(self.multiplier)}")
        else:
            lines += [f"∂ log N/∂{n} = {to_text(e)}" for n, e in self.logarithmic.items()]
        if self.lagrangian is not None:
            lines.append(f"L = {to_text(self.lagrangian)}, primes being derivatives by τ")
        lines += [f"{n}' = {to_text(e)}" for n, e in self.reconstruction.items()]
        return "\n".join(lines)

    def _repr_latex_(self) -> str:
        rows = [] if self.multiplier is None else [f"N &= {to_latex(self.multiplier)}"]
        if self.lagrangian is not None:
            rows.append(rf"\tilde L &= {to_latex(self.lagrangian)}")
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$" if rows else ""

    def _repr_html_(self) -> str:
        return f"{super()._repr_html_()}{self._repr_latex_()}"


def hamiltonize(system: System, *, effort: int = EFFORT) -> Hamiltonization:
    """A change of time dτ = N(q) dt that makes a Chaplygin system Hamiltonian, or what obstructs it.

    Parameters
    ----------
    system
        A system with a Lagrangian and constraints linear in the velocities (or none).
    effort
        What each question of zero may cost (:mod:`chetaev.effort`).

    Examples
    --------
    >>> import chetaev as ch
    >>> skate = ch.hamiltonize(ch.load("knife-edge"))
    >>> str(skate.multiplier), skate.base
    ('abs(cos(phi))', ('x', 'phi'))
    """
    expect_system(system, "ch.hamiltonize")
    effort = expect_effort(effort)
    result: Hamiltonization | None = None
    for standpoint in standpoints(system):
        found = ask(_answer, system, standpoint, effort)
        if isinstance(found, GivenUp):
            words = f"the exact computation was given up: {found.reason}"
            found = _without(system, TimeObstruction("undecided", words))
        result = found
        settled = result.obstruction is not None and result.obstruction.kind == "no Chaplygin system"
        if result.verdict is True or settled:
            break
    assert result is not None
    return result


def _without(system: System, obstruction: TimeObstruction) -> Hamiltonization:
    return Hamiltonization(system, (), (), None, obstruction)


def _answer(system: System, view: Standpoint, effort: int) -> Hamiltonization:
    try:
        on = on_base(system, view)
    except ModelError as error:
        if system.dynamics.lagrangian is None:
            raise
        return _without(system, TimeObstruction("no Chaplygin system", error.message))
    reconstruction = {}
    for name, row in zip(on.fibre, on.slopes, strict=True):
        reconstruction[name] = sum((x * v for x, v in zip(row, on.v, strict=True)), on.field.zero).to_expr()
    plain = Hamiltonization(
        system, on.base, on.fibre, None, reconstruction=reconstruction, parameters=view.words
    )
    if linear.rank(on.hessian) < len(on.base):
        words = (
            "the reduced Lagrangian is degenerate, ∂²L̄/∂v∂v being singular; ch.dirac is for such Lagrangians"
        )
        return replace(plain, obstruction=TimeObstruction("degenerate", words))
    found = simplicity(on)
    plain = replace(plain, logarithmic={n: e.to_expr() for n, e in zip(on.base, found.phi, strict=True)})
    wrong = _obstruction(on, found, effort)
    if wrong is not None:
        undecided = wrong.evidence is not None and wrong.evidence.is_zero is None
        certain = found.unique and not undecided
        return replace(plain, verdict=False if certain else None, obstruction=wrong)
    return _with_multiplier(plain, on, found, view, effort)


# -- what may forbid it ----------------------------------------------------------------------------------
def _obstruction(on: OnBase, found: Simplicity, effort: int) -> TimeObstruction | None:
    """The first condition that fails, in the order that explains most."""
    for kind, listed, sentence in _conditions(on, found):
        bad = _first(listed, effort)
        if bad is not None:
            names, e, verdict = bad
            words = sentence.format(e=_short(e), **dict(zip("abc", names, strict=False)))
            return TimeObstruction(kind, words, e.to_expr(), verdict)
    return None


def _conditions(on: OnBase, found: Simplicity) -> Iterator[tuple[str, list[Component], str]]:
    """The name of each obstruction, the components that have to vanish, and what is said if one does not."""
    theta, kept = measure_form(on), ""
    forces: list[Component] = [((n,), e) for n, e in zip(on.base, found.defects, strict=True)]
    if theta is not None:
        kept = "a density f(q) is preserved, but "
        words = "no density f(q) is preserved, since d log f would have to be θ with "
        yield "no invariant measure", curls(theta, on), words + "∂θ_{b}/∂{a} − ∂θ_{a}/∂{b} = {e}"
    elif any(not e.is_zero for e in found.defects):
        words = (
            "the rate of the volume dq dp is not linear in the velocities, so no density f(q) is preserved; "
        )
        yield "no invariant measure", forces, words + "the force of {a} keeps {e} that no N(q) gives"
    yield "gyroscopic forces", forces, kept + "the force of {a} keeps the term {e}, which no N(q) gives"
    words = "d log N would have to be φ with ∂φ_{b}/∂{a} − ∂φ_{a}/∂{b} = {e}"
    yield "gyroscopic forces", curls(found.phi, on), words
    words = "the magnetic 2-form Nσ is not closed: d(Nσ)/N has the component {e} ({a}, {b}, {c})"
    yield "magnetic terms", twisted_curls(found, on), words
    yield "forces", curls(found.kappa, on), "the forces have no potential: ∂κ_{b}/∂{a} − ∂κ_{a}/∂{b} = {e}"


def _short(e: Element) -> str:
    text = to_text(e.to_expr())
    return text if len(text) <= 120 else text[:117] + "…"


def _first(listed: list[Component], effort: int) -> tuple[tuple[str, ...], Element, Verdict] | None:
    """The first function that does not vanish, certain ones before undecided ones."""
    asked = [(where, e) for where, e in listed if not e.is_blank]
    verdicts = zero_tests([e.to_expr() for _, e in asked], effort=effort)
    for wanted in (False, None):
        for (where, e), verdict in zip(asked, verdicts, strict=True):
            if verdict.is_zero is wanted:
                return where, e, verdict
    return None


# -- what is found ---------------------------------------------------------------------------------------
def _with_multiplier(
    plain: Hamiltonization, on: OnBase, found: Simplicity, view: Standpoint, effort: int
) -> Hamiltonization:
    proved = "the conditions on d log N are proved; its integral was not found in closed form"
    N = exponential_primitive(found.phi, on.base)
    if N is None:
        return replace(plain, verdict=True, evidence=proved)
    n = len(on.base)
    density = with_abs((N ** (n - 1) * linear.determinant(on.hessian)).to_expr())
    shown = with_abs(N.to_expr())
    plain = replace(plain, verdict=True, multiplier=shown, density=density, evidence=proved)
    L = _new_lagrangian(on, found, N)
    gyroscopic = {
        (on.base[s], on.base[r]): (N * found.sigma[s][r]).to_expr()
        for s in range(n)
        for r in range(s + 1, n)
        if not found.sigma[s][r].is_blank
    }
    plain = replace(plain, gyroscopic=gyroscopic)
    if L is None:
        return replace(plain, evidence="proved; a potential was not found in closed form")
    verdicts = vanish(plain.system, _defects(on, L, N), view, 4 * effort)
    for verdict in verdicts:
        if verdict.is_zero is False:
            words = f"the Euler–Lagrange equations of L in the new time do not hold: {verdict}"
            return replace(plain, verdict=None, obstruction=TimeObstruction("undecided", words))
    how = "proved" if all(v.is_zero and v.proved for v in verdicts) else "proved on the base"
    return replace(plain, lagrangian=arranged(L, [(c, 1) for c in on.base]), evidence=how)


def _new_lagrangian(on: OnBase, found: Simplicity, N: Element) -> Element | None:
    """L̄(q, N q') + A q' − U."""
    L = on.lagrangian.subs({(c, 1): N * on.field.symbol(c, 1) for c in on.base})
    if any(not e.is_blank for row in found.sigma for e in row):
        A = vector_potential([[N * e for e in row] for row in found.sigma], on.base)
        if A is None:
            return None
        for a, v in zip(A, on.v, strict=True):
            L = L + a * v
    if any(not e.is_blank for e in found.kappa):
        minus_U = function(found.kappa, on.base)
        if minus_U is None:
            return None
        L = L + minus_U
    return L


def _defects(on: OnBase, L: Element, N: Element) -> list[Expr]:
    """(1/N) Γ(∂L̃/∂q') − ∂L̃/∂q with q' = v/N, Γ with the accelerations of the whole system."""
    names = on.system.coordinates
    accelerations = dict(zip(names, solved_accelerations(on.system), strict=True))
    slow: dict[object, Element] = {(c, 1): on.field.symbol(c, 1) / N for c in on.base}
    defects = []
    for c in on.base:
        p = L.diff((c, 1)).subs(slow)
        total = -N * L.diff((c, 0)).subs(slow)
        for other in on.base:
            total = total + on.field.symbol(other, 1) * p.diff((other, 0))
        expr = total.to_expr()
        for other in on.base:
            slope = p.diff((other, 1))
            if not slope.is_zero:
                expr = expr + slope.to_expr() * accelerations[other]
        defects.append(expr)
    return defects or [ONE - ONE]
