"""A dynamics on the constraint submanifold Q itself: Ā, B̄ in a chart (SCOPE K25; Krupková (67), (75), §4).

    ᾱ = Ā_s ω^s∧dt + B̄_sr ω^s∧dv^r:      Ā_s + B̄_sr a^r = 0,      a^a = d_c g^a/dt,

with s over the independent coordinates; the constraints give the velocities of the others. There is no
ambient system and no force of constraint. On J¹Y the law is represented by M = −B̄ and h = −Ā in the rows
and columns of the independent coordinates and by 0 elsewhere: restricted to virtual displacements W = [1;
∂g/∂v] it is the law on Q again, in every chart.

>>> import chetaev as ch
>>> skate = ch.System(
...     coordinates=["x", "y", "phi"],
...     dynamics={"A": {"x": "-tan(phi)*x'*phi'", "phi": 0}, "B": [["-1", "0"], ["0", "-1"]]},
...     constraints=["y' = tan(phi)*x'"],
... )
>>> {c: str(a) for c, a in ch.equations(skate).accelerations.items()}["x"]
"-x'*phi'*sin(phi)/cos(phi)"
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.graph.node import ZERO, Expr
from chetaev.expr.print.layout import Barred, Indexed, Name, Row
from chetaev.model.dynamics.any_dynamics import SX, Dynamics, Nodes, Part
from chetaev.model.reading.expression_values import kind_of

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData


class Intrinsic(Dynamics):
    """A dynamics without an ambient system: Ā + B̄ a = 0 on the independent accelerations."""

    constraints_react = False  # what is given are the accelerations under the constraints

    @property
    @abstractmethod
    def independent(self) -> tuple[str, ...]:
        """The coordinates s with second-order equations."""

    @abstractmethod
    def on_q(self, at: Nodes) -> tuple[SX, SX]:
        """Ā as a column and B̄ as a matrix, in the order of `independent`."""

    def inertia(self, at: Nodes) -> tuple[SX, SX]:
        """−B̄ and −Ā, filled up with zeros."""
        import casadi

        A, B = self.on_q(at)
        m = len(self.coordinates)
        S = [self.coordinates.index(c) for c in self.independent]
        M, h = casadi.SX(m, m), casadi.SX(m, 1)
        M[S, S], h[S] = -B, -A
        return M, h

    @property
    def arrangement(self) -> tuple[str, ...]:
        """The independent coordinates."""
        return self.independent


@dataclass(frozen=True)
class DynamicsOnQ(Intrinsic):
    """Ā_s by independent coordinate, and B̄_sr as rows in their order."""

    A: Mapping[str, Expr]
    B: tuple[tuple[Expr, ...], ...]
    kind = "on Q"
    given_by = "A and B on the constraint submanifold"

    @property
    def independent(self) -> tuple[str, ...]:
        """The coordinates s."""
        return tuple(self.A)

    @property
    def freedom(self) -> int:
        """One degree of freedom for each entry of Ā."""
        return len(self.A)

    @property
    def symmetric(self) -> bool:
        """Whether B̄ is written as a symmetric matrix."""
        return all(x is self.B[j][i] for i, row in enumerate(self.B) for j, x in enumerate(row[:i]))

    @property
    def parts(self) -> tuple[Part, ...]:
        """Ā, then B̄ row by row."""
        made = [
            Part(f"A of {c}", ("dynamics", "A", c), f"A_{c}", Indexed(Barred(Name("A")), Name(c)), e)
            for c, e in self.A.items()
        ]
        for i, c in enumerate(self.A):
            for j, d in enumerate(self.A):
                shown = Indexed(Barred(Name("B")), Row((Name(c), Name(d))))
                path = ("dynamics", "B", i, j)
                made.append(Part(f"B of {c} and {d}", path, f"B_{c},{d}", shown, self.B[i][j]))
        return tuple(made)

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With other Ā and B̄."""
        n = len(self.A)
        rows = tuple(tuple(functions[n + i * n : n + (i + 1) * n]) for i in range(n))
        return replace(self, A=dict(zip(self.A, functions[:n], strict=True)), B=rows)

    def table(self) -> dict[str, Any]:
        """``A`` by coordinate and ``B`` as rows."""
        return {"A": dict(self.A), "B": [list(row) for row in self.B]}

    def on_q(self, at: Nodes) -> tuple[SX, SX]:
        """Ā and B̄ as they are."""
        import casadi

        n = len(self.A)
        flat = at.column([x for row in self.B for x in row])
        return at.column(list(self.A.values())), casadi.reshape(flat, n, n).T

    @classmethod
    def read(cls, given: DynamicsData) -> DynamicsOnQ:
        """From ``A`` and ``B``; the constraints give g."""
        reader = given.reader
        given.no_forces("add F_s + F_a ∂g^a/∂v^s to A")
        for key, other in (("A", "B"), ("B", "A")):
            if key not in given.table:
                reader.fail(
                    f"{other} is given without {key}",
                    ("dynamics", other),
                    expected="both, for the equations A_s + B_sr a^r = 0 of the independent coordinates",
                    key=True,
                )
        if given.constraints["acceleration"]:
            reader.fail(
                "A and B live on a submanifold of J¹Y; constraints on accelerations define none",
                ("constraints", "acceleration"),
                remedy="solve them for accelerations and put these into A and B",
                key=True,
            )
        A = _vector(given)
        B = _matrix(given, tuple(A))
        if all(x is ZERO for row in B for x in row):
            reader.fail(
                "B is zero: A_s + B_sr a^r = 0 says nothing about accelerations",
                ("dynamics", "B"),
                expected="minus the mass matrix on Q: B = -∂²L/∂v∂v where there is a Lagrangian",
                key=True,
            )
        return cls(given.coordinates, given.forces(), A, B)


