"""A model as programs of the oracle, every expression read from the text that the user wrote; M and h.

    L                 M_ij = ∂²L/∂v_i∂v_j,   h = (∂/∂t + v·∂/∂q) ∂L/∂v − ∂L/∂q      of ε_i ε_j, σ ε_i, δ_i
    F dq + Π dv       M_ij = ∂Π_i/∂v_j,      h = (∂/∂t + v·∂/∂q) Π − F              of ε_j, σ
    a^α = f^α         M = 1, h = −f in the rows and columns of these coordinates, 0 elsewhere
    Ā + B̄ a = 0       M = −B̄, h = −Ā in the rows and columns of these coordinates, 0 elsewhere

The last two are restricted to the constraints by solving them beside C a + c = 0: what is 0 leaves the
multipliers free to vanish.

Parts that were given as SymPy expressions or as graphs have no text; they are read from the text that chetaev
writes for them, which is then the one thing that the oracle shares with the formulations (`expr.print`).

>>> from chetaev.model.system import System
>>> system = System(coordinates=["x"], lagrangian="m*x'^2/2", parameters={"k": 2, "m": "k/3"})
>>> ModelText(system).parameters["k"]
(Step(what='number', value=Fraction(2, 1), count=0),)
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from flint import arb

from chetaev.compare.oracle.jets import Jet
from chetaev.compare.oracle.reader import Program, Step, normal, read

if TYPE_CHECKING:
    from chetaev.model.system import System

Run: TypeAlias = Callable[[Program], Jet]
Rows: TypeAlias = list[list[Any]]
Law: TypeAlias = Callable[[Run, int], tuple[Rows, list[Any]]]
"""M and h, given what evaluates a program, and the number of coordinates."""

ZERO: Program = (Step("number", Fraction(0)),)


def delta(i: int) -> int:
    """The number of the infinitesimal of a coordinate; that of the time is 0, of a velocity 1 + i."""
    return -1 - i


class ModelText:
    """What a model says, as programs; constraints as lhs − rhs."""

    def __init__(self, system: System) -> None:
        given = system.given
        built: Any = system.dynamics
        dynamics, constraints = given.get("dynamics") or {}, given.get("constraints") or {}
        self.time = normal(given.get("time") or "t")
        self.coordinates = [normal(c) for c in given["coordinates"]]
        self.parameters = table(given.get("parameters"), system.parameters)
        meanings = {name: node.args[0] for name, node in system.definitions.items()}
        self.definitions = table(given.get("define"), meanings)
        self.forces = table(dynamics.get("forces"), system.forces)
        self.poisson = given.get("poisson")
        own = (self.poisson or {}).get("constraints") or ()
        relations = built.relations
        self.own = programs(own, built.constraints) if self.poisson is not None else []
        self.position = self.own + programs(
            constraints.get("position"), system.position_constraints[len(relations) :]
        )
        self.velocity = [] if self.poisson is not None else _velocity(dynamics, constraints, system)
        self.acceleration = programs(constraints.get("acceleration"), system.acceleration_constraints)
        self.law: Law = _nothing if self.poisson is not None else _law(dynamics, built, self.coordinates)


def _velocity(dynamics: Any, constraints: Any, system: System) -> list[Program]:
    """The velocity constraints; a mixed system has its own, x' − g for the velocity g of x."""
    given, built = dynamics.get("velocities"), system.velocity_constraints
    if given is None:
        return programs(constraints.get("velocity"), built)
    right = programs(given.values(), [e.rhs for e in built])
    return [(Step("name", normal(x), 1), *g, Step("-")) for x, g in zip(given, right, strict=True)]


# --- the kinds of dynamics ----------------------------------------------------------------------------


def _law(given: Mapping[str, Any], built: Any, coordinates: list[str]) -> Law:
    if given.get("lagrangian") is not None:
        return _of_lagrangian(program(given["lagrangian"], built.lagrangian))
    if given.get("kinetic") is not None:
        L = program(given["kinetic"], built.kinetic)
        if given.get("potential") is not None:
            L = (*L, *program(given["potential"], built.potential), Step("-"))
        return _of_lagrangian(L)
    if given.get("form") is not None:
        form = given["form"]
        return _of_form(along(form.get("F"), built.F, coordinates), along(form["Pi"], built.Pi, coordinates))
    names = list(built.independent)
    places = [coordinates.index(c) for c in names]
    if given.get("A") is None:
        return _of_accelerations(
            places, along(given.get("accelerations"), _values(built.accelerations), names)
        )
    B = given["B"]
    by_name = {normal(key): row for key, row in B.items()} if isinstance(B, Mapping) else None
    rows = [B[i] if by_name is None else by_name.get(c, {}) for i, c in enumerate(names)]
    entries = [along(row, built.B[i], names) for i, row in enumerate(rows)]
    return _of_accelerations(places, along(given["A"], _values(built.A), names), entries)


def _of_lagrangian(program: Program) -> Law:
    def law(run: Run, n: int) -> tuple[Rows, list[Any]]:
        L, places = run(program), range(n)
        mass = [[L.d(1 + i, 1 + j) for j in places] for i in places]
        return mass, [L.d(0, 1 + i) - L.d(delta(i)) for i in places]

    return law


def _of_form(F: Sequence[Program], Pi: Sequence[Program]) -> Law:
    def law(run: Run, n: int) -> tuple[Rows, list[Any]]:
        momenta = [run(p) for p in Pi]
        h = [p.d(0) - run(f).value for p, f in zip(momenta, F, strict=True)]
        return [[p.d(1 + j) for j in range(n)] for p in momenta], h

    return law


def _of_accelerations(
    places: Sequence[int], A: Sequence[Program], B: Sequence[Sequence[Program]] | None = None
) -> Law:
    def law(run: Run, n: int) -> tuple[Rows, list[Any]]:
        mass, h = _nothing(run, n)
        for row, i in enumerate(places):
            h[i] = -run(A[row]).value
            for column, j in enumerate(places):
                one = arb(1 if row == column else 0)
                mass[i][j] = one if B is None else -run(B[row][column]).value
        return mass, h

    return law


def _nothing(run: Run, n: int) -> tuple[Rows, list[Any]]:
    """No inertia: all equations are constraints."""
    return [[arb(0)] * n for _ in range(n)], [arb(0)] * n


# --- texts ------------------------------------------------------------------------------------------


def program(given: Any, built: Any) -> Program:
    """The program of a value: of its text, its number, or of the text of what was built from it."""
    if isinstance(given, str):
        return read(given)
    if isinstance(given, (int, Fraction, Decimal)):
        return (Step("number", Fraction(given)),)
    if isinstance(given, numbers.Real):  # a float means the decimal number that Python prints for it
        return (Step("number", Fraction(repr(float(given)))),)
    return read(str(built))


def programs(given: Any, built: Any) -> list[Program]:
    """One program for each entry of a list."""
    return [program(value, e) for value, e in zip(given or (), built, strict=True)]


def table(given: Mapping[str, Any] | None, built: Mapping[str, Any]) -> dict[str, Program]:
    """One program for each entry of a table."""
    return {normal(name): program(value, built[normal(name)]) for name, value in (given or {}).items()}


def along(given: Any, built: Sequence[Any], names: Sequence[str]) -> list[Program]:
    """One program a name, from a list in their order or from a table of those that are not 0."""
    if given is not None and not isinstance(given, Mapping):
        return programs(given, built)
    known = table(given, dict(zip(names, built, strict=True)))
    return [known.get(c, ZERO) for c in names]


def _values(x: Mapping[str, Any]) -> list[Any]:
    return list(x.values())
