"""The same bits on every processor."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

import pytest

import rooms
from processors import processors

SCRIPT = """
import hashlib
import numpy as np
from chetaev import numeric
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope

seen = hashlib.sha256()
rng = np.random.default_rng(0)
for rows in range(1, 24):
    for columns in range(1, 24, 3):
        A, b = rng.uniform(-1, 1, (rows, columns)), rng.uniform(-1, 1, rows)
        for result in (
            numeric.least_squares(A, b), numeric.singular_values(A), numeric.kernel(A),
            numeric.product(A, A.T), numeric.contract("ij,kj->ik", A, A), numeric.norms(A, axis=1),
            numeric.dyadic(rng.normal(size=50)),
        ):
            seen.update(np.ascontiguousarray(result).tobytes())
A, b = rng.uniform(-1, 1, (40, 9, 7)), rng.uniform(-1, 1, (40, 9))
for result in (
    *numeric.solve_stack(A, b), numeric.stack_times(A, b[:, :7]), numeric.shortest_stack(A, b, 5),
):
    seen.update(np.ascontiguousarray(result).tobytes())
import chetaev as ch
disc = ch.load("rolling-disc")
state = list(disc.state.position.values()), list(disc.state.velocity.values())
for form in ("reduced", "chetaev"):
    seen.update(ch.field(disc, form)(0.3, *state).tobytes())
pendulum = ch.System(
    coordinates=["x", "y"], lagrangian="m*(x'^2 + y'^2)/2 - m*g*y", parameters={"m": 2, "g": 9.8},
    constraints={"position": ["x^2 + y^2 = 1", "2*x^2 + 2*y^2 = 2"]},
    initial={"x": 0.6, "y": -0.8, "x_dot": 0, "y_dot": 0},
)
moved = ch.sensitivities(pendulum, until=0.5)
for name in ("by_initial", "by_parameter"):
    seen.update(np.ascontiguousarray(moved[name].values).tobytes())
names = "sin cos tan exp sinh cosh tanh atan asinh".split()
functions = [parse(f"{name}(x) + x^(1/3) + x^7 + log(x)", Scope.of(["x"])) for name in names]
for x in rng.uniform(0, 3, 200):
    seen.update(np.array(evaluate(functions, {"x": x})).tobytes())
print(seen.hexdigest())
"""


@pytest.mark.slow
def test_linear_algebra_and_scalar_values_have_the_same_bits_on_every_processor():
    found = {
        name: subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        ).stdout
        for name, settings in processors().items()
    }
    assert len(set(found.values())) == 1, found


UNFIXED = {"linalg", "einsum", "dot", "vdot", "inner", "matmul", "tensordot", "polyfit", "roots", "eigvals"}
"""What NumPy sums in an order of its own, or leaves to BLAS and LAPACK."""
SUSPECT = re.compile(rf"np\s*\.\s*({'|'.join(sorted(UNFIXED))})|(scipy|numpy)\.linalg")
"""Sources without this are not parsed."""


def summed_elsewhere(source: str) -> list[int]:
    """The lines on which NumPy or SciPy is asked for linear algebra."""
    found = []
    for node in ast.walk(ast.parse(source if SUSPECT.search(source) else "")):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np":
            found += [node.lineno] if node.attr in UNFIXED else []
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(
            ("scipy.linalg", "numpy.linalg")
        ):
            found.append(node.lineno)
    return found


def test_only_pictures_ask_numpy_for_linear_algebra() -> None:
    asked = {
        str(path.relative_to(rooms.SOURCE / "chetaev")): summed_elsewhere(path.read_text(encoding="utf-8"))
        for path in rooms.modules().values()
    }
    assert {path: lines for path, lines in asked.items() if lines and not path.startswith("view/")} == {}
    assert summed_elsewhere("x = np.abs(a)\ny = np.linalg.svd(a)\n") == [2]
