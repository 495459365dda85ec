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

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import casadi

from chetaev.constraint.kind.classifier import classify
from chetaev.effort import EFFORT, expect_effort
from chetaev.expr.exact import Budget
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.sharing import text_length
from chetaev.expr.print import to_latex
from chetaev.hamilton.bracket_program import BracketProgram
from chetaev.hamilton.casimirs import Casimirs, casimirs
from chetaev.hamilton.horizontal import Horizontal, within
from chetaev.hamilton.phase_space import expect_on_velocities
from chetaev.laws.standpoint import decisive, standpoints
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System, expect_system
from chetaev.results import PlainData

FEW = 3
"""So many Jacobiators that are large in doubles are asked for a witness."""
SHORT = 100_000
"""What each of these may cost: a witness is found at the first points."""
SHARE = 8
"""What the normal form of an entry may cost: one part in so many of the effort."""
LONG = 1000
"""Entries with more letters are not written."""


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

    facts = "coordinates tensor hamiltonian casimirs jacobi evidence"

    @cached_property
    def horizontal(self) -> Horizontal:
        """The distribution H that ω is restricted to."""
        return Horizontal(self.system, self.effort)

    @cached_property
    def _program(self) -> BracketProgram:
        program = BracketProgram(self.system)
        if program.singular:
            within(lambda: self.horizontal.inverse, "the bracket")  # on all of Q: a sentence
        return program

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Coordinates of Q at fixed time: all positions, then the independent velocities."""
        names = self.system.coordinates
        return (*names, *(f"{names[i]}'" for i in self._program.independent))

    def _read(self, value: Any) -> SX:
        return self._program.s(function_on(self.system, value, "a function of the bracket"))

    def _written(self, function: SX) -> list[Expr]:
        """Functions on Q in normal form, or as they were computed where that is too long."""
        on, found = self.horizontal.on, []
        for e in self._program.s.graphs(casadi.vec(function)):
            with on.field.limit(Budget.of(max(1, self.effort // SHARE))):
                found.append(on.short(e))
        return found

    def __call__(self, F: Any, G: Any) -> Expr:
        """{F, G}, a function on Q."""
        return self._written(self._program.bracket(self._read(F), self._read(G)))[0]

    @cached_property
    def tensor(self) -> tuple[tuple[Expr, ...], ...]:
        """The matrix of brackets of the `coordinates`."""
        n = len(self.coordinates)
        entries = self._written(self._program.tensor)
        return tuple(tuple(entries[i + n * j] for j in range(n)) for i in range(n))

    def jacobiator(self, F: Any, G: Any, H: Any) -> Expr:
        """{F, {G, H}} + {G, {H, F}} + {H, {F, G}}, on Q; 0 where Jacobi's identity holds."""
        return self._written(self._program.jacobiator(*map(self._read, (F, G, H))))[0]

    @cached_property
    def _jacobi(self) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict on Jacobi's identity, and the first coordinates for which it fails.

        Doubles say where a witness may be found; the theorem on semiholonomic constraints proves a yes.
        """
        names = self.coordinates
        places, functions = self._program.jacobiators
        if not functions:
            return Verdict("zero", True, method="no three coordinates"), ()
        sizes = self._program.s.numbers(functions)
        for n in sorted(range(len(places)), key=lambda n: (-abs(sizes[n]), n))[:FEW]:
            if sizes[n]:
                (verdict,) = self._asked([functions[n]], SHORT)
                if verdict.is_zero is False:
                    return verdict, tuple(names[i] for i in places[n])
        found = classify(self.system)
        holonomy = next((f for f in found.findings if f.question == "holonomy"), None)
        kind = found.holonomy if self.system.degrees_of_freedom < len(self.system.coordinates) else "free"
        if kind == "free" or (
            kind in ("holonomic", "semiholonomic") and holonomy is not None and holonomy.evidence.proved
        ):
            words = "there are no constraints" if kind == "free" else f"the constraints are {kind}"
            return Verdict("zero", True, method=words), ()
        verdicts = self._asked(functions, self.effort)
        worst = decisive(verdicts)
        where = () if worst.proved and worst.is_zero else places[verdicts.index(worst)]
        return worst, tuple(names[i] for i in where)

    def _asked(self, functions: list[Expr], effort: int) -> list[Verdict]:
        """Whether functions vanish on Q: for every value of the parameters, else for those given."""
        on = [e.residual for e in (*self.system.velocity_constraints, *self.system.position_constraints)]
        for view in standpoints(self.system):
            asked = view.apply([*functions, *on])
            verdicts = zero_tests(asked[: len(functions)], asked[len(functions) :], effort=effort)
            if all(v.is_zero for v in verdicts):
                break
        return verdicts

    @property
    def jacobi(self) -> bool | None:
        """Whether Jacobi's identity holds on Q: True, False, or None where that was not decided."""
        return self._jacobi[0].is_zero

    @property
    def evidence(self) -> str:
        """How the answer on Jacobi's identity is known."""
        verdict, where = self._jacobi
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
        s = self._program.s
        return self._written(casadi.dot(s.Pi, s.v) - s.L)[0]

    def __str__(self) -> str:
        lines = []
        for i, j in combinations(range(len(self.coordinates)), 2):
            entry = self.tensor[i][j]
            if entry is not graph.ZERO:
                letters = text_length(entry)
                shown = f"= {entry}" if letters <= LONG else f"has {letters} letters"
                lines.append(f"{{{self.coordinates[i]}, {self.coordinates[j]}}} {shown}")
        verdict = {True: "holds", False: "fails", None: "is undecided"}[self.jacobi]
        return "\n".join([*lines, f"Jacobi's identity {verdict}: {self.evidence}"])

    def _repr_latex_(self) -> str:
        rows = [" & ".join(to_latex(e) for e in row) for row in self.tensor]
        return "$$\\begin{pmatrix}" + r" \\ ".join(rows) + "\\end{pmatrix}$$"


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
