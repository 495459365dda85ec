"""Structure constants: [e_i, e_j] = c_ij^k e_k, antisymmetric, with Jacobi's identity (SCOPE M4, L3).

They are given as brackets of names, ``{"w1, w2": "w3"}``, what is left out being 0, or by the name of an
algebra. Those of matrix groups come with the matrices, by which a motion on the algebra is taken back to the
group: ġ = g ξ^i E_i.

>>> so3 = named("so3")
>>> so3.names, str(so3)
(('w1', 'w2', 'w3'), '[w1, w2] = w3; [w1, w3] = -w2; [w2, w3] = w1')
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.exact import Element, Field
from chetaev.expr.graph.node import CONSTANTS, FUNCTIONS, ONE, Expr, number
from chetaev.expr.print import to_text
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class StructureConstants:
    """Names of a basis, and c_ij^k for i < j."""

    names: tuple[str, ...]
    constants: Mapping[tuple[int, int], Mapping[int, Expr]]
    """By (i, j), i < j: expressions in the parameters by k; those that are not zero."""
    matrices: tuple[Matrix, ...] = ()
    """A faithful representation E_i with the same brackets, if there is one at hand."""

    def __str__(self) -> str:
        found = []
        for (i, j), row in self.constants.items():
            found.append(f"[{self.names[i]}, {self.names[j]}] = {self._sum(row)}")
        return "; ".join(found) or "all brackets vanish"

    def _sum(self, row: Mapping[int, Expr]) -> str:
        """Σ c^k e_k as text."""
        return " + ".join(self._term(k, e) for k, e in row.items()).replace("+ -", "- ")

    def _term(self, k: int, e: Expr) -> str:
        if e is ONE:
            return self.names[k]
        text = to_text(e)
        if text == "-1":
            return f"-{self.names[k]}"
        return f"{text}*{self.names[k]}" if e.op in ("number", "symbol") else f"({text})*{self.names[k]}"

    def entry(self, field: Field, i: int, j: int) -> list[Element]:
        """[e_i, e_j] by components."""
        sign = 1 if i < j else -1
        row = self.constants.get((min(i, j), max(i, j)), {})
        return [field(row[k]) * sign if k in row else field.zero for k in range(len(self.names))]

    def expect_jacobi(self) -> None:
        """A sentence with the triple if Jacobi's identity fails."""
        field, n = Field(), len(self.names)
        c = [[self.entry(field, i, j) for j in range(n)] for i in range(n)]
        for i, j, k in combinations(range(n), 3):
            total = [field.zero] * n
            for a, b, d in ((i, j, k), (j, k, i), (k, i, j)):
                for m in range(n):
                    if not c[a][b][m].is_blank:
                        total = [x + c[a][b][m] * y for x, y in zip(total, c[m][d], strict=True)]
            if any(x.is_zero is not True for x in total):
                value = self._sum({m: x.to_expr() for m, x in enumerate(total) if not x.is_blank})
                x, y, z = (self.names[m] for m in (i, j, k))
                raise ModelError(
                    f"Jacobi's identity fails for {x}, {y}, {z}: the cyclic sum of [[{x}, {y}], {z}] "
                    f"is {value}",
                    expected="structure constants of a Lie algebra",
                )


def _so3() -> StructureConstants:
    E = [((0, 0, 0), (0, 0, -1), (0, 1, 0)), ((0, 0, 1), (0, 0, 0), (-1, 0, 0))]
    return StructureConstants(("w1", "w2", "w3"), _cyclic(3), (*E, ((0, -1, 0), (1, 0, 0), (0, 0, 0))))


def _cyclic(n: int) -> dict[tuple[int, int], dict[int, Expr]]:
    """ε_ijk for the first three, and ε_ijk again between these and the next three."""
    one, minus = number(1), number(-1)
    found = {(0, 1): {2: one}, (0, 2): {1: minus}, (1, 2): {0: one}}
    if n == 6:
        for (i, j), row in list(found.items()):
            ((k, e),) = row.items()
            found[i, j + 3] = {k + 3: e}
            found[j, i + 3] = {k + 3: minus if e is one else one}
    return dict(sorted(found.items()))


def _se3() -> StructureConstants:
    turns = [(*((*row, 0) for row in E), (0, 0, 0, 0)) for E in _so3().matrices]
    shifts = [tuple(tuple(int(i == k and j == 3) for j in range(4)) for i in range(4)) for k in range(3)]
    return StructureConstants(("w1", "w2", "w3", "v1", "v2", "v3"), _cyclic(6), (*turns, *shifts))


