"""Systems with special parameters: names that are free, and parameters defined by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, symbols
from chetaev.laws.search.special_values import loosened
from chetaev.model.system import System

MOST_GIVEN = 100


def where(system: System, solved: Mapping[str, Expr]) -> System:
    """The same system with parameters defined by others, whichever stands first in it.

    A number is written with a parameter in it: so the parameter belongs to those that are defined by others,
    and laws are judged for every value of the rest.

    >>> import chetaev as ch
    >>> from chetaev.expr.graph.node import symbol
    >>> system = ch.System(coordinates=["x"], lagrangian="a*x'^2 - b*x^2", parameters={"a": 1, "b": 3})
    >>> where(system, {"a": 2 * symbol("b")}).parameter_values
    {'b': 3.0, 'a': 6.0}
    """
    loose = loosened(system, list(solved))
    data = {n: e for n, e in loose.parameters.items() if n not in solved}
    early = {n: e for n, e in data.items() if not any(m in solved for m, _ in symbols(e))}
    late = {n: e for n, e in data.items() if n not in early}
    free = next((n for n in early if not symbols(loose.parameters[n])), None)
    tie = {n: f"{e} + 0*{free}" if free and not symbols(e) else str(e) for n, e in solved.items()}
    ordered = {**early, **tie, **late}
    return loose._changed({"parameters": ordered}, {"parameters": ordered})


def entries_of(given: Iterable[Any], what: str) -> list[Any]:
    """The entries of what is given; a sentence if there are none to be had, or too many."""
    try:
        found = list(islice(given, MOST_GIVEN + 1))
    except Exception:  # foreign objects may raise anything
        raise ModelError(f"{what} cannot be listed: {shown(given)}", expected="a list of texts") from None
    if len(found) > MOST_GIVEN:
        raise ModelError(f"{what} has more than {MOST_GIVEN} entries", expected="a short list of texts")
    return found


def free_names(system: System, given: Iterable[str]) -> list[str]:
    """Names of parameters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ModelError(f"free is {shown(given)}", expected='names of parameters, such as free=["eps"]')
    names = entries_of(given, "free")
    for name in names:
        if not isinstance(name, str) or name not in system.parameters:
            words = f"free has {shown(name)}, which is no parameter"
            none = "no name: this system has no parameters"
            raise ModelError.unknown(words, name, system.parameters, none)
    return names
