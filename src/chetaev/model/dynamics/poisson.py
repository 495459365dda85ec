"""A phase space that need not be a cotangent bundle: a Poisson structure given as text (SCOPE B13).

    ż^i = {z^i, H} + F^i + λ_A Y^{A i},      {F, G} = {z^i, z^j} ∂_i F ∂_j G,      c^A(t, z) = 0.

The coordinates of the model are the variables z, all equations are of first order, and the constraints are
functions on phase space; :mod:`chetaev.model.dynamics.bracket` says how they act. Antisymmetry and Jacobi's
identity are checked when the model is read.

>>> import chetaev as ch
>>> spin = ch.System(
...     coordinates=["S1", "S2", "S3"],
...     poisson={
...         "bracket": {"S1, S2": "S3", "S2, S3": "S1", "S3, S1": "S2"},
...         "hamiltonian": "-g*B*S3",
...     },
...     parameters={"g": 2, "B": 1},
... )
>>> [str(e) for e in spin.velocity_constraints]
["S1' = B*g*S2", "S2' = -B*g*S1", "S3' = 0"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.graph.node import ZERO, Expr, add, mul, neg, symbol, symbols
from chetaev.expr.language.parser import Equation
from chetaev.expr.print.layout import Indexed, Name, Number, Row
from chetaev.model.dynamics.any_dynamics import SX, Nodes, Part
from chetaev.model.dynamics.bracket import BracketTable, Pair, Rates
from chetaev.model.dynamics.submanifold import Intrinsic

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData


@dataclass(frozen=True)
class Poisson(Intrinsic):
    """H and {z^i, z^j}; constraints c with the momenta of d'Alembert's principle or with reactions Y."""

    time: str
    H: Expr
    bracket: Mapping[Pair, Expr]
    added: Mapping[str, Expr] = field(default_factory=dict)
    constraints: tuple[Equation, ...] = ()
    momenta: tuple[str, ...] = ()
    reactions: tuple[Mapping[str, Expr], ...] = ()
    kind = "poisson"
    given_by = "a Poisson bracket and a Hamiltonian"
    section = "poisson"
    states_constraints = True  # ż = …, on velocities
    headings = MappingProxyType({"position": "Constraints on phase space", "velocity": "Equations of motion"})

    @property
    def hamiltonian(self) -> Expr:
        """H(t, z)."""
        return self.H

    @property
    def independent(self) -> tuple[str, ...]:
        """None: every equation is of first order."""
        return ()

    @property
    def symmetric(self) -> bool:
        """There is no M."""
        return True

    @property
    def parts(self) -> tuple[Part, ...]:
        """H, then {z^i, z^j}, then added rates, then reactions."""
        made = [Part("the Hamiltonian", ("poisson", "hamiltonian"), "H", Name("H"), self.H)]
        for (a, b), e in self.bracket.items():
            shown = Indexed(Name("Lambda"), Row((Name(a), Name(b))), above=True)
            what = f"the bracket of {a} and {b}"
            made.append(Part(what, ("poisson", "bracket"), f"{{{a}, {b}}}", shown, e))
        for name, e in self.added.items():
            shown_rate = Indexed(Name("F"), Name(name))
            made.append(Part(f"the force on {name}", ("poisson", "forces", name), f"F_{name}", shown_rate, e))
        for i, reaction in enumerate(self.reactions):
            for name, e in reaction.items():
                path = ("poisson", "reactions", i, name)
                shown_y = Indexed(Name("Y"), Row((Number(Fraction(i + 1)), Name(name))))
                made.append(Part(f"reaction {i + 1} on {name}", path, f"Y_{i + 1},{name}", shown_y, e))
        return tuple(made)

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With another H, bracket, rates and reactions."""
        rest = iter(functions)
        H = next(rest)
        bracket = {pair: next(rest) for pair in self.bracket}
        added = {name: next(rest) for name in self.added}
        reactions = tuple({name: next(rest) for name in reaction} for reaction in self.reactions)
        return replace(self, H=H, bracket=bracket, added=added, reactions=reactions)

    @property
    def arrangement(self) -> tuple[str, ...]:
        """What the functions belong to."""
        pairs = [f"{a},{b}" for a, b in self.bracket]
        acting = [f"{i}{n}" for i, y in enumerate(self.reactions) for n in y]
        return (*pairs, *self.added, *self.momenta, *acting)

    def table(self) -> dict[str, Any]:
        """``hamiltonian`` and ``bracket``, and what else there is."""
        found: dict[str, Any] = {
            "hamiltonian": self.H,
            "bracket": {f"{a}, {b}": e for (a, b), e in self.bracket.items()},
        }
        if self.added:
            found["forces"] = dict(self.added)
        if self.constraints:
            found["constraints"] = list(self.constraints)
        if self.momenta:
            found["momenta"] = list(self.momenta)
        if self.reactions:
            found["reactions"] = [dict(y) for y in self.reactions]
        return found

    # --- its law ----------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> Rates:
        """ż with the multipliers solved for, as exact functions."""
        constraints = [e.residual for e in self.constraints]
        moving = {*self.coordinates, self.time}
        used = symbols(*(p.expr for p in self.parts), *constraints)
        parameters = sorted(name for name, _ in used if name not in moving)
        bracket = BracketTable(self.time, self.coordinates, self.bracket, parameters)
        return Rates(bracket, self.H, self.added, constraints, self.momenta, self.reactions)

    @cached_property
    def velocities(self) -> Mapping[str, Expr]:
        """ż by name."""

        def exact() -> list[Expr]:
            return [e.to_expr() for e in self.rates.rates]

        found = exact() if self.constraints else ask(exact)
        found = self._graphs() if isinstance(found, GivenUp) else found
        return dict(zip(self.coordinates, found, strict=True))

    def _graphs(self) -> list[Expr]:
        """{z, H} + F without normal forms: for tables of data."""
        from chetaev.expr.graph.calculus import Calculus

        calculus = Calculus()
        by = calculus.graphs(calculus.gradient(self.H, [symbol(c) for c in self.coordinates]))
        place = {c: i for i, c in enumerate(self.coordinates)}
        found = [self.added.get(c, ZERO) for c in self.coordinates]
        for (a, b), e in self.bracket.items():
            found[place[a]] = add(found[place[a]], mul(e, by[place[b]]))
            found[place[b]] = add(found[place[b]], neg(mul(e, by[place[a]])))
        return found

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The equations ż = …."""
        return tuple(Equation(symbol(c, 1), rate) for c, rate in self.velocities.items())

    @property
    def relations(self) -> tuple[Equation, ...]:
        """The constraints on phase space, and rates of those that have no momenta in them."""
        if not self.constraints:
            return ()
        return (*self.constraints, *(Equation(e.to_expr(), ZERO) for e in self.rates.relations))

    @property
    def multipliers(self) -> tuple[Expr, ...]:
        """λ_A(t, z); none where the motion keeps the constraints by itself."""
        return tuple(e.to_expr() for e in self.rates.multipliers) if self.constraints else ()

    def on_q(self, at: Nodes) -> tuple[SX, SX]:
        """Nothing: there are no accelerations to be given."""
        import casadi

        return casadi.SX(0, 1), casadi.SX(0, 0)

    @classmethod
    def read(cls, given: DynamicsData) -> Poisson:
        """From ``[poisson]``; see :mod:`chetaev.model.dynamics.poisson_reading`."""
        from chetaev.model.dynamics.poisson_reading import read

        return read(given)
