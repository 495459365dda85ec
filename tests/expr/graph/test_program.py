"""A program in several number systems: the same values, and slopes that are derivatives."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import ctx

from chetaev.expr.exact.numbers.balls import BallProgram, ball_of
from chetaev.expr.exact.numbers.residues import ResidueArithmetic, residue
from chetaev.expr.graph.evaluate import DOUBLES, evaluate
from chetaev.expr.graph.node import FUNCTIONS, Expr, call, define, number, symbol
from chetaev.expr.graph.program import GraphProgram

X, Y = symbol("x"), symbol("y", 1)
SINGLE = [name for name, count in FUNCTIONS.items() if count == 1 and name != "sign"]


def function(name: str) -> Expr:
    u = X * Y / 9 if name in ("asin", "acos", "atanh") else X * Y + 2
    return call(name, u) * X


@pytest.mark.parametrize(
    "e", [*map(function, SINGLE), call("atan2", X, Y - 3), call("min", X, Y * Y), call("max", X, Y, X * Y),
          (X * Y) ** Y, X ** number(-3), X / (Y + 1), -define("d", X * X) * Y],
    ids=str,
)  # fmt: skip
def test_slopes_are_derivatives(e: Expr) -> None:
    at = {("x", 0): Fraction(13, 10), ("y", 1): Fraction(7, 5)}
    with ctx.workprec(400):
        point = {name: ball_of(value) for name, value in at.items()}
        values, rows = BallProgram([e]).gradients(point, list(at))
        step = Fraction(1, 10**40)
        for j, name in enumerate(at):
            low, high = (
                BallProgram([e]).run(point | {name: ball_of(at[name] + side * step)})[0] for side in (-1, 1)
            )
            assert abs((high - low) / ball_of(2 * step) - rows[0][j]) < 1e-30
    assert float(values[0]) == pytest.approx(evaluate([e], {k: float(v) for k, v in at.items()})[0])
    if e.op not in ("min", "max"):
        _, found = GraphProgram([e]).slopes(DOUBLES, {k: float(v) for k, v in at.items()}, list(at))
        assert [float(x) for x in found[0]] == pytest.approx([float(x) for x in rows[0]])


def test_rational_functions_modulo_a_prime() -> None:
    p = 2147483579
    e = (X + Fraction(1, 3)) ** number(-2) * Y - X / (Y - 5)
    at = {("x", 0): Fraction(2, 7), ("y", 1): Fraction(-3)}
    exact = (Fraction(2, 7) + Fraction(1, 3)) ** -2 * -3 - Fraction(2, 7) / -8
    residues = {name: residue(value, p) for name, value in at.items()}
    assert GraphProgram([e]).values(ResidueArithmetic(p), residues) == [residue(exact, p)]


def test_steps_carry_what_they_need() -> None:
    program = GraphProgram([X ** number(3), X**Y])
    assert [value for op, _, value in program.steps if op == "pow"] == [3, None]
    assert (program.names, program.numbers, len(program)) == ([("x", 0), ("y", 1)], {Fraction(3)}, 5)
