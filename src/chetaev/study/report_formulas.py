r"""The formulas that a report shows beside those of the model: the law with multipliers, det B̄, f = φ̇."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chetaev.expr.print import layout
from chetaev.expr.print.layout import Indexed, Layout, Name, Over, Product, Relation, Row, Sign

if TYPE_CHECKING:
    from chetaev.model.system import System

DETERMINANT = layout.Call("det", (layout.Barred(Name("B")),), "")
RATE = Relation(Name("f"), Name("varphi", 1))
"""What f is for a constraint φ on positions."""


def multiplier_rule(system: System) -> Relation | None:
    r"""The equations with multipliers: reactions from ∂f/∂v, those of acceleration constraints from ∂f/∂a.

    Those of a fundamental form F dq + Π dv are dΠ/dt = F + …; None where there are no multipliers.

    >>> from chetaev import load
    >>> from chetaev.expr.print import latex
    >>> rule = multiplier_rule(load("acceleration-constraint"))
    >>> print(latex(rule.right))
    F + \mu_{a} \frac{\partial f^{a}}{\partial a}
    >>> multiplier_rule(load("sleigh-on-q")) is None
    True
    """
    levels = {
        "v": (*system.position_constraints, *system.velocity_constraints),
        "a": system.acceleration_constraints,
    }
    if not any(levels.values()) or not system.dynamics.constraints_react:
        return None
    L, t = Name("L"), Product((Name("d"), Name("t")))
    rate = Over(Name("d"), t)
    left: Layout = layout.Sum((Product((rate, _partial(L, "v"))), layout.Minus(_partial(L, "q"))))
    if system.dynamics.lagrangian is None:
        left = Product((rate, Name("Pi")))
    forces: list[Layout] = [Name("F")]
    for index, by in zip("ab", [by for by, given in levels.items() if given], strict=False):
        f = Indexed(Name("f"), Name(index), above=True)
        forces.append(Product((Indexed(Name("mu"), Name(index)), _partial(f, by))))
    return Relation(left, layout.Sum(tuple(forces)))


def _partial(above: Layout, below: str) -> Layout:
    return Over(Row((Sign("∂"), above)), Row((Sign("∂"), Name(below))))
