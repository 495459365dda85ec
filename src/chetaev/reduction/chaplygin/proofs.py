"""The reduced equations against others, which share no code with them (SCOPE M4).

Against the full ones: along the motion of Lagrange's equations with multipliers eliminated, the rates of r,
ṙ, p and of the coordinates of the orbits are functions on Q; less the reduced right sides they must vanish
there. Q is met by v = w^A Z_A in a frame of D, so that nothing has to be solved. Against Čaplygin's
equations: matrix and right side of `equations/forms/chaplygin` for the coordinates of the orbits as
dependent ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from chetaev.equations.forms.chaplygin import derive as chaplygin
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import Expr, sub, substitute, symbol
from chetaev.laws.rate import rate
from chetaev.laws.standpoint import Standpoint, judge
from chetaev.model.system import System


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
