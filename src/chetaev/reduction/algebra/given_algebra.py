"""Systems on an algebra as people give them: by brackets and functions, or by a model (SCOPE M4).

A model in a frame of its configurations: structure constants and Lagrangian computed (SCOPE M4).

For fields E_i that are a frame, [E_i, E_j] = c_ij^k E_k with functions c; where these are constants the frame
is left-invariant for a group, of which the coordinates are a chart. With v = ξ^i E_i the Lagrangian and the
constraints must not depend on the place: l(ξ) = L(q, ξ^i E_i).

>>> import chetaev as ch
>>> found = ch.on_algebra(
...     ch.load("caratheodory-sleigh"),
...     frame={
...         "w": {"phi": 1},
...         "u": {"x": "cos(phi)", "y": "sin(phi)"},
...         "v": {"x": "-sin(phi)", "y": "cos(phi)"},
...     },
... )
>>> str(found.structure), {n: str(e) for n, e in found.rates.items()}
('[w, u] = v; [w, v] = -u', {'w': '-m*a*w*u/(m*a^2 + J)', 'u': 'a*w^2'})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chetaev.checked_arguments import listed, shown, table
from chetaev.effort import EFFORT
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.expr.language.parser import parse_equation
from chetaev.expr.language.scope import normal_name
from chetaev.expr.print import to_text
from chetaev.laws.standpoint import standpoints
from chetaev.laws.symmetry.algebra import bracket
from chetaev.laws.symmetry.given_fields import read_field
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System
from chetaev.reduction.algebra.algebra_system import AlgebraSystem
from chetaev.reduction.algebra.structure import StructureConstants, named, names_in, read_brackets
from chetaev.reduction.algebra.suslov import OnAlgebra, Vector, derive, expect_representation, linear_rows
from chetaev.reduction.expressed import at_one_place


def read_frame(system: System, given: Any) -> dict[str, list[Expr]]:
    """A frame by names, each field by components."""
    if not isinstance(given, Mapping) or len(given) != len(system.coordinates):
        raise ModelError(
            f"the frame is {shown(given)}",
            expected=f"{len(system.coordinates)} fields by name, such as "
            '{"u": {"x": "cos(phi)", "y": "sin(phi)"}, …}',
        )
    found: dict[str, list[Expr]] = {}
    for name, field in given.items():
        plain = normal_name(name) if isinstance(name, str) else ""
        taken = {system.time, *system.parameters, *system.coordinates, *found}
        if not plain or plain in taken:
            raise ModelError(f"a field of the frame is called {shown(name)}", expected="a name of its own")
        one = read_field(system, field, "point")
        if one.time is not ZERO:
            raise ModelError(f"the field {one} of the frame moves time")
        found[plain] = [e for _, e in one.along]
    return found


def from_frame(system: System, frame: Mapping[str, Sequence[Expr]], field: Field) -> OnAlgebra:
    """l, constraints and forces in the frame, all constant along the configurations."""
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"))
    if system.position_constraints or system.acceleration_constraints:
        raise ModelError("a system on an algebra has constraints on velocities only")
    names, coordinates = tuple(frame), system.coordinates
    view = standpoints(system)[0]
    E = [[field(e) for e in view.apply(list(x))] for x in frame.values()]
    if linear.rank(E) < len(E):
        raise ModelError("the fields of the frame are dependent", expected="a frame of the configurations")
    structure = _structure(names, coordinates, E, field)
    xi = [field.symbol(n) for n in names]
    put = {(c, 1): linear.dot([x[i] for x in E], xi) for i, c in enumerate(coordinates)}

    def constant(e: Expr, what: str) -> Element:
        return _constant(field(view.apply([e])[0]).subs(put), coordinates, system.time, what)

    f = [field(e).subs(put) for e in view.apply(constraint_functions(system))]
    rows = _constant_rows(linear_rows(f, names, "the constraint"), coordinates)
    pushes = [field(view.apply([system.forces.get(c, ZERO)])[0]).subs(put) for c in coordinates]
    forces = [_constant(linear.dot(x, pushes), coordinates, system.time, "the force") for x in E]
    return OnAlgebra(field, structure, constant(system.lagrangian, "the Lagrangian"), rows, {}, forces)


def _structure(
    names: Sequence[str], coordinates: Sequence[str], E: list[Vector], field: Field
) -> StructureConstants:
    constants: dict[tuple[int, int], dict[int, Expr]] = {}
    columns = [list(column) for column in zip(*E, strict=True)]
    for j in range(len(E)):
        for i in range(j):
            a, b = ({c: e for c, e in zip(coordinates, E[m], strict=True) if not e.is_blank} for m in (i, j))
            found = bracket(coordinates, a, b, field.zero)
            if not found:
                continue
            c = linear.solve(columns, [found.get(n, field.zero) for n in coordinates])
            row = {}
            for k, e in enumerate(c):
                value = _constant(e, coordinates, "", f"the bracket [{names[i]}, {names[j]}]")
                if not value.is_blank:
                    row[k] = value.to_expr()
            if row:
                constants[i, j] = row
    return StructureConstants(tuple(names), dict(sorted(constants.items())))


def _constant(e: Element, coordinates: Sequence[str], time: str, what: str) -> Element:
    """The function at one place, if it does not depend on the place."""
    for c in (*coordinates, time):
        if not e.is_free_of((c, 0)):
            raise ModelError(
                f"{what} in the frame, {str(e.to_expr())[:120]}, depends on {c}",
                expected="a frame in which nothing depends on the place",
                remedy="potentials and the like are advected quantities: give the system by its structure",
            )
    return at_one_place(e, coordinates)


def _constant_rows(rows: list[Vector], coordinates: Sequence[str]) -> list[Vector]:
    """The constraint in the frame: rows span one space everywhere."""
    if not rows:
        return []
    solved = linear.echelon(rows)
    n = len(rows[0])
    found = []
    for i in range(solved.rank):
        row = [solved.entry(i, j) for j in range(n)]
        found.append([_constant(e, coordinates, "", "the constraint") for e in row])
    return found


def of_model(system: System, frame: Any, until: Any, name: str | None) -> AlgebraSystem:
    """From a model and a frame."""
    fields = read_frame(system, frame)
    f = _field((*system.parameters, *fields, *system.coordinates))
    on = from_frame(system, fields, f)
    draft = AlgebraSystem(
        on, derive(on), {n: to_text(e) for n, e in system.parameters.items()}, full=system, frame=fields
    )
    start = None
    if system.initial is not None:
        kept = {n: e for n, e in draft.on_full(system).items() if n in draft.equations.independent}
        start = dict(zip(kept, system.at_start(list(kept.values())), strict=True))
    return replace(
        draft,
        initial=start,
        until=system.until if until is None else until,
        name=f"{system.name}, on its algebra" if name is None else name,
    )


def _field(names: Sequence[str]) -> Field:
    found = Field(Budget(400 * EFFORT, terms=200_000, products=20_000_000))
    for n in names:
        found.symbol(n)
    return found


def of_structure(
    structure: Any,
    inertia: Any,
    lagrangian: Any,
    constraints: Any,
    advected: Any,
    forces: Any,
    names: Any,
    parameters: Any,
    initial: Any,
    until: Any,
    name: Any,
) -> AlgebraSystem:
    """From an algebra and functions on it."""
    carried = {_name(k, "an advected quantity"): v for k, v in table(advected, "advected").items()}
    values = dict(table(parameters, "parameters"))
    basis = _basis(structure, names, values)
    on = System(
        coordinates=[*basis, *carried],
        dynamics={"velocities": dict.fromkeys([*basis, *carried], "0")},
        parameters=values,
        name="algebra",
    )
    by_name = isinstance(structure, str)
    algebra = named(structure, basis) if by_name else read_brackets(on, basis, structure)
    f = _field((*on.parameters, *basis, *carried))
    view = standpoints(on)[0]

    def element(value: Any, what: str) -> Element:
        e = function_on(on, value, what, 0)
        if (on.time, 0) in symbols(e):
            raise ModelError(f"{what} contains {on.time}", expected="functions on the algebra")
        return f(view.apply([e])[0])

    if (inertia is None) == (lagrangian is None):
        raise ModelError(
            "ch.on_algebra was given "
            + ("both inertia and lagrangian" if inertia is not None else "no Lagrangian"),
            expected="inertia=[[…], …] or lagrangian=…",
        )
    energy = element(lagrangian, "the Lagrangian") if inertia is None else _energy(element, f, basis, inertia)
    equations = []
    scope = on.scope.but(purpose="a constraint", kind="constraint", order=0)
    for text in _texts(constraints):
        if not isinstance(text, str):
            raise ModelError(f"a constraint is {shown(text)}", expected='text, such as "w3 = 0"')
        equations.append(f(view.apply([parse_equation(text, scope).residual])[0]))
    rows = linear_rows(equations, basis, "the constraint")
    turned = {n: element(v, f"the rate of {n!r}") for n, v in carried.items()}
    rates = dict(zip(turned, linear_rows(list(turned.values()), basis, "the rate"), strict=True))
    pushes = table(forces, "forces")
    strange = [k for k in pushes if k not in basis]
    if strange:
        raise ModelError(f"there is a force along {shown(strange[0])}", expected="one of " + ", ".join(basis))
    given = OnAlgebra(
        f, algebra, energy, rows, rates, [element(pushes.get(n, 0), f"the force along {n!r}") for n in basis]
    )
    expect_representation(given)
    found = AlgebraSystem(
        given, derive(given), values, None, until, "On a Lie algebra" if name is None else name
    )
    result = replace(found, initial=_start(found, initial))
    _ = result.system  # a sentence now if the data are wrong
    return result


def _name(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{what} is called {shown(value)}", expected="a name")
    return normal_name(value)


def _texts(given: Any) -> list[Any]:
    """Constraints as a list; one may stand alone."""
    return [given] if isinstance(given, str) else listed(given, "constraints", 'a list, such as ["w3 = 0"]')


def _basis(structure: Any, names: Any, parameters: Mapping[Any, Any]) -> tuple[str, ...]:
    """The names of the basis."""
    chosen = None
    if names is not None:
        given = listed(names, "names", "a list of names")
        chosen = tuple(_name(n, "an element of the basis") for n in given)
    if isinstance(structure, str):
        return named(structure, chosen).names
    if not isinstance(structure, Mapping):
        raise ModelError(
            f"the algebra is {shown(structure)}",
            expected='its name, such as "so3", brackets such as {"a, b": "c"}, or a system with a frame',
        )
    found = (
        chosen if chosen is not None else names_in(structure, [n for n in parameters if isinstance(n, str)])
    )
    if not found:
        raise ModelError("the algebra has no element", remedy="names=[…] names the basis")
    return found


def _energy(element: Any, f: Field, basis: Sequence[str], inertia: Any) -> Element:
    """ξ·Iξ/2."""
    n = len(basis)
    expected = f"{n} moments, or a symmetric matrix of {n} rows"
    rows = listed(inertia, "the inertia", expected)
    if len(rows) == n and not any(hasattr(r, "__len__") and not isinstance(r, str | bytes) for r in rows):
        rows = [[e if i == j else 0 for j in range(n)] for i, e in enumerate(rows)]
    rows = [listed(row, "a row of the inertia", expected) for row in rows]
    if len(rows) != n or any(len(row) != n for row in rows):
        raise ModelError(f"the inertia is {shown(inertia)}", expected=expected)
    table_ = [[element(_exact(e), "the inertia") for e in row] for row in rows]
    total = f.zero
    for i in range(n):
        for j in range(n):
            if any(m in basis for m, _ in table_[i][j].symbols):
                raise ModelError("the inertia contains velocities", expected="functions of parameters")
            if (table_[i][j] - table_[j][i]).is_zero is not True:
                raise ModelError(
                    f"the inertia is not symmetric in the places ({i + 1}, {j + 1}) and ({j + 1}, {i + 1})",
                    expected="a symmetric matrix",
                )
            total = total + table_[i][j] * f.symbol(basis[i]) * f.symbol(basis[j]) / 2
    return total


def _exact(value: Any) -> Any:
    """A float as the exact number that is written so."""
    if isinstance(value, float):
        text = repr(value)
        return text if text.lstrip("-")[0].isdigit() else value
    return value


def _start(found: AlgebraSystem, initial: Any) -> dict[str, Any] | None:
    """Initial data for the independent velocities; dependent ones that are given must fit."""
    if initial is None:
        return None
    given = dict(table(initial, "the initial data"))
    dependent = {n: e for n, e in found.velocity.items() if n not in found.equations.independent}
    kept = {k: v for k, v in given.items() if k not in dependent}
    if len(kept) == len(given):
        return kept
    values = dict(found.first_order(dict.fromkeys(found.rates, "0"), kept, found.name).state.position)
    parameters = found.system.parameter_values
    for n, e in dependent.items():
        if n in given:
            (value,) = evaluate([e], {**parameters, **values})
            (asked,) = evaluate(
                [function_on(found.system, _exact(given[n]), f"the initial {n!r}")], parameters
            )
            if abs(float(value) - float(asked)) > 1e-9 * (1 + abs(float(value))):
                raise ModelError(
                    f"the initial {n!r} is {shown(given[n])}, but the constraints make it {float(value):.6g}",
                    remedy=f"leave {n!r} out",
                )
    return kept
