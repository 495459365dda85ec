"""`ch.hamilton`: momenta, Hamiltonian and canonical equations, with constraints or without (SCOPE K9, K24).

Without constraints p = ∂L/∂v and H = p·v − L (27), regular where det ∂²L/∂v∂v ≠ 0 (25); where L is affine in
the velocities, where det(∂²L/∂q∂v − ∂²L/∂v∂q) ≠ 0 (26).

With constraints v^a = g^a(t, q, v^s) the nonholonomic momenta P_l have ∂P_l/∂v^s = −B̄_ls, the matrix of (70).
They exist exactly where

    ∂B̄_ls/∂v^r = ∂B̄_lr/∂v^s    (89),

which affine constraints satisfy by themselves, with P_l = ∂L̄/∂v^l (94), and constraints that leave one
velocity free trivially. Others may fail, and a point shows it. For constraints that are not affine the
condition depends on which velocities are called dependent; `dependent` chooses them.

>>> import chetaev as ch
>>> skate = ch.hamilton(ch.load("knife-edge"))
>>> skate.exists, skate.regular, str(skate.momenta["P_phi"])
(True, True, "J*phi'")
>>> ch.hamilton(ch.load("leibniz-particle")).exists
False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import casadi

from chetaev.checked_arguments import shown
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.forms.hamilton import derive
from chetaev.equations.law.normal_law import ChosenChart, DerivationsOnQ, OnConstraint
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import SX, is_linear
from chetaev.expr.graph.node import ZERO, Expr, symbol
from chetaev.hamilton import first_order
from chetaev.hamilton.by_powers_of_momenta import arranged
from chetaev.hamilton.energy_form import EnergyForm, energy_components
from chetaev.hamilton.hamilton_display import latex, plain_data, text
from chetaev.hamilton.horizontal import EXACT, Result, within
from chetaev.hamilton.inverse_legendre import LegendreMap, Velocities
from chetaev.hamilton.momentum_integral import integrated
from chetaev.hamilton.phase_space import expect_on_velocities
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.standpoint import Standpoint, decisive, judge, standpoints
from chetaev.model.system import System, expect_system
from chetaev.results import brief


class TooLongError(ModelError):
    """A closed form that costs too much to be written down."""


@dataclass(frozen=True)
class Hamilton:
    """Momenta and what follows from them.

    Attributes
    ----------
    system
        The system.
    effort
        What each question of zero may cost.
    dependent
        The coordinates whose velocities the constraints are solved for; the best pivots if None.
    """

    system: System
    effort: int = EFFORT
    dependent: tuple[str, ...] | None = None

    @cached_property
    def _setup(self) -> ChosenChart:
        return ChosenChart(self.system, self.dependent)

    @cached_property
    def _on_q(self) -> DerivationsOnQ:
        return DerivationsOnQ(self._setup)

    @cached_property
    def _on(self) -> OnConstraint:
        return OnConstraint(self.system, EXACT)

    @cached_property
    def affine(self) -> bool:
        """Whether the constraints are affine in the velocities (or there are none)."""
        s = self._setup
        return not s.f.numel() or is_linear(s.f, s.v)

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """The coordinates whose velocities are coordinates of Q: one momentum for each."""
        return tuple(self.system.coordinates[i] for i in self._setup.independent)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the momenta: p_x without constraints, P_x with them."""
        stem = "P_" if self._setup.k else "p_"
        while any(stem + c in self.system.names for c in self.system.coordinates):
            stem += "_"
        return tuple(stem + c for c in self.independent)

    def _asked(self, functions: list[Expr]) -> Verdict:
        """Whether functions vanish on Q; the first that does not is the witness."""
        positions = [e.residual for e in self.system.position_constraints]

        def ask(standpoint: Standpoint) -> Verdict:
            on = standpoint.apply([*self._on.f, *positions])
            return decisive(zero_tests(standpoint.apply(functions), on, effort=self.effort))

        return judge(self.system, ask)[0]

    @cached_property
    def condition(self) -> Verdict:
        """The verdict on (89): "zero" where momenta exist."""
        s, n = self._setup, len(self.independent)
        if self.affine:
            return Verdict("zero", True, method="the constraints are affine in the velocities")
        h = self._on_q.restricted_hessian
        rows = [self._on_q.by_v(h[i, :].T) for i in range(n)]
        defects = [row[a, b] - row[b, a] for row in rows for a, b in combinations(range(n), 2)]
        if not defects:
            return Verdict("zero", True, method="one velocity is free, and (89) says nothing")
        return self._asked(s.graphs(casadi.vertcat(*defects)))

    @property
    def exists(self) -> bool | None:
        """Whether there are momenta: True, False (with a witness in `condition`), or None."""
        return self.condition.is_zero

    @cached_property
    def momenta(self) -> Mapping[str, Expr]:
        """P_l by name, functions of t, q, v on Q."""
        return {name: e.to_expr() for name, e in zip(self.names, self._momenta, strict=True)}

    @cached_property
    def _momenta(self) -> list[Element]:
        if self.exists is False:
            raise ModelError(
                f"there are no nonholonomic momenta: condition (89) fails: {self.condition}",
                remedy="the reduced equations need none; use form='reduced'",
            )
        s = self._setup
        if not self.affine:
            table = [[self._restricted(e) for e in row] for row in s.matrix(self._on_q.restricted_hessian)]
            dependent = [(self.system.coordinates[d], 1) for d in s.dependent]
            return integrated(table, [(c, 1) for c in self.independent], dependent)
        return self._exact(lambda: [self._restricted(e) for e in s.graphs(self._on_q.by_v(s.L).T)])

    @cached_property
    def _closed_g(self) -> Mapping[Any, Element]:
        """v^a = g^a in closed form, where the constraints are affine, in the chart of the momenta."""
        F, names = self._on.field, self.system.coordinates
        if not self._setup.k or not self.affine:
            return {}
        D = self._setup.dependent
        if {symbol(names[d], 1) for d in D} == set(self._on.closed):
            return self._on.closed
        f = [F(e) for e in self._on.f]
        C_D = [[e.diff((names[d], 1)) for d in D] for e in f]
        rest = {(names[d], 1): F.zero for d in D}
        solved = linear.solve(C_D, [-e.subs(rest) for e in f])
        return {symbol(names[d], 1): x for d, x in zip(D, solved, strict=True)}

    def _restricted(self, expr: Expr) -> Element:
        e = self._on.field(expr)
        return e.subs(self._closed_g) if self._closed_g else e

    @cached_property
    def _slopes(self) -> list[list[Element]]:
        return [[e.diff((c, 1)) for c in self.independent] for e in self._momenta]

    @cached_property
    def first_order(self) -> bool:
        """Whether L is affine in v, without constraints: equations of the first order."""
        return not self._setup.k and all(e.is_zero for row in self._slopes for e in row)

    @cached_property
    def regular(self) -> bool | None:
        """Whether velocities follow from momenta at generic points, for the values of the parameters that the
        model has: (25), (86), (95); or (26) where L is affine in the velocities.
        """
        if not self.independent:
            return True
        return answer(ask(self._is_regular))

    def _is_regular(self) -> bool:
        F = self._on.field
        values = {name: F(e) for name, e in standpoints(self.system)[-1].replaced}
        table = first_order.curl(self._momenta, self.system.coordinates) if self.first_order else self._slopes
        return linear.rank([[e.subs(values) for e in row] for row in table]) == len(table)

    @cached_property
    def _velocities(self) -> dict[Element, Element]:
        """v^l(t, q, P), where P is affine in v."""
        if not self.regular:
            raise ModelError(
                "velocities do not follow from momenta: the Lagrangian is degenerate on Q",
                remedy="ch.dirac brings degenerate Lagrangians to their end",
            )
        F = self._on.field
        slopes = self._slopes
        v = [F.symbol(c, 1) for c in self.independent]
        rest = [
            sum((-s * u for s, u in zip(row, v, strict=True)), e)
            for row, e in zip(slopes, self._momenta, strict=True)
        ]
        moving = {(c, 1) for c in self.independent}
        if any(moving & {*e.symbols} for e in (*rest, *(e for row in slopes for e in row))):
            raise ModelError(
                "velocities follow from momenta, but not in closed form here: momenta are not affine in them",
                remedy="form='hamilton' needs no closed form: ch.equations, ch.field and ch.simulate work; "
                "to_velocities(t, q, p) finds them as numbers",
            )
        right = [F.symbol(n) - e for n, e in zip(self.names, rest, strict=True)]
        return dict(zip(v, linear.solve(slopes, right) if v else [], strict=True))

    @cached_property
    def hamiltonian(self) -> Expr:
        """H̄ = P_l v^l − L̄ in t, q and momenta; its value is not the energy where constraints are affine.

        Where L is affine in the velocities it is a function of t and q.
        """
        return self._exact(self._hamiltonian)

    def _hamiltonian(self) -> Expr:
        F = self._on.field
        total = -self._restricted(self.system.lagrangian)
        for c, P in zip(self.independent, self._momenta, strict=True):
            total = total + F.symbol(c, 1) * P
        return total.to_expr() if self.first_order and self.regular else self._closed(total)

    def _exact(self, compute: Callable[[], Result]) -> Result:
        return within(compute, "the Hamiltonian", TooLongError)

    def _closed(self, e: Element) -> Expr:
        velocities = self._velocities
        return self._exact(lambda: arranged(e.subs(velocities), [(n, 0) for n in self.names]))

    def in_momenta(self, function: Expr) -> Expr:
        """A function of t, q, v on Q as one of t, q, P; a ModelError where momenta have no closed inverse."""
        return self._closed(self._exact(lambda: self._restricted(function)))

    @cached_property
    def too_long(self) -> str | None:
        """The sentence, where the Hamiltonian exists in closed form but costs too much to be written down."""
        if self.exists is False or not self.affine:
            return None
        try:
            _ = self.hamiltonian
        except ModelError as error:
            return error.message if isinstance(error, TooLongError) else None
        return None

    @cached_property
    def _rates(self) -> list[Element]:
        """Ṗ_l in t, q, v."""
        if self.affine:
            chosen = self.dependent is not None
            law = derive(self.system, self.dependent) if chosen else equations(self.system, "hamilton")
            return self._exact(lambda: [self._restricted(e) for e in law.right])
        s, P = self._setup, self._column
        a = s.column(solved_accelerations(self.system))[s.independent, 0]
        rates = self._on_q.along(P) + self._on_q.by_v(P) @ a
        return self._exact(lambda: [self._restricted(e) for e in s.graphs(rates)])

    @property
    def _column(self) -> SX:
        return casadi.densify(self._setup.column(list(self.momenta.values())))

    @cached_property
    def equations(self) -> Mapping[str, Expr]:
        """q' and P' by name, functions of t, q and momenta: the canonical equations (93)."""
        if self.first_order and self.regular:
            return self._exact(self._first_order_equations)
        found = {c: self._closed(self._restricted(symbol(c, 1))) for c in self.system.coordinates}
        for name, rate in zip(self.names, self._rates, strict=True):
            found[name] = self._closed(rate)
        return found

    def _first_order_equations(self) -> Mapping[str, Expr]:
        F, names = self._on.field, self.system.coordinates
        forces = [F(self.system.forces.get(c, ZERO)) for c in names]
        H = F(self.hamiltonian)
        solved = first_order.rates(self._momenta, H, forces, names, self.system.time)
        return {c: e.to_expr() for c, e in zip(names, solved, strict=True)}

    @cached_property
    def energy_form(self) -> EnergyForm:
        """The energy 1-form η (90)–(93), and whether −dH̄ is one."""
        if self.first_order or not self.regular:
            raise ModelError(
                "there is no energy 1-form in (t, q, P): momenta are no coordinates",
                remedy="ch.dirac brings degenerate Lagrangians to their end",
            )
        s, on_q, P = self._setup, self._on_q, self._column
        rates = s.column([e.to_expr() for e in self._rates])
        listed, defects = energy_components(s, on_q, P, rates)
        exactness = self._asked(defects)
        in_momenta = True
        try:
            shown = [self._closed(self._restricted(e)) for e in listed]
        except ModelError:
            in_momenta = False
            shown = self._exact(lambda: [self._restricted(e).to_expr() for e in listed])
        n = len(self.independent)
        return EnergyForm(
            self.system.time,
            shown[0],
            dict(zip(self.independent, shown[1 : n + 1], strict=True)),
            dict(zip(self.names, shown[n + 1 :], strict=True)),
            in_momenta,
            exactness,
        )

    # -- numbers -----------------------------------------------------------------------------------------
    @cached_property
    def _map(self) -> LegendreMap:
        return LegendreMap(self.system, self.names, list(self.momenta.values()), self._on.f)

    def to_momenta(self, t: Any, q: Any, v: Any) -> dict[str, float]:
        """The momenta at a state (t, q, v): numbers in the order of the coordinates, or by name.

        >>> import chetaev as ch
        >>> ch.hamilton(ch.load("heisenberg")).to_momenta(0, [0, 2, 0], {"x": 1, "y": 3, "z": 2})
        {'P_x': 5.0, 'P_y': 3.0}
        """
        return self._map.to_momenta(t, q, v)

    def to_velocities(self, t: Any, q: Any, p: Any, near: Any = None) -> Velocities:
        """All velocities with given momenta, certified to be a solution; `near` chooses one of several.

        >>> import chetaev as ch
        >>> ch.hamilton(ch.load("heisenberg")).to_velocities(0, [0, 2, 0], {"P_x": 5, "P_y": 3})
        {'x': 1.0, 'y': 3.0, 'z': 2.0}
        """
        if self.first_order:
            raise ModelError(
                "momenta are functions of positions alone, the Lagrangian being affine in the velocities: "
                "they do not determine velocities",
                remedy="the equations of motion do: see .equations",
            )
        return self._map.to_velocities(t, q, p, near)

    # -- shown -------------------------------------------------------------------------------------------
    __repr__ = brief

    def __str__(self) -> str:
        return text(self)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return plain_data(self)

    def latex(self) -> str:
        """Momenta, Hamiltonian and canonical equations as formulas."""
        return latex(self)

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"


def hamilton(system: System, *, dependent: Sequence[str] | None = None, effort: int = EFFORT) -> Hamilton:
    """Momenta, Hamiltonian and canonical equations of a system, nonholonomic ones with constraints.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    dependent, effort
        As in :class:`Hamilton`.
    """
    expect_system(system, "ch.hamilton")
    effort = expect_effort(effort)
    otherwise = "constraints on accelerations are none on velocities: there are no momenta on Q"
    expect_on_velocities(system, "ch.hamilton", otherwise)
    if dependent is not None:
        listed = isinstance(dependent, Sequence) and not isinstance(dependent, str)
        if not listed or not all(isinstance(c, str) for c in dependent):
            raise ModelError(f"dependent is {shown(dependent)}", expected='names, such as ["z"]')
        dependent = tuple(dependent)
        _ = ChosenChart(system, dependent).dependent
    return Hamilton(system, effort, dependent)
