"""The Lie algebra of point fields: structure constants [X_i, X_j] = c_ij^k X_k (SCOPE L3, K10).

The brackets are computed; that they are combinations of the fields is a linear condition with constant
coefficients, which is solved at points modulo a prime and then verified, function by function. A bracket
that is no combination shows that the space searched was too small for the whole algebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from chetaev.expr.exact import Budget, Element, GivenUp, ask
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors

Components = dict[str, Element]


@dataclass(frozen=True)
class Algebra:
    """Structure constants as texts by (i, j, k), numbered from 0, i < j, those that are not zero.

    Attributes
    ----------
    closed
        Whether every bracket is a combination of the fields; None if that was not decided.
    """

    constants: dict[tuple[int, int, int], str]
    closed: bool | None

    def to_json(self) -> dict[str, object]:
        """Plain data; fields are numbered from 1, as they are shown."""
        listed = [{"i": i + 1, "j": j + 1, "k": k + 1, "c": c} for (i, j, k), c in self.constants.items()]
        return {"closed": self.closed, "constants": listed}

    def __str__(self) -> str:
        if self.closed is None:
            return "the brackets were not decided"
        brackets: dict[tuple[int, int], list[str]] = {}
        for (i, j, k), c in self.constants.items():
            term = f"X{k + 1}" if c == "1" else f"-X{k + 1}" if c == "-1" else f"({c})*X{k + 1}"
            brackets.setdefault((i, j), []).append(term)
        words = "; ".join(f"[X{i + 1}, X{j + 1}] = {' + '.join(t)}" for (i, j), t in brackets.items())
        if not self.closed:
            return (words + "; " if words else "") + "not every bracket is a combination of these"
        return words or "all brackets vanish"


def bracket(names: Sequence[str], X: Components, Y: Components, zero: Element) -> Components:
    """[X, Y]^i = X(Y^i) − Y(X^i)."""
    found = {}
    for n in names:
        total = zero
        for m in names:
            if m in X and n in Y:
                total = total + X[m] * Y[n].diff(m)
            if m in Y and n in X:
                total = total - Y[m] * X[n].diff(m)
        if not total.is_blank:
            found[n] = total
    return found


def algebra(motion: Motion, names: Sequence[str], fields: Sequence[Components], effort: int) -> Algebra:
    """The structure constants of point fields whose components are functions of the field of `motion`."""
    zero, count = motion.field.zero, len(fields)
    constants: dict[tuple[int, int, int], str] = {}
    closed: bool | None = True
    budget = Budget(10 * effort)
    for i, j in combinations(range(count), 2):
        with motion.field.limit(Budget(10 * effort)):
            found = ask(bracket, names, fields[i], fields[j], zero)
            if isinstance(found, GivenUp):
                return Algebra(constants, None)
            if all(e.is_zero for e in found.values()):
                continue
            c = ask(_combination, motion, names, fields, found, budget)
        if isinstance(c, GivenUp):
            return Algebra(constants, None)
        if not isinstance(c, dict):
            closed = False if c is False or closed is False else None
            continue
        constants |= {(i, j, k): str(x.to_expr()) for k, x in c.items()}
    return Algebra(constants, closed)


def _combination(
    motion: Motion, names: Sequence[str], fields: Sequence[Components], found: Components, budget: Budget
) -> dict[int, Element] | Literal[False] | None:
    """Constants c with found = Σ c_k X_k, verified; False if there are none, None if that stays open.

    A relation over Q is one modulo a prime too, once its denominators are cleared: where there is none at
    points modulo a prime, there is none.
    """
    listed = [*fields, found]
    zero, last = motion.field.zero, len(fields)
    motion.function("0")

    def rows(point: PointOnQ) -> list[list[int]]:
        return [[point.value(X[n]) if n in X else 0 for X in listed] for n in names]

    vectors = null_vectors(motion.points(seed=5), len(listed), rows, budget).vectors
    vector = next((v for v in vectors if last in v), None)
    if vector is None:
        return False
    solved = exact(motion, rows, vector, budget=budget)
    if solved is None:
        return None
    c = {k: -x for k, x in solved.items() if k != last and not x.is_blank}
    for n in names:
        total = found.get(n, zero)
        for k, x in c.items():
            if n in fields[k]:
                total = total - x * fields[k][n]
        if total.is_zero is not True:
            return None
    return c
