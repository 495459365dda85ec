"""Printed equations read back: the text alone, at a point, beside the law it was printed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import chetaev as ch
from chetaev.equations.law.law import unknown
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.language.parser import parse_equation
from chetaev.expr.language.scope import Scope

Array = np.ndarray[Any, Any]


def read(system: ch.System, law: ch.Equations, text: str, at: Mapping[Any, Any]) -> tuple[Array, Array]:
    """The matrix and the right-hand side that the printed lines give at a point, from nothing but the text.

    A line is linear in the unknowns: its columns are differences of values at unit vectors.
    """
    lines = [line for line in text.splitlines() if not line.startswith("  where ")]
    named = [line.removeprefix("  where ") for line in text.splitlines() if line.startswith("  where ")]
    plain = [n for n in law.unknowns if not n.endswith("'")]
    more = [*system.parameters, *plain, *law.further_states, *(line.split(" = ")[0] for line in named)]
    moving = dict.fromkeys((*system.coordinates, *law.further_states, *(n.rstrip("'") for n in law.unknowns)))
    scope = Scope.of(moving, dict.fromkeys(more), system.time, order=2)
    definitions = [parse_equation(line, scope) for line in named]
    sides = [parse_equation(line, scope).residual for line in lines]
    symbols = [unknown(n).value for n in law.unknowns]

    def residuals(x: Mapping[Any, float]) -> Array:
        """The lines at values of the unknowns, which may stand in what is named, too."""
        values: dict[Any, Any] = {**at, **x}
        for equation in definitions:
            values[(equation.lhs.value[0], 0)] = float(evaluate([equation.rhs], values)[0])
        return np.array(evaluate(sides, values), dtype=float)

    still = dict.fromkeys(symbols, 0.0)
    rest = residuals(still)
    columns = [residuals({**still, s: 1.0}) - rest for s in symbols]
    return np.array(columns).T.reshape(len(lines), len(symbols)), -rest


def as_derived(law: ch.Equations, at: Mapping[Any, Any]) -> tuple[Array, Array]:
    """The same from the law itself."""
    shape = (len(law.matrix), len(law.unknowns))
    entries = [e for row in law.matrix for e in row]
    A = np.array(evaluate(entries, at), dtype=float).reshape(shape)
    return A, np.array(evaluate(list(law.right), at), dtype=float)


def disagreement(system: ch.System, law: ch.Equations, text: str, at: Mapping[Any, Any]) -> float:
    """How far the unknowns of the law are from those of the printed text, both ways; nan where the law itself
    has no value or does not determine them.
    """
    point = {**at, **dict.fromkeys([(n, 0) for n in law.further_states], 0.7)}
    A, b = as_derived(law, point)
    if not (np.isfinite(A).all() and np.isfinite(b).all()) or not A.size:
        return float("nan")
    A, b = scaled(A, b)
    if np.linalg.svd(A, compute_uv=False)[-1] < 1e-7 or A.shape[0] < A.shape[1]:
        return float("nan")
    C, d = read(system, law, text, point)
    assert np.isfinite([*C.flat, *d]).all(), text
    C, d = scaled(C, d)
    x, y = (np.linalg.lstsq(M, r, rcond=None)[0] for M, r in ((A, b), (C, d)))
    size = 1 + np.abs(x).max()
    return float(max(np.abs(x - y).max(), np.abs(C @ x - d).max()) / size)


def scaled(A: Array, b: Array) -> tuple[Array, Array]:
    """Rows with largest coefficient 1."""
    size = np.abs(A).max(axis=1, initial=0)
    size[size == 0] = 1
    return A / size[:, None], b / size


def start(system: ch.System) -> dict[Any, Any]:
    """The initial state and the parameters."""
    state = system.state
    at: dict[Any, Any] = {(n, 0): x for n, x in system.parameter_values.items()}
    at[system.time, 0] = state.t
    at |= {(n, 0): x for n, x in state.position.items()}
    return at | {(n, 1): x for n, x in state.velocity.items()}
