"""Whatever a model calls itself, no command lets it steer the terminal, in words or in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from chetaev.cli import run
from portions import some

EVIL = r"Evil\u009b31m\u202eX\u001b[2J\u0007"
MODEL = f"""
name = "{EVIL}"
summary = "{EVIL}"
source = "{EVIL}"
coordinates = ["x", "y", "z"]
parameters.m = 1
dynamics.lagrangian = "m*(x'^2 + y'^2 + z'^2)/2 - m*x^2/2"
constraints.velocity = ["z' = y*x'"]
initial.position.x = 0.1
initial.velocity = {{x = 0, y = 0}}
run.until = 0.2
"""
STEERING = {
    *(chr(i) for i in range(32) if chr(i) not in "\n\t"),
    *(chr(i) for i in range(0x7F, 0xA0)),
    *"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
}
COMMANDS = (
    "periodic --period 6.2", "show", "laws", "dirac", "hamilton", "helmholtz", "measure", "symmetries",
    "sweep --grid x=0.1,0.2 -o made.zarr", "reversals", "control", "stability", "stability --follow m=1:2",
    "reduce --symmetry z=1", "reduce --symmetry z=1 --lagrangian", "simulate",
)  # fmt: skip


@pytest.mark.parametrize("command", some(COMMANDS, 8))
def test_a_name_does_not_steer_the_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.toml").write_text(MODEL)
    name, *options = command.split()
    for form in ([], ["--json"]):
        assert run([name, "evil.toml", *options, *form]) in (0, 1)
        said = capsys.readouterr()
        assert said.out
        assert not STEERING & {*said.out, *said.err}


def test_long_lines_are_broken_at_words_for_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    from chetaev.commands.command_group import say, wrapped

    line = "  linear theory does not decide: " + "zeros along the family decide nothing; " * 5
    for width in (40, 80):
        parts = wrapped(line, width).split("\n")
        assert all(len(part) <= width for part in parts)
        assert " ".join(part.strip() for part in parts) == line.strip()
        assert all(part.startswith("      ") for part in parts[1:])
    say(line)
    assert capsys.readouterr().out == line + "\n"  # captured: no terminal
    place = "model.toml:1:3: unknown name\n    " + "x + " * 40 + "q\n    ^\n  did you mean 'x'?"
    assert wrapped(place, 40) == place
