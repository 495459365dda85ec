"""``chetaev stability``: facts for machines, exit status, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chetaev.cli import run


def test_stability_prints_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stability", "pendulum-cartesian", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["complete"] is True
    assert [e["stable"] for e in data["equilibria"]] == [True, False]


def test_no_equilibrium_is_status_1_and_a_mistake_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "fall.toml"
    model.write_text('coordinates = ["z"]\n[dynamics]\nlagrangian = "z\'^2/2 - z"\n')
    assert run(["stability", str(model)]) == 1
    assert "there are none" in capsys.readouterr().out
    for arguments in (
        ["stability", "snakeboard"],
        ["stability", "rolling-disc", "--moving", "theta"],
        ["stability", "rolling-disc", "--given", "theta=0"],
        ["stability", "rolling-disc", "--moving", "x,y,psi,phi", "--given", "theta"],
    ):
        assert run(arguments) == 2
        assert "Traceback" not in capsys.readouterr().err
    assert run(["stability", "rolling-disc", "--moving", "x,y", "--given", "x'=0", "--given", "x'=1"]) == 2
    assert '--given gives "x\'" twice' in capsys.readouterr().err


def test_a_family_asks_for_options_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stability", "rolling-disc", "--moving", "x,y,psi,phi"]) == 2
    assert "on the command line --given and --free" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_steady_motions_along_symmetries_M6_on_the_command_line(capsys):
    sleigh = ["caratheodory-sleigh", "--symmetry", "x=1", "--symmetry", "y=1", "--symmetry", "x=-y,y=x,phi=1"]
    assert run(["stability", *sleigh]) == 0
    assert "any rate_1" in capsys.readouterr().out
    assert run(["stability", "caratheodory-sleigh", "--symmetry", "x=1,x=2"]) == 2
    assert "given twice" in capsys.readouterr().err
    assert run(["stability", "caratheodory-sleigh", "--given", "x=1"]) == 2
    assert "--symmetry" in capsys.readouterr().err
