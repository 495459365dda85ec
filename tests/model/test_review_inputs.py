"""Odd files and odd names: pipes, keyboards, spellings, too many of everything."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import chetaev as ch

TEXT = 'coordinates = ["x"]\n[dynamics]\nlagrangian = "x\'^2"\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    started = time.monotonic()
    with pytest.raises(ch.ModelError, match="nothing comes from it"):
        ch.load(pipe)
    assert time.monotonic() - started < 3


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


def test_too_many_constraints_are_counted_before_they_are_read() -> None:
    many = ", ".join(["\"x' = y'\""] * 100_000)
    text = f'coordinates = ["x", "y"]\n[dynamics]\nlagrangian = "x\'^2"\n[constraints]\nvelocity = [{many}]\n'
    started = time.monotonic()
    with pytest.raises(ch.ModelError, match="leave no freedom"):
        ch.loads(text)
    assert time.monotonic() - started < 4


def test_parameters_that_do_not_occur_cost_no_normal_forms() -> None:
    parameters = {f"p{i}": i for i in range(1500)}
    system = ch.System(coordinates=["x"], lagrangian="x'^2", parameters=parameters)
    started = time.monotonic()
    assert str(ch.equations(system, "chetaev")) == "2*x'' = 0"
    assert time.monotonic() - started < 5
