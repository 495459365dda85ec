"""Non-smooth functions: a step keeps to one branch, and ends where the branch changes.

abs, sign, min and max of the state are replaced by smooth functions of a mode s = ±1, the sign of the
argument:

    |x| = s x      sign x = s      min(a, b) = ((1 − s) a + (1 + s) b)/2,   max with −s,   s = sign(a − b)

The modes are run-time arguments. While an integrator runs, they stay; the arguments are watched like
events, the step ends at the crossing, the mode changes, and the next step starts on the other branch. No
step ever sees a kink.

Inside of roots, logarithms and powers, as in max(0, −x)^(3/2), a branch has no value beyond its end, which a
step may pass by its last bits: there |x|, min and max stay what they are, and are watched all the same.
"""

from __future__ import annotations

from collections.abc import Callable

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import ONE, Expr, add, mul, postorder, sub, symbols
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.flow.derive.lookups import with_arguments

KINKED = ("abs", "sign", "min", "max")


def unfold(model: Ingredients) -> tuple[Ingredients, tuple[Expr, ...]]:
    """The model with modes in place of non-smooth functions, and the expressions whose signs the modes
    are.
    """
    graphs = model.graphs
    if model.operations.isdisjoint(KINKED):
        return model, ()
    moving = {(name, order) for name in model.coordinates for order in (0, 1, 2)} | {(model.time, 0)}
    watched: dict[Expr, Expr] = {}
    switches: list[Expr] = []
    new: dict[int, Expr] = {}

    def mode(original: Expr, replaced: Expr) -> Expr:
        if original not in watched:
            watched[original] = graph.symbol(f"mode {len(watched)}")
            switches.append(replaced)
        return watched[original]

    inside: dict[int, Expr] = {}  # the same in a radicand
    for node in postorder(*graphs):
        args = [new[id(a)] for a in node.args]
        parts = [inside[id(a)] for a in node.args]
        if _is_radical(node):
            args[0] = parts[0]
        kinked = node.op in KINKED and symbols(node) & moving
        new[id(node)] = _branch(node, args, mode) if kinked else with_arguments(node, args)
        whole = not kinked or node.op != "sign"
        inside[id(node)] = with_arguments(node, parts) if whole else new[id(node)]
    names = [s.value[0] for s in watched.values()]
    return model.with_graphs([new[id(g)] for g in graphs], [*model.modes, *names]), tuple(switches)


def _is_radical(node: Expr) -> bool:
    """Whether the first argument must not be negative."""
    if node.op == "pow":
        exponent = node.args[1]
        return exponent.op != "number" or exponent.value.denominator != 1
    return node.op in ("sqrt", "log")


def _branch(node: Expr, args: list[Expr], mode: Callable[[Expr, Expr], Expr]) -> Expr:
    if node.op == "abs":
        return mul(mode(node.args[0], args[0]), args[0])
    if node.op == "sign":
        return mode(node.args[0], args[0])
    value, original = args[0], node.args[0]
    for a, before in zip(args[1:], node.args[1:], strict=True):
        s = mode(sub(original, before), sub(value, a))
        s = s if node.op == "min" else graph.neg(s)
        value = graph.div(add(mul(sub(ONE, s), value), mul(add(ONE, s), a)), graph.number(2))
        original = graph.make(node.op, [original, before])
    return value
