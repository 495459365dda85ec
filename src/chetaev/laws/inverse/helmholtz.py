"""`ch.helmholtz`: is the force conservative in the generalized sense, and what is its potential? (SCOPE K7)

A force Φ_σ(t, q, v) on the right side of d/dt ∂L/∂v − ∂L/∂q = Φ comes from a potential V(t, q, v),

    Φ_σ = −∂V/∂q^σ + d/dt ∂V/∂v^σ,       so that L − V is a Lagrangian of the forced system,

exactly if the 2-form (34) is closed, which says (36)–(38), Krupková's Helmholtz conditions for a force:

    ∂²Φ_σ/∂v^ν∂v^ρ = 0:  Φ_σ = a_σρ v^ρ + b_σ                                                     (36), (37)
    a_σν + a_νσ = 0,     ∂a_σρ/∂q^ν + ∂a_νσ/∂q^ρ + ∂a_ρν/∂q^σ = 0,
    ∂b_σ/∂q^ν − ∂b_ν/∂q^σ + ∂a_νσ/∂t = 0                                                              (38).

Then V = φ(t, q) − A_ν(t, q) v^ν with a = dA (a_σν = ∂A_ν/∂q^σ − ∂A_σ/∂q^ν) and b_σ = −∂φ/∂q^σ − ∂A_σ/∂t; A
has no component along the first coordinate that it can do without, and is integrated coordinate by
coordinate. V is handed back only if the force that it gives is proved to be Φ. A system that is given by a
1-form F dq + Π dv (D4), or by accelerations of all its coordinates, is asked the same with K, ∂K/∂v = Π, in
the place of L: then Φ = F − ∂K/∂q, and ∂Π_σ/∂v^ν = ∂Π_ν/∂v^σ is the first condition. The question is about
the law *as it stands*: a multiple of it may have a Lagrangian where it has none. On systems with
constraints the force is asked on all of J¹Y, as it is written.

>>> import chetaev as ch
>>> lorentz = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", parameters={"B": 2},
...                     forces={"x": "B*y' - x", "y": "-B*x'"})
>>> found = ch.helmholtz(lorentz)
>>> found.variational, str(found.potential)
(True, "x*(x - 2*B*y')/2")
>>> first = ch.helmholtz(ch.load("damped-sleigh")).defects[0]
>>> first.name, str(first.expression), first.holds
('a[x, x] + a[x, x] = 0', '-2*d', False)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.sharp_constraints import sharp
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.graph.node import ZERO, Expr, substitute
from chetaev.expr.print import to_latex, to_text
from chetaev.laws.inverse.conditions import Asked, VanishingCondition, evidence, judged, together
from chetaev.laws.inverse.given_force import GivenForce, given_force
from chetaev.laws.inverse.primitive import primitive, vector_potential
from chetaev.laws.vanishing_on_q import plain_form
from chetaev.model.system import System, expect_system
from chetaev.results import TextResult


@dataclass(frozen=True)
class Helmholtz(TextResult):
    """The answer to the inverse problem of a force.

    Attributes
    ----------
    variational
        Whether the force has a potential: True, False, or None if that could not be decided.
    potential
        V(t, q, v), up to what makes no force; None where there is none or none was found in closed form.
    lagrangian
        L − V, a Lagrangian of the forced system; None as above.
    conditions
        Every Helmholtz condition that does not hold by its structure, with its verdict.
    evidence
        How the answer is known.
    remark
        What more is to be said, such as why there is no potential in closed form.
    """

    variational: bool | None
    potential: Expr | None
    lagrangian: Expr | None
    conditions: tuple[VanishingCondition, ...]
    evidence: str
    remark: str = ""

    facts = "variational potential lagrangian conditions defects evidence remark"

    @property
    def defects(self) -> tuple[VanishingCondition, ...]:
        """The conditions that fail, in the order of the equations; each has a `witness`."""
        return tuple(c for c in self.conditions if c.holds is False)

    def __str__(self) -> str:
        verdict = {
            True: "the force is conservative in the generalized sense",
            False: "the force has no potential",
            None: "undecided",
        }
        lines = [f"{verdict[self.variational]} ({self.evidence}; K7)"]
        if self.potential is not None:
            lines.append(f"V = {to_text(self.potential)}")
        if self.defects:
            lines.append(f"first failing condition: {self.defects[0]}")
        return "\n".join([*lines, *([self.remark] if self.remark else [])])

    def _repr_html_(self) -> str:
        shown = "" if self.potential is None else f"<p>$\\displaystyle V = {to_latex(self.potential)}$</p>"
        return f"{super()._repr_html_()}{shown}"


def helmholtz(system: System, *, effort: int = EFFORT) -> Helmholtz:
    """Whether the force of a system comes from a potential V(t, q, v), with V or the condition that fails.

    Parameters
    ----------
    system
        A system with a Lagrangian and forces, or given by a 1-form, or by accelerations of all coordinates.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "ch.helmholtz")
    system = sharp(system)
    effort = expect_effort(effort)
    plain = partial(plain_form, within=Field(Budget(max(effort, 1_000_000) * 4)))
    force = given_force(system, effort)
    if force.kinetic is None:
        conditions, view = judged(system, force.symmetry, effort, plain)
        return Helmholtz(
            together(conditions) and None,
            None,
            None,
            conditions,
            evidence(conditions, view.words),
            "" if together(conditions) is False else "no function K with ∂K/∂v = Π was found in closed form",
        )
    conditions, view = judged(system, [*force.symmetry, *asked(force)], effort, plain)
    holds = together(conditions)
    potential = lagrangian = None
    remark = ""
    if holds:
        potential = answer(ask(_potential, system, force, dict(view.replaced), effort))
        if potential is None:
            remark = "a potential exists near every point, but none was found in closed form"
        else:
            lagrangian = plain(force.kinetic - potential)
    return Helmholtz(holds, potential, lagrangian, conditions, evidence(conditions, view.words), remark)


