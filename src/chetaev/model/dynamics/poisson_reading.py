"""``[poisson]`` of a model file, read and checked: pairs of names, antisymmetry, Jacobi's identity.

[poisson]
bracket = { "x, p" = 1, "S1, S2" = "S3" }     # or a square matrix [[…], …] in the order of the coordinates
hamiltonian = "…"
forces = { p = "-c*p" }                       # added to the rates of the variables
constraints = ["…"]                           # functions on phase space that vanish
momenta = ["p"]                               # d'Alembert's principle: what the kinetic metric is of
reactions = [{ p = "1" }]                     # or the directions in which they act, one for each constraint
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from chetaev.errors import did_you_mean
from chetaev.expr.exact import GivenUp, ask
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import ZERO, Expr, add, substitute, symbol
from chetaev.expr.language.parser import Equation
from chetaev.expr.language.scope import normal_name
from chetaev.model.dynamics.bracket import BracketTable, NoReactionError, Pair
from chetaev.model.dynamics.dynamics_table import by_coordinate
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.model_checks import check_constraint
from chetaev.model.reading.expression_values import kind_of
from chetaev.model.reading.text_places import Path

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData

EFFORT = 200_000
"""For the question whether the motion keeps a relation: points refute it soon, and a proof is not needed."""
EXAMPLE = 'bracket = {"x, p" = 1}: {x, p} = 1, and what is not named is 0'


def read(given: DynamicsData) -> Poisson:
    """The dynamics of a model with a table [poisson]."""
    reader = given.reader
    for key, value in given.table.items():
        if value is None or value is False or (isinstance(value, Mapping) and not value):
            continue
        reader.fail(
            f"both a Poisson bracket and {key!r} are given",
            ("dynamics", key),
            remedy="forces belong into [poisson], too" if key == "forces" else "leave out one of them",
            key=True,
        )
    for level in ("velocity", "acceleration"):
        if given.constraints[level]:
            reader.fail(
                f"a {level} constraint on a phase space, where all equations are of first order",
                ("constraints", level, 0),
                remedy="write it as a function of the variables that vanishes, in constraints of [poisson]",
            )
    table = reader.table(("poisson",))
    for key, example in (("bracket", EXAMPLE), ("hamiltonian", 'hamiltonian = "p^2/2 + V(x)"')):
        if key not in table:
            reader.fail(f"[poisson] has no {key}", ("poisson",), expected=example, key=True)
    scope = given.scope.but(order=0)
    H = reader.expression(("poisson", "hamiltonian"), scope.but(purpose="a Hamiltonian"))
    added = by_coordinate(
        reader, ("poisson", "forces"), "a force", scope.but(purpose="a force"), given.coordinates
    )
    constraints = _constraints(given)
    momenta = _momenta(given)
    reactions = _reactions(given, len(constraints))
    if momenta and reactions:
        reader.fail(
            "both momenta and reactions are given: each says how the constraints act",
            ("poisson", "reactions"),
            remedy="leave out one of them",
            key=True,
        )
    found = Poisson(
        given.coordinates, {}, given.time, H, _bracket(given), added, constraints, momenta, reactions
    )
    _check_jacobi(given, found)
    _check_reactions(given, found)
    return found


# --- the bracket ----------------------------------------------------------------------------------


def _bracket(given: DynamicsData) -> Mapping[Pair, Expr]:
    value = given.reader.get(("poisson", "bracket"))
    scope = given.scope.but(order=0, purpose="a bracket")
    if isinstance(value, (list, tuple)):
        return _from_matrix(given, value)
    found: dict[Pair, Expr] = {}
    written: dict[Pair, Any] = {}
    for key in given.reader.table(("poisson", "bracket")):
        path: Path = ("poisson", "bracket", key)
        pair = _pair(given, key, path)
        e = given.reader.expression(path, scope)
        if pair in found:
            given.reader.fail(f"the bracket of {pair[0]} and {pair[1]} is given twice", path, key=True)
        back = (pair[1], pair[0])
        if pair[0] == pair[1]:
            _expect_zero(given, e, path, f"{{{pair[0]}, {pair[0]}}} = {e}")
            continue
        if back in found:
            words = f"{{{pair[0]}, {pair[1]}}} = {e} and {{{back[0]}, {back[1]}}} = {found[back]}"
            _expect_zero(given, add(e, found[back]), path, words)
            continue
        found[pair], written[pair] = e, key
    return found


def _pair(given: DynamicsData, key: object, path: Path) -> Pair:
    names = [normal_name(part.strip()) for part in str(key).strip("{} ").split(",")]
    if len(names) != 2:
        given.reader.fail(
            f"{str(key)!r} is no pair of variables", path, expected='such as "x, p", for {x, p}', key=True
        )
    for name in names:
        if name not in given.coordinates:
            given.reader.fail(
                f"the bracket of {str(key)!r} is given, and {name!r} is no coordinate",
                path,
                expected="two of " + ", ".join(given.coordinates[:20]),
                remedy=did_you_mean(name, given.coordinates),
                key=True,
            )
    return names[0], names[1]


def _from_matrix(given: DynamicsData, rows: Any) -> Mapping[Pair, Expr]:
    n, names = len(given.coordinates), given.coordinates
    scope = given.scope.but(order=0, purpose="a bracket")
    if len(rows) != n or any(not isinstance(row, (list, tuple)) or len(row) != n for row in rows):
        given.reader.fail(
            "the bracket is a list that is no square matrix of the coordinates",
            ("poisson", "bracket"),
            expected=f"{n} rows of {n} entries, for {', '.join(names[:20])}; or a table, {EXAMPLE}",
            key=True,
        )
    entry = {
        (i, j): given.reader.expression(("poisson", "bracket", i, j), scope)
        for i in range(n)
        for j in range(n)
    }
    for i in range(n):
        for j in range(i + 1):
            words = f"{{{names[i]}, {names[j]}}} = {entry[i, j]}"
            words += "" if i == j else f" and {{{names[j]}, {names[i]}}} = {entry[j, i]}"
            total = entry[i, j] if i == j else add(entry[i, j], entry[j, i])
            _expect_zero(given, total, ("poisson", "bracket", i, j), words)
    return {
        (names[i], names[j]): entry[i, j]
        for i in range(n)
        for j in range(i + 1, n)
        if entry[i, j] is not ZERO
    }


def _expect_zero(given: DynamicsData, e: Expr, path: Path, words: str) -> None:
    """Antisymmetry of one entry."""
    values = _values(given)
    if zero_test(e).answer == "zero" or zero_test(substitute([e], values)[0]).answer == "zero":
        return
    given.reader.fail(
        f"the bracket is not antisymmetric: {words}",
        path,
        expected="{a, b} = -{b, a}",
        remedy="give each pair once",
    )


def _values(given: DynamicsData) -> dict[Expr, Expr]:
    values: dict[Expr, Expr] = {}
    for name, value in given.parameters.items():
        values[symbol(name)] = substitute([value], values)[0]
    return values


def _check_jacobi(given: DynamicsData, found: Poisson) -> None:
    """Jacobi's identity, for every value of the parameters or for those given."""
    wrong: list[tuple[tuple[str, str, str], str]] = []
    special = substitute(list(found.bracket.values()), _values(given))
    for entries in (found.bracket.values(), special):
        pairs = tuple(zip(found.bracket, entries, strict=True))
        failing = ask(_failing, given.time, given.coordinates, pairs)
        if failing is None:
            return
        if isinstance(failing, GivenUp):
            given.reader.fail(
                f"Jacobi's identity could not be decided for the bracket: {failing.reason}",
                ("poisson", "bracket"),
                expected="functions with exact normal forms",
                key=True,
            )
        wrong.append(failing)
    (a, b, c), e = wrong[0]
    given.reader.fail(
        f"the bracket fails Jacobi's identity: {{{a}, {{{b}, {c}}}}} + {{{b}, {{{c}, {a}}}}} + "
        f"{{{c}, {{{a}, {b}}}}} = {e}",
        ("poisson", "bracket"),
        expected="0 for all triples of coordinates",
        key=True,
    )


