"""Odd files and odd names: pipes, keyboards, spellings, too many of everything."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import chetaev as ch
from counted import counted
from formulas import formula

TEXT = 'coordinates = ["x"]\n[dynamics]\nlagrangian = "x\'^2"\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(ch.ModelError, match="nothing comes from it"):
        ch.load(pipe)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_is_written_to_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer open it
    with open(os.open(pipe, os.O_WRONLY), "w", encoding="utf-8") as writer:
        thread = threading.Timer(0.2, lambda: (writer.write(TEXT), writer.close()))
        thread.start()
        assert ch.load(pipe).coordinates == ("x",)
        thread.join()
    os.close(reader)


@pytest.mark.parametrize("value", [5, None, b"rolling-disc", ["a"], "", "  "])
def test_load_of_what_is_no_name(value: object) -> None:
    with pytest.raises(ch.ModelError, match="a name or a path was expected"):
        ch.load(value)  # type: ignore[arg-type]


def test_the_micro_sign_is_the_letter_mu() -> None:
    micro, mu = "\N{MICRO SIGN}", "\N{GREEK SMALL LETTER MU}"
    system = ch.System(coordinates=["x"], lagrangian=f"{mu}*x'^2/2", parameters={micro: 2})
    assert system.with_parameters({micro: 3}).parameter_values == {mu: 3.0}
    with pytest.raises(ch.ModelError, match="used twice"):
        ch.System(coordinates=[micro, mu], lagrangian=f"{mu}'^2")


def test_names_from_numpy_are_plain_text() -> None:
    system = ch.System(coordinates=np.array(["x", "y"]), lagrangian="x'^2 + y'^2")
    assert all(type(name) is str for name in system.coordinates)


def test_the_same_velocity_in_two_spellings_is_refused() -> None:
    with pytest.raises(ch.ModelError, match="velocity of 'x' twice"):
        ch.System(coordinates=["x"], lagrangian="x'^2", initial={"x_dot": 1, "x'": 2})


@pytest.mark.slow
def test_too_many_constraints_are_counted_before_they_are_read() -> None:
    many = ", ".join(["\"x' = y'\""] * 100_000)
    text = f'coordinates = ["x", "y"]\n[dynamics]\nlagrangian = "x\'^2"\n[constraints]\nvelocity = [{many}]\n'
    with counted() as count, pytest.raises(ch.ModelError, match="100000 constraints"):
        ch.loads(text)
    assert count.calls < 50 * 100_000


def test_parameters_that_do_not_occur_cost_no_normal_forms() -> None:
    parameters = {f"p{i}": i for i in range(1500)}
    system = ch.System(coordinates=["x"], lagrangian="x'^2", parameters=parameters)
    str(ch.equations(ch.System(coordinates=["y"], lagrangian="y'^2"), "chetaev"))  # imports are not counted
    with counted() as count:
        assert ch.equations(system, "chetaev") == formula("x'' = 0")
    assert count.calls < 50 * len(parameters)


def test_a_byte_order_mark_is_no_part_of_a_text() -> None:
    assert ch.loads("\ufeff" + TEXT) == ch.loads(TEXT)


def test_an_empty_file_has_a_place() -> None:
    with pytest.raises(ch.ModelError) as caught:
        ch.loads("", "empty.toml")
    assert str(caught.value).startswith("empty.toml:1:1: the model has no coordinates")


@pytest.mark.parametrize(
    ("changes", "place", "excerpt"),
    [
        ({"forces": {"x": [1]}}, "dynamics.forces.x:1:1", "[1]"),
        ({"forces": {"x": None}}, "dynamics.forces.x:1:1", "x"),
        ({"forces": {"z": 1}}, "dynamics.forces.z:1:1", "z"),
        ({"parameters": {"m": 1, "exp": 2}}, "parameters.exp:1:1", "exp"),
        ({"parameters": {"m": float("nan")}}, "parameters.m:1:1", "nan"),
        ({"parameters": {"m": 1, "x": 2}}, "parameters.x:1:1", "x"),
        ({"define": {"m": "x"}}, "define.m:1:1", "m"),
        ({"constraints": [5]}, "constraints.velocity[0]:1:1", "5"),
        ({"lagrangian": 5}, "dynamics.lagrangian:1:1", "5"),
        ({"until": [1]}, "run.until:1:1", "[1]"),
    ],
    ids=str,
)
def test_a_value_given_in_python_has_a_place(changes: dict[str, object], place: str, excerpt: str) -> None:
    arguments = {"coordinates": ["x", "y"], "lagrangian": "m*(x'^2 + y'^2)", "parameters": {"m": 1}}
    with pytest.raises(ch.ModelError) as caught:
        ch.System(**(arguments | changes))  # type: ignore[arg-type]
    assert str(caught.value.place) == place
    assert caught.value.place is not None
    assert caught.value.place.excerpt == excerpt


def test_an_unknown_function_of_sympy_is_an_unknown_name() -> None:
    import sympy

    x = sympy.Symbol("x")
    with pytest.raises(ch.ModelError, match="unknown name 'g'"):
        ch.System(coordinates=["x"], lagrangian=sympy.Function("g")(x))


def test_a_value_whose_own_words_fail_is_named_by_its_type() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(ch.ModelError, match="type Odd") as caught:
        ch.System(coordinates=["x"], lagrangian=Odd())
    assert "<Odd>" in str(caught.value)


@pytest.mark.parametrize("name", ["a", "f", "varphi", "a_1", "f1"])
def test_a_definition_is_not_taken_for_a_constraint(name: str) -> None:
    from chetaev.expr.print import name_latex
    from chetaev.model.system_display import system_latex

    system = ch.System(
        coordinates=["x", "y"],
        define={name: "x + 1"},
        lagrangian=f"x'^2 + y'^2 - {name}^2",
        constraints=["x' = y'"],
    )
    rows = system_latex(system).splitlines()
    assert rf"{name_latex(name)} &= x + 1 &&" in rows
    assert r"\dot{x} &= \dot{y} && (f^{1}) \\" in rows
