"""The dynamics of a model as programs of the oracle, whatever it is given by; M and h − F at a point.

    L                 M_ij = ∂²L/∂v_i∂v_j,   h = (∂/∂t + v·∂/∂q) ∂L/∂v − ∂L/∂q      of ε_i ε_j, σ ε_i, δ_i
    F dq + Π dv       M_ij = ∂Π_i/∂v_j,      h = (∂/∂t + v·∂/∂q) Π − F              of ε_j, σ
    a^α = f^α         M = 1, h = −f in the rows and columns of these coordinates, 0 elsewhere
    Ā + B̄ a = 0       M = −B̄, h = −Ā in the rows and columns of these coordinates, 0 elsewhere

The last two are restricted to the constraints by solving them beside C a + c = 0: what is 0 leaves the
multipliers free to vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb

from chetaev.compare.oracle import jets
from chetaev.compare.oracle.jets import Jet, Number
from chetaev.compare.oracle.reader import Program, Step, normal

Run: TypeAlias = Callable[[Program], Number]
Law: TypeAlias = tuple[list[list[Any]], list[Any]]


def delta(i: int) -> int:
    """The number of the infinitesimal of a coordinate."""
    return -1 - i


def first(x: Jet, i: int) -> Any:
    """The coefficient of an infinitesimal."""
    return x.first.get(i, arb(0))


def second(x: Jet, i: int, j: int) -> Any:
    """The coefficient of two infinitesimals."""
    return x.second.get((i, j) if i <= j else (j, i), arb(0))


@dataclass(frozen=True)
class FromLagrangian:
    """L as one program."""

    L: Program

    def law(self, run: Run, n: int) -> Law:
        """M and h."""
        L = jets.jet(run(self.L))
        mass = [[second(L, 1 + i, 1 + j) for j in range(n)] for i in range(n)]
        return mass, [second(L, 0, 1 + i) - first(L, delta(i)) for i in range(n)]


@dataclass(frozen=True)
class FromForm:
    """F and Π, one program a coordinate."""

    F: Sequence[Program]
    Pi: Sequence[Program]

    def law(self, run: Run, n: int) -> Law:
        """M and h."""
        F, Pi = ([jets.jet(run(p)) for p in programs] for programs in (self.F, self.Pi))
        mass = [[first(p, 1 + j) for j in range(n)] for p in Pi]
        return mass, [first(p, 0) - f.value for p, f in zip(Pi, F, strict=True)]


@dataclass(frozen=True)
class OnSubmanifold:
    """Ā and B̄ for coordinates by their numbers; B̄ = −1 where there is none."""

    places: Sequence[int]
    A: Sequence[Program]
    B: Sequence[Sequence[Program]] | None = None

    def law(self, run: Run, n: int) -> Law:
        """M and h, filled up with zeros."""
        mass, h = [[arb(0)] * n for _ in range(n)], [arb(0)] * n
        for row, i in enumerate(self.places):
            h[i] = -jets.jet(run(self.A[row])).value
            for column, j in enumerate(self.places):
                one = arb(1 if row == column else 0)
                mass[i][j] = one if self.B is None else -jets.jet(run(self.B[row][column])).value
        return mass, h


Kind: TypeAlias = FromLagrangian | FromForm | OnSubmanifold
ZERO: Program = (Step("number", Fraction(0)),)
Make: TypeAlias = Callable[[Any, Any], Program]


def kind(given: Mapping[str, Any], built: Any, coordinates: Sequence[str], make: Make) -> Kind:
    """The kind of dynamics that a table [dynamics] gives.

    `make` turns what was given into a program; `built` is the dynamics that chetaev has made of the table,
    for what was not given as text.
    """
    if given.get("lagrangian") is not None:
        return FromLagrangian(make(given["lagrangian"], built.lagrangian))
    if given.get("kinetic") is not None:
        T = make(given["kinetic"], built.kinetic)
        if given.get("potential") is None:
            return FromLagrangian(T)
        return FromLagrangian((*T, *make(given["potential"], built.potential), Step("-")))
    if given.get("form") is not None:
        form = given["form"]
        F = _along(form.get("F"), built.F, coordinates, make)
        return FromForm(F, _along(form["Pi"], built.Pi, coordinates, make))
    names = tuple(built.independent)
    places = [list(coordinates).index(c) for c in names]
    if given.get("A") is None:
        table = given.get("accelerations")
        return OnSubmanifold(places, _along(table, list(built.accelerations.values()), names, make))
    A = _along(given["A"], list(built.A.values()), names, make)
    B = given["B"]
    rows = [B[i] if isinstance(B, list | tuple) else _row(B, c) for i, c in enumerate(names)]
    entries = [_along(row, built.B[i], names, make) for i, row in enumerate(rows)]
    return OnSubmanifold(places, A, entries)


def _row(table: Mapping[str, Any], name: str) -> Any:
    return next((row for key, row in table.items() if normal(key) == name), {})


def _along(given: Any, built: Sequence[Any], names: Sequence[str], make: Make) -> list[Program]:
    """One program a name, from a list in their order or from a table of those that are not 0."""
    if given is None:
        return [ZERO] * len(names)
    if not isinstance(given, Mapping):
        return [make(value, graph) for value, graph in zip(given, built, strict=True)]
    values = {normal(key): value for key, value in given.items()}
    return [make(values[c], graph) if c in values else ZERO for c, graph in zip(names, built, strict=True)]
