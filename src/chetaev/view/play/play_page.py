"""A page to play with: the scene of a model, its programs, sliders and plots.

>>> import chetaev as ch
>>> page = play(ch.load("rolling-disc"), laws=[])
>>> [s["name"] for s in page.told["sliders"]][:3], page.missing
(['m', 'g', 'R'], '')
>>> "http://" in page.html() or "https://" in page.html()
False
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.checked_arguments import shown
from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr, symbol
from chetaev.flow.derive.chart import choose
from chetaev.flow.derive.ingredients import Ingredients
from chetaev.model.reading.unit_labels import unit_of
from chetaev.model.states.kinematics import Kinematics
from chetaev.model.system import System, expect_system
from chetaev.view.names import is_angle, plain_name
from chetaev.view.play.javascript import javascript, number
from chetaev.view.play.played_system import PlayedSystem, cannot_play
from chetaev.view.player import embedded, library_html, own, player_html
from chetaev.view.scenes import Scene, scene

if TYPE_CHECKING:
    import xarray

    from chetaev.laws.law import Law

FRAMES = 481
"""Times at which a motion is shown: a multiple of what 60 pictures a second show in some seconds."""
TOLERANCE = 1e-11
MOST_SLIDERS = 40


@dataclass(frozen=True)
class Played:
    """A page that plays a model.

    Attributes
    ----------
    system
        The system.
    scene
        What is drawn, as of the computed motion.
    systems
        Its programs, and those of the vakonomic motion where there is one; empty where `missing` says what
        the page lacks.
    laws
        What is conserved.
    until
        How long the motion lasts.
    missing
        What the page lacks to compute it, in words.
    stability
        A map over two values that the page varies.
    """

    system: System
    scene: Scene
    systems: tuple[PlayedSystem, ...]
    laws: tuple[Law, ...]
    until: float
    missing: str = ""
    stability: Any = None

    @cached_property
    def told(self) -> dict[str, Any]:
        """What the page is told beside the scene and the programs."""
        system, main = self.system, self.systems[0]
        shown = len(self.scene.shown)
        energy = system.dynamics.has_energy
        laws = [
            {
                "label": str(law.name),
                "seen": shown + energy + i,
                # a law of the model's own parameters need not be one after a slider has moved
                "known": f"conserved, {'proved' if law.proof.proved else 'tested'} {law.parameters}".strip(),
            }
            for i, law in enumerate(self.laws)
        ]
        return {
            "systems": [{"data": one.data, "width": len(one.shown)} for one in self.systems],
            "frames": FRAMES,
            "width": len(main.shown),
            "tolerance": TOLERANCE,
            "until": self.until,
            "autoplay": True,
            "time": plain_name(system.time),
            "parameters": [float(e.value) if e.op == "number" else 0.0 for e in system.parameters.values()],
            "sliders": sliders(system, self.scene.sliders),
            "panels": panels(system, shown if energy else None, laws),
            "laws": laws,
            "map": self._map(),
            "multipliers": [f"mu_{i + 1}" for i in range(len(system.velocity_constraints))],
        }

    def _map(self) -> dict[str, Any] | None:
        """The map of stability, if its values can be varied here."""
        if self.stability is None:
            return None
        found = self.stability
        names = [name.replace("'", "_dot") for name in found.names]
        known = {slider["name"] for slider in sliders(self.system, self.scene.sliders)}
        for name in names:
            if name not in known:
                raise ModelError.unknown(f"the map is over {name}, which the page cannot vary", name, known)
        return {
            "names": names,
            "labels": [plain_name(name.rstrip("'")) + "'" * name.count("'") for name in found.names],
            "x": [float(x) for x in found.x],
            "y": [float(y) for y in found.y],
            "unstable": [int(k) for k in np.asarray(found.unstable).ravel()],
        }

    def scripts(self) -> str:
        """The programs of the page as JavaScript: a list with one object for each system."""
        sheets = ",\n".join(self._sheets())
        objects = []
        for k, one in enumerate(self.systems):
            entries = [f"{name}: {text}" for name, text in one.programs.items()]
            if not k:
                entries.append(f"sheets: [{sheets}]")
            objects.append("{" + ",\n".join(entries) + "}")
        return f"[{', '.join(objects)}]"

    def _sheets(self) -> Iterable[str]:
        import casadi

        from chetaev.expr.graph.engine import Engine
        from chetaev.flow.derive.program import from_casadi

        for names, point in self.scene.sheets:
            engine = Engine()
            column = engine.column(point)
            u, p = (engine.column([symbol(n) for n in given]) for given in (names, self.system.parameters))
            yield javascript(from_casadi([u, p], [casadi.densify(column)]), ["u", "p"])

    def fragment(self, element_id: str = "chetaev-player", *, library: bool = True) -> str:
        """The part of a page that shows it."""
        said = html.escape(self.missing)
        if self.missing:
            return (
                (library_html() + play_library_html() if library else "")
                + player_html(self.scene, element_id, library=False)
                + f'<p class="chetaev-status">This is the computed motion: {said}.</p>\n'
            )
        data = self.scene.data(recipes=True)
        return (
            (library_html() + play_library_html() if library else "")
            + '<div class="chetaev-play-page"><div class="chetaev-stage">\n'
            + player_html(self.scene, element_id, library=False, data=data)
            + f'<aside class="chetaev-panel" id="{element_id}-panel" aria-label="Sliders"></aside></div>\n'
            + f'<p class="chetaev-status" id="{element_id}-status" role="status"></p>\n'
            + f'<div class="chetaev-plots" id="{element_id}-plots"></div></div>\n'
            + f'<script type="application/json" id="{element_id}-play">{embedded(self.told)}</script>\n'
            + own("script", f"chetaevPlay({json.dumps(element_id)},{self.scripts()},{coefficients()});")
            + "\n"
        )

    def html(self) -> str:
        """The whole page."""
        from chetaev.view.player import page_html

        return page_html(self.scene, self.fragment(), wide=True)

    def save(self, path: Any, *, force: bool = False) -> Any:
        """Write the page."""
        from chetaev.output_files import whole

        return whole(path, self.html(), force=force)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        source = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:860px;border:0" title="chetaev"></iframe>'

    @cached_property
    def widget(self) -> Any:
        """The page as a widget, whose traits are what the sliders vary; its `system` has their values."""
        from chetaev.view.play.widget import widget

        return widget(self)

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """For notebooks: the widget where `anywidget` is installed, and the page in a frame."""
        from importlib.util import find_spec

        data: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        if find_spec("anywidget") is not None:
            shown = self.widget._repr_mimebundle_()
            data = {**(shown[0] if isinstance(shown, tuple) else shown or {}), **data}
        return data

    def __repr__(self) -> str:
        count = 0 if self.missing else len(self.told["sliders"])
        return f"<Played {self.scene.title!r}: {count} sliders>"


def play(
    system: System,
    motion: xarray.Dataset | None = None,
    *,
    laws: Sequence[Law] | None = None,
    until: float | None = None,
    stability: Any = None,
) -> Played:
    """A page on which a model can be played with: `ch.play`.

    Parameters
    ----------
    system
        A system with initial data.
    motion
        Its motion, if it is known already.
    laws
        What is conserved; found by :func:`chetaev.integrals` if left out.
    until
        The final time.
    stability
        A map that :func:`chetaev.stability_map` made over two values that the page varies: it is drawn with
        the present values in it, and a click takes them from it.
    """
    from chetaev.hamilton.dirac.dirac_run import simulate
    from chetaev.laws.law import Law

    expect_system(system, "ch.play")
    if laws is not None and not (isinstance(laws, (list, tuple)) and all(isinstance(x, Law) for x in laws)):
        raise ModelError(f"the laws are {shown(laws)}", expected="a list, as ch.integrals gives one")
    system = first_order_motion(system)
    made = scene(system, simulate(system, until) if motion is None else motion)
    found = laws
    if found is None:
        found = () if cannot_play(system) else _conserved(system)
    return of_scene(system, made, found, stability)


def of_scene(system: System, made: Scene, laws: Sequence[Law], stability: Any = None) -> Played:
    """The page of a scene that is known already."""
    missing = cannot_play(system)
    systems = () if missing else tuple(_systems(system, made, laws))
    span = float(made.times[-1] - made.times[0])
    return Played(system, made, systems, tuple(laws), span, missing, stability)


def _conserved(system: System) -> list[Law]:
    from chetaev.laws.integrals import integrals

    return [law for law in integrals(system) if law.conserved]


def _systems(system: System, made: Scene, laws: Sequence[Law]) -> Iterable[PlayedSystem]:
    """The system itself, and with its multipliers as states where it has vakonomic motions."""
    from chetaev.flow.data.vakonomic import check, extended
    from chetaev.model.jet_functions import fresh_names

    energy = [symbol("energy")] if system.dynamics.has_energy else []
    shown: list[Expr] = [*made.shown, *energy, *(law.expression for law in laws)]
    yield PlayedSystem(system, shown, made.rates)
    try:
        check(system)
        names = fresh_names(system, len(system.velocity_constraints))
        larger, integrals = extended(system, names, [0.0] * len(names))
    except ModelError:
        return
    further = len(system.position_constraints)
    known = {f"mu_{further + i + 1}": symbol(s, 1) for i, s in enumerate(integrals)}
    yield PlayedSystem(larger, shown, made.rates, known)


def sliders(system: System, ranges: Mapping[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """What can be varied: parameters that are numbers, then the initial data that may be chosen."""
    made = [
        _slider(system, name, 0, "parameter", i, float(expr.value), ranges)
        for i, (name, expr) in enumerate(system.parameters.items())
        if expr.op == "number"
    ]
    state = system.state
    for order, kind, values in ((0, "position", state.position), (1, "velocity", state.velocity)):
        free = _free(system, order)
        found = [(i, c) for i, c in enumerate(system.coordinates) if c in free]
        for i, name in sorted(found, key=lambda one: list(free).index(one[1])):
            made.append(_slider(system, name, order, kind, i, values[name], ranges))
    return made[:MOST_SLIDERS]


def _free(system: System, order: int) -> dict[str, None]:
    """The coordinates whose positions or velocities may be chosen at the start: first those that are given.

    The others follow from the constraints; where fewer are given than are free, a chart names the rest.
    """
    initial = system.initial
    given = dict.fromkeys(() if initial is None else (initial.position, initial.velocity)[order])
    model = Ingredients.of(system)
    count = model.size - (len(model.position) if order == 0 else model.independent)
    if len(given) >= count:
        return given
    state = system.state
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    kinematics = Kinematics(system, system.parameter_values)
    slopes = kinematics.position(state.t, q)[1] if order == 0 else kinematics.velocity(state.t, q, v)[1]
    chart = choose(slopes, rank=model.size - count)
    return given | dict.fromkeys(system.coordinates[i] for i in chart.free)


def _slider(
    system: System,
    name: str,
    order: int,
    kind: str,
    index: int,
    value: float,
    ranges: Mapping[str, tuple[float, float]],
) -> dict[str, Any]:
    key = key_name(name, order)
    low, high = ranges.get(key) or usual(value, order == 0 and is_angle(name, system.units))
    label = plain_name(name) + "'" * order
    return {
        "name": key,
        "kind": kind,
        "index": index,
        "label": label,
        "unit": unit_of(system, name, order),
        "value": value,
        "own": value,
        "low": min(low, value),
        "high": max(high, value),
    }


def usual(value: float, angle: bool = False) -> tuple[float, float]:
    """From where to where a slider goes if nothing is said.

    >>> usual(2.0), usual(0.0), usual(-1.0), usual(0.3, angle=True)
    ((0.5, 8.0), (-1.0, 1.0), (-4.0, 4.0), (-3.141592653589793, 3.141592653589793))
    """
    if angle and abs(value) <= math.pi:
        return -math.pi, math.pi
    if value > 0:
        return value / 4, 4 * value
    size = 4 * abs(value) or 1.0
    return -size, size


def panels(system: System, energy: int | None, laws: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The plots: coordinates and velocities by unit, energy and laws, and a phase portrait."""
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    n = len(system.coordinates)
    every = []
    for order in (0, 1):
        for i, name in enumerate(system.coordinates):
            curve = {"label": plain_name(name) + "'" * order, "state": i + order * n}
            unit = unit_of(system, name, order) or ("angle" if is_angle(name, system.units) else "")
            groups.setdefault((order, unit), []).append(curve)
            every.append(curve)
    words = {0: "positions", 1: "velocities"}
    made: list[dict[str, Any]] = []
    for (order, unit), curves in sorted(groups.items(), key=lambda item: item[0][0]):
        named = {"": words[order], "angle": ("angles", "angular velocities")[order]}.get(unit)
        made.append({"title": named or f"{words[order]} [{unit}]", "curves": curves})
    if energy is not None:
        made.append({"title": "energy", "curves": [{"label": "E", "seen": energy}]})
    rest = [law for law in laws if law["label"] != "energy"]
    if rest:
        curves = [{"label": law["label"], "seen": law["seen"], "note": law["known"]} for law in rest]
        made.append({"title": "conserved", "curves": curves})
    first = max(range(n), key=lambda i: is_angle(system.coordinates[i], system.units))
    made.append({"title": "", "choices": every, "first": [first, first + n]})
    return made


def play_library_html() -> str:
    """Script and style of what plays, once for a page."""
    text = {name: files(__package__).joinpath(name).read_text("utf-8") for name in SCRIPTS}
    style = files(__package__).joinpath("play.css").read_text("utf-8")
    return own("style", style) + own("script", "".join(text.values())) + "\n"


SCRIPTS = ("motion.js", "tracks.js", "plots.js", "play.js")


def coefficients() -> str:
    """The coefficients of DOP853, from its file."""
    from chetaev.flow.schemes import dop853

    def row(values: Any) -> str:
        return f"[{','.join(row(x) if isinstance(x, tuple) else number(x) for x in values)}]"

    tables = {
        "stages": dop853.STAGES,
        "nodes": dop853.NODES,
        "error3": dop853.ERROR3,
        "error5": dop853.ERROR5,
        "dense": dop853.DENSE,
    }
    return "{" + ",".join(f"{name}:{row(values)}" for name, values in tables.items()) + "}"
