"""The nonholonomic, almost-Poisson bracket on Q (SCOPE M5, B9; Bates and Nester, section 5).

On velocity phase space ω = dq^i ∧ dp_i with p = ∂L/∂v. At a point of Q the distribution H = F ∩ TQ consists
of the vectors (w, z) in (q, v) with

    C w = 0   (they are annihilated by φ^A = ∂f^A/∂v dq),        f_q w + C z = 0   (they are tangent to Q),

C = ∂f/∂v. Where Q is g-nondegenerate, det(C M⁻¹ Cᵀ) ≠ 0 with M = ∂²L/∂v∂v, the restriction ω_H is
nondegenerate, and

    {F, G} = ω_H⁻¹(dF|_H, dG|_H),        with the sign of {q, p} = 1.

It is antisymmetric and a derivation. Jacobi's identity holds for semiholonomic constraints, and for
affine ones exactly where the virtual displacements at fixed time are integrable. Where the constraints are
homogeneous in v and nothing depends on time, Ḟ = {F, E} along the motion (the distributional
Hamilton equations), E = p·v − L.

>>> import chetaev as ch
>>> L = "(x'^2 + y'^2 + z'^2)/2"
>>> b = ch.bracket(ch.System(coordinates=["x", "y", "z"], lagrangian=L, constraints=["z' = y*x'"]))
>>> str(b("x", "x'")), str(b("z", "x'")), b.jacobi
('1/(y^2 + 1)', 'y/(y^2 + 1)', False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.print import to_latex
from chetaev.hamilton.casimirs import Casimirs, casimirs
from chetaev.hamilton.horizontal import Horizontal, Result, within
from chetaev.hamilton.phase_space import expect_on_velocities
from chetaev.laws.standpoint import Standpoint, judge
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System, expect_system
from chetaev.results import PlainData


@dataclass(frozen=True)
class Bracket(PlainData):
    """The bracket of one system: call it with two functions of t, q, v (text or expressions).

    Attributes
    ----------
    coordinates
        Names of the functions on Q whose brackets `tensor` holds: all positions, the independent velocities.
    """

    system: System
    effort: int = EFFORT
    _cache: dict[tuple[Element, Element], Element] = field(default_factory=dict, repr=False, compare=False)

    facts = "coordinates tensor hamiltonian casimirs jacobi evidence"

    @cached_property
    def horizontal(self) -> Horizontal:
        """The distribution H that ω is restricted to."""
        return Horizontal(self.system, self.effort)

    @property
    def _on(self) -> OnConstraint:
        return self.horizontal.on

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates of Q at fixed time: all positions, then the independent velocities."""
        names = self.system.coordinates
        return (*names, *(f"{names[i]}'" for i in self.horizontal.independent))

    def _along(self, function: Element, vectors: Sequence[Sequence[Element]]) -> list[Element]:
        names = self.system.coordinates
        slots = [(c, 0) for c in names] + [(c, 1) for c in names]
        gradient = [self.horizontal.on_q(function.diff(s)) for s in slots]
        return [dot(gradient, vector) for vector in vectors]

    def element(self, F: Element, G: Element) -> Element:
        """{F, G} as an element of the field of functions on Q."""
        found = self._cache.get((F, G))
        if found is None:
            vectors, inverse = self.horizontal.vectors, self.horizontal.inverse
            left, right = self._along(F, vectors), self._along(G, vectors)
            found = self._on.field.zero
            for row, x in zip(inverse, left, strict=True):
                if not x.is_zero:
                    found = found - x * dot(row, right)
            self._cache[(F, G)] = found
        return found

    def _read(self, value: Any) -> Element:
        return self.horizontal.on_q(
            self._on.field(function_on(self.system, value, "a function of the bracket"))
        )

    def __call__(self, F: Any, G: Any) -> Expr:
        """{F, G}, a function on Q."""
        return _exact(lambda: self.element(self._read(F), self._read(G)).to_expr())

    @cached_property
    def _coordinate_functions(self) -> list[Element]:
        return [self._read(name) for name in self.coordinates]

    @cached_property
    def tensor(self) -> tuple[tuple[Expr, ...], ...]:
        """The matrix of brackets of the `coordinates`."""
        z = self._coordinate_functions
        table = _exact(lambda: [[self.element(a, b) for b in z] for a in z])
        return tuple(tuple(e.to_expr() for e in row) for row in table)

    def jacobiator(self, F: Any, G: Any, H: Any) -> Expr:
        """{F, {G, H}} + {G, {H, F}} + {H, {F, G}}, on Q; 0 where Jacobi's identity holds."""
        return _exact(lambda: self._jacobiator(self._read(F), self._read(G), self._read(H)).to_expr())

    def _jacobiator(self, F: Element, G: Element, H: Element) -> Element:
        b = self.element
        return b(F, b(G, H)) + b(G, b(H, F)) + b(H, b(F, G))

    @cached_property
    def _jacobi(self) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict on Jacobi's identity, and the first coordinates for which it fails."""
        names, z = self.coordinates, self._coordinate_functions
        on = [*self._on.f, *(e.residual for e in self.system.position_constraints)]
        last = Verdict("zero", True, method="no three coordinates")
        undecided: tuple[Verdict, tuple[str, ...]] | None = None
        for places in combinations(range(len(z)), 3):
            function = self._jacobiator(*(z[i] for i in places))
            verdict = self._asked(function.to_expr(), on)
            where = tuple(names[i] for i in places)
            if verdict.is_zero is False:
                return verdict, where
            if verdict.is_zero is None or not verdict.proved:
                undecided = undecided or (verdict, where)
            last = verdict
        return undecided or (last, ())

    def _asked(self, function: Expr, on: list[Expr]) -> Verdict:
        """Whether a function vanishes on Q: for every value of the parameters, else for those given."""

        def ask(standpoint: Standpoint) -> Verdict:
            return zero_tests(standpoint.apply([function]), standpoint.apply(on), effort=self.effort)[0]

        return judge(self.system, ask)[0]

    @property
    def jacobi(self) -> bool | None:
        """Whether Jacobi's identity holds on Q: True, False, or None where that was not decided."""
        return _exact(lambda: self._jacobi[0].is_zero)

    @property
    def evidence(self) -> str:
        """How the answer on Jacobi's identity is known."""
        verdict, where = _exact(lambda: self._jacobi)
        return f"{verdict}" + (f" for {', '.join(where)}" if where else "")

    @cached_property
    def casimirs(self) -> Casimirs:
        """Independent functions whose bracket with every function vanishes; ``.complete`` says whether these
        are all.
        """
        return within(lambda: casimirs(self.horizontal))

    @cached_property
    def hamiltonian(self) -> Expr:
        """E = p·v − L on Q."""
        F = self._on.field
        L = F(self.system.lagrangian)
        energy = sum((F.symbol(c, 1) * L.diff((c, 1)) for c in self.system.coordinates), -L)
        return self.horizontal.on_q(energy).to_expr()

    def __str__(self) -> str:
        lines = []
        for i, j in combinations(range(len(self.coordinates)), 2):
            entry = self.tensor[i][j]
            if entry is not graph.ZERO:
                lines.append(f"{{{self.coordinates[i]}, {self.coordinates[j]}}} = {entry}")
        verdict = {True: "holds", False: "fails", None: "is undecided"}[self.jacobi]
        return "\n".join([*lines, f"Jacobi's identity {verdict}: {self.evidence}"])

    def _repr_latex_(self) -> str:
        rows = [" & ".join(to_latex(e) for e in row) for row in self.tensor]
        return "$$\\begin{pmatrix}" + r" \\ ".join(rows) + "\\end{pmatrix}$$"


def _exact(compute: Callable[[], Result]) -> Result:
    return within(compute, "the bracket")


def bracket(system: System, *, effort: int = EFFORT) -> Bracket:
    """The nonholonomic bracket of a system on its constraint submanifold Q.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    effort
        What the question whether Jacobi's identity holds may cost for each triple of coordinates.

    Returns
    -------
    Bracket
        ``b(F, G)``, ``b.tensor``, ``b.jacobiator(F, G, H)``, ``b.jacobi``.
    """
    expect_system(system, "ch.bracket")
    effort = expect_effort(effort)
    own = "; ch.poisson has the bracket of this one" if system.dynamics.hamiltonian is not None else ""
    otherwise = "constraints on accelerations have no submanifold of velocities, and so no bracket on it"
    expect_on_velocities(system, "ch.bracket", otherwise, own)
    return Bracket(system, effort)
