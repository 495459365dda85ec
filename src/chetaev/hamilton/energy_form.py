"""The nonholonomic energy 1-form (SCOPE K24; Krupková (90)–(93), (96)).

With momenta P_l the pull-back of dθ_λ to Q is η ∧ dt + dP_l ∧ dq^l + a 2-contact form, and

    η = η_0 dt + η_l dq^l + η^l dP_l     modulo the constraint 1-forms     (92),
    Ṗ_l = η_l,    q̇^l = −η^l,    q̇^a = g^a     (93).

η_0 is arbitrary, since η stands before ∧ dt; −∂H̄/∂t is taken. The family contains −dH̄, H̄ = P_l v^l − L̄,
where the defects

    η_l + ∂_cH̄/∂q^l|_P = p_a (d_c/dt ∂g^a/∂v^l − ∂_c g^a/∂q^l)     vanish on Q:

for semiholonomic constraints always (96), for others when the reactions of the curvature happen to vanish. It
is asked, and a point shows where they do not. Applied forces are no part of η; the canonical equations add
F_l + F_a ∂g^a/∂v^l to Ṗ_l. Where the momenta are not affine in the velocities the components are given in
velocities.

>>> import chetaev as ch
>>> eta = ch.hamilton(ch.load("heisenberg")).energy_form
>>> print(str(eta).splitlines()[0], eta.exact, sep="   ")
η = (y*P_x*P_y/(y^2 + 1)) dx - (P_x/(y^2 + 1)) dP_x - (P_y) dP_y   False
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi

from chetaev.equations.law.normal_law import DerivationsOnQ
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print import name_latex, to_latex
from chetaev.hamilton.long_formulas import readable
from chetaev.results import PlainData


@dataclass(frozen=True)
class EnergyForm(PlainData):
    """Components of η by the name of their differential, and the verdict on η = −dH̄.

    Attributes
    ----------
    time
        The name of the time.
    by_time, by_position, by_momentum
        η_0, η_l by coordinate and η^l by momentum.
    in_momenta
        Whether the components are functions of t, q and P; else of t, q and v.
    exactness
        The verdict on the defects η_l + ∂_cH̄/∂q^l: "zero" where −dH̄ belongs to the family.
    """

    time: str
    by_time: Expr
    by_position: Mapping[str, Expr]
    by_momentum: Mapping[str, Expr]
    in_momenta: bool
    exactness: Verdict

    facts = "components in_momenta exact"

    @property
    def exact(self) -> bool | None:
        """Whether −dH̄ is an energy 1-form."""
        return self.exactness.is_zero

    @property
    def components(self) -> Mapping[str, Expr]:
        """All components by the name of their coordinate."""
        return {self.time: self.by_time, **self.by_position, **self.by_momentum}

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {"evidence": str(self.exactness)}

    def __str__(self) -> str:
        parts = []
        for name, e in self.components.items():
            if e is not ZERO:
                text = readable(e)
                sign, text = ("-", text[1:]) if _negative(text) else ("+", text)
                parts.append(f"{sign} ({text}) d{name}")
        body = " ".join(parts) or "0"
        body = body[2:] if body.startswith("+ ") else body
        word = {True: "−dH modulo the constraint forms", None: "−dH modulo the constraint forms: undecided"}
        verdict = word.get(self.exact, f"not −dH modulo the constraint forms: {self.exactness}")
        return f"η = {body}\n{verdict}"

    def latex(self) -> str:
        """η as a formula."""
        parts = [
            rf"\left({to_latex(e)}\right) d{name_latex(n)}"
            for n, e in self.components.items()
            if e is not ZERO
        ]
        return r"\eta = " + (" + ".join(parts) or "0")

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"


def energy_components(s: Setup, on_q: DerivationsOnQ, P: SX, rates: SX) -> tuple[list[Expr], list[Expr]]:
    """η_0, the η_l and η^l, as functions of t, q, v; and the defects that vanish where η = −dH̄.

    `s`, `on_q`: the system in its chart of Q; `P`, `rates`: the momenta, and Ṗ with the applied forces.
    """
    S, D = s.independent, s.dependent
    v = s.v[S, 0]
    H = casadi.dot(P, v) - s.L
    by_P = s.solve(casadi.densify(on_q.by_v(P)).T, casadi.densify(on_q.by_v(H)).T)  # ∂H̄/∂P at fixed t, q
    force = s.F[S, 0] + on_q.g_v.T @ s.F[D, 0] if D else s.F[S, 0]
    slope = on_q.chetaev(H).T - on_q.chetaev(P).T @ by_P
    drift = on_q.by_t(H) - by_P.T @ on_q.by_t(P)
    eta = rates - force
    return s.graphs(casadi.vertcat(-drift, eta, -v)), s.graphs(casadi.vertcat(eta + slope, by_P - v))


def _negative(text: str) -> bool:
    """Whether a text is minus one product: the sign can go before the parenthesis."""
    depth = 0
    for c in text[1:]:
        depth += (c == "(") - (c == ")")
        if not depth and c in "+-":
            return False
    return text.startswith("-")
