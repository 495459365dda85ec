"""Whatever a public function is given, the answer is a result or a ModelError with a sentence.

Every argument of every public function is given every hostile value, one at a time.
"""

from __future__ import annotations

import contextlib
import decimal
import fractions
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.study.study_course import Course
from portions import some

VALUES: dict[str, Any] = {
    "None": None, "nan": math.nan, "infinity": math.inf, "minus one": -1, "zero": 0, "10^400": 10**400,
    "-10^400": -(10**400), "10^6000": 10**6000, "10^12": 10**12, "1e300": 1e300, "1e-310": 1e-310,
    "a letter": "x", "no text": "", "digits": "30", "a null byte": "\0", "a long text": "x" * 100_000,
    "half a pair": "\ud800", "bytes": b"x", "no list": [], "letters": ["x"], "a list of nan": [math.nan],
    "a list of None": [None], "a deep list": [[["x"]]], "a long list": [0.5] * 100_000, "a tuple": ("x", 1),
    "a set": {1}, "no table": {}, "a table": {"x": "x"}, "a table of nan": {"x": math.nan},
    "a table of 10^400": {"x": 10**400}, "a table of numbers": {1: 2}, "a table of None": {None: None},
    "a table of tiny masses": {"m": 1e-310}, "a table of text": {"m": "x"},
    "a table of things": {"m": object()},
    "a table of lists": {"m": [1]}, "a thing": object(), "i": 1j, "True": True, "False": False,
    "a NumPy float": np.float64(1.5), "a NumPy integer": np.int64(3), "a NumPy nan": np.float64("nan"),
    "an array": np.arange(3.0), "a matrix": np.ones((2, 2)), "an array of no axis": np.array(1.0),
    "an array of things": np.array([None, "x"], dtype=object), "an array of text": np.array(["a"]),
    "an array of i": np.array([1j]), "a fraction": fractions.Fraction(1, 3),
    "a decimal": decimal.Decimal("0.3"),
    "a type": int, "a range": range(3),
}  # fmt: skip
PARTICLE = ch.System(
    coordinates=["x", "y"],
    parameters={"m": 2},
    lagrangian="m*(x'^2 + y'^2)/2 - m*x",
    constraints=["y' = x*x'"],
    initial={"x": 0.1, "y": 0, "x'": 1, "t": 0},
    until=0.2,
)

FREE_PARTICLE = ch.System(coordinates=["x", "y"], lagrangian="(1 + y^2)*x'^2/2 + y'^2/2")
SPRING = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2 - x^4/40", initial={"x": 0.1, "x'": 1})


PLANE_SPRING = ch.System(
    coordinates=["x", "y"],
    parameters={"m": 2, "k": 1},
    lagrangian="m*(x'^2 + y'^2)/2 - k*(x^2 + y^2)^2/2 - x*y",
    initial={"x": 0, "y": 0, "x'": 0, "y'": 0},
)


def run_event(**event: Any) -> Any:
    return ch.simulate(PARTICLE, events=[ch.Event(**event)], at=2)


def plot_variable(name: Any) -> Any:
    return ch.plot(ch.simulate(PARTICLE, at=2), name)


def cite_one(used: Any) -> Any:
    return ch.cite(used)


class BegunError(Exception):
    """All arguments of a study were accepted."""


def begin_study(**arguments: Any) -> None:
    """Study, up to the point at which everything that was asked has been looked at."""

    def stop(self: Course) -> None:
        raise BegunError

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(BegunError):
        patch.setattr(Course, "run", stop)
        ch.study(**arguments)


FUNCTIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "simulate": (ch.simulate, {"system": PARTICLE}),
    "simulate with many digits": (ch.simulate, {"system": PARTICLE, "precision": 20, "until": 0.01, "at": 2}),
    "simulate with fixed steps": (
        ch.simulate,
        {"system": PARTICLE, "method": "dla-midpoint", "step": 0.05, "at": 2},
    ),
    "ensemble": (ch.ensemble, {"system": PARTICLE, "over": {"x": [0.1]}, "until": 0.01}),
    "sensitivities": (ch.sensitivities, {"system": PARTICLE}),
    "classify": (ch.classify, {"system": PARTICLE}),
    "claims": (ch.claims, {"system": PARTICLE}),
    "compare": (ch.compare, {"system": PARTICLE, "samples": 1}),
    "integrals": (ch.integrals, {"system": PARTICLE, "effort": 10**5}),
    "helmholtz": (ch.helmholtz, {"system": PARTICLE}),
    "killing": (ch.killing, {"system": PARTICLE, "degree": 1}),
    "measure": (ch.measure, {"system": PARTICLE}),
    "symmetries": (ch.symmetries, {"system": PARTICLE}),
    "dirac": (ch.dirac, {"system": PARTICLE}),
    "hamilton": (ch.hamilton, {"system": PARTICLE}),
    "bracket": (ch.bracket, {"system": PARTICLE}),
    "hamiltonize": (ch.hamiltonize, {"system": PARTICLE}),
    "distributional": (ch.distributional, {"system": PARTICLE}),
    "linearize": (ch.linearize, {"system": PARTICLE}),
    "equilibria": (ch.equilibria, {"system": PARTICLE}),
    "relative_equilibria": (ch.relative_equilibria, {"system": PARTICLE, "symmetries": ["x"]}),
    "follow": (
        ch.follow,
        {"system": PLANE_SPRING, "start": {"x": 0}, "parameter": "m", "over": (1, 2), "points": 4},
    ),
    "stability_map": (
        ch.stability_map,
        {"system": PLANE_SPRING, "start": {"x": 0}, "over": {"m": (1, 2), "k": (1, 2)}, "points": 2},
    ),
    "lyapunov": (ch.lyapunov, {"system": PARTICLE, "intervals": 2}),
    "section": (ch.section, {"system": PARTICLE, "event": "x", "crossings": 1, "until": 1.0}),
    "basins": (
        ch.basins,
        {"system": PARTICLE, "over": {"x": [0, 1], "x_dot": [0, 1]}, "until": 1.0, "attractors": [{"x": 1}]},
    ),
    "reduce": (ch.reduce, {"system": PARTICLE, "symmetries": [{"y": 1}]}),
    "reduce by invariants": (ch.reduce, {"system": PARTICLE, "invariants": {"x": "x", "u": "x'"}}),
    "reduce by a group": (ch.reduce, {"system": PARTICLE, "group": [{"y": "y"}]}),
    "reduce_by_group": (ch.reduce_by_group, {"system": PARTICLE, "symmetries": [{"y": 1}]}),
    "on_algebra": (ch.on_algebra, {"structure": "so3", "inertia": [1, 2, 3], "initial": {"w1": 1}}),
    "on_algebra of a model": (
        ch.on_algebra,
        {"structure": PARTICLE, "frame": {"e": {"x": 1}, "f": {"y": 1}}},
    ),
    "bodies.rolling": (ch.bodies.rolling, {"support": "1", "inertia": [1, 2, 3]}),
    "periodic": (ch.periodic, {"system": SPRING, "period": 6.0}),
    "return_map": (ch.return_map, {"system": SPRING, "event": "x"}),
    "a point of a return map": (ch.return_map(SPRING, "x"), {"point": [1.0]}),
    "reversals": (ch.reversals, {"system": SPRING}),
    "accessibility": (ch.accessibility, {"system": PARTICLE, "inputs": ["x"]}),
    "decoupling": (ch.decoupling, {"system": FREE_PARTICLE, "inputs": ["x"]}),
    "steer": (ch.steer, {"system": PARTICLE, "end": {"x": 0.2, "y": 0.015}}),
    "rhs": (ch.rhs, {"system": PARTICLE}),
    "vakonomic": (ch.vakonomic, {"system": PARTICLE}),
    "equations": (ch.equations, {"system": PARTICLE}),
    "forms": (ch.forms, {"system": PARTICLE}),
    "field": (ch.field, {"system": PARTICLE}),
    "singular": (ch.singular, {"system": PARTICLE}),
    "Event": (ch.Event, {"expression": "x"}),
    "an event of a run": (run_event, {"expression": "x"}),
    "System": (ch.System, {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2"}),
    "load": (ch.load, {"name_or_path": "rolling-disc"}),
    "loads": (ch.loads, {"text": ""}),
    "study": (begin_study, {"system": PARTICLE, "directory": "made"}),
    "poisson": (ch.poisson, {"system": ch.load("suslov-poisson")}),
    "read": (ch.read, {"path": "motion.csv"}),
    "save": (ch.save, {"result": PARTICLE, "path": "made.toml"}),
    "save of a motion": (ch.save, {"result": ch.simulate(PARTICLE, at=2), "path": "made.csv"}),
    "plot": (ch.plot, {"result": ch.simulate(PARTICLE, at=2)}),
    "a variable of a plot": (plot_variable, {"name": "x"}),
    "play": (ch.play, {"system": PARTICLE}),
    "animate": (ch.animate, {"motion": ch.simulate(PARTICLE, at=2)}),
    "cite": (cite_one, {"used": PARTICLE}),
}


def arguments(name: str) -> list[str]:
    inner = {"an event of a run": ch.Event, "study": ch.study}
    function = inner.get(name, FUNCTIONS[name][0])
    found = inspect.signature(function).parameters.values()
    if name == "simulate with many digits":
        return ["laws", "events", "precision"]
    if name == "simulate with fixed steps":
        return ["step", "method", "until", "tolerance", "events", "check", "max_steps"]
    return [p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def cases() -> list[Any]:
    slow = {"claims", "compare", "simulate with many digits", "System", "sensitivities", "ensemble"}
    slow |= {"killing", "measure", "symmetries", "integrals", "dirac", "vakonomic"}
    slow |= {"reduce", "reduce by invariants", "reduce by a group"}
    slow |= {"on_algebra of a model", "bodies.rolling", "on_algebra"}
    slow |= {"equilibria", "relative_equilibria", "follow", "stability_map", "lyapunov", "section", "basins"}
    slow |= {"periodic", "steer", "plot", "a variable of a plot", "animate", "play"}
    return [
        pytest.param(name, argument, marks=[pytest.mark.slow] if name in slow else [])
        for name in FUNCTIONS
        for argument in arguments(name)
    ]


@pytest.mark.few(12)
@pytest.mark.parametrize(("name", "argument"), cases())
def test_a_hostile_value_is_a_sentence(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, usual = FUNCTIONS[name]
    for label, value in VALUES.items():
        if argument == "progress" and callable(value):
            continue  # what it raises is its own affair
        if argument == "effort" and label == "10^12":
            continue  # not hostile: so much may be asked for, and is then done
        try:
            function(**(usual | {argument: value}))
        except ch.ChetaevError as error:
            said = str(error)
        except Exception as error:
            pytest.fail(f"{argument} = {label}: {type(error).__name__}: {error}")
        else:
            continue
        assert said.strip(), label
        assert len(said) < 5000, label


def test_every_public_function_is_in_the_table() -> None:
    """What takes no argument, and the geometry and variation of others' making, have tables of their own."""
    asked = {ch.study, ch.cite, *(function for function, _ in FUNCTIONS.values())}
    errors = {ch.ModelError, ch.ChetaevError}
    for name in ch.__all__:
        value = getattr(ch, name)
        if callable(value) and value not in errors and inspect.signature(value).parameters:
            assert value in asked, f"ch.{name} is given no hostile value"


@pytest.mark.parametrize(
    ("argument", "value", "words"),
    [
        ("until", 10**400, "the final time is"), ("at", 10**12, "the number of times is 1000000000000"),
        ("precision", "30", "the precision in digits is '30'"), ("laws", ["x"], r"laws is \['x'\]"),
        ("at", "ten", "at 'ten': 'ten' is not a number"), ("events", "x", "events is 'x'"),
        ("tolerance", 10**400, "the tolerance"),
        ("parameters", [1], r"parameters is \[1\]"), ("initial", np.arange(3), "the initial data is"),
        ("check", "yes", "check is 'yes'"), ("progress", 3, "progress is 3"),
        ("method", ["radau"], "unknown method"), ("step", math.nan, "the step is nan"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_was_given(argument: str, value: Any, words: str) -> None:
    with pytest.raises(ch.ModelError, match=words) as caught:
        ch.simulate(PARTICLE, **{argument: value})
    assert caught.value.expected


@pytest.mark.slow
@pytest.mark.parametrize("mass", some([5e-324, 1e-310, 1e-300, 1e300, 1.7e308], 4))
@pytest.mark.parametrize(
    "rest",
    [
        {"lagrangian": "m*(x'^2 + y'^2)/2 - x*y", "initial": {"x": 0.1, "y": 0.2, "x'": 1, "y'": 0}},
        {"lagrangian": "m*(x'^2 + y'^2)/2 - m*x", "initial": {"x'": 1}, "constraints": ["y' = x*x'"]},
        {"lagrangian": "m*x'^2/2 + m*y'^4/4 - exp(x)", "initial": {"x'": 1}, "constraints": ["x' = y' + m"]},
    ],
    ids=["free", "constrained", "quartic"],
)  # fmt: skip
def test_masses_at_the_ends_of_all_numbers(mass: float, rest: dict[str, Any]) -> None:
    """No warning of NumPy's comes out, and no error but our own: a run ends, or says why it cannot go on."""
    try:
        system = ch.System(coordinates=["x", "y"], parameters={"m": mass}, until=0.2, **rest)
    except ch.ModelError:
        return
    for ask in (
        lambda: ch.simulate(system).attrs["reason"],
        lambda: ch.sensitivities(system),
        lambda: ch.classify(system),
        lambda: ch.compare(system, 2),
        lambda: ch.field(system)(0.0, [0.6, 0.8], [0.8, -0.6]),
        lambda: ch.simulate(system, precision=20, until=0.01, at=2),
    ):
        with contextlib.suppress(ch.ChetaevError):
            ask()


@pytest.mark.parametrize("mass", [5e-324, 1e-310])
def test_a_mass_beyond_the_doubles_is_named_as_the_cause(mass: float) -> None:
    """The equations determine the accelerations; it is the doubles that cannot hold them."""
    system = ch.System(
        coordinates=["x"], parameters={"m": mass}, lagrangian="m*x'^2/2 - x", initial={"x'": 1}, until=0.2
    )
    run = ch.simulate(system)
    assert run.attrs["status"] == "beyond double precision"
    assert "precision=30" in run.attrs["reason"]
