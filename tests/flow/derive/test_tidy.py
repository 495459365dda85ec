"""Tidy programs have CasADi's own values, fewer operations, and cancel what cancels."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import casadi
import pytest

from chetaev.flow.derive.program import Program, from_casadi


def once(x: float, y: float, z: float) -> float:
    """x·y + z, rounded once."""
    return float(Fraction(x) * Fraction(y) + Fraction(z))


OPERATIONS: dict[str, Callable[..., float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg, "sin": math.sin, "cos": math.cos, "abs": abs, "fma": once,
    "fms": lambda x, y, z: once(x, y, -z), "fnma": lambda x, y, z: once(-x, y, z),
}  # fmt: skip


def values(program: Program, *arguments: Any) -> list[float]:
    """What a program computes, one instruction after the other."""
    found: list[float] = []
    for name, *args in program.code:
        if name == "input":
            found.append(arguments[args[0]][args[1]])
        elif name == "const":
            found.append(args[0])
        else:
            found.append(OPERATIONS[name](*(found[a] for a in args)))
    return [found[k] for output in program.outputs for k in output]


def grown(random: Random, leaves: list[Any], size: int) -> Any:
    """A random expression in which factors, squares, signs and powers of two come back."""
    nodes = list(leaves)
    for _ in range(size):
        a, b = random.choice(nodes), random.choice(nodes)
        circle = a * casadi.sin(leaves[0]) ** 2 * b + b * a * casadi.cos(leaves[0]) ** 2
        divisor = 3 + leaves[1] ** 2
        kinds = [a * b, a * b, a + b, a - b, b - a, -a, 2 * a, a / 4, -a - a, a * b + b * a]
        kinds += [a * b - a * leaves[0], circle, a / divisor, b / divisor]
        made = random.choice(kinds)
        nodes.append(made)
    return casadi.vertcat(*nodes[-3:])


@pytest.mark.few(17)
@pytest.mark.parametrize("seed", range(40))
def test_a_tidy_program_has_the_values_of_the_expressions(seed: int) -> None:
    random = Random(seed)
    x, p = casadi.SX.sym("x", 3), casadi.SX.sym("p", 2)
    expression = grown(random, [x[0], x[1], x[2], p[0], p[1]], 14)
    program = from_casadi([x, p], [expression])
    function = casadi.Function("f", [x, p], [expression])
    numbers, parameters = ([random.uniform(-1.5, 1.5) for _ in range(n)] for n in (3, 2))
    found = values(program, numbers, parameters)
    wanted = [float(e) for e in casadi.vertsplit(function(numbers, parameters))]
    scale = max(1.0, *map(abs, wanted))
    assert found == pytest.approx(wanted, rel=1e-11, abs=1e-11 * scale)


def names(*expressions: Any, inputs: list[Any]) -> list[str]:
    program = from_casadi(inputs, list(expressions))
    return [i[0] for i in program.code if i[0] not in ("input", "const")]


def test_what_need_not_be_computed_is_not() -> None:
    a, b, c, d = inputs = [casadi.SX.sym(name) for name in "abcd"]
    assert names((a * b) * c - (c * b) * a, inputs=inputs) == []
    assert names(a / d, b / d, c / d, inputs=inputs) == ["div", "mul", "mul", "mul"]
    assert names(a * b + c, inputs=inputs) == ["fma"]
    assert names(c - a * b, inputs=inputs) == ["fnma"]
    assert names(a * b - c, inputs=inputs) == ["fms"]


def test_signs_and_scales_are_kept() -> None:
    a, b, c, d = inputs = [casadi.SX.sym(name) for name in "abcd"]
    double = -2 * d
    made = [a / double, b / double, a - b, casadi.sin(b - a), c - 3 * (b - a), c - a * b, 3 * a - c]
    found = values(from_casadi(inputs, made), [0.5], [2.0], [0.25], [4.0])
    assert found == pytest.approx([-0.0625, -0.25, -1.5, math.sin(1.5), -4.25, -0.75, 1.25], rel=1e-15)


def test_equal_products_still_cancel() -> None:
    a, b, c, d = inputs = [casadi.SX.sym(name) for name in "abcd"]
    program = from_casadi(inputs, [a * b - c * d])
    assert values(program, [0.1], [0.3], [0.1], [0.3]) == [0.0]
    assert "fma" not in {i[0] for i in program.code}


def test_a_square_of_a_sine_and_of_another_cosine_stay() -> None:
    x, y = inputs = [casadi.SX.sym(name) for name in "xy"]
    found = values(from_casadi(inputs, [casadi.sin(x) ** 2 + casadi.cos(y) ** 2]), [0.4], [1.1])
    assert found == pytest.approx([math.sin(0.4) ** 2 + math.cos(1.1) ** 2], rel=1e-15)


def test_products_of_the_same_factors_are_computed_once() -> None:
    a, b, c = (casadi.SX.sym(name) for name in "abc")
    program = from_casadi([a, b, c], [a * (b * c), (a * c) * b, (b * a) * c + casadi.sin(a)])
    assert program.outputs[0] == program.outputs[1]
    assert [i[0] for i in program.code if i[0] != "input"].count("mul") == 2
