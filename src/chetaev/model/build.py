"""From nested data to the fields of a System, checked.

The data have the shape of a model file (DESIGN, "The model language"); expressions in them are texts of the
model language, exact numbers, SymPy expressions or graphs. Every mistake raises a ModelError with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from numbers import Integral
from types import MappingProxyType
from typing import Any, NoReturn

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr import graph
from chetaev.expr.graph import Expr
from chetaev.expr.parser import Equation, parse, parse_equation
from chetaev.expr.scope import Scope, check_name, normal_name
from chetaev.model.fields import Fields, Initial
from chetaev.model.given import graph_of, kind_of
from chetaev.model.numbers import exact_number
from chetaev.model.source import Path, Source, label

KEYS: dict[Path, tuple[str, ...]] = {
    (): ("name", "summary", "source", "time", "coordinates", "parameters", "define", "dynamics",
         "constraints", "initial", "run", "view", "claims"),
    ("dynamics",): ("lagrangian", "kinetic", "potential", "forces", "degenerate"),
    ("constraints",): ("velocity", "position", "acceleration"),
    ("initial",): ("t", "position", "velocity"),
    ("run",): ("until", "tolerance"),
}  # fmt: skip
LEVELS = ("position", "velocity", "acceleration")
MAX_COORDINATES = 10_000
EQUATIONS = "equations, e.g. [\"x' = R*psi'\"]"
_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DATA_DEPTH = 50
"""Deepest nesting of [view] and [[claims]]."""


class NotYet(Mapping[str, tuple[str, str]]):
    """Why a name may not be used in the meaning of another, and what to do.

    It is asked only about names that are not open yet, so it need not know which come later.

    Parameters
    ----------
    used
        All names of the model, with what they are.
    what, name
        What is being made: "parameter" or "definition", and its name.
    """

    def __init__(self, used: Mapping[str, str], what: str, name: str) -> None:
        self.used, self.what, self.name = used, what, name

    def __getitem__(self, other: str) -> tuple[str, str]:
        kind = self.used[other]
        if other == self.name:
            return f"the {self.what} {other!r} is used in its own meaning", "say what it is in earlier names"
        if kind == self.what:
            reason = f"the {kind} {other!r} is made only later; {self.name!r} may use earlier names only"
            return reason, f"move {other!r} before {self.name!r}"
        reason = f"{other!r} is a {kind}; a parameter has one value for all time"
        return reason, f"write {self.name!r} under [define] instead"

    def __iter__(self) -> Iterator[str]:
        return iter(self.used)

    def __len__(self) -> int:
        return len(self.used)


class Builder:
    """Reads one model."""

    def __init__(self, data: Mapping[str, Any], source: Source) -> None:
        self.data, self.source = data, source
        self.used: dict[str, str] = {}
        self.below: dict[str, set[tuple[str, int]]] = {}
        """The symbols in the meaning of each definition, found once."""

    def build(self) -> Fields:
        """All fields, in the order in which they may depend on each other."""
        self._check_keys()
        time = self._claim(self._text(("time",), "t"), "time variable", ("time",))
        coordinates = self._coordinates()
        parameters = self._parameters()
        scope = Scope.of(coordinates, parameters, time)
        definitions = self._definitions(scope)
        scope = scope.but(values={**scope.values, **definitions})
        kinetic, potential, lagrangian = self._lagrangian(scope)
        forces = self._forces(scope, coordinates)
        counts = {level: len(self._list(("constraints", level), EQUATIONS)) for level in LEVELS}
        if sum(counts.values()) > MAX_COORDINATES:  # before any of them is read
            self._check_count(coordinates, counts)
        constraints = {level: self._constraints(level, scope) for level in LEVELS}
        degenerate = self._flag(("dynamics", "degenerate"))
        self._check_velocities(coordinates, lagrangian, constraints, degenerate)
        self._check_count(coordinates, counts)
        constants = Scope.of((), parameters, None, purpose="initial data")
        return Fields(
            name=self._text(("name",), "untitled"),
            summary=self._text(("summary",), ""),
            source=self._text(("source",), ""),
            time=time,
            coordinates=coordinates,
            parameters=MappingProxyType(parameters),
            definitions=MappingProxyType(definitions),
            lagrangian=lagrangian,
            kinetic=kinetic,
            potential=potential,
            forces=MappingProxyType(forces),
            degenerate=degenerate,
            position_constraints=constraints["position"],
            velocity_constraints=constraints["velocity"],
            acceleration_constraints=constraints["acceleration"],
            initial=self._initial(constants, coordinates, time),
            until=self._optional(("run", "until"), constants),
            tolerance=self._optional(("run", "tolerance"), constants),
            view=self._frozen(self._table(("view",)), ("view",)),
            claims=self._claims(),
        )

    # --- data -------------------------------------------------------------------------------------

    def _get(self, path: Path) -> Any:
        value: Any = self.data
        for part in path:
            if not isinstance(value, Mapping) or part not in value:
                return None
            value = value[part]
        return value

    def _fail(
        self, message: str, path: Path, *, expected: str = "", remedy: str = "", key: bool = False
    ) -> NoReturn:
        place = self.source.key_place(path) if key else self.source.value_place(path)
        raise ModelError(message, place, expected=expected, remedy=remedy)

    def _check_keys(self) -> None:
        for path, keys in KEYS.items():
            for key in self._table(path):
                if key not in keys and not (path == ("initial",) and key == self.data.get("time")):
                    where = f"in [{label(path)}]" if path else "at the top of the model"
                    self._fail(
                        f"unknown key {key!r} {where}",
                        (*path, key),
                        expected="one of " + ", ".join(keys),
                        remedy=did_you_mean(str(key), keys) or self._misplaced(str(key)),
                        key=True,
                    )

    @staticmethod
    def _misplaced(key: str) -> str:
        for path, keys in KEYS.items():
            if key in keys:
                return (
                    f"{key!r} belongs into [{label(path)}]"
                    if path
                    else f"{key!r} belongs to the top, before any [table]"
                )
        return ""

    def _table(self, path: Path) -> dict[str, Any]:
        value = self.data if not path else self._get(path)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self._fail(
                f"{label(path)!r} is {kind_of(value)}",
                path,
                expected=f"a table; write [{label(path)}]",
                key=True,
            )
        return dict(value)

    def _text(self, path: Path, default: str) -> str:
        value = self._get(path)
        if value is None:
            return default
        if not isinstance(value, str):
            self._fail(f"{label(path)!r} is {kind_of(value)}", path, expected="a text in quotes")
        return self._encodable(value, path)

    def _flag(self, path: Path) -> bool:
        value = self._get(path)
        if value is not None and not isinstance(value, bool):
            self._fail(f"{label(path)!r} is {kind_of(value)}", path, expected="true or false")
        return bool(value)

    def _list(self, path: Path, what: str) -> Sequence[Any]:
        value = self._get(path)
        if value is None:
            return ()
        if isinstance(value, str) or not isinstance(value, Sequence):
            self._fail(f"{label(path)!r} is {kind_of(value)}", path, expected=f"a list of {what} in [ ]")
        return value

    def _claim(self, name: object, what: str, path: Path) -> str:
        """A checked name that nothing else bears yet."""
        try:
            checked = check_name(name, what)
        except ModelError as error:
            raise error.at(self.source.key_place(path)) from None
        if checked in self.used:
            self._fail(
                f"the name {checked!r} is used twice: as {self.used[checked]} and as {what}",
                path,
                remedy="rename one of them",
                key=True,
            )
        self.used[checked] = what
        return checked

    # --- names ------------------------------------------------------------------------------------

    def _coordinates(self) -> tuple[str, ...]:
        path: Path = ("coordinates",)
        values = self._list(path, 'names, e.g. ["x", "y"]')
        if not values:
            self._fail(
                "the model has no coordinates",
                path,
                expected='coordinates = ["x", "y", …]',
                remedy="name at least one coordinate",
            )
        if len(values) > MAX_COORDINATES:
            self._fail(
                f"the model has {len(values)} coordinates", path, expected=f"at most {MAX_COORDINATES}"
            )
        return tuple(self._claim(v, "coordinate", (*path, i)) for i, v in enumerate(values))

    def _parameters(self) -> dict[str, Expr]:
        parameters: dict[str, Expr] = {}
        table = self._table(("parameters",))
        names = [self._claim(n, "parameter", ("parameters", n)) for n in table]
        values: dict[str, Expr] = {}  # grows: a parameter may use those before it
        for name, written in zip(names, table, strict=True):
            path: Path = ("parameters", written)
            if table[written] is None or (isinstance(table[written], str) and not table[written]):
                self._fail(
                    f"the parameter {name!r} has no value",
                    path,
                    expected="a number, or an expression in earlier parameters",
                    key=True,
                )
            scope = Scope(values, closed=NotYet(self.used, "parameter", name), purpose="a parameter")
            parameters[name] = self._expression(path, scope)
            values[name] = graph.symbol(name)
        return parameters

    def _definitions(self, scope: Scope) -> dict[str, Expr]:
        definitions: dict[str, Expr] = {}
        table = self._table(("define",))
        names = [self._claim(n, "definition", ("define", n)) for n in table]
        values = dict(scope.values)  # grows: a definition may use those before it
        for name, written in zip(names, table, strict=True):
            closed = NotYet(self.used, "definition", name)
            inner = scope.but(values=values, closed=closed, purpose="a definition")
            meaning = self._expression(("define", written), inner)
            self.below[name] = self._symbols(meaning)
            values[name] = definitions[name] = graph.define(name, meaning)
        return definitions

    def _symbols(self, *roots: Expr) -> set[tuple[str, int]]:
        """All ``(name, order)`` that occur, also inside definitions."""
        found: set[tuple[str, int]] = set()
        for node in graph.postorder(*roots, through_definitions=False):
            if node.op == "symbol":
                found.add(node.value)
            elif node.op == "define":
                found |= self.below[node.value]
        return found

    # --- expressions ------------------------------------------------------------------------------

    def _expression(self, path: Path, scope: Scope) -> Expr:
        value = self._get_any(path)
        try:
            if isinstance(value, str):
                return parse(value, scope, self.source.origin(path))
            return graph_of(value, scope)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None

    def _get_any(self, path: Path) -> Any:
        value: Any = self.data
        for part in path:
            value = value[part]
        return value

    def _optional(self, path: Path, scope: Scope) -> Expr | None:
        return None if self._get(path) is None else self._expression(path, scope)

    def _equation(self, path: Path, scope: Scope) -> Equation:
        value = self._get_any(path)
        try:
            if isinstance(value, str):
                return parse_equation(value, scope, self.source.origin(path))
            if isinstance(value, Equation):
                return Equation(graph_of(value.lhs, scope), graph_of(value.rhs, scope))
            if type(value).__name__ == "Equality":  # sympy.Eq
                return Equation(graph_of(value.lhs, scope), graph_of(value.rhs, scope))
            if isinstance(value, bool) or exact_number(value) is not None:
                self._fail(
                    f"the constraint is {kind_of(value)}",
                    path,
                    expected="an equation in quotes, \"x' = R*psi'\"",
                )
            return Equation(graph_of(value, scope), graph.ZERO)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None

    # --- dynamics ---------------------------------------------------------------------------------

    def _lagrangian(self, scope: Scope) -> tuple[Expr | None, Expr | None, Expr]:
        given = self._table(("dynamics",))
        if "lagrangian" in given:
            for other in ("kinetic", "potential"):
                if other in given:
                    self._fail(
                        f"both a Lagrangian and {other!r} are given",
                        ("dynamics", other),
                        remedy="give either lagrangian, or kinetic and potential",
                        key=True,
                    )
            scope = scope.but(purpose="a Lagrangian")
            return None, None, self._expression(("dynamics", "lagrangian"), scope)
        if "kinetic" not in given:
            self._fail(
                "the model has no Lagrangian",
                ("dynamics",),
                expected='[dynamics] with lagrangian = "…", or with kinetic = "…" and potential = "…"',
                key=True,
            )
        kinetic = self._expression(("dynamics", "kinetic"), scope.but(purpose="a kinetic energy"))
        if "potential" not in given:
            return kinetic, None, kinetic
        potential = self._expression(("dynamics", "potential"), scope.but(purpose="a potential"))
        return kinetic, potential, graph.sub(kinetic, potential)

    def _forces(self, scope: Scope, coordinates: tuple[str, ...]) -> dict[str, Expr]:
        path: Path = ("dynamics", "forces")
        scope = scope.but(purpose="a force")
        return self._by_coordinate(path, "a force", scope, coordinates)

    def _by_coordinate(
        self, path: Path, what: str, scope: Scope, coordinates: tuple[str, ...]
    ) -> dict[str, Expr]:
        """A table of expressions whose keys are coordinates."""
        values: dict[str, Expr] = {}
        for written in self._table(path):
            name = normal_name(str(written))
            if self.used.get(name) != "coordinate" or name in values:
                wrong = "is given twice" if name in values else "is not a coordinate"
                self._fail(
                    f"{what} is given for {written!r}, which {wrong}",
                    (*path, written),
                    expected="one of " + ", ".join(coordinates[:20]),
                    remedy=did_you_mean(name, coordinates),
                    key=True,
                )
            values[name] = self._expression((*path, written), scope)
        return values

    # --- constraints ------------------------------------------------------------------------------

    def _constraints(self, level: str, scope: Scope) -> tuple[Equation, ...]:
        path: Path = ("constraints", level)
        order = LEVELS.index(level)
        inner = scope.but(order=order, purpose=f"a{'n' if order == 2 else ''} {level} constraint")
        equations = []
        for i in range(len(self._list(path, EQUATIONS))):
            equation = self._equation((*path, i), inner)
            self._check_constraint(equation, order, (*path, i))
            equations.append(equation)
        return tuple(equations)

    def _check_constraint(self, equation: Equation, order: int, path: Path) -> None:
        occurring = self._symbols(equation.lhs, equation.rhs)
        highest = {n for n, o in occurring if o == order and n in self.used and self.used[n] == "coordinate"}
        beyond = {n for n, o in occurring if o > order}
        if beyond:
            self._fail(
                f"a {LEVELS[order]} constraint contains the {LEVELS[order + 1]} of {sorted(beyond)[0]!r} "
                "through a definition",
                path,
                remedy=f"move the constraint to '{LEVELS[order + 1]}'",
            )
        if not highest:
            below = sorted(n for n, o in occurring if o < order and self.used.get(n) == "coordinate")
            remedy = {
                0: "write a relation between coordinates and time, or remove it",
                1: (f"did you mean {below[0]}'? " if below else "")
                + "a relation of positions alone belongs into 'position'",
                2: "a relation of velocities alone belongs into 'velocity'",
            }[order]
            what = "coordinate" if order == 0 else LEVELS[order]
            self._fail(
                f"the {LEVELS[order]} constraint contains no {what}",
                path,
                expected=f"at least one {what}" + (", written x'" if order == 1 else ""),
                remedy=remedy,
            )
        if order == 2:
            self._check_linear(equation, path)

    def _check_linear(self, equation: Equation, path: Path) -> None:
        from chetaev.expr.engine import Engine

        engine = Engine()
        accelerations = [graph.symbol(*s) for s in self._symbols(equation.lhs, equation.rhs) if s[1] == 2]
        if not engine.is_linear(equation.residual, accelerations):
            self._fail(
                "the acceleration constraint is not linear in the accelerations",
                path,
                expected="coefficients of t, q and v times accelerations, plus a term without them",
            )

    def _check_velocities(
        self,
        coordinates: tuple[str, ...],
        lagrangian: Expr,
        constraints: dict[str, tuple[Equation, ...]],
        degenerate: bool,
    ) -> None:
        equations = [side for group in constraints.values() for e in group for side in (e.lhs, e.rhs)]
        occurring = self._symbols(lagrangian, *equations)
        key = "lagrangian" if self._get(("dynamics", "lagrangian")) is not None else "kinetic"
        path: Path = ("dynamics", key)
        moving = {n for n, o in self._symbols(lagrangian) if o == 1}
        if not moving:
            self._fail(
                "the Lagrangian contains no velocity",
                path,
                expected="velocities written with a prime, e.g. m*x'^2/2",
                remedy=f"did you forget the prime in {coordinates[0]}'?",
            )
        in_positions = {n for e in constraints["position"] for n, _ in self._symbols(e.lhs, e.rhs)}
        still = [
            c
            for c in coordinates
            if (c, 1) not in occurring and (c, 2) not in occurring and c not in in_positions
        ]
        if still and not degenerate:
            self._fail(
                f"the velocity of {still[0]!r} occurs nowhere, so nothing determines its motion",
                path,
                expected=f"{still[0]}' in the Lagrangian or in a constraint",
                remedy="did you forget a prime? For a Lagrangian that is meant to be degenerate, "
                "set degenerate = true in [dynamics]",
            )

    def _check_count(self, coordinates: tuple[str, ...], counts: dict[str, int]) -> None:
        count = sum(counts.values())
        if count >= len(coordinates):
            level = next(lv for lv in ("velocity", "position", "acceleration") if counts[lv])
            self._fail(
                f"{count} constraint{'s' if count > 1 else ''} on {len(coordinates)} "
                f"coordinate{'s' if len(coordinates) > 1 else ''} leave no freedom to move",
                ("constraints", level),
                expected=f"at most {len(coordinates) - 1}",
                remedy="remove constraints, or add the missing coordinates",
                key=True,
            )

    # --- initial data -----------------------------------------------------------------------------

    def _initial(self, scope: Scope, coordinates: tuple[str, ...], time: str) -> Initial | None:
        if self._get(("initial",)) is None:
            return None
        table = self._table(("initial",))
        key = time if time in table and time not in ("position", "velocity") else "t"
        t = self._expression(("initial", key), scope) if key in table else graph.ZERO
        parts: dict[str, Mapping[str, Expr]] = {}
        for part in ("position", "velocity"):
            values = self._by_coordinate(("initial", part), f"an initial {part}", scope, coordinates)
            parts[part] = MappingProxyType(values)
        return Initial(t, parts["position"], parts["velocity"])

    def _claims(self) -> tuple[Mapping[str, Any], ...]:
        claims = self._list(("claims",), "tables, each headed [[claims]]")
        for i, claim in enumerate(claims):
            if not isinstance(claim, Mapping):
                self._fail(
                    f"a claim is {kind_of(claim)}", ("claims", i), expected="a table headed [[claims]]"
                )
        return tuple(self._frozen(claim, ("claims", i)) for i, claim in enumerate(claims))

    def _frozen(self, value: Any, path: Path) -> Any:
        """Free data of [view] and [[claims]]: what a file can hold, made immutable."""
        if len(path) > MAX_DATA_DEPTH:
            self._fail(
                f"{label(path[:3])!r} nests too deep", path, expected=f"at most {MAX_DATA_DEPTH} levels"
            )
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    self._fail(
                        f"a key in {label(path)!r} is {kind_of(key)}", path, expected="keys that are texts"
                    )
            return MappingProxyType({k: self._frozen(v, (*path, k)) for k, v in value.items()})
        if isinstance(value, (list, tuple)):
            return tuple(self._frozen(v, (*path, i)) for i, v in enumerate(value))
        if isinstance(value, str):
            return self._encodable(value, path)
        if type(value) in (bool, datetime, date, time):
            return value
        try:
            number = exact_number(value)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None
        if number is None:
            self._fail(
                f"{label(path)!r} is {kind_of(value)}", path, expected="texts, numbers, dates, lists, tables"
            )
        return int(number) if isinstance(value, Integral) else float(number)

    def _encodable(self, value: str, path: Path) -> str:
        if _SURROGATE.search(value):
            self._fail(
                f"{label(path)!r} holds a lone surrogate, which is no character", path, remedy="remove it"
            )
        return value
