"""Random expressions, shared by the tests: graphs made by the builders, values, and ways to compare them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from chetaev.errors import ExpressionError, TooLargeError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, key_name
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.number_range import expect_value
from chetaev.expr.language.scope import Scope

COORDINATES = ("x", "y", "theta", "θ", "q1", "x_1", "ψ_2", "Ж", "é", "変")
PARAMETERS = ("m", "R", "I1", "I", "λ", "K_a", "ℓ", "speed")
TIME = "t"
FUNCTIONS = tuple(graph.FUNCTIONS)
SMOOTH = ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "exp", "log", "sqrt", "asin", "acos")
RATIONAL = ("abs", "sign", "min", "max")

OPEN = Scope.of(COORDINATES, PARAMETERS, TIME, order=2)
"""All names of the random expressions, accelerations too."""

exact_numbers = st.one_of(
    st.integers(-12, 12).map(Fraction),
    st.fractions(min_value=-20, max_value=20, max_denominator=60),
    st.sampled_from(
        [Fraction(1, 10), Fraction(-3, 7), Fraction(10**25), Fraction(1, 10**25), Fraction(-1, 3)]
    ),
)

symbols = st.one_of(
    st.tuples(st.sampled_from(COORDINATES), st.integers(0, 2)).map(lambda s: graph.symbol(*s)),
    st.sampled_from([*PARAMETERS, TIME]).map(graph.symbol),
)

leaves = st.one_of(symbols, symbols, exact_numbers.map(graph.number), st.sampled_from([graph.PI, graph.E]))


@st.composite
def graphs(
    draw: Any,
    *,
    functions: Sequence[str] = FUNCTIONS,
    most: int = 10,
    definitions: bool = True,
    leaf: st.SearchStrategy[Expr] = leaves,
    powers: bool = True,
) -> Expr:
    """A graph made step by step; each step may use, and share, what earlier ones made."""
    nodes = draw(st.lists(leaf, min_size=1, max_size=4))
    operations = ["add", "mul", "neg", "div", "sub", "call"] + ["pow"] * powers + ["define"] * definitions
    for step in range(draw(st.integers(0, most))):
        node = _step(draw, nodes, draw(st.sampled_from(operations)), functions, leaf, f"d{step}")
        if node is not None:
            nodes.append(node)
    return nodes[-1]


def _step(
    draw: Any, nodes: list[Expr], operation: str, functions: Sequence[str], leaf: Any, name: str
) -> Any:
    def operand() -> Expr:
        index = draw(st.integers(0, len(nodes) + 1))
        return nodes[-1 - index] if index < len(nodes) else draw(leaf)

    try:
        match operation:
            case "neg":
                return graph.neg(operand())
            case "define":
                return graph.define(name, operand())
            case "add" | "mul":
                return graph.make(operation, [operand() for _ in range(draw(st.integers(2, 4)))])
            case "sub":
                return graph.sub(operand(), operand())
            case "pow" | "div":
                return graph.make(operation, [operand(), operand()])
            case "call" if functions:
                function = draw(st.sampled_from(functions))
                arity = graph.FUNCTIONS[function]
                count = arity if arity > 0 else draw(st.integers(2, 4))
                operands = [operand() for _ in range(count)]
                if operands[-1].op == "number":  # log(0) and the like are no text of the language
                    expect_value(function, operands[-1].value)
                return graph.call(function, *operands)
    except (ExpressionError, TooLargeError, ZeroDivisionError):
        pass
    return None


def scope_of(*roots: Expr) -> Scope:
    """A scope that knows the definitions of some graphs too."""
    return OPEN.but(values={**OPEN.values, **{d.value: d for d in graph.definitions(*roots)}})


@st.composite
def values(draw: Any, *roots: Expr, exact: bool = False) -> dict[str, Any]:
    """A value, away from 0, for every symbol of some graphs."""
    fractions = st.builds(
        lambda sign, f: sign * f,
        st.sampled_from([1, 1, -1]),
        st.fractions(min_value=Fraction(1, 5), max_value=3, max_denominator=40),
    )
    found = {key_name(*s): draw(fractions) for s in sorted(graph.symbols(*roots))}
    return found if exact else {k: float(v) for k, v in found.items()}


def well_conditioned(root: Expr, at: dict[str, Any], largest: float = 1e12) -> bool:
    """Whether rounding errors stay small at a point, and no node stands at a jump, a kink or a pole there."""
    nodes = list(graph.postorder(root))
    try:
        rough, fine = (evaluate_mp(nodes, at, digits) for digits in (15, 60))
    except (ZeroDivisionError, ValueError, OverflowError):
        return False
    number = {id(n): v for n, v in zip(nodes, fine, strict=True)}
    for node, a, b in zip(nodes, rough, fine, strict=True):
        if not abs(b) < largest or not abs(a - b) <= 1e-9 * max(abs(b), 1e-6):
            return False
        below = [number[id(c)] for c in node.args]
        if node.op in ("abs", "sign", "atan2", "sqrt", "log", "pow", "div") and min(map(abs, below)) < 1e-9:
            return False
        if node.op == "atan2" and below[1] < 0 and abs(below[0]) < 1e-6:
            return False
        if node.op in ("min", "max") and any(
            abs(p - q) < 1e-9 for i, p in enumerate(below) for q in below[:i] if p is not q
        ):
            return False
        if node.op in ("asin", "acos", "atanh", "acosh") and abs(abs(below[0]) - 1) < 1e-6:
            return False
    return True
