"""Lanes: a member in a vector has the bits it has alone, whatever runs beside it."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import chetaev as ch
from chetaev.ensemble.ensemble import job_of
from chetaev.ensemble.ensemble_engine import EnsembleEngine
from chetaev.ensemble.ensemble_job import Job
from chetaev.flow.compile import loops
from chetaev.flow.compile.lane_compiler import LaneProgram
from chetaev.flow.compile.link import KernelError, Signature
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.lane_motions import LaneMotions, fits
from portions import parts
from random_systems import random_system

DISC = ch.load("rolling-disc")


def job(system: ch.System, over: object, samples: int | None = None, **more: object) -> Job:
    asked = {"until": 2.0, "keep": ["final", "series"], "at": 5, "initial": None, "parameters": None,
             "energy": None, "tolerance": None, "events": (), "laws": None, "method": "dop853",
             "max_steps": 10**6, "seed": 3, **more}  # fmt: skip
    return job_of(system, over, samples, **asked)


def rows(asked: Job, lanes: int, threads: int = 1) -> dict[str, np.ndarray]:
    with EnsembleEngine(asked, threads, lanes) as engine:
        assert (engine.lanes or 1) == lanes
        return engine.run(0, asked.members.count)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_results_do_not_depend_on_lanes(lanes: int) -> None:
    asked = job(DISC, {"theta": "uniform(0, 1.2)", "psi_dot": "normal(0, 3)", "m": "uniform(1, 2)"}, 21)
    alone, beside = rows(asked, 1), rows(asked, lanes)
    for name, values in alone.items():
        assert np.array_equal(values, beside[name], equal_nan=values.dtype.kind == "f"), name


def test_members_leave_the_lanes_where_they_must_and_keep_their_bits() -> None:
    falling = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 + k/x",
        constraints=["y' = x*x'"],
        parameters={"k": 1},
        initial={"x": 1, "y": 0, "x'": 0},
    )
    asked = job(falling, {"x_dot": "uniform(-1, 3)"}, 12, until=3.0)
    alone, beside = rows(asked, 1), rows(asked, 8)
    assert {"collapsed", "done"} <= set(alone["status"].tolist())
    for name, values in alone.items():
        assert np.array_equal(values, beside[name], equal_nan=values.dtype.kind == "f"), name


def test_backwards_and_up_to_a_few_steps() -> None:
    cases = [({"theta": "0.1:0.4:5"}, more) for more in (
        {"until": -1.0}, {"max_steps": 12}, {"until": 0.0, "at": [0.0]}, {"until": -1.0, "at": [0.0, -0.5]}
    )]  # fmt: skip
    cases.append(({"t": [0, 0.5, 1, 1.5, 2, 3]}, {"until": 1.0, "at": [0.25, 0.5, 1.0, 1.5]}))
    for over, more in cases:
        asked = job(DISC, over, **more)
        alone, beside = rows(asked, 1), rows(asked, 4)
        for name, values in alone.items():
            assert np.array_equal(values, beside[name], equal_nan=values.dtype.kind == "f"), (more, name)


@pytest.mark.parametrize("seed", parts(range(60), 5))
def test_lanes_of_random_systems_have_the_bits_of_simulate(seed: int) -> None:
    system = random_system(seed)
    system = system.with_initial(system.random_states(1, seed=seed)[0])
    own = system.parameter_values["a"]
    found = ch.ensemble(system, {"a": [own, 1.02 * own]}, until=1.0, keep=["series"], at=4, lanes=16)
    assert found.status[0].item() != "no initial state"
    for i in range(2):
        if found.status[i].item() == "no initial state":
            continue
        motion = ch.simulate(system, 1.0, 4, parameters={"a": float(found.a[i])})
        assert int(found.steps[i]) == motion.attrs["steps"]
        for name in system.coordinates:
            rows = motion[name].values[:4]
            assert np.array_equal(found.series.sel(state=name)[i].values[: len(rows)], rows)


@pytest.mark.few(2)
@pytest.mark.parametrize("far", [range(3, 40, 4), range(40), [0], [39]])
def test_members_that_no_lane_can_begin_leave_their_places_to_others(far: range | list[int]) -> None:
    """Angles beyond 10⁹ are left to single motions; these members wait among others, or fill the room."""
    phi = np.linspace(0.0, 1.0, 40)
    phi[far] += 2e9
    asked = job(DISC, None, {"phi": phi, "theta": np.linspace(0.1, 0.4, 40)}, until=1.0)
    alone, beside = rows(asked, 1), rows(asked, 8)
    assert set(alone["status"].tolist()) == {"done"}
    for name, values in alone.items():
        assert np.array_equal(values, beside[name], equal_nan=values.dtype.kind == "f"), name


def test_what_lanes_are_not_made_for_runs_alone() -> None:
    sliding = compile_field(ch.load("stick-slip"))
    assert not fits(sliding, "dop853")
    assert not fits(compile_field(DISC), "radau")
    with EnsembleEngine(job(DISC, {"theta": [0.1]}, events=["theta"]), 1) as engine:
        assert engine.lanes is None


def lane_kernels(text: str) -> LaneProgram:
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    known = {name: Signature(node, {}) for name, node in functions.items()}
    return LaneProgram(functions, known, {}, 4)


def test_a_loop_that_is_left_where_lanes_differ_is_refused() -> None:
    kernels = lane_kernels(
        "def f(x: float) -> float:\n  for i in range(3):\n    if x > 0.0:\n      break\n  return x"
    )
    with pytest.raises(KernelError, match="where lanes differ"):
        kernels.kernel("f")


def test_whole_numbers_are_shared_until_lanes_differ() -> None:
    kernels = lane_kernels(
        "def f(n: int) -> int:\n  return n + 1\n"
        "def g(x: float) -> int:\n  k = 0\n  if x > 0.0:\n    k = 2\n  return f(k)\n"
        "def h(x: float) -> int:\n  if x > 0.0:\n    return 1\n  return 0"
    )
    assert kernels.kernel("f") == ("f", "i64")
    assert kernels.kernel("g") == ("g", "v")
    assert kernels.kernel("f", ["n"]) == ("f.n", "v")
    assert kernels.kernel("h") == ("h", "v")


def test_what_no_lane_does_is_passed_over() -> None:
    kernels = lane_kernels(
        "def f(x: float, y: float) -> float:\n  if x > 0.0:\n    return y\n  return x\n"
        "def g(x: float, y: float) -> float:\n  if x > 0.0:\n    y = x\n  return y"
    )
    assert ["br i1" in kernels.texts[kernels.kernel(name)[0]] for name in "fg"] == [True, False]


def test_the_loops_are_vectors() -> None:
    assert "<4 x double>" in loops.text(lanes=4)
    assert "<8 x double>" not in loops.text(lanes=4)
    assert LaneMotions(compile_field(DISC), 4).lanes == 4
