"""The Hamiltonian side of a system at one glance: what `chetaev hamilton` prints (SCOPE K24, M5, B9, M4).

Momenta, Hamiltonian and canonical equations; the energy 1-form; the table of brackets of positions and
momenta,

    {q^i, P_l} = W^i_l,      {P_l, P_s} = what the curvature of the constraint makes of p_a,

(van der Schaft and Maschke's bracket), where momenta can be inverted in closed form, else that of positions
and velocities; Casimirs and Jacobi's identity; when brackets determine multipliers; a time in which it is
Hamiltonian. Each part is made by itself: what one of them cannot do is a sentence in its place.

>>> import chetaev as ch
>>> print(Overview(ch.load("heisenberg")).bracket_lines()[-1])
{P_x, P_y} = y*P_x/(y^2 + 1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from textwrap import indent
from typing import Any, TypeVar

from chetaev.effort import EFFORT
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import name_latex, to_latex, to_text
from chetaev.hamilton.hamiltonization import Hamiltonization, hamiltonize
from chetaev.hamilton.long_formulas import readable
from chetaev.hamilton.momenta import Hamilton, hamilton
from chetaev.hamilton.nonholonomic_bracket import Bracket, bracket
from chetaev.hamilton.solvability import Solvability
from chetaev.model.system import System

Result = TypeVar("Result")
LONGEST = 600
"""Entries of the table with longer texts are not printed."""


def _told(make: Callable[[], Result]) -> Result | str:
    """A result, or the sentence that says why there is none."""
    try:
        found = ask(make)
    except ModelError as error:
        return error.message
    return f"given up: {found.reason}" if isinstance(found, GivenUp) else found


@dataclass(frozen=True)
class Overview:
    """All of it, each part once."""

    system: System
    effort: int = EFFORT

    @cached_property
    def momenta(self) -> Hamilton:
        """``ch.hamilton``."""
        return hamilton(self.system, effort=self.effort)

    @cached_property
    def bracket(self) -> Bracket:
        """``ch.bracket``."""
        return bracket(self.system, effort=self.effort)

    @cached_property
    def time(self) -> Hamiltonization:
        """``ch.hamiltonize``."""
        return hamiltonize(self.system, effort=self.effort)

    @cached_property
    def table(self) -> Mapping[tuple[str, str], Expr] | str:
        """Brackets of positions and momenta that are not zero; of velocities where P cannot be inverted."""
        return _told(self._table)

    def _table(self) -> Mapping[tuple[str, str], Expr]:
        found, b = self.momenta, self.bracket
        if not self._inverts:
            if found.too_long is not None:
                raise ModelError(f"the brackets are too long to be written down: {found.too_long}")
            z = b.coordinates
            listed = {(z[i], z[j]): b.tensor[i][j] for i, j in combinations(range(len(z)), 2)}
            return {pair: e for pair, e in listed.items() if e is not ZERO}
        functions: dict[str, Any] = {c: c for c in self.system.coordinates} | dict(found.momenta)
        table = {}
        for one, other in combinations(functions, 2):
            e = found.in_momenta(b(functions[one], functions[other]))
            if e is not ZERO:
                table[one, other] = e
        return table

    @cached_property
    def _inverts(self) -> bool:
        """Whether velocities are known functions of momenta."""
        known = _told(lambda: self.momenta.exists is not False and not self.momenta.first_order)
        return known is True and not isinstance(_told(lambda: self.momenta.hamiltonian), str)

    # -- text --------------------------------------------------------------------------------------------
    def bracket_lines(self) -> list[str]:
        """The table as lines, or why there is none."""
        if isinstance(self.table, str):
            return [self.table]
        lines = []
        for (one, other), e in self.table.items():
            lines.append(f"{{{one}, {other}}} = {readable(e, LONGEST)}")
        return lines or ["all brackets are zero"]

    def __str__(self) -> str:
        parts = [("Momenta", [str(self.momenta)])]
        if self.momenta.exists is not False:
            eta = _told(lambda: str(self.momenta.energy_form))
            parts.append(("Energy 1-form", [eta]))
        parts.append(("Brackets", self.bracket_lines()))
        parts.append(("Casimirs", [_told(lambda: self.bracket.casimirs.words)]))
        parts.append(("Jacobi's identity", [_told(self._jacobi)]))
        parts.append(("Multipliers by brackets", [_told(lambda: str(Solvability(self.bracket.horizontal)))]))
        parts.append(("Another time", [str(self.time)]))
        return "\n\n".join(title + "\n" + indent("\n".join(lines), "  ") for title, lines in parts)

    def _jacobi(self) -> str:
        verdict = {True: "holds", False: "fails", None: "is undecided"}[self.bracket.jacobi]
        return f"{verdict}: {self.bracket.evidence}"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data = self.momenta.to_json()
        table = self.table
        data["table"] = (
            table
            if isinstance(table, str)
            else [{"pair": list(pair), "bracket": to_text(e)} for pair, e in table.items()]
        )
        data["bracket"] = _told(lambda: self.bracket.to_json())
        data["multipliers"] = _told(lambda: str(Solvability(self.bracket.horizontal)))
        data["hamiltonization"] = self.time.to_json()
        return data

    # -- formulas ----------------------------------------------------------------------------------------
    def latex(self) -> str:
        """The same as displayed formulas, one after the other."""
        shown = [self.momenta.latex()]
        if self.momenta.exists is not False:
            eta = _told(lambda: self.momenta.energy_form)
            shown += [] if isinstance(eta, str) else [eta.latex()]
        if not isinstance(self.table, str) and self.table:
            rows = [
                rf"\{{{name_latex(a)}, {name_latex(b)}\}} &= {to_latex(e)}"
                for (a, b), e in self.table.items()
            ]
            shown.append(r"\begin{aligned}" + " \\\\\n".join(rows) + r"\end{aligned}")
        if self.time.multiplier is not None and self.time.lagrangian is not None:
            shown.append(
                rf"d\tau = N\,dt, \qquad N = {to_latex(self.time.multiplier)}, \qquad "
                rf"\tilde L = {to_latex(self.time.lagrangian)}"
            )
        return "\n\n".join(rf"\[ {formula} \]" for formula in shown)
