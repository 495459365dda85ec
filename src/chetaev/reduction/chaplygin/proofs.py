"""The reduced equations against others, which share no code with them (SCOPE M4).

Against the full ones: along the motion of Lagrange's equations with multipliers eliminated, the rates of r,
ṙ, p and of the coordinates of the orbits are functions on Q; less the reduced right sides they must vanish
there. Q is met by v = w^A Z_A in a frame of D, so that nothing has to be solved. Against Čaplygin's
equations: matrix and right side of `equations/forms/chaplygin` for the coordinates of the orbits as
dependent ones.

Do reduced motions obey d'Alembert's principle? Nothing is solved for accelerations (SCOPE M4).

A motion of the reduced equations, lifted, has velocities v(q, ṙ, p) in D and accelerations

    a = ∂v/∂q v + ∂v/∂ṙ r̈ + ∂v/∂p ṗ + ∂v/∂t

with the reduced r̈ and ṗ. It is a motion of the system exactly if Z·(d/dt ∂L/∂v − ∂L/∂q − F) = 0 for a frame
Z of D, and there is one such motion for every state where the metric on D is regular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from chetaev.equations.forms.chaplygin import derive as chaplygin
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import Expr, sub, substitute, symbol
from chetaev.laws.rate import rate
from chetaev.laws.standpoint import Standpoint, judge
from chetaev.model.system import System
from chetaev.reduction.chaplygin.reduced_equations import ReducedEquations


def _verdicts(
    system: System, defects: Mapping[str, Expr], on_q: Mapping[Expr, Expr], effort: int
) -> dict[str, Verdict]:
    def ask(view: Standpoint, e: Expr) -> Verdict:
        return zero_tests(view.apply(substitute([e], dict(on_q))), effort=effort)[0]

    return {n: judge(system, partial(ask, e=e))[0] for n, e in defects.items()}


def against_full(
    system: System,
    laws: Mapping[str, Expr],
    momenta: Mapping[str, Expr],
    second: Sequence[str],
    on_q: Mapping[Expr, Expr],
    effort: int,
) -> dict[str, Verdict]:
    """Verdicts by name: r̈ for the names in `second`, ṗ for momenta, velocities for all others."""
    defects = {}
    for name, law in laws.items():
        if name in momenta:
            true = rate(system, momenta[name])
        elif name in second:
            true = rate(system, symbol(name, 1))
        else:
            true = symbol(name, 1)
        defects[name] = sub(true, law)
    return _verdicts(system, defects, on_q, effort)


def against_chaplygin(
    system: System,
    dependent: Sequence[str],
    metric: Sequence[Sequence[Expr]],
    right: Sequence[Expr],
    on_q: Mapping[Expr, Expr],
    effort: int,
) -> dict[str, Verdict]:
    """Verdicts for the entries of the matrix and of the right side."""
    law = chaplygin(system, dependent=dependent)
    names = [str(u).rstrip("'") for u in law.unknowns]
    defects = {}
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            defects[f"matrix {a}, {b}"] = sub(law.matrix[i][j], metric[i][j])
        defects[f"right {a}"] = sub(law.right[i], right[i])
    return _verdicts(system, defects, on_q, effort)


def residuals(derived: ReducedEquations, second: Sequence[Element]) -> list[Element]:
    """Z·(d/dt ∂L/∂v − ∂L/∂q − F) along lifted motions, for every field of the frame."""
    split = derived.split
    action = split.action
    field, names, time = action.field, action.names, action.system.time
    speeds = {c: field.symbol(c, 1) for c in split.moving} | derived.dependent | derived.lifted
    v = [speeds[c] for c in names]
    rates: Mapping[tuple[str, int], Element] = {
        **{(c, 0): speeds[c] for c in names},
        **{(c, 1): e for c, e in zip(split.moving, second, strict=True)},
        **{(p, 0): e for p, e in zip(derived.momenta, derived.rates, strict=True)},
        (time, 0): field.one,
    }

    def along(e: Element) -> Element:
        return sum((e.diff(key) * rates[key] for key in sorted(e.symbols) if key in rates), field.zero)

    put = {(c, 1): e for c, e in zip(names, v, strict=True)}
    forces = []
    for i, c in enumerate(names):
        momentum = action.lagrangian.diff((c, 1)).subs(put)
        push = action.lagrangian.diff((c, 0)).subs(put)
        forces.append(along(momentum) - push - action.forces[i].subs(put))
    return [linear.dot(x, forces) for x in (*split.horizontal, *split.sections)]