def _vector(given: DynamicsData) -> dict[str, Expr]:
    """Ā by independent coordinate: as many as the constraints leave."""
    reader = given.reader
    if isinstance(given.table["A"], (list, tuple)):
        names = _unsolved(given)
        return dict(zip(names, given.entries(("dynamics", "A"), "an entry of A", names), strict=True))
    found = given.by_coordinate(("dynamics", "A"), "an entry of A")
    if not found:
        reader.fail("A is empty", ("dynamics", "A"), expected="one entry for each independent coordinate")
    return {c: found[c] for c in given.coordinates if c in found}


def _unsolved(given: DynamicsData) -> tuple[str, ...]:
    """The coordinates whose velocities the constraints are not solved for, if they are in normal form."""
    solved = []
    for i, e in enumerate(given.constraints["velocity"]):
        if e.lhs.op != "symbol" or e.lhs.value[1] != 1:
            given.reader.fail(
                "A is a list, and a constraint does not say which velocity is dependent",
                ("constraints", "velocity", i),
                expected="constraints in the form y' = …",
                remedy="or give A by coordinate: A = {x = …}",
            )
        solved.append(e.lhs.value[0])
    if given.constraints["position"]:
        given.reader.fail(
            "A is a list, and position constraints do not say which velocities are dependent",
            ("dynamics", "A"),
            remedy="give A by coordinate: A = {x = …}",
            key=True,
        )
    return tuple(c for c in given.coordinates if c not in solved)


def _matrix(given: DynamicsData, names: tuple[str, ...]) -> tuple[tuple[Expr, ...], ...]:
    """B̄ by rows: from lists in the order of the coordinates, or from a table of tables."""
    reader, value = given.reader, given.table["B"]
    what = "an entry of B"
    if isinstance(value, Mapping):
        rows = {}
        for c in given.keys_among(("dynamics", "B"), "a row of B", names):
            found = given.by_coordinate(("dynamics", "B", c), what, names)
            rows[c] = tuple(found.get(d, ZERO) for d in names)
        return tuple(rows.get(c, (ZERO,) * len(names)) for c in names)
    if not isinstance(value, (list, tuple)):
        reader.fail(
            f"B is {kind_of(value)}", ("dynamics", "B"), expected='rows, such as [["-m", "0"], ["0", "-m"]]'
        )
    if len(value) != len(names):
        reader.fail(
            f"B has {len(value)} row{'' if len(value) == 1 else 's'}",
            ("dynamics", "B"),
            expected=f"{len(names)}, for {', '.join(names[:20])}",
        )
    return tuple(given.entries(("dynamics", "B", i), what, names) for i in range(len(names)))
