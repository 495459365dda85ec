"""Accelerations where constraints are redundant or the law is singular: right, or nan, never in between."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.random_systems import _coefficient, _function, random_system

import chetaev as ch
from chetaev.equations.law.law import SingularError
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.many_digit_motions import integrate_precise
from moore_penrose import moore_penrose
from portions import parts, some

REDUNDANT = ["z' = y*x'", "exp(x)*(z' - y*x') + 2*(z' - y*x') = 0"]
DEGENERATE = "(x'*sin(x) + exp(y)*y'/3)^2/2 + z'^2/2 - x*y"


def states(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 3))


def particle(constraints: Any, **more: Any) -> ch.System:
    return ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - 9.8*z",
        constraints=constraints,
        **more,
    )


# --- the field --------------------------------------------------------------------------------------------


def test_redundant_constraints_give_the_accelerations_of_one_of_them() -> None:
    q, v = states(400)
    v[:, 2] = q[:, 1] * v[:, 0]
    once, twice = compile_field(particle(REDUNDANT[:1])), compile_field(particle(REDUNDANT))
    np.testing.assert_allclose(twice(0.0, q, v), once(0.0, q, v), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(twice.reactions(0.0, q, v), once.reactions(0.0, q, v), rtol=1e-11, atol=1e-11)


def test_off_Q_redundant_constraints_contradict_each_other() -> None:
    q, v = states(50)
    assert np.isnan(compile_field(particle(REDUNDANT))(0.0, q, v)).all()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["null", "safe"])
def test_a_lagrangian_that_is_degenerate_everywhere_determines_nothing(form: str) -> None:
    q, v = states(200)
    system = ch.System(coordinates=["x", "y", "z"], lagrangian=DEGENERATE)
    field = compile_field(system, form)
    assert np.isnan(field(0.0, q, v)).all()
    assert np.isnan(field.observe(0.0, q, v)["accelerations"]).all()


def test_a_kernel_inside_the_constraint_shows_although_nothing_is_left_to_compare_with() -> None:
    loose = particle(["x'*sin(x) + exp(y)*y'/3 = 0"])
    bound = ch.System(
        coordinates=["x", "y", "z"], lagrangian=DEGENERATE, constraints=["x'*sin(x) + exp(y)*y'/3 = 0"]
    )
    q, v = states(100)
    v[:, 1] = -3 * np.sin(q[:, 0]) * v[:, 0] * np.exp(-q[:, 1])
    assert np.isfinite(compile_field(loose)(0.0, q, v)).all()
    assert np.isnan(compile_field(bound)(0.0, q, v)).all()


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_ill_conditioned_is_not_singular_whatever_the_units(unit: float) -> None:
    near = ch.System(
        coordinates=["x", "y"],
        lagrangian="k*((x' + y')^2 + w*y'^2 - 2*x - 2*y - 2*w*y)/2",
        parameters={"k": unit, "w": 1e-12},
    )
    a = compile_field(near)(0.0, [0.3, 0.2], [0.1, 0.4])
    np.testing.assert_allclose(a, [0.0, -1.0], atol=1e-12)
    nearer = compile_field(near.with_parameters(w=1e-17))
    assert np.isnan(nearer(0.0, [0.3, 0.2], [0.1, 0.4])).all()


def test_masses_and_units_far_apart_are_regular() -> None:
    wide = ch.System(
        coordinates=["x", "y"],
        lagrangian="1e20*x'^2/2 + 1e-20*y'^2/2 + 0.5*x'*y' - x - y",
        constraints=["1e-15*x' = 1e15*y'"],
    )
    a = compile_field(wide)(0.0, [0.0, 0.0], [1e30, 1.0])
    assert np.isfinite(a).all()
    assert a[0] == pytest.approx(1e30 * a[1], rel=1e-12)


def test_multipliers_of_redundant_constraints_are_those_of_least_norm() -> None:
    field = compile_field(particle(["x' = y'", "2*x' = 2*y'"]))
    seen = field.observe(0.0, [0.0] * 3, [1.0, 1.0, 0.0])
    np.testing.assert_allclose(seen["multipliers"], [0.0, 0.0], atol=1e-14)
    pushed = compile_field(particle(["x' = y'", "2*x' = 2*y'"], forces={"x": "5"}))
    np.testing.assert_allclose(pushed.multipliers(0.0, [0.0] * 3, [1.0, 1.0, 0.0]), [-0.5, -1.0], rtol=1e-13)
    np.testing.assert_allclose(
        pushed.reactions(0.0, [0.0] * 3, [1.0, 1.0, 0.0]), [-2.5, 2.5, 0.0], rtol=1e-13, atol=1e-14
    )


# --- runs -------------------------------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("constraints", "alone"),
    [
        (REDUNDANT, REDUNDANT[:1]),
        (["x' = y'", "2*x' = 2*y'", "3*x' = 3*y'", "x'*exp(z) = y'*exp(z)"], ["x' = y'"]),
        (["(x' - y')*x = 0", "(x' - y')*(1 - x) = 0"], ["x' = y'"]),
        ({"position": ["x^2 + z^2 = 4"], "velocity": ["x*x' + z*z' = 0"]}, {"position": ["x^2 + z^2 = 4"]}),
        (
            {"velocity": ["x' = cos(t)"], "acceleration": ["x'' = -sin(t)"]},
            {"velocity": ["x' = cos(t)"]},
        ),
    ],
)
def test_redundant_constraints_run_as_one_of_them_does(constraints: Any, alone: Any) -> None:
    start = {"x": 2, "y": 0.5, "z": 0, "x'": None, "y'": 1, "z'": None}
    if isinstance(constraints, list) and "x' = y'" in alone:
        start |= {"z'": 0.3}
    elif constraints is REDUNDANT:
        start |= {"x'": 0.7}
    else:
        start |= {"z'": 0.2}
    given = {k: x for k, x in start.items() if x is not None}
    runs = [ch.simulate(particle(c, initial=given), until=2.5, at=40) for c in (constraints, alone)]
    assert runs[0].attrs["status"] == "done"
    for name in ("x", "y", "z", "x_dot", "x_ddot", "reaction_x", "reaction_z", "power"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=1e-6, atol=1e-6)
    assert float(abs(runs[0]["residual"]).max()) < 1e-8


def test_three_rows_on_two_coordinates() -> None:
    system = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'^2 + y'^2)/2 - 3*x",
        constraints=["x' = y'", "2*x' = 2*y'", "3*x' = 3*y'"],
        initial={"x'": 1},
    )
    motion = ch.simulate(system, until=1.0, at=2)
    np.testing.assert_allclose(motion.x[-1], 1 - 1.5 / 2, rtol=1e-12)
    np.testing.assert_allclose(motion.reaction_x, 1.5, rtol=1e-12)
    assert "least norm" in motion.multiplier.attrs["long_name"]


@pytest.mark.parametrize("form", ["null", "pivoted"])
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_every_elimination_and_method_leaves_redundant_rows_out(form: str, method: str) -> None:
    field = compile_field(particle(REDUNDANT))
    run = integrate(
        field, 0.0, [0, 0.5, 0], [1, 1, 0.5], 1.0, at=[1.0], form=form, method=method, tolerance=1e-7
    )
    alone = integrate(compile_field(particle(REDUNDANT[:1])), 0.0, [0, 0.5, 0], [1, 1, 0.5], 1.0, at=[1.0])
    assert run.status == "done"
    np.testing.assert_allclose(run.q, alone.q, atol=1e-5)


@pytest.mark.slow
def test_precise_runs_and_sensitivities_leave_redundant_rows_out() -> None:
    start = {"y": 0.5, "x'": 1, "y'": 1}
    twice, once = (particle(c, initial=start) for c in (REDUNDANT, REDUNDANT[:1]))
    a, b = (integrate_precise(s, 0.25, digits=20).states[-1] for s in (twice, once))
    assert max(abs(x - y) for x, y in zip(a, b, strict=True)) < 1e-12
    c, d = (ch.sensitivities(s, until=0.5) for s in (twice, once))
    np.testing.assert_allclose(c.by_initial, d.by_initial, atol=1e-7)


def test_a_run_that_is_determined_nowhere_says_so_and_does_not_say_stop() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian=DEGENERATE,
        initial={"x": 1, "y": 0.2, "x'": 1, "y'": 1, "z'": 0},
    )
    motion = ch.simulate(system, until=1.0)
    assert motion.attrs["status"] == "reduced matrix singular"
    assert "do not determine the accelerations at the initial state" in motion.attrs["reason"]
    assert "stop" not in motion.attrs["reason"]
    with pytest.raises(ch.ModelError, match="not determined"):
        ch.simulate(system, until=1.0, precision=20)


def test_a_gauge_freedom_does_not_run_on_rounding_errors() -> None:
    free = ch.System(
        coordinates=["x", "y"],
        lagrangian="(x'*sin(x) + exp(y)*y'/3)^2/2",
        initial={"x": 1, "y": 0.2, "x'": 1, "y'": 1},
    )
    assert ch.simulate(free, until=1.0).attrs["status"] == "reduced matrix singular"


# --- families against fifty digits ------------------------------------------------------------------------


def family(seed: int) -> ch.System:
    """A random system with redundant, singular, non-smooth, prescribed or time-dependent members."""
    rng = random.Random(seed)
    base = random_system(seed, most=4)
    names = list(base.coordinates)
    lagrangian, velocity = str(base.lagrangian), [str(e) for e in base.velocity_constraints]
    forces = {c: str(f) for c, f in base.forces.items()}
    levels: dict[str, list[str]] = {"position": [str(e) for e in base.position_constraints]}
    levels["velocity"] = velocity
    kind = ("redundant", "product", "singular", "rank one", "kink", "prescribed")[seed % 6]
    sides = [f"(({e.lhs}) - ({e.rhs}))" for e in base.velocity_constraints]
    if kind == "redundant" and sides:
        velocity.append(" + ".join(f"(2 + {_function(rng, names)})*{s}" for s in sides) + " = 0")
        velocity.append(f"exp({_function(rng, names)})*{sides[0]} = 0")
    elif kind == "product" and sides:
        velocity.append(f"{sides[0]}*(3 + {names[0]}'^2 + {_function(rng, names)}) = 0")
        velocity.append(f"{sides[-1]}^2 = 0")
    elif kind in ("singular", "rank one"):
        count = 1 if kind == "rank one" else max(1, len(names) - 1)
        squares = [
            "(" + " + ".join(f"(1 + {_function(rng, names)}/2)*{n}'" for n in names) + ")^2/2"
            for _ in range(count)
        ]
        lagrangian = " + ".join([*squares, f"{_coefficient(rng)}*{_function(rng, names)}"])
    elif kind == "kink":
        lagrangian += f" + abs({names[0]})/3 - max({names[-1]}, 0)^2"
        forces[names[0]] = f"-sign({names[0]}')/5"
    elif kind == "prescribed":
        levels["acceleration"] = [f"{names[0]}'' = {_function(rng, names)} - {names[0]}'"]
        levels["velocity"] = velocity[: max(0, len(names) - 2)]
        levels["position"] = []
    return ch.System(
        coordinates=names,
        lagrangian=lagrangian,
        constraints=levels,
        forces=forces,
        parameters={n: str(e) for n, e in base.parameters.items()},
    )


def judge(seed: int, count: int = 4) -> tuple[int, int]:
    """How many states are determined and how many not; both sides agree on each."""
    system = family(seed)
    field, law = compile_field(system), moore_penrose(system)
    determined = lost = 0
    for data in system.random_states(count, seed):
        q = [data[c] for c in system.coordinates]
        v = [data[f"{c}_dot"] for c in system.coordinates]
        a = field(data["t"], q, v)
        point = {system.time: data["t"], **system.parameter_values}
        for c, x, y in zip(system.coordinates, q, v, strict=True):
            point |= {(c, 0): x, (c, 1): y}
        try:
            wanted = np.array([float(x) for x in _gauss(law, point)])
        except SingularError:
            assert np.isnan(a).all(), (seed, a)
            lost += 1
        else:
            scale = 1 + np.abs(wanted).max()
            assert np.abs(a - wanted).max() / scale < 1e-6, (seed, a, wanted)
            determined += 1
    return determined, lost


def _gauss(law: Any, point: dict[Any, Any]) -> list[Any]:
    # states in doubles are off Q by 1e-16, where redundant rows differ by as much: fewer digits settle that
    return law.evaluate(point, 16)[0]  # type: ignore[no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(24), 2))
def test_families_against_moore_penrose(seed: int) -> None:
    assert sum(judge(seed, 2)) == 2


@pytest.mark.parametrize("part", parts(range(5), 0))
def test_three_hundred_systems_against_moore_penrose(part: int) -> None:
    found = np.array([judge(seed) for seed in range(100 + 60 * part, 160 + 60 * part)]).sum(axis=0)
    assert found[0] > 120
    assert found[1] > 2
