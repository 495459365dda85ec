"""What counts as zero in a matrix is said in one place: no call elsewhere brings a number of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chetaev.numeric import CLEAR, GOOD, MEASURED, ROUNDING, SOLVED, least_squares, shortest_move

SOURCES = Path(__file__).resolve().parents[2] / "src" / "chetaev"
THRESHOLD = {
    "numerical_rank": (1, "tolerance"),
    "kernel": (1, "rcond"),
    "least_squares": (2, "rcond"),
    "newton": (4, "rcond"),
    "pivot_columns": (2, "smallest"),
    "independent_rows": (1, "tolerance"),
}
"""Where each function of the shelf takes its threshold."""


def own_thresholds(text: str) -> Iterator[tuple[int, str]]:
    """Lines of a module that give the shelf a threshold which is not one of the shelf's."""
    tree = ast.parse(text)
    shelf, policy, own = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "chetaev.numeric":
            names = {a.asname or a.name for a in node.names}
            shelf |= names & set(THRESHOLD)
            policy |= {n for n in names if n.isupper()}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            own |= {t.id for t in statement.targets if isinstance(t, ast.Name)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in shelf:
            name = node.func.id
        elif isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "numeric":
            name = node.func.attr
        else:
            continue
        if name not in THRESHOLD:
            continue
        place, keyword = THRESHOLD[name]
        given = [k.value for k in node.keywords if k.arg == keyword] + node.args[place : place + 1]
        for part in (part for value in given for part in ast.walk(value)):
            number = isinstance(part, ast.Constant) and isinstance(part.value, float) and 0 < part.value < 1
            if number or (isinstance(part, ast.Name) and part.id in own - policy):
                yield node.lineno, ast.unparse(node)


def test_the_reader_of_calls_sees_numbers_and_own_names():
    text = """
from chetaev.numeric import CLEAR, kernel, numerical_rank
from chetaev import numeric
SMALL = 1e-9
numerical_rank(A, CLEAR)
numerical_rank(A, 1e-9)
kernel(A, rcond=SMALL)
numeric.pivot_columns(A, 2, 1e-6)
kernel(A, 2 * CLEAR)
other(A, 1e-9)
"""
    assert [line for line, _ in own_thresholds(text)] == [6, 7, 8]


def test_no_room_has_a_threshold_of_its_own():
    files = [p for p in SOURCES.rglob("*.py") if p.parent.name != "numeric"]
    assert len(files) > 500
    users = {p: text for p in files if "numeric" in (text := p.read_text(encoding="utf-8"))}
    found = {
        f"{p.relative_to(SOURCES)}:{line}": call for p in users for line, call in own_thresholds(users[p])
    }
    assert not found


def test_thresholds_are_in_their_order_and_above_rounding():
    assert 1e3 * np.finfo(float).eps < SOLVED < ROUNDING < CLEAR < MEASURED < GOOD < 1


@pytest.mark.parametrize("size", [1e-300, 1e-13, 1.0, 1e13, 1e300])
def test_factors_of_equations_do_not_matter_for_the_shortest_move(size):
    J, missed = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 3.0])
    factors = np.array([size, 1.0])
    moved = shortest_move(J * factors[:, None], missed * factors)
    assert np.allclose(moved, least_squares(J, missed), rtol=1e-13, atol=0)