@lru_cache(maxsize=256)
def _failing(
    time: str, names: tuple[str, ...], entries: tuple[tuple[Pair, Expr], ...]
) -> tuple[tuple[str, str, str], str] | None:
    """The first triple for which Jacobi's identity fails, and what is not 0 there."""
    for triple, e in BracketTable(time, names, dict(entries)).failures():
        return triple, str(e)
    return None


# --- constraints ----------------------------------------------------------------------------------


def _constraints(given: DynamicsData) -> tuple[Equation, ...]:
    reader, found = given.reader, []
    scope = given.scope.but(order=0, purpose="a relation on phase space")
    for i in range(len(reader.items(("poisson", "constraints"), 'equations, e.g. ["S1^2 + S2^2 = 1"]'))):
        equation = reader.equation(("poisson", "constraints", i), scope)
        check_constraint(reader, equation, 0, ("poisson", "constraints", i))
        found.append(equation)
    return tuple(found)


def _momenta(given: DynamicsData) -> tuple[str, ...]:
    reader, found = given.reader, []
    for i, value in enumerate(reader.items(("poisson", "momenta"), 'names, e.g. ["p_x", "p_y"]')):
        name = normal_name(str(value))
        if name not in given.coordinates or name in found:
            reader.fail(
                f"{value!r} {'is named twice' if name in found else 'is no coordinate'}",
                ("poisson", "momenta", i),
                expected="some of " + ", ".join(given.coordinates[:20]),
                remedy=did_you_mean(name, given.coordinates),
            )
        found.append(name)
    return tuple(found)


