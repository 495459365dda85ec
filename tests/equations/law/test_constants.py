"""Constants in a law are exact: √2, sin 1, 2^x, and the integers that a derivation makes."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import chetaev as ch
from chetaev.compare.compare import compare
from chetaev.compare.comparison_table import WITNESSES
from chetaev.expr.graph.node import postorder
from formulas import formula

mp = mpmath.mp.clone()
mp.dps = 60


@pytest.mark.parametrize("form", ["reduced", "chetaev", "hamel", "gauss", "connection", "dalembert"])
def test_K19_constant_expressions_are_kept(form: str) -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(sqrt(2)*x'^2 + y'^2)/2 - sin(1)*x - 2^y/3",
        constraints=["x' = (1 + 2)*y'"],
    )
    law = ch.equations(system, form)
    numbers = [e.value for e in postorder(*law._roots) if e.op == "number"]
    assert max(n.denominator for n in numbers) <= 12
    point = {"t": 0, ("x", 0): 0, ("y", 0): Fraction(1, 2), ("x", 1): 3, ("y", 1): 1}
    a, _ = law.evaluate(point, 50)
    # (9√2 + 1) y'' = −3 sin 1 − 2^y log 2/3
    expected = -(3 * mp.sin(1) + mp.sqrt(2) * mp.log(2) / 3) / (9 * mp.sqrt(2) + 1)
    assert abs(mp.mpf(a[1]) - expected) < mp.mpf(10) ** -45
    assert abs(mp.mpf(a[0]) - 3 * expected) < mp.mpf(10) ** -45


def test_the_text_of_a_law_shows_the_constants_as_written() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["pi*x' + e*y*z' + sqrt(2)*y' = 0"],
    )
    for form in ("reduced", "chetaev", "connection"):
        shown = [node for row in ch.equations(system, form).rows for node in postorder(row.lhs, row.rhs)]
        assert formula("sqrt(2)") in [node for node in shown if node.op == "sqrt"]
        assert all(node.value.denominator < 100 for node in shown if node.op == "number")


def test_L1_integers_made_by_the_derivation_are_divided_by_exactly() -> None:
    # C g⁻¹ Cᵀ has the entry 1 + 4 + 1 = 6
    system = ch.System(
        coordinates=["x", "y", "z", "u", "w"],
        lagrangian="(x'^2 + y'^2 + z'^2 + u'^2 + w'^2)/2",
        constraints=["x' = y*z'", "u' = x' + 2*y'", "w' = u*u' + x*y' + y*x'"],
    )
    table = compare(system, samples=2)
    assert max(r.difference for r in table.rows if r.form not in WITNESSES) < 1e-40
