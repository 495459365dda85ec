"""Does a function vanish where motions are: where φ = 0, dφ/dt = 0 and f = 0? (SCOPE K12, K22)

The equations of motion know position constraints by dφ/dt = 0 only, which holds on every level of φ. What
vanishes there vanishes on the level φ = 0; what does not is asked again with φ = 0 as well, so that
a witness against a law is a state the system can be in.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> from chetaev.laws.standpoint import standpoints
>>> lagrangian = "(x'^2 + y'^2)/2 - y*(x^2 + y^2 - 1)"
>>> on_circle = ch.System(
...     coordinates=["x", "y"], lagrangian=lagrangian, constraints={"position": ["x^2 + y^2 = 1"]}
... )
>>> (verdict,) = vanish(on_circle, [parse("x*(x^2 + y^2 - 1)", on_circle.scope)], standpoints(on_circle)[0])
>>> verdict.answer
'zero'
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.effort import EFFORT
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact import Budget, Field, answer, ask
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.node import Expr
from chetaev.laws.standpoint import Standpoint
from chetaev.model.system import System


def vanish(
    system: System,
    functions: Sequence[Expr],
    standpoint: Standpoint,
    effort: int = EFFORT,
    beside: Sequence[Expr] = (),
) -> list[Verdict]:
    """One verdict for each function, on the constraint and for these parameters; where the functions `beside`
    vanish, too.
    """
    moving = [*constraint_functions(system), *beside]
    levels = [e.residual for e in system.position_constraints]
    changed = standpoint.apply([*functions, *moving, *levels])
    asked, on = changed[: len(functions)], changed[len(functions) :]
    verdicts = zero_tests(asked, on[: len(moving)], effort=effort)
    again = [i for i, verdict in enumerate(verdicts) if levels and not verdict.is_zero]
    if not again:
        return verdicts
    for i, verdict in zip(again, zero_tests([asked[i] for i in again], on, effort=effort), strict=True):
        verdicts[i] = verdict
    return verdicts


def plain_form(e: Expr, within: int | Field | None = None) -> Expr:
    """The normal form of a function, in a field or within an effort; the function itself where it has none.

    >>> from chetaev.expr.graph.node import symbol
    >>> print(plain_form(symbol("x") * symbol("x") / symbol("x")))
    x
    """
    field = within if isinstance(within, Field) else Field(Budget(within))
    return answer(ask(lambda: field(e).to_expr())) or e
