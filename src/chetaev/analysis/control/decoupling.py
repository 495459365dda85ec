r"""`ch.decoupling`: fields that forces can follow at any speed (SCOPE M6).

For u'^γ = −Γ^γ_αβ u^α u^β + Σ u_a Y_a^γ a field V is *decoupling* if every reparametrised integral curve of
V is a motion for some forces. That is so iff V and ⟨V : V⟩ lie in span(Y). With V = c_a Y_a and any
complement of span(Y),

    Q^k_ab c_a c_b = 0   for all k,      Q_ab = ⟨Y_a : Y_b⟩ modulo span(Y),

because ⟨fA : gB⟩ = f g ⟨A : B⟩ modulo A and B. These are quadratic equations over the functions of q: for
one input Q = 0 or nothing; for two, the common roots of binary quadratic forms; where all Q vanish, every
combination is decoupling (the system is maximally reducible to q' = Σ c_a Y_a). For more inputs
combinations of two at a time are solved, and the list is not claimed to be complete.

If brackets of the decoupling fields span, every position is reached by moving along them one after the other,
with rests between (kinematic controllability). Bullo and Lynch 2001; Bullo and Lewis 2005, chapter 8.

>>> import chetaev as ch
>>> board = ch.load("snakeboard").with_parameters(kpsi=0, kphi=0, dpsi=0, dphi=0)
>>> found = decoupling(board, ["psi", "phi"])
>>> len(found.fields), found.complete, found.controllable
(2, True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from chetaev.analysis.control.control_affine import control_affine
from chetaev.analysis.control.symmetric_products import SymmetricAlgebra
from chetaev.effort import EFFORT, beyond, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.graph.node import Expr
from chetaev.geometry import Distribution, GeometryError
from chetaev.geometry.chart.zeros import Zeros
from chetaev.model.system import System, expect_system
from chetaev.results import PlainData, Table

if TYPE_CHECKING:
    from chetaev.analysis.control.kinematic_plan import KinematicPlan

Form = list[list[Element]]
"""A quadratic form Q_ab."""


@dataclass(frozen=True)
class Decoupling(PlainData):
    """Decoupling fields of a mechanical control system.

    Attributes
    ----------
    inputs
        The inputs by name.
    fields
        Each field by coordinate, V = Σ c_a Y_a.
    coefficients
        The c_a of each.
    curvatures
        The d_a of each: ½⟨V : V⟩ = Σ d_a Y_a, so that the inputs u_a = s'' c_a + s'² d_a make q' = s' V.
    reducible
        Whether every combination of the inputs is decoupling: the system is maximally reducible.
    complete
        Whether these are all, up to factors, where not every combination is; None where it is not known.
    controllable
        Whether brackets of the fields span at generic positions: kinematic controllability.
    evidence
        How it is known.
    """

    inputs: tuple[str, ...]
    fields: tuple[dict[str, Expr], ...]
    coefficients: tuple[tuple[Expr, ...], ...]
    curvatures: tuple[tuple[Expr, ...], ...]
    system: System
    reducible: bool
    complete: bool | None
    controllable: bool | None
    evidence: str

    facts = "inputs fields coefficients reducible complete controllable evidence"

    def __str__(self) -> str:
        lines = []
        for number, field in enumerate(self.fields, start=1):
            parts = [f"{n}' = {e}" for n, e in field.items() if str(e) != "0"]
            lines.append(f"V{number}: " + ", ".join(parts))
        if self.reducible:
            lines.append("every combination of the inputs is decoupling: maximally reducible")
        elif not self.fields:
            lines.append("no decoupling field" + ("" if self.complete else " was found"))
        elif self.complete:
            lines.append("there are no others, up to factors")
        answer = {True: "yes", False: "no", None: "undecided"}[self.controllable]
        return "\n".join([*lines, f"kinematically controllable: {answer} ({self.evidence})"])

    def plan(self, start: Mapping[str, Any], end: Mapping[str, Any], until: float) -> KinematicPlan:
        """Forces that take the system from rest to rest along these fields, one after the other.

        Parameters
        ----------
        start, end
            Positions by name; those that `start` leaves out are the model's own, or 0, those that `end`
            leaves out are as at the start.
        until
            The final time.
        """
        from chetaev.analysis.control.kinematic_plan import planned

        return planned(self, start, end, until)

    def _repr_html_(self) -> str:
        rows = tuple((f"V{i + 1}", ", ".join(f"{n}' = {e}" for n, e in f.items() if str(e) != "0"))
                     for i, f in enumerate(self.fields))  # fmt: skip
        return Table(("field", ""), rows, str(self).splitlines()[-1]).html()


def decoupling(system: System, inputs: Iterable[str], *, effort: int = 10 * EFFORT) -> Decoupling:
    """Fields along which forces can move a system at any speed, from rest to rest.

    Parameters
    ----------
    system
        A system whose law is a kinetic energy alone: no potential, no other forces; constraints linear in
        the velocities.
    inputs
        Coordinates on which forces act, and parameters in which the law is affine.
    effort
        What the products may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Decoupling
    """
    expect_system(system, "ch.decoupling")
    effort = expect_effort(effort)
    if inputs is None:
        raise ModelError("there are no inputs", expected="coordinates on which forces act")

    def found() -> Decoupling:
        control = control_affine(system, inputs, effort)
        algebra = SymmetricAlgebra.of(control)
        if algebra is None:
            raise ModelError(
                "the law is not that of a kinetic energy alone: it is not quadratic in the velocities",
                expected="no potential, no other forces, no time, and constraints linear in the velocities",
                remedy="set the parameters of springs, dampers and weights to zero",
            )
        return _solved(algebra, control.names)

    try:
        fields = ask(found)
    except GeometryError as error:
        raise ModelError(f"the vector fields of the system cannot be bracketed: {error}") from None
    if isinstance(fields, GivenUp):
        words = beyond(effort) if fields.limit else f"not decided: {fields.reason}"
        raise ModelError(f"which fields are decoupling is {words}")
    return fields


def _solved(algebra: SymmetricAlgebra, names: tuple[str, ...]) -> Decoupling:
    zeros = Zeros(algebra.base, algebra.control.on)
    forms = quadratic_forms(algebra, zeros)
    count = len(algebra.inputs)
    reducible = not forms
    one, zero = algebra.base.field.one, algebra.base.field.zero
    units = [[one if a == b else zero for b in range(count)] for a in range(count)]
    complete: bool | None = True
    if reducible:
        rows = units
    elif count == 1:
        rows = []
    else:
        rows, complete = _pairs(forms, count, units, zeros)
    complete = complete if zeros.proved else None
    fields = [algebra.field(_in_frame(algebra, c)) for c in rows]
    verdict: bool | None = False if not fields else None
    evidence = "there is nothing to bracket" if not fields else ""
    if fields:
        flag = Distribution.spanned_by(fields, algebra.control.on, algebra.base, check=False).derived_flag
        full = Distribution.spanned_by(fields, algebra.control.on, algebra.base, check=False).dimension
        verdict = True if flag.ranks[-1] == full else False if flag.proved and complete else None
        evidence = f"brackets have the ranks {', '.join(map(str, flag.ranks))} of {full}"
    elif complete is None:
        verdict = None
    coordinates = algebra.control.system.coordinates
    shown = tuple({c: e.to_expr() for c, e in zip(coordinates, X.components, strict=False)} for X in fields)
    table = tuple(tuple(e.to_expr() for e in row) for row in rows)
    curved = tuple(tuple(e.to_expr() for e in _curvature(algebra, row)) for row in rows)
    system = algebra.control.system
    return Decoupling(names, shown, table, curved, system, reducible, complete, verdict, evidence)


def quadratic_forms(algebra: SymmetricAlgebra, zeros: Zeros) -> list[Form]:
    """The Q^k that are not zero: ⟨Y_a : Y_b⟩ modulo span(Y), one for each direction of a complement."""
    span = GrowingEchelon(algebra.size, zeros)
    for Y in algebra.inputs:
        span.add(Y.components)
    count = len(algebra.inputs)
    products = {
        (a, b): span.reduce(algebra.components(algebra.inputs[a].components, algebra.inputs[b].components))
        for a in range(count)
        for b in range(a, count)
    }
    found = []
    for k in range(algebra.size):
        if k in span.pivots:
            continue
        form = [[products[min(a, b), max(a, b)][k] for b in range(count)] for a in range(count)]
        if any(not zeros(e) for row in form for e in row):
            found.append(form)
    return found


def _pairs(
    forms: list[Form], count: int, units: list[list[Element]], zeros: Zeros
) -> tuple[list[list[Element]], bool | None]:
    """Common roots with at most two coefficients that are not zero; complete for two inputs."""
    rows = [units[a] for a in range(count) if all(zeros(Q[a][a]) for Q in forms)]
    complete: bool | None = True if count == 2 else None
    for a, b in combinations(range(count), 2):
        roots = _ratios([(Q[a][a], Q[a][b], Q[b][b]) for Q in forms], zeros)
        if roots is None:
            complete = None
            continue
        rows.extend([r if i == a else e for i, e in enumerate(units[b])] for r in roots)
    return rows, complete


def _ratios(forms: list[tuple[Element, Element, Element]], zeros: Zeros) -> list[Element] | None:
    """The r ≠ 0 with p r² + 2 m r + s = 0 for all forms; None where the roots cannot be written down."""
    present = [f for f in forms if not all(zeros(e) for e in f)]
    if not present:
        return []  # every combination of the two: both units stand for it
    p, m, s = present[0]
    field = p.field
    if zeros(p):
        candidates = [] if zeros(m) else [-s / (2 * m)]
    else:
        d = m * m - p * s
        if zeros(d):
            candidates = [-m / p]
        else:
            side = _side(d, zeros)
            if side != 1:
                return [] if side == -1 else None
            root = field.sqrt(d)
            candidates = [(-m + root) / p, (-m - root) / p]
    found = []
    for r in candidates:
        if zeros(r):
            continue
        values = [a * r * r + 2 * b * r + c for a, b, c in present]
        if all(zeros(v) for v in values):
            found.append(r)
    return found


def _side(d: Element, zeros: Zeros) -> int | None:
    """1 for a discriminant that is positive at all points tried, −1 for a negative number."""
    value = d.as_fraction()
    if value is not None:
        return 1 if value > 0 else -1
    seen = [v for v in (zeros.value(d, p) for p in zeros.points) if v is not None]
    return 1 if seen and all(v > 0 for v in seen) else None


def _curvature(algebra: SymmetricAlgebra, c: list[Element]) -> list[Element]:
    """d with ½⟨V : V⟩ = Σ d_a Y_a for V = Σ c_a Y_a."""
    V = _in_frame(algebra, c)
    half = [e / 2 for e in algebra.components(V, V)]
    return solve([list(row) for row in zip(*(Y.components for Y in algebra.inputs), strict=True)], half)


def _in_frame(algebra: SymmetricAlgebra, c: list[Element]) -> list[Element]:
    """Σ c_a Y_a in the frame."""
    total = [algebra.base.field.zero] * algebra.size
    for x, Y in zip(c, algebra.inputs, strict=True):
        if not x.is_blank:
            total = [t + x * y for t, y in zip(total, Y.components, strict=True)]
    return total
