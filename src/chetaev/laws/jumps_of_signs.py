"""Does a function jump where sign(u) does? (SCOPE K22)

Its rate may vanish on both sides, yet motions cross u = 0. For F = A + B s with s = sign(u), the values on
the two sides differ by 2B: F is constant along such a motion only if B = 0 on u = 0. Where F jumps,
s F = B + A s may be continuous: sign(x)(x'² + 2 k |x|) is an energy with a sign too many.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*abs(x)", parameters={"k": 2})
>>> F = parse("x'^2*sign(x) + 2*x*k", system.scope)
>>> print(*jumps(system, F))
x
>>> print(*map(str, mended(system, F)))
x'^2 + 2*x*k*sign(x)
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import Expr, add, call, mul, number, postorder, sub, substitute, symbols
from chetaev.laws.rate import EFFORT
from chetaev.laws.search.independence import is_new, rewritten
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

TWO = number(2)


def jumps(system: System, function: Expr, effort: int = EFFORT) -> list[Expr]:
    """The u of sign(u) in a function for which it is not shown to be the same on both sides of u = 0."""
    held = [*constraint_functions(system), *(e.residual for e in system.position_constraints)]
    found = []
    for u in kinks(system, function):
        above, below = _sides(function, u)
        asked, *on = standpoints(system)[0].apply([sub(above, below), u, *held])
        if not zero_test(asked, on, effort=effort).is_zero:
            found.append(u)
    return found


def continuous(system: System, found: Sequence[Expr], known: Sequence[Expr], effort: int) -> list[Expr]:
    """Of the functions found those that do not jump; in the place of one that does, s F if that is new."""
    kept: list[Expr] = []
    for F in found:
        if not jumps(system, F, effort):
            kept.append(F)
            continue
        others = (e for e in mended(system, F) if not jumps(system, e, effort))
        kept += [e for e in others if is_new(system, e, [*known, *kept])][:1]
    return kept


def mended(system: System, function: Expr) -> list[Expr]:
    """s F = B + A s for each u, with s = sign(u)."""
    results = []
    for u in kinks(system, function):
        above, below = _sides(function, u)
        even, odd = add(above, below) / TWO, sub(above, below) / TWO
        results.append(rewritten(system, add(odd, mul(even, call("sign", u)))))
    return results


def kinks(system: System, *functions: Expr) -> list[Expr]:
    """What stands in sign(…), if the state is in it."""
    still = set(system.parameters)
    inner = [n.args[0] for n in postorder(*functions) if n.op == "sign"]
    return [u for u in dict.fromkeys(inner) if not {name for name, _ in symbols(u)} <= still]


def _sides(function: Expr, u: Expr) -> tuple[Expr, Expr]:
    """A function with sign(u) and |u| as they are for u > 0, and for u < 0."""
    sign, size = call("sign", u), call("abs", u)
    above, below = (substitute([function], {sign: number(s), size: mul(number(s), u)})[0] for s in (1, -1))
    return above, below