def asked(force: GivenForce) -> Iterator[Asked]:
    """(36), then (38), as functions with names."""
    q, m = force.names, range(len(force.names))
    for i in m:
        for j, k in ((j, k) for j in m for k in m if j <= k):
            yield f"∂²Φ[{q[i]}]/∂{q[j]}'∂{q[k]}' = 0", "(36)", force.second[i][j][k]
    a, b_q = force.slope, force.offset_q
    for i in m:
        for j in range(i, len(q)):
            total = a[i][j] + a[j][i] if not (a[i][j] is ZERO and a[j][i] is ZERO) else ZERO
            yield f"a[{q[i]}, {q[j]}] + a[{q[j]}, {q[i]}] = 0", "(38)", total
    for i, j, k in combinations(m, 3):
        terms = [force.slope_q[i][k][j], force.slope_q[j][i][k], force.slope_q[k][j][i]]
        cyclic = ((i, k, j), (j, i, k), (k, j, i))
        name = " + ".join(f"∂a[{q[r]}, {q[c]}]/∂{q[w]}" for r, c, w in cyclic)
        yield f"{name} = 0", "(38)", _sum(terms)
    for i, j in combinations(m, 2):
        turned = b_q[j][i]
        terms = [b_q[i][j], -turned if turned is not ZERO else ZERO, force.slope_t[j][i]]
        name = f"∂b[{q[i]}]/∂{q[j]} − ∂b[{q[j]}]/∂{q[i]} + ∂a[{q[j]}, {q[i]}]/∂{force.time} = 0"
        yield name, "(38)", _sum(terms)


def _sum(terms: list[Expr]) -> Expr:
    kept = [e for e in terms if e is not ZERO]
    return sum((e for e in kept[1:]), kept[0] if kept else ZERO)


def _potential(system: System, force: GivenForce, replaced: dict[Expr, Expr], effort: int) -> Expr | None:
    """V = φ − A_ν v^ν, checked against the force."""
    field = Field(Budget(20 * effort))
    q, t = system.coordinates, (system.time, 0)
    for name in (*system.parameters, system.time, *q):
        field.symbol(name)
    given = substitute([*(e for row in force.slope for e in row), *force.offset], replaced)
    values = [field(e).subs({(n, 1): 0 for n in q}) for e in given]
    m = len(q)
    a = [values[i * m : (i + 1) * m] for i in range(m)]
    A = vector_potential(a, q, effort)
    if A is None:
        return None
    form = {
        (n, 0): -(b + x.diff(t)) for n, b, x in zip(q, values[m * m :], A, strict=True)
    }  # ∂φ/∂q = −b − ∂A/∂t
    phi = primitive(form, effort)
    if phi is None:
        return None
    V = phi
    for n, x in zip(q, A, strict=True):
        V = V - x * field.symbol(n, 1)
    whole = substitute(force.components, replaced)
    return V.to_expr() if _gives(field, q, t, V, [field(e) for e in whole]) else None


def _gives(field: Field, q: tuple[str, ...], t: tuple[str, int], V: Element, force: list[Element]) -> bool:
    """Whether −∂V/∂q + d/dt ∂V/∂v is the force."""
    for n, f in zip(q, force, strict=True):
        p = V.diff((n, 1))
        total = sum((field.symbol(k, 1) * p.diff(k) for k in q), -V.diff(n) + p.diff(t) - f)
        if total.is_zero is not True:
            return False
    return True
