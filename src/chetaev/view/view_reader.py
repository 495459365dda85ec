"""Reads a `[view]` table: every key known, every expression parsed, every mistake with its place.

>>> import chetaev as ch
>>> view = read(ch.load("rolling-disc"))
>>> view.bodies[0].shape, view.title
('plane', 'Rolling disc')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from chetaev.checked_arguments import shown
from chetaev.errors import ExpressionError, ModelError, did_you_mean
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope, check_name
from chetaev.model.build_system import UNNAMED
from chetaev.model.reading.expression_values import exact_number
from chetaev.model.reading.text_places import Path, PythonSource, Source, label
from chetaev.model.system import System
from chetaev.view import palette
from chetaev.view.language import CAMERA_KEYS, CAMERAS, DIRECTIONS, PROJECTIONS, SHAPES, VIEW_KEYS, Key
from chetaev.view.view_values import extra_names

Point = tuple[Expr, Expr, Expr]


MOST_BODIES = 300
"""Each is evaluated along the whole motion, and drawn in every frame."""


@dataclass(frozen=True)
class BodySpec:
    """One body of a view: its shape, where it stands in the model, and its checked values by key."""

    shape: str
    path: Path
    values: Mapping[str, Any]

    def where(self, key: str = "") -> str:
        """The path of the body or of one of its keys in words: ``view.body[2].radius``."""
        return label((*self.path, key) if key else self.path)


@dataclass(frozen=True)
class CameraSpec:
    """From where a scene is seen; angles in degrees."""

    azimuth: Expr
    elevation: Expr
    zoom: Expr = graph.ONE
    span: Expr | None = None
    follow: Point | None = None
    projection: str = "perspective"


@dataclass(frozen=True)
class View:
    """A checked view."""

    title: str
    caption: str
    up: Point
    camera: CameraSpec
    speed: Expr
    bodies: tuple[BodySpec, ...] = field(default_factory=tuple)
    integrals: Mapping[str, Expr] = field(default_factory=dict)
    sliders: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # from where to where


def read(system: System, view: Mapping[str, Any] | None = None) -> View:
    """The checked view of a system: its own `[view]` table, or the one given.

    Raises
    ------
    ModelError
        With the place of the entry, what was expected and the nearest right name.
    """
    if view is None:
        return ViewReader(system, system.view, system._source).read()
    if not isinstance(view, Mapping):
        raise ModelError(f"the view is {shown(view)}", expected="a table, as [view] of a model file is")
    return ViewReader(system, view, PythonSource({"view": dict(view)})).read()


class ViewReader:
    """Reads one view."""

    def __init__(self, system: System, view: Mapping[str, Any], source: Source) -> None:
        self.system, self.view, self.source = system, view, source
        scope = system.scope
        values = {**extra_names(system), **scope.values}
        self.moving = scope.but(values=values, order=2, purpose="a view")

    def read(self) -> View:
        """The whole table."""
        self._keys(self.view, VIEW_KEYS, ("view",), "a view")
        integrals = self._named("integrate")
        self._named("define")
        bodies = self._list(self.view.get("body", ()), ("view", "body"), "tables, each headed [[view.body]]")
        if len(bodies) > MOST_BODIES:
            self._fail(
                f"a view has {len(bodies)} bodies",
                ("view", "body", MOST_BODIES),
                expected=f"at most {MOST_BODIES}",
            )
        return View(
            title=self._text(
                ("view", "title"),
                self.view.get("title", "Motion" if self.system.name == UNNAMED else self.system.name),
            ),
            caption=self._text(("view", "caption"), self.view.get("caption", self.system.summary)),
            up=self._up(self.view.get("up", "z")),
            camera=self._camera(self.view.get("camera", "oblique")),
            speed=self._number(self.view["speed"], ("view", "speed")) if "speed" in self.view else graph.ONE,
            bodies=tuple(self._body(b, ("view", "body", i)) for i, b in enumerate(bodies)),
            integrals=integrals,
            sliders=self._sliders(),
        )

    def _sliders(self) -> dict[str, tuple[float, float]]:
        """From where to where parameters and initial data are varied."""
        path: Path = ("view", "sliders")
        table = self.view.get("sliders", {})
        names = [n for n, e in self.system.parameters.items() if e.op == "number"]
        names += [key_name(c, order) for order in (0, 1) for c in self.system.coordinates]
        if not isinstance(table, Mapping):
            self._fail(f"view.sliders is {table!r}", path, expected="a table such as { m = [0.5, 4] }")
        found: dict[str, tuple[float, float]] = {}
        for given, ends in table.items():
            name = key_name(given[:-1], 1) if given.endswith("'") else given
            if name not in names:
                self._unknown(f"there is no {given!r} to vary", given, names, (*path, given), key=True)
            pair = self._list(ends, (*path, given), "two numbers")
            exact = [None if isinstance(x, bool) else exact_number(x) for x in pair]
            if len(exact) != 2 or None in exact or not exact[0] < exact[1]:  # type: ignore[operator]
                self._fail(
                    f"the slider of {given!r} goes over {ends!r}",
                    (*path, given),
                    expected="two numbers, the smaller one first",
                )
            found[name] = float(exact[0]), float(exact[1])  # type: ignore[arg-type]
        return found

    # --- complaints -------------------------------------------------------------------------------

    def _fail(
        self, message: str, path: Path, *, expected: str = "", remedy: str = "", key: bool = False
    ) -> NoReturn:
        place = self.source.key_place(path) if key else self.source.value_place(path)
        if place is None:
            message = f"{label(path)}: {message}"
        raise ModelError(message, place, expected=expected, remedy=remedy)

    def _unknown(
        self, message: str, name: str, known: Iterable[str], path: Path, also: str = "", key: bool = False
    ) -> NoReturn:
        remedy = did_you_mean(name, known)
        self._fail(message, path, expected=f"{also}one of {', '.join(known)}", remedy=remedy, key=key)

    def _keys(self, table: Any, keys: Mapping[str, Key], path: Path, what: str) -> None:
        if not isinstance(table, Mapping):
            self._fail(f"{what} is {table!r}", path, expected=f"a table; write [{label(path)}]")
        for key in table:
            if key not in keys:
                self._unknown(f"{what} has no key {str(key)!r}", str(key), keys, (*path, key), key=True)

    def _word(self, value: Any, words: Any, path: Path, what: str) -> str:
        if not isinstance(value, str) or value not in words:
            self._unknown(f"{what} {value!r} is not known", str(value), words, path)
        return value

    # --- parts ------------------------------------------------------------------------------------

    def _named(self, table_name: str) -> dict[str, Expr]:
        """Names for the expressions of the view, each of which may use the earlier ones.

        Under ``define`` a name stands for its expression, under ``integrate`` for its integral over time.
        """
        table = self.view.get(table_name, {})
        head: Path = ("view", table_name)
        if not isinstance(table, Mapping):
            self._fail(f"{table_name!r} is {table!r}", head, expected=f"a table; write [view.{table_name}]")
        meanings: dict[str, Expr] = {}
        for name, value in table.items():
            path = (*head, name)
            try:
                check_name(name, "definition")
            except ModelError as error:
                raise error.at(self.source.key_place(path)) from None
            if name in self.moving.values:
                self._fail(f"{name!r} is a name already", path, remedy="choose another name", key=True)
            meanings[name] = self._expression(value, path, self.moving)
            if table_name == "define":
                node = graph.define(name, meanings[name])
                self.moving = self.moving.but(values={**self.moving.values, name: node})
        if table_name == "integrate":
            new = {name: graph.symbol(name) for name in meanings}
            self.moving = self.moving.but(values={**self.moving.values, **new})
        return meanings

    def _up(self, value: Any) -> Point:
        path: Path = ("view", "up")
        if isinstance(value, str):
            x, y, z = (graph.number(int(c)) for c in DIRECTIONS[self._word(value, DIRECTIONS, path, "up")])
            return x, y, z
        return self._point(value, path, self._fixed("the upward direction"))

    def _camera(self, value: Any) -> CameraSpec:
        path: Path = ("view", "camera")
        table = {"from": value} if isinstance(value, str) else value
        self._keys(table, CAMERA_KEYS, path, "a camera")
        place = path if isinstance(value, str) else (*path, "from")
        azimuth, elevation = CAMERAS[self._word(table.get("from", "oblique"), CAMERAS, place, "the camera")]

        given: dict[str, Any] = {"azimuth": azimuth, "elevation": elevation, "zoom": 1.0, **table}
        numbers = ("azimuth", "elevation", "zoom", "span")
        found = {key: self._number(given[key], (*path, key)) for key in numbers if key in given}
        follow = self._point(table["follow"], (*path, "follow"), self.moving) if "follow" in table else None
        projection = table.get("projection", "perspective")
        word = self._word(projection, PROJECTIONS, (*path, "projection"), "the projection")
        return CameraSpec(**found, follow=follow, projection=word)

    def _body(self, table: Any, path: Path) -> BodySpec:
        if not isinstance(table, Mapping) or "shape" not in table:
            self._fail("a body has no shape", path, expected="shape = one of " + ", ".join(SHAPES), key=True)
        shape = self._word(table["shape"], SHAPES, (*path, "shape"), "the shape")
        keys = SHAPES[shape]
        self._keys(table, keys, path, f"a {shape}")
        for key, meaning in keys.items():
            if meaning.required and key not in table:
                self._fail(f"a {shape} needs {key!r}", path, remedy=f"add {key} = …", key=True)
        if "rotation" in table and "frame" in table:
            self._fail("a body has a rotation and a frame", (*path, "frame"), remedy="give one of them")
        scope = self._surface_scope(table, path) if shape in ("surface", "curve") else self.moving
        values = {k: self._value(table[k], keys[k].kind, (*path, k), scope, shape) for k in table}
        return BodySpec(shape, path, values)

    def _value(self, value: Any, kind: str, path: Path, scope: Scope, shape: str) -> Any:
        key = path[-1]
        match kind:
            case "number":
                varies = shape == "label" and key == "value"
                return self._expression(value, path, scope) if varies else self._number(value, path)
            case "numbers":
                items = self._list(value, path, "two numbers")
                if len(items) != 2:
                    self._fail(f"{key!r} has {len(items)} entries", path, expected="two numbers")
                return tuple(self._number(item, (*path, i)) for i, item in enumerate(items))
            case "point":
                pose = shape in ("surface", "curve") and key == "position"
                if key == "size":
                    scope = self._fixed("a size")
                return self._point(value, path, self.moving if pose else scope)
            case "rotation":
                return self._rotation(value, path)
            case "frame":
                rows = self._list(value, path, "three axes, each a list of three expressions")
                if len(rows) != 3:
                    self._fail(f"a frame has {len(rows)} axes", path, expected="three, each of length one")
                return tuple(self._point(row, (*path, i), self.moving) for i, row in enumerate(rows))
            case "color":
                found = palette.color(value) if isinstance(value, str) else None
                if found is None:
                    said = f"the color {value!r} is not known"
                    self._unknown(said, str(value), palette.COLORS, path, "'#rrggbb' or ")
                return found
            case "flag":
                if not isinstance(value, bool):
                    self._fail(f"{key!r} is {value!r}", path, expected="true or false")
                return value
            case "names":
                return tuple(self._list(value, path, "names"))
        return self._text(path, value)

    def _rotation(self, value: Any, path: Path) -> tuple[tuple[str, Expr], ...]:
        items = self._list(value, path, 'axes and angles, for example ["z", "phi", "y", "psi"]')
        if len(items) % 2:
            self._fail(
                f"a rotation has {len(items)} entries",
                path,
                expected='axis and angle in turn: ["z", "phi", "x", "theta"]',
            )
        turns = []
        for i in range(0, len(items), 2):
            axis = self._word(items[i], ("x", "y", "z"), (*path, i), "the axis")
            turns.append((axis, self._expression(items[i + 1], (*path, i + 1), self.moving)))
        return tuple(turns)

    def _surface_scope(self, table: Mapping[str, Any], path: Path) -> Scope:
        names = table.get("names", ("u", "v"))
        names = self._list(names, (*path, "names"), "names")
        fixed = self._fixed(f"a {table['shape']}")
        values = dict(fixed.values)
        for i, name in enumerate(names):
            try:
                values[check_name(name, "name")] = graph.symbol(name)
            except ModelError as error:
                raise error.at(self.source.value_place((*path, "names", i))) from None
        return fixed.but(values=values)

    # --- expressions ------------------------------------------------------------------------------

    def _fixed(self, purpose: str) -> Scope:
        """The scope of what does not change with time: the parameters."""
        values = {name: graph.symbol(name) for name in self.system.parameters}
        remedy = "use numbers and parameters only"
        closed = {
            name: (f"{purpose} is fixed, but {name!r} changes with time", remedy)
            for name in self.moving.values
        }
        return Scope(values, closed=closed, purpose=purpose)

    def _number(self, value: Any, path: Path) -> Expr:
        return self._expression(value, path, self._fixed(f"the value of {str(path[-1])!r}"))

    def _point(self, value: Any, path: Path, scope: Scope) -> Point:
        items = self._list(value, path, "three expressions")
        if len(items) not in (2, 3):
            self._fail(f"{label(path[-1:])} has {len(items)} entries", path, expected="three expressions")
        x, y, *z = (self._expression(item, (*path, i), scope) for i, item in enumerate(items))
        return x, y, z[0] if z else graph.ZERO

    def _expression(self, value: Any, path: Path, scope: Scope) -> Expr:
        try:
            if isinstance(value, str):
                return parse(value, scope, self.source.origin(path))
            number = None if isinstance(value, bool) else exact_number(value)
            if number is None:
                raise ExpressionError(
                    f"{label(path)} is {value!r}", expected="a number or an expression in quotes"
                )
            return graph.number(number)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None

    def _list(self, value: Any, path: Path, what: str) -> Sequence[Any]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            self._fail(f"{label(path)} is {value!r}", path, expected=f"a list of {what}")
        return value

    def _text(self, path: Path, value: Any) -> str:
        if not isinstance(value, str):
            self._fail(f"{label(path)} is {value!r}", path, expected="a text in quotes")
        return value
