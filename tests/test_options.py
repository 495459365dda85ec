"""Options of the command line reach what they are about: the answer differs as it must."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import chetaev as ch
from chetaev.cli import run

HENON_HEILES = """
coordinates = ["x", "y"]

[parameters]
eps = 0

[dynamics]
lagrangian = "(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y - eps*y^3/3"
"""
SPRING = 'coordinates = ["x"]\n\n[dynamics]\nlagrangian = "x\'^2/2 - x^2/18"\n'


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """The JSON that a command prints."""

    def ask(*arguments: str, status: int = 0) -> Any:
        assert run([*arguments, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return ask


def expressions(laws: list[dict[str, Any]]) -> list[str]:
    """The conserved quantities among the laws that are told; the last entry says what was searched."""
    return [law["expression"] for law in laws if law.get("conserved")]


def test_a_tolerance_is_obeyed(told: Any) -> None:
    exact = ch.simulate(ch.load("knife-edge"), until=1, at=2, tolerance=1e-12)
    errors = {}
    for tolerance in ("1e-3", "1e-10"):
        found = told("simulate", "knife-edge", "--at", "0,1", "--tolerance", tolerance)
        errors[tolerance] = abs(found["variables"]["y"][-1] - float(exact.y[-1]))
    assert errors["1e-10"] < 1e-9 < errors["1e-3"] < 1e-2


def test_quasi_velocities_join_the_result(told: Any) -> None:
    asked = ("simulate", "knife-edge", "--at", "0,1")
    found = told(*asked, "--quasi")["variables"]
    assert found.keys() - told(*asked)["variables"].keys() == {"u"}
    assert found["u"][-1] == pytest.approx(math.hypot(found["x_dot"][-1], found["y_dot"][-1]))


def test_a_gauge_changes_the_coordinates_and_not_the_distance(told: Any) -> None:
    """Christ and Lee: the frame turns as one likes."""

    def end(*options: str) -> tuple[float, float]:
        found = told("simulate", "christ-lee", "--at", "0,1", *options)["variables"]
        return found["x"][-1], found["y"][-1]

    (x, y), (u, v) = end(), end("--gauge", "z = omega*(1 + t^2)")
    assert abs(x - u) > 1e-3
    assert u**2 + v**2 == pytest.approx(x**2 + y**2, rel=1e-8)


def test_degree_and_functions_shape_the_search_for_laws(told: Any, tmp_path: Path) -> None:
    """x'' = −x/9 has an integral of first degree with cos(t/3)."""
    model = tmp_path / "model.toml"
    model.write_text(SPRING, encoding="utf-8")
    asked = ("laws", str(model), "--degree", "1", "--functions", "cos(t/3)", "--effort", "600000")
    assert any("cos(t/3)" in law for law in expressions(told(*asked)))


@pytest.mark.slow
def test_quotients_are_searched_if_asked_for(told: Any) -> None:
    plain, rational = (
        expressions(told("laws", "leibniz-particle", "--effort", "600000", *more))
        for more in ((), ("--rational",))
    )
    assert "y'/x'" in set(rational) - set(plain)


@pytest.mark.slow
def test_special_values_of_a_free_parameter_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.toml"
    model.write_text(HENON_HEILES, encoding="utf-8")
    assert run(["laws", str(model), "--free", "eps", "--effort", "600000"]) == 0
    out = capsys.readouterr().out
    assert "eps = 1" in out
    assert "eps = 6" in out


def test_decoupling_fields_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = ch.load("snakeboard").with_parameters(kpsi=0, kphi=0, dpsi=0, dphi=0)
    model = tmp_path / "board.toml"
    model.write_text(board.to_toml(), encoding="utf-8")
    asked = ["control", str(model), "--input", "psi", "--input", "phi"]
    told = []
    for more in ([], ["--decoupling"]):
        assert run([*asked, *more]) == 0
        told.append(capsys.readouterr().out)
    assert "kinematically controllable" in told[1]
    assert "kinematically controllable" not in told[0]


def test_a_sweep_draws_at_an_energy_on_the_threads_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "out.zarr")
    asked = ["sweep", "rolling-disc", "--sample", "theta=uniform(0, 1)", "--samples", "3", "--until", "0.1"]
    asked += ["--energy", "10", "--threads", "1", "--keep", "initial", "-o", store]
    assert run(asked) == 0
    capsys.readouterr()
    disc, found = ch.load("rolling-disc"), ch.read(store)
    names = [*disc.coordinates, *(f"{c}_dot" for c in disc.coordinates)]
    for i in range(3):
        start = {n.replace("_dot", "'"): float(found.initial.sel(state=n)[i]) for n in names}
        energy = ch.simulate(disc, until=0, initial=start).energy
        assert float(energy[0]) == pytest.approx(10)


def test_a_scheduler_that_is_none_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "sweep",
        "knife-edge",
        "--grid",
        "phi=0,1",
        "--scheduler",
        "nowhere",
        "-o",
        str(tmp_path / "o.zarr"),
    ]
    assert run(asked) == 2
    error = capsys.readouterr().err
    assert "nowhere" in error
    assert "Traceback" not in error


DUFFING = """
coordinates = ["x"]

[parameters]
c = 0.2
k = 1

[dynamics]
lagrangian = "x'^2/2 + k*x^2/2 - x^4/4"

[dynamics.forces]
x = "-c*x'"

[initial]
position = {x = 0.1}
velocity = {x = 0}

[run]
until = 40
"""


def test_analyses_answer_and_draw_what_they_find(tmp_path: Path, told: Any) -> None:
    model = tmp_path / "duffing.toml"
    model.write_text(DUFFING, encoding="utf-8")
    picture = tmp_path / "picture.png"

    def drawn(*arguments: str, status: int = 0) -> Any:
        found = told(arguments[0], str(model), *arguments[1:], "--plot", str(picture), status=status)
        assert picture.read_bytes()[:4] == b"\x89PNG"
        picture.unlink()
        return found

    drawn("section", "--event", "x'", "--crossings", "4")
    drawn("section", "--event", "x - 5", "--crossings", "4", "--until", "9", status=1)
    exponents = drawn("lyapunov", "--until", "30", "--exponents", "2", "--set", "c=0.3")
    assert "exponent" in json.dumps(exponents)
    ends = drawn("basins", "--over", "x=-1.1:1.1:5", "--over", "x'=-0.1:0.1:3", "--until", "60")
    assert len(ends["attractors"]) == 2
    drawn("stability")
    drawn("stability", "--follow", "k=-1:2")
    regions = drawn("stability", "--map", "k=-1:2", "--map", "c=-1:1", "--start", "x=0")
    assert {k for row in regions["unstable"] for k in row} == {0, 1, 2}
    page = tmp_path / "play.html"
    ranges = ["--map", "k=-1:2", "--map", "c=-1:1", "--start", "x=0"]
    assert run(["play", str(model), *ranges, "-o", str(page)]) == 0
    assert '"labels":["k","c"]' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["section", "double-pendulum", "--event", "a1", "--plot", "x.txt"], "has no format of pictures"),
        (["stability", "rolling-disc", "--map", "g=1"], "not of the form NAME=A:B"),
        (["stability", "rolling-disc", "--map", "g=1:2", "--follow", "R=1:2"], "exclude each other"),
        (["basins", "double-pendulum", "--over", "a1=-1:1:3"], "basins need two values"),
        (["lyapunov", "double-pendulum", "--until", "-1"], "a final time after the initial one"),
    ],
)
def test_analyses_say_what_is_wrong(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert said in capsys.readouterr().err
