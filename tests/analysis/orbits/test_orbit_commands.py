"""``chetaev periodic`` and ``chetaev reversals``: facts for machines, exit status, mistakes (M6)."""

from __future__ import annotations

import json

import pytest

from chetaev.cli import run


@pytest.mark.slow
def test_periodic_prints_facts_M6(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["periodic", "rolling-disc", "--event", "theta'", "--guess", "theta=0.15", "--guess", "theta'=0"]
    asked += ["--guess", "psi'=3", "--guess", "phi'=0", "--relative-to", "x,y,psi,phi", "--json"]
    assert run(asked) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["kind"] == "relative periodic orbit"
    assert abs(data["period"] - 1.635913) < 1e-5
    assert len(data["multipliers"]) == 8


def test_reversals_print_facts_and_tell_none_by_the_exit_status_M6(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["reversals", "caratheodory-sleigh", "--json"]) == 0
    assert [r["holds"] for r in json.loads(capsys.readouterr().out)["reversals"]] == [True, True]
    assert run(["reversals", "damped-sleigh"]) == 1
    assert run(["reversals", "caratheodory-sleigh", "--map", "x=-x"]) == 1
    assert "refuted: at" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["periodic", "pendulum-cartesian"],
        ["periodic", "pendulum-cartesian", "--period", "-1"],
        ["periodic", "pendulum-cartesian", "--period", "2", "--guess", "x"],
        ["periodic", "bouncing-ball", "--period", "2"],
        ["reversals", "rolling-disc", "--map", "q=x"],
    ],
)
def test_mistakes_are_status_2_M6(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err
