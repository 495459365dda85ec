"""Where a law has no value: denominators, roots and logarithms, in words (SCOPE K22)."""

from __future__ import annotations

from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.model.system import System


def undefined(expression: Expr, system: System) -> str:
    """Where an expression has no value: zeros of denominators, negative radicands, logarithms; in words.

    >>> import chetaev as ch
    >>> from chetaev.expr.language.parser import parse
    >>> system = ch.load("heisenberg")
    >>> print(undefined(parse("x'/y + log(x)", system.scope), system))
    not defined where y = 0 or x ≤ 0
    """
    places: list[tuple[Expr, str]] = []
    still = set(system.parameters)
    for node in postorder(expression):
        if {name for a in node.args for name, _ in symbols(a)} <= still:
            continue
        if node.op == "div":
            places += [(zero, "=") for zero in _zeros(node.args[1], still)]
        elif node.op == "pow" and node.args[1].op == "number":
            exponent = node.args[1].value
            if exponent.denominator % 2 == 0:
                places.append((node.args[0], "<" if exponent > 0 else "≤"))
            elif exponent < 0:
                places += [(zero, "=") for zero in _zeros(node.args[0], still)]
        elif node.op == "sqrt" and not positive(node.args[0]):
            places.append((node.args[0], "<"))
        elif node.op == "log":
            places.append((node.args[0], "≤"))
    kept = [(e, is_so) for e, is_so in dict.fromkeys(places) if is_so == "≤" or (e, "≤") not in places]
    return f"not defined where {' or '.join(f'{e} {is_so} 0' for e, is_so in kept)}" if kept else ""


def positive(radicand: Expr) -> bool:
    """Whether a radicand is a sum of squares and positive numbers, as it stands."""
    terms = radicand.args if radicand.op == "add" else (radicand,)
    return all(
        (t.op == "number" and t.value >= 0)
        or (t.op == "pow" and t.args[1].op == "number" and t.args[1].value % 2 == 0)
        for t in terms
    )


def _zeros(node: Expr, still: set[str]) -> list[Expr]:
    """The factors of a denominator that may vanish, without powers and without those made of parameters
    alone.
    """
    if {name for name, _ in symbols(node)} <= still:
        return []
    if node.op == "mul":
        return [zero for factor in node.args for zero in _zeros(factor, still)]
    if node.op in ("sqrt", "neg") or (node.op == "pow" and node.args[1].op == "number"):
        return _zeros(node.args[0], still)
    return [] if node.op == "exp" else [node]