def _se2() -> StructureConstants:
    brackets = {(0, 1): {2: number(1)}, (0, 2): {1: number(-1)}}
    turn = ((0, -1, 0), (1, 0, 0), (0, 0, 0))
    shifts = [tuple(tuple(int(i == k and j == 2) for j in range(3)) for i in range(3)) for k in range(2)]
    return StructureConstants(("w", "u", "v"), brackets, (turn, *shifts))


def _heisenberg() -> StructureConstants:
    places = ((0, 1), (1, 2), (0, 2))
    E = [tuple(tuple(int((i, j) == p) for j in range(3)) for i in range(3)) for p in places]
    return StructureConstants(("a", "b", "c"), {(0, 1): {2: number(1)}}, tuple(E))


NAMED = {"so3": _so3, "se2": _se2, "se3": _se3, "heisenberg": _heisenberg}
"""so(3): w the body angular velocity. se(2): w turning, u along, v across. se(3): w and v in the body."""


def named(name: str, names: Sequence[str] | None = None) -> StructureConstants:
    """An algebra by its name, with other names of its basis if wanted."""
    plain = name.replace("(", "").replace(")", "").lower()
    if plain not in NAMED:
        raise ModelError(
            f"no algebra is called {shown(name)}",
            expected="one of " + ", ".join(NAMED) + ', or brackets such as {"a, b": "c"}',
            remedy=did_you_mean(name, NAMED),
        )
    found = NAMED[plain]()
    if names is None:
        return found
    if len(names) != len(found.names):
        raise ModelError(f"{plain} has dimension {len(found.names)}, {len(names)} names are given")
    return StructureConstants(tuple(names), found.constants, found.matrices)


def read_brackets(on: System, names: Sequence[str], given: Mapping[Any, Any]) -> StructureConstants:
    """Brackets as a table; `on` has the names as coordinates, and the parameters."""
    constants: dict[tuple[int, int], dict[int, Expr]] = {}
    field = Field()
    for key, value in given.items():
        i, j = _pair(key, names)
        if (min(i, j), max(i, j)) in constants:
            raise ModelError(f"the bracket of {names[i]} and {names[j]} is given twice")
        e = field(function_on(on, value, f"the bracket [{names[i]}, {names[j]}]", 0))
        row = {}
        rest = e
        for k, n in enumerate(names):
            c = e.diff((n, 0))
            if any(m in names for m, _ in c.symbols):
                raise ModelError(
                    f"the bracket [{names[i]}, {names[j]}] = {to_text(e.to_expr())[:100]} is not linear",
                    expected="a combination of the basis with constant coefficients",
                )
            rest = rest - c * field.symbol(n)
            if not c.is_blank:
                row[k] = (c if i < j else -c).to_expr()
        if rest.is_zero is not True:
            raise ModelError(
                f"the bracket [{names[i]}, {names[j]}] has the part {to_text(rest.to_expr())[:90]}, which is "
                "no element of the algebra",
                expected="a combination of the basis with constant coefficients",
            )
        if i == j:
            if row:
                raise ModelError(f"the bracket [{names[i]}, {names[i]}] is not 0")
            continue
        if row:
            constants[min(i, j), max(i, j)] = row
    found = StructureConstants(tuple(names), dict(sorted(constants.items())))
    found.expect_jacobi()
    return found


def _pair(key: Any, names: Sequence[str]) -> tuple[int, int]:
    parts = (
        [p.strip() for p in key.split(",")]
        if isinstance(key, str)
        else list(key)
        if isinstance(key, tuple)
        else []
    )
    if len(parts) != 2 or not all(isinstance(p, str) for p in parts):
        raise ModelError(f"a bracket is called {shown(key)}", expected='two names, such as "w1, w2"')
    for p in parts:
        if p not in names:
            raise ModelError.unknown(
                f"the bracket {shown(key)} contains {p!r}, which is no name of the basis", p, names
            )
    return names.index(parts[0]), names.index(parts[1])


def names_in(given: Mapping[Any, Any], parameters: Collection[str]) -> tuple[str, ...]:
    """The names that occur in a table of brackets, in their order: those of the keys first.

    >>> names_in({"a, b": "k*c"}, ["k"])
    ('a', 'b', 'c')
    """
    found: dict[str, None] = {}
    for key in given:
        parts = key.split(",") if isinstance(key, str) else key if isinstance(key, tuple) else ()
        found |= {p.strip(): None for p in parts if isinstance(p, str) and p.strip()}
    for value in given.values():
        words = re.findall(r"[^\W\d]\w*", value) if isinstance(value, str) else []
        known = (*parameters, *FUNCTIONS, *CONSTANTS)
        found |= {word: None for word in words if word not in known}
    return tuple(found)
