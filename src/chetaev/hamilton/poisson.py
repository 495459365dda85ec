"""`ch.poisson`: the Poisson structure that a model gives, asked (SCOPE B13).

    {F, G} = Λ^ij ∂_i F ∂_j G,      C is a Casimir function if Λ^ij ∂_j C = 0 for all i.

Casimirs are looked for among the polynomials of degree two where Λ is polynomial: all conditions are linear
in their coefficients, and what solves them is one. There are n − rank Λ independent ones near a generic
point, perhaps not polynomials.

>>> import chetaev as ch
>>> spin = ch.System(
...     coordinates=["S1", "S2", "S3"],
...     poisson={
...         "bracket": {"S1, S2": "S3", "S2, S3": "S1", "S3, S1": "S2"},
...         "hamiltonian": "(a*S1^2 + b*S2^2 + c*S3^2)/2",
...     },
...     parameters={"a": 1, "b": 2, "c": 3},
... )
>>> found = ch.poisson(spin)
>>> found.rank, [str(C) for C in found.casimirs], str(found("S1", found.hamiltonian))
(2, ['S1^2 + S2^2 + S3^2'], 'S2*S3*(b - c)')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import Expr, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.expr.print import to_latex
from chetaev.model.dynamics.bracket import BracketTable
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.system import System, expect_system
from chetaev.results import PlainData

DEGREE = 2
MOST_MONOMIALS = 300


def poisson(system: System) -> PoissonStructure:
    """The Poisson structure of a model with a table [poisson].

    Parameters
    ----------
    system
        A system on a phase space, given by a bracket and a Hamiltonian.

    Returns
    -------
    PoissonStructure
        ``b(F, G)``, ``.tensor``, ``.rank``, ``.casimirs``, ``.hamiltonian``, ``.multipliers``, ``.rates``.
    """
    expect_system(system, "ch.poisson")
    dynamics = system.dynamics
    if not isinstance(dynamics, Poisson):
        raise ModelError(
            f"this system has no Poisson bracket of its own: its dynamics is given by {dynamics.given_by}",
            remedy="ch.bracket has the nonholonomic bracket of a Lagrangian system, ch.dirac Dirac's",
        )
    return PoissonStructure(system, dynamics)


@dataclass(frozen=True)
class PoissonStructure(PlainData):
    """A Poisson bracket and a Hamiltonian, with what constraints add.

    Attributes
    ----------
    system
        The model; its coordinates are the variables on phase space.
    """

    system: System
    dynamics: Poisson

    facts = "hamiltonian rank casimirs multipliers rates"

    @property
    def hamiltonian(self) -> Expr:
        """H(t, z)."""
        return self.dynamics.H

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The variables z."""
        return self.system.coordinates

    def __call__(self, F: Any, G: Any) -> Expr:
        """{F, G} of functions of t and z, as text or expressions."""
        return self._bracket(self._read(F), self._read(G)).to_expr()

    @cached_property
    def tensor(self) -> tuple[tuple[Expr, ...], ...]:
        """Λ^ij = {z^i, z^j} as rows."""
        return tuple(tuple(e.to_expr() for e in row) for row in self._rows)

    @cached_property
    def rank(self) -> int:
        """The rank of Λ at generic points: an even number."""
        return linear.rank(self._rows) if self._bracket.tensor else 0

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of degree one and two whose bracket with everything vanishes, a basis up to products;
        empty where Λ is no polynomial.
        """
        return tuple(C.to_expr() for C in self._casimirs())

    @property
    def multipliers(self) -> tuple[Expr, ...]:
        """λ_A(t, z) of the constraints; empty where the motion keeps them by itself."""
        return self.dynamics.multipliers

    @property
    def rates(self) -> Mapping[str, Expr]:
        """ż by name."""
        return self.dynamics.velocities

    @property
    def _bracket(self) -> BracketTable:
        return self.dynamics.rates.bracket

    @cached_property
    def _rows(self) -> list[list[Element]]:
        b = self._bracket
        n = len(b.names)
        return [[b.tensor.get((i, j), b.field.zero) for j in range(n)] for i in range(n)]

    def _read(self, value: Any) -> Element:
        known = (*self.system.parameters, self.system.time, *self.coordinates)
        if isinstance(value, str):
            value = parse(value, self.system.scope.but(purpose="a function on phase space", order=0))
        if not isinstance(value, Expr):
            raise ModelError(f"a bracket was asked of {value!r}"[:200], expected="text in the model language")
        for name, order in sorted(symbols(value)):
            if order or name not in known:
                raise ModelError.unknown(
                    f"{name + chr(39) * order!r} is no variable of this phase space", name, known
                )
        return self._bracket.field(value)

    def _casimirs(self) -> list[Element]:
        b = self._bracket
        z, F = b.z, b.field
        monomials = []
        for degree in range(1, DEGREE + 1):
            for chosen in combinations_with_replacement(z, degree):
                product = F.one
                for factor in chosen:
                    product = product * factor
                monomials.append(product)
        if len(monomials) > MOST_MONOMIALS or len(z) == self.rank:
            return []
        equations: dict[tuple[int, tuple[int, ...]], list[Element]] = {}
        for place, monomial in enumerate(monomials):
            for i, x in enumerate(z):
                parts = b(x, monomial).coefficients(*z)
                if parts is None:
                    return []
                for key, e in parts.items():
                    row = equations.setdefault((i, key), [F.zero] * len(monomials))
                    row[place] = e
        rows = [row for row in equations.values() if any(not e.is_zero for e in row)]
        found = linear.nullspace(rows) if rows else []
        made = []
        for weights in found:
            total = F.zero
            for weight, monomial in zip(weights, monomials, strict=True):
                total = total + weight * monomial
            made.append(total)
        return _independent(made, z)

    def __str__(self) -> str:
        lines = [f"H = {self.hamiltonian}"]
        lines += [f"{{{a}, {b}}} = {e}" for (a, b), e in self.dynamics.bracket.items()]
        lines.append(f"rank {self.rank} of {len(self.coordinates)}")
        lines += [f"Casimir function: {C}" for C in self.casimirs]
        lines += [f"constraint: {e}" for e in self.dynamics.relations]
        lines += [f"lambda_{i} = {e}" for i, e in enumerate(self.multipliers, 1)]
        return "\n".join([*lines, *(f"{n}' = {e}" for n, e in self.rates.items())])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "bracket": {f"{a}, {b}": str(e) for (a, b), e in self.dynamics.bracket.items()},
            "constraints": [str(e) for e in self.dynamics.relations],
        }

    def _repr_latex_(self) -> str:
        rows = [f"H &= {to_latex(self.hamiltonian)}"]
        rows += [
            rf"\{{{to_latex(symbol(a))}, {to_latex(symbol(b))}\}} &= {to_latex(e)}"
            for (a, b), e in self.dynamics.bracket.items()
        ]
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"


def _independent(found: list[Element], z: list[Element]) -> list[Element]:
    """Of some functions those whose differentials are independent of the earlier ones, at generic points."""
    kept: list[Element] = []
    for C in sorted(found, key=lambda e: e.terms):
        rows = [[e.diff(x) for x in z] for e in (*kept, C)]
        if answer(ask(linear.rank, rows)) == len(rows):
            kept.append(C)
    return kept
