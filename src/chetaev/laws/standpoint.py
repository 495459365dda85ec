"""For which parameters is a statement made? For every value of them, or for the values given.

A law that holds whatever the masses are is another statement than one that holds for the masses of the model.
Both are asked about functions in which parameters that are defined by others, as in ``l = "k"`` or
``I = "2*m*r^2/5"``, have been replaced by their definitions:

- *free*: the independent parameters stay symbols, so "zero" means for every value of them;
- *given*: all parameters have the model's values, so "nonzero" comes with a state of this very model.

>>> import chetaev as ch
>>> system = ch.System(coordinates=["x"], lagrangian="k*x'^2/2 - l*x^2/2", parameters={"k": 2, "l": "k"})
>>> [str(s.apply([system.lagrangian])[0]) for s in standpoints(system)]
["k*x'^2/2 - k*x^2/2", "2*x'^2/2 - 2*x^2/2"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, substitute, symbol, symbols
from chetaev.model.system import System

EVERY_VALUE = "for every value of the parameters"
VALUES_GIVEN = "for the values given"


@dataclass(frozen=True)
class Standpoint:
    """What parameters are replaced by, and the words for it; no words where there are no parameters."""

    words: str
    replaced: tuple[tuple[Expr, Expr], ...]

    def apply(self, functions: Sequence[Expr]) -> list[Expr]:
        """The functions with their parameters replaced."""
        return substitute(functions, dict(self.replaced)) if self.replaced else list(functions)


def standpoints(system: System) -> tuple[Standpoint, ...]:
    """Free parameters first, then the model's values; one without words if there are no parameters."""
    if not system.parameters:
        return (Standpoint("", ()),)
    free: dict[Expr, Expr] = {}
    given: dict[Expr, Expr] = {}
    for name, value in system.parameters.items():
        given[symbol(name)] = substitute([value], given)[0]
        if any(other in system.parameters for other, _ in symbols(value)):
            free[symbol(name)] = substitute([value], free)[0]
    return (
        Standpoint(EVERY_VALUE, tuple(free.items())),
        Standpoint(VALUES_GIVEN, tuple(given.items())),
    )


NOTHING_ASKED = Verdict("zero", True)
"""Of no functions all vanish."""


def decisive(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on all of some functions: the first that is nonzero, else undecided, else not proved."""
    return min(
        verdicts,
        key=lambda v: (v.is_zero is not False, v.is_zero is not None, v.proved, v.certain, v.points),
        default=NOTHING_ASKED,
    )


def judge(system: System, ask: Callable[[Standpoint], Verdict]) -> tuple[Verdict, Standpoint]:
    """The strongest true statement: zero for every value, else the answer for the values given."""
    first, *others = standpoints(system)
    verdict = ask(first)
    if verdict.is_zero or not others:
        return verdict, first
    return ask(others[0]), others[0]