def _reactions(given: DynamicsData, count: int) -> tuple[Mapping[str, Expr], ...]:
    reader, path = given.reader, ("poisson", "reactions")
    scope = given.scope.but(order=0, purpose="a reaction")
    rows = reader.items(path, "tables, one for each constraint")
    if rows and len(rows) != count:
        reader.fail(
            f"there are {len(rows)} reactions and {count} constraint{'' if count == 1 else 's'}",
            path,
            expected="one table of directions for each constraint",
            key=True,
        )
    found = []
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            reader.fail(
                f"a reaction is {kind_of(row)}",
                (*path, i),
                expected='a table such as {p = "1"}: rates by name',
            )
        found.append(by_coordinate(reader, (*path, i), "a reaction", scope, given.coordinates))
    return tuple(found)


def _check_reactions(given: DynamicsData, found: Poisson) -> None:
    """The constraints can be kept, and what stands in [constraints] is kept by the motion."""
    reader = given.reader
    try:
        rates = ask(lambda: found.rates)
    except NoReactionError as error:
        reader.fail(
            f"the constraint {found.constraints[error.which]} on phase space: {error.why}",
            ("poisson", "constraints", error.which),
            remedy=error.remedy,
        )
    if isinstance(rates, GivenUp):
        if not found.constraints and not given.constraints["position"]:
            return
        reader.fail(f"the reactions have no exact form: {rates.reason}", ("poisson", "constraints"), key=True)
    positions = given.constraints["position"]
    on = tuple(e.residual for e in (*positions, *found.constraints))
    for i, equation in enumerate(positions):
        rate = rates.along(rates.bracket.field(equation.residual), rates.rates)
        if not rate.is_blank and _leaves(rate.to_expr(), on):
            reader.fail(
                f"the motion does not keep {equation}: its rate is {rate}",
                ("constraints", "position", i),
                remedy="put it into constraints of [poisson], with momenta or reactions",
            )


@lru_cache(maxsize=256)
def _leaves(rate: Expr, on: tuple[Expr, ...]) -> bool:
    """Whether a point refutes that a rate vanishes where constraints hold; a system is read many times."""
    return zero_test(rate, on, points=6, digits=30, effort=EFFORT).answer == "nonzero"
