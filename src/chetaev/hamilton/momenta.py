"""`ch.hamilton`: momenta, Hamiltonian and canonical equations, with constraints or without (SCOPE K9, K24).

Without constraints p = ∂L/∂v and H = p·v − L (27), regular where det ∂²L/∂v∂v ≠ 0 (25); where L is affine in
the velocities, where det(∂²L/∂q∂v − ∂²L/∂v∂q) ≠ 0 (26).

With constraints v^a = g^a(t, q, v^s) the nonholonomic momenta P_l have ∂P_l/∂v^s = −B̄_ls, the matrix of (70).
They exist exactly where

    ∂B̄_ls/∂v^r = ∂B̄_lr/∂v^s    (89),

which affine constraints satisfy by themselves, with P_l = ∂L̄/∂v^l (94). Others may fail, and a point shows
it.

>>> import chetaev as ch
>>> skate = ch.hamilton(ch.load("knife-edge"))
>>> skate.exists, skate.regular, str(skate.momenta["P_phi"])
(True, True, "J*phi'")
>>> ch.hamilton(ch.load("leibniz-particle")).exists
False
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import casadi

from chetaev.effort import EFFORT, beyond, expect_effort
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.on_q import OnQ
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import matrix as linear
from chetaev.expr.exact.budget import BudgetError, EffortError
from chetaev.expr.exact.element import Element
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import Expr, symbol
from chetaev.expr.print import to_latex
from chetaev.hamilton.arranged import arranged
from chetaev.laws.standpoint import Standpoint, judge
from chetaev.model.system import System, expect_system

EXACT = 5 * 10**7
"""What normal forms may cost."""


@dataclass(frozen=True)
class Hamilton:
    """Momenta and what follows from them.

    Attributes
    ----------
    system
        The system.
    effort
        What each question of zero may cost.
    """

    system: System
    effort: int = EFFORT

    @cached_property
    def _setup(self) -> Setup:
        return Setup(self.system)

    @cached_property
    def _on_q(self) -> OnQ:
        return OnQ(self._setup)

    @cached_property
    def _on(self) -> OnConstraint:
        return OnConstraint(self.system, EXACT)

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
            found = zero_tests(standpoint.apply(functions), on, effort=self.effort)
            wrong = [v for v in found if v.is_zero is False] + [v for v in found if v.is_zero is None]
            return (wrong + [v for v in found if not v.proved] + found)[0]

        return judge(self.system, ask)[0]

    @cached_property
    def condition(self) -> Verdict:
        """The verdict on (89): "zero" where momenta exist."""
        s, n = self._setup, len(self.independent)
        if s.f.numel() and not casadi.is_linear(s.f, s.v):
            h = self._on_q.restricted_hessian
            rows = [self._on_q.by_v(h[i, :].T) for i in range(n)]
            defects = [row[a, b] - row[b, a] for row in rows for a, b in combinations(range(n), 2)]
            if defects:
                return self._asked(s.graphs(casadi.vertcat(*defects)))
        return Verdict("zero", True, method="the constraints are affine in the velocities")

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
        if s.f.numel() and not casadi.is_linear(s.f, s.v):
            return self._by_integration()
        return [self._restricted(e) for e in s.graphs(self._on_q.by_v(s.L).T)]

    def _restricted(self, expr: Expr) -> Element:
        e = self._on.field(expr)
        return e.subs(self._on.closed) if self._on.closed else e

    def _by_integration(self) -> list[Element]:
        """P_l = v^s ∫₀¹ (−B̄_ls)(t, q, u v) du (91), where −B̄ is a polynomial in the velocities v^s."""
        h = self._setup.matrix(self._on_q.restricted_hessian)
        speeds = [(c, 1) for c in self.independent]
        found = []
        for row in h:
            total = self._on.field.zero
            for speed, entry in zip(speeds, row, strict=True):
                parts = self._restricted(entry).coefficients(*speeds)
                if parts is None:
                    raise ModelError(
                        "momenta exist, by (89), but the integral (91) is not found in closed form: B̄ is no "
                        "polynomial in the independent velocities"
                    )
                for exponents, coefficient in parts.items():
                    term = coefficient / (sum(exponents) + 1) * self._on.field.symbol(*speed)
                    for name, power in zip(speeds, exponents, strict=True):
                        term = term * self._on.field.symbol(*name) ** power
                    total = total + term
            found.append(total)
        return found

    @cached_property
    def _slopes(self) -> list[list[Element]]:
        return [[e.diff((c, 1)) for c in self.independent] for e in self._momenta]

    @cached_property
    def regular(self) -> bool | None:
        """Whether velocities follow from momenta at generic points: (25), (86), (95); or (26) where L is
        affine in the velocities.
        """
        if not self.independent:
            return True
        try:
            if linear.rank(self._slopes) == len(self.independent):
                return True
            return not self._setup.k and self._first_order_regular()
        except (BudgetError, EffortError):
            return None

    def _first_order_regular(self) -> bool:
        """(26): L is affine in the velocities, and the curl of its momenta is invertible."""
        if any(not e.is_zero for row in self._slopes for e in row):
            return False
        q = self.system.coordinates
        p = self._momenta
        curl = [[p[i].diff((b, 0)) - p[j].diff((a, 0)) for j, b in enumerate(q)] for i, a in enumerate(q)]
        return linear.rank(curl) == len(q)

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
        if any(not e.diff((c, 1)).is_zero for row in slopes for e in row for c in self.independent):
            raise ModelError(
                "velocities follow from momenta, but not in closed form here: momenta are not affine in them",
                remedy="form='hamilton' needs no closed form: ch.equations, ch.field and ch.simulate work",
            )
        v = [F.symbol(c, 1) for c in self.independent]
        rest = dict.fromkeys(v, F.zero)
        right = [F.symbol(n) - e.subs(rest) for n, e in zip(self.names, self._momenta, strict=True)]
        return dict(zip(v, linear.solve(slopes, right) if v else [], strict=True))

    @cached_property
    def hamiltonian(self) -> Expr:
        """H̄ = P_l v^l − L̄ in t, q and momenta; its value is not the energy where constraints are affine."""
        F = self._on.field
        total = -self._restricted(self.system.lagrangian)
        for c, P in zip(self.independent, self._momenta, strict=True):
            total = total + F.symbol(c, 1) * P
        return self._closed(total)

    def _closed(self, e: Element) -> Expr:
        try:
            return arranged(e.subs(self._velocities), [(n, 0) for n in self.names])
        except EffortError:
            raise ModelError(f"the Hamiltonian: {beyond(EXACT)}") from None
        except BudgetError as error:
            raise ModelError(f"the Hamiltonian: {error}") from None

    @cached_property
    def equations(self) -> Mapping[str, Expr]:
        """q' and P' by name, functions of t, q and momenta: the canonical equations (93)."""
        from chetaev.equations.registry import equations

        law = equations(self.system, "hamilton")
        found = {c: self._closed(self._restricted(symbol(c, 1))) for c in self.system.coordinates}
        for name, right in zip(self.names, law.right, strict=True):
            found[name] = self._closed(self._restricted(right))
        return found

    def __str__(self) -> str:
        if self.exists is False:
            return f"no nonholonomic momenta: condition (89) fails: {self.condition}"
        lines = [f"{name} = {e}" for name, e in self.momenta.items()]
        try:
            lines.append(f"H = {self.hamiltonian}")
            lines += [f"{name}' = {e}" for name, e in self.equations.items()]
        except ModelError as error:
            lines.append(error.message)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data: dict[str, Any] = {"exists": self.exists, "condition": str(self.condition), "regular": None}
        if self.exists is not False:
            data |= {"momenta": {n: str(e) for n, e in self.momenta.items()}, "regular": self.regular}
            try:
                data["hamiltonian"] = str(self.hamiltonian)
                data["equations"] = {n: str(e) for n, e in self.equations.items()}
            except ModelError as error:
                data["not_closed"] = error.message
        return data

    def _repr_latex_(self) -> str:
        from chetaev.expr.print import name_latex

        rows = [rf"{name_latex(n)} &= {to_latex(e)}" for n, e in self.momenta.items()]
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"


def hamilton(system: System, *, effort: int = EFFORT) -> Hamilton:
    """Momenta, Hamiltonian and canonical equations of a system, nonholonomic ones with constraints.

    Parameters
    ----------
    system
        A system with a Lagrangian.
    effort
        What each question may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Hamilton
        ``.momenta``, ``.hamiltonian``, ``.equations``, ``.regular``, ``.exists``.
    """
    expect_system(system, "ch.hamilton")
    effort = expect_effort(effort)
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"), remedy="ch.hamilton needs one")
    if system.acceleration_constraints:
        raise ModelError("constraints on accelerations are none on velocities: there are no momenta on Q")
    return Hamilton(system, effort)
