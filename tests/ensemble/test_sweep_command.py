"""``chetaev sweep``: what it prints, what it writes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.view.maps import map_of

GRID = ["--grid", "phi_dot=1:2:3", "--grid", "phi=0,1", "--until", "0.5"]


@pytest.fixture(autouse=True)
def _in_its_own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_sweep_is_told_and_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "knife-edge", *GRID, "-o", "out.zarr"]) == 0
    assert "6 members: 6 done" in capsys.readouterr().out
    assert run(["sweep", "knife-edge", *GRID, "-o", "out.zarr", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["members"] == 6
    assert data["ends"] == {"done": 6}
    assert data["failed"] == 0
    assert data["variables"]["final"] == ["run", "state"]
    assert ch.read("out.zarr").phi_dot.values.tolist() == [1, 1, 1.5, 1.5, 2, 2]


def test_draws_settings_events_and_laws(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--sample", "phi_dot=uniform(1, 2)", "--samples", "3", "--seed", "4", "--set", "phi=1/2"]
    asked += ["--event", "phi - 1", "--law", "turn=phi'", "--keep", "final, laws", "--at", "0,0.5,1"]
    assert run(["sweep", "knife-edge", *asked, "-o", "out.zarr", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"event_time", "law_drift", "final"} <= data["variables"].keys()


def test_members_that_fail_make_the_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    name = ch.load("pendulum-cartesian").coordinates[0]
    assert run(["sweep", "pendulum-cartesian", "--grid", f"{name}=50", "--until", "1", "-o", "out.zarr"]) == 1
    out = capsys.readouterr().out
    assert "1 no initial state" in out
    assert "as member 0" in out


@pytest.mark.slow
def test_a_map_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert run(["sweep", "knife-edge", *GRID, "-o", "out.zarr", "--map", "final:x", "map.png"]) == 0
    assert Path("map.png").read_bytes()[:4] == b"\x89PNG"
    found = ch.ensemble(ch.load("knife-edge"), {"phi_dot": [1, 2]}, until=0.1)
    with pytest.raises(ch.ModelError, match="a grid of two values"):
        map_of(found, "final:x")
    grid = ch.ensemble(ch.load("knife-edge"), {"phi_dot": [1, 2], "phi": [0, 1]}, until=0.1)
    plane, bar = map_of(grid, "final:x").axes
    assert (plane.get_xlabel(), plane.get_ylabel()) == (r"$\dot{\phi}$", r"$\phi$")
    assert bar.get_ylabel() == "final x"
    for wrong, said in (("final", "one number"), ("final:q", "has no 'q'"), ("fina:x", "no quantity 'fina'")):
        with pytest.raises(ch.ModelError, match=said):
            map_of(grid, wrong)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--grid", "phi"], "not of the form NAME=VALUE"),
        (["--grid", "phi=0:1:0"], "the number of values"),
        (["--grid", "phi=0:1:3", "--grid", "phi=1"], "gives 'phi' twice"),
        (["--sample", "phi=uniform(0,1)"], "--samples N"),
        (["--grid", "phi=0:1:3", "--keep", "finale"], "cannot be kept"),
        (["--grid", "phi=0:1:3", "--map", "final:x", "map.doc"], "no known format"),
        ([], "nothing varies"),
    ],
)
def test_mistakes_are_sentences(asked: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "knife-edge", *asked, "--until", "0.1", "-o", "out.zarr"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("out.zarr").exists()
