"""Systems on an algebra as people give them: by brackets and functions, or by a model (SCOPE M4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chetaev.checked_arguments import listed, shown, table
from chetaev.effort import EFFORT
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import symbols
from chetaev.expr.language.parser import parse_equation
from chetaev.expr.language.scope import normal_name
from chetaev.expr.print import to_text
from chetaev.laws.standpoint import standpoints
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System
from chetaev.reduction.algebra.algebra_system import AlgebraSystem
from chetaev.reduction.algebra.from_frame import from_frame, read_frame
from chetaev.reduction.algebra.structure import named, names_in, read_brackets
from chetaev.reduction.algebra.suslov import OnAlgebra, derive, expect_representation, linear_rows


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
