"""The command line: facts for machines, sentences for people, exit status, odd streams."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.cli import run
from chetaev.commands.command_group import cli
from chetaev.equations import leading_form


def strict(text: str) -> object:
    """JSON without the words NaN and Infinity, which are none of its own."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "rolling-disc"],
        ["show", "acceleration-constraint"],
        pytest.param(["show", "double-pendulum", "--form", "all"], marks=pytest.mark.slow),
        ["show", "leibniz-particle", "--form", "reduced"],
        ["compare", "knife-edge", "--samples", "2", "--no-prove"],
        ["laws", "leibniz-particle", "--law", "direction=y'/x'"],
        ["simulate", "acceleration-constraint", "--at", "0,1"],
        ["simulate", "relativistic-particle", "--at", "0,0.5", "--check"],
    ],
    ids=" ".join,
)
def test_json_is_strict_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments, "--json"]) == 0
    assert strict(capsys.readouterr().out)


def test_simulate_prints_the_values_of_a_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "leibniz-particle", "--until", "0.1", "--law", "speed=sqrt(x'^2 + y'^2)"]) == 0
    assert re.search(r"speed +: 2\.236\d* at the start, 2\.68\d* at the end", capsys.readouterr().out)


def test_show_tells_which_kind_of_constraint(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "leibniz-particle"]) == 0
    printed = capsys.readouterr().out
    assert "nonholonomic, nonlinear of degree 2, scleronomic" in printed
    assert "constraint residuals" in printed


def test_show_tells_what_equations_leave_open_B7(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "free.toml"
    model.write_text(
        'coordinates = ["x", "y"]\n[dynamics]\ndegenerate = true\nlagrangian = "(x\' - y)^2/2"\n'
    )
    assert run(["show", str(model)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "the equations leave 1 of 2 accelerations open (B̄ has rank 1 of 2), and ask for" in printed
    assert "chetaev dirac goes on from here" in printed
    assert "0 = x' - y" in printed


def test_compare_that_cannot_compare_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "massless.toml"
    model.write_text(
        'coordinates = ["x", "y"]\n[dynamics]\ndegenerate = true\nlagrangian = "x\'^2/2 - y*x^2"\n'
    )
    assert run(["compare", str(model), "--samples", "2"]) == 1
    assert "nothing to compare" in capsys.readouterr().out


def test_simulate_that_ends_early_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "motion.json"
    arguments = [
        "appell-hamel",
        "--until",
        "5",
        "--set",
        "x_dot=-0.3",
        "--set",
        "y_dot=-0.4",
        "--set",
        "z_dot=1/3",
    ]
    assert run(["simulate", *arguments, "-o", str(out)]) == 1
    assert "independent" in capsys.readouterr().out
    assert json.loads(out.read_text())["attributes"]["end_time"] < 1


@pytest.mark.parametrize("name", ["", ".", "/", "a" * 300, "..", "\x07bell", ".toml"])
def test_new_refuses_what_is_no_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", name]) == 2
    assert not list(tmp_path.iterdir())


def test_new_writes_a_model_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "my-skate"]) == 0
    assert run(["new", "my-skate"]) == 2
    assert run(["new", "my-skate", "--force"]) == 0
    assert run(["simulate", "my-skate.toml", "--until", "1"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shw"], "did you mean 'show'"),
        (["show"], "MODEL"),
        (["show", "rolling-dsc"], "did you mean 'rolling-disc'"),
        (["show", "rolling-disc", "--jsn"], "did you mean '--json'"),
        (["show", "rolling-disc", "--form", "reducd"], "did you mean 'reduced'"),
        (["simulate", "rolling-disc", "--set", "m"], "NAME=VALUE"),
        (["simulate", "rolling-disc", "--set", "q=1"], "no parameter or coordinate"),
        (["simulate", "rolling-disc", "--at", "1,zwei"], "--at"),
        (["simulate", "rolling-disc", "-o", "x.xyz"], "no known format"),
        (["laws", "rolling-disc", "--law", "p"], "NAME=VALUE"),
        (["laws", "rolling-disc", "--law", "p=zz"], "unknown name"),
        (["compare", "rolling-disc", "--samples", "0"], "samples"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_mistakes_are_sentences(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert "Traceback" not in printed


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command line run by the shell, with this interpreter as $PY."""
    command = command.replace("$PY", f"{shlex.quote(sys.executable)} -m chetaev")  # its path may have a space
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


@pytest.mark.few(1)
@pytest.mark.skipif(os.name != "posix", reason="these are streams of a Unix shell")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("$PY list >&-", 0),
        ("$PY list > /dev/full", 2),
        ("set -o pipefail; $PY show knife-edge | head -n 1", 0),
        ("LC_ALL=C PYTHONIOENCODING=ascii $PY show leibniz-particle", 0),
        ("COLUMNS=30 TERM=dumb $PY list", 0),
    ],
)
def test_odd_streams_do_no_harm(command: str, status: int) -> None:
    done = shell(command)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


def test_events_have_a_direction_and_may_end_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "leibniz-particle", "--until", "2", "--json"]
    assert run([*arguments, "--event", "rising: z'", "--event", "falling: z'", "--event", "z'"]) == 0
    events = json.loads(capsys.readouterr().out)["attributes"]["events"]
    assert [event["name"] for event in events] == ["falling: z'", "z'"]
    assert run([*arguments, "--stop", "falling: z'", "--stop", "rising:x-100"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attributes"]["status"] == "event"
    assert found["time"][-1] == pytest.approx(0.246342537607)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--event", "faling: z'"], ["'faling' is no direction", "did you mean 'falling'"]),
        (["--stop", "falling: z'+"], ["--stop:1:4", "ends too early"]),
        (["--stop", "falling:"], ["--stop:1:1", "empty"]),
        (["--event", "q"], ["--event:1:1", "unknown name 'q'"]),
        (["--law", "speed"], ["NAME=VALUE", "for example --law"]),
        (["--law", "h=qq"], ["--law:1:1", "unknown name 'qq'"]),
        (["--law", "h=z", "--law", "h=x"], ["--law gives 'h' twice"]),
        (["--at", "0,,1"], ["a number is missing"]),
        (["--at", "0,zwei"], ["'zwei' is not a number"]),
        (["-o", "/nonexistent/motion.nc"], ["cannot be written: No such file or directory\n"]),
    ],
    ids=lambda x: " ".join(x),
)
def test_mistakes_of_a_run_name_the_option(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["simulate", "leibniz-particle", "--until", "0.1", *arguments]) == 2
    printed = capsys.readouterr().err
    for part in words:
        assert part in printed


@pytest.mark.slow
def test_a_model_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.toml"
    model.write_text(
        'name = "\\u001b[31mred\\u001b]0;title\\u0007\\u202E"\nsummary = "one\\ntwo \\u001b[2J"\n'
        'coordinates = ["x"]\n[dynamics]\nlagrangian = "x\'^2/2"\n'
        "[initial.velocity]\nx = 1\n[run]\nuntil = 1\n"
    )
    for command in ("show", "simulate", "compare", "laws"):
        assert run([command, str(model)]) == 0
        printed = capsys.readouterr()
        for character in "\x1b\x07\u202e":
            assert character not in printed.out + printed.err
    assert run(["show", str(model)]) == 0
    assert "one\ntwo" in capsys.readouterr().out


def test_help_lists_every_command_once_and_cuts_no_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    printed = capsys.readouterr().out
    named = [line.split()[0] for line in printed.splitlines() if line[:2] == "  " and line[2:3].islower()]
    assert sorted(named) == sorted(cli.commands)
    assert "..." not in printed.split("\n", 1)[1]


@pytest.mark.slow
def test_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "34")
    assert run(["list"]) == 0
    printed = capsys.readouterr().out
    assert "rolls" in printed  # what the models are is not lost
    assert max(map(len, printed.splitlines())) <= max(34, *(len(name) for name in ch.gallery()))
    assert run(["show", "rolling-disc"]) == 0
    printed = capsys.readouterr().out
    assert "psi, phi, theta" in printed.replace("\n  ", " ")


@pytest.mark.slow
def test_a_narrow_terminal_cuts_no_number_and_no_name_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = tmp_path / "long.toml"
    model.write_text("""
        coordinates = ["position_along_the_road", "position_across_the_road"]
        dynamics.lagrangian = "position_along_the_road'^2 + position_across_the_road'^2"
        constraints.velocity = ["position_across_the_road' = position_along_the_road'/3"]
        initial.velocity.position_along_the_road = 1
        """)
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["simulate", str(model), "--until", "1", "--at", "0,0.5,1"]) == 0
    printed = capsys.readouterr().out
    assert "position_along_the_road_dot" in printed
    assert "0.1666" in printed
    assert run(["simulate", "car-with-trailers-2", "--at", "0,1,2,3,4,5"]) == 0
    assert run(["compare", "heisenberg", "--samples", "2", "--no-prove"]) == 0
    printed += capsys.readouterr().out
    assert "first-variation" in printed
    assert "…" not in printed
    assert run(["show", str(model)]) == 0
    assert "…" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_large_model_is_shown_in_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "large.toml"
    parameters = "\n".join(f"p{i} = {i}" for i in range(1000))
    terms = " + ".join(f"p{i}*x^2" for i in range(1000)) + " + x*1" * 5000
    model.write_text(
        f'coordinates = ["x"]\n[parameters]\n{parameters}\n[dynamics]\nlagrangian = "x\'^2 + {terms}"\n'
    )
    assert run(["show", str(model)]) == 0
    printed = capsys.readouterr().out
    assert "… and 800 more; --json has them" in printed
    assert "letters in all" in printed
    assert len(printed) < 60_000


@pytest.mark.slow
def test_formulas_that_nobody_reads_are_left_out_and_this_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chetaev.constraint.submanifold.normal_form.READABLE", 20)
    monkeypatch.setattr(leading_form, "LONGEST", 20)
    assert run(["show", "rolling-disc"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "normal form: x', y' as functions of the other velocities, too long to be shown (" in printed
    assert "Equations of motion too long to be read here; --form chetaev has those" in printed
    model = tmp_path / "contradiction.toml"
    model.write_text(
        'coordinates = ["x", "y"]\n[dynamics]\nlagrangian = "x\'^2 + y\'^2"\n'
        '[constraints]\nvelocity = ["x\' = 1", "x\' = 2"]\n'
    )
    assert run(["show", str(model)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Which kind of constraint undecided - the constraints contradict each other" in printed
    assert "Equations of motion no point of the constraint could be found" in printed


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--latex"]])
def test_K23_show_says_which_equations_do_not_determine_the_motion(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "loose.toml"
    model.write_text(
        'coordinates = ["x", "y", "z"]\n'
        '[dynamics]\nlagrangian = "x\'^2/2 - x^2/2"\ndegenerate = true\n'
        "[constraints]\nvelocity = [\"z' = x*y'\"]\n",
        encoding="utf-8",
    )
    for name, said in ((str(model), True), ("knife-edge", False)):
        assert run(["show", name, "--form", "reduced", *more]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert ("the accelerations are not determined" in shown) is said


def test_an_event_that_does_not_occur_is_said_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "knife-edge", "--until", "1", "--event", "x + 1000", "--event", "phi - 1/2"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "event x + 1000 : did not occur: it stays at least 1e+03 from zero, at times no more than" in shown
    assert "event phi - 1/2 : at 0." in shown


STEERING = (
    "\x1b[31m \x00 \x07 \x7f \x80 \x9b31m \x85 \u200b \u200e \u202e \u2066 \u2028 \u2029 \ufeff \U000e0041 "
    "θ 轮 🙂"
)


STUDY = pytest.param(
    ["study", "{model}", "--budget", "1", "-o", "out", "--json"], marks=pytest.mark.slow, id="study"
)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "{model}", "--json"], ["show", "{model}", "--form", "chetaev", "--json"],
        ["compare", "{model}", "--samples", "2", "--no-prove", "--json"], ["laws", "{model}", "--json"],
        ["simulate", "{model}", "--json"], STUDY,
        ["show", "{model}"], ["show", "{model}", "--latex"], ["show", "{model}", "--form", "all", "--latex"],
        ["simulate", "{model}"], ["laws", "{model}"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_whatever_a_model_says_nothing_steers_the_terminal(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = json.dumps(STEERING, ensure_ascii=True).replace("\\ud83d\\ude42", "🙂")
    said = said.replace("\\udb40\\udc41", "\\U000e0041").replace("\x7f", "\\u007f")
    model = f"""
name = {said}
summary = {said}
source = {said}
coordinates = ["x", "y"]
dynamics.lagrangian = "(x'^2 + y'^2)/2 - x"
constraints.velocity = ["y' = x*x'"]
initial.velocity.x = 1
run.until = 0.1
"""
    Path("model.toml").write_text(model, encoding="utf-8")
    run([argument.format(model="model.toml") for argument in arguments])
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert all(c.isprintable() or c == "\n" for c in text), sorted(set(text))
    if "--json" in arguments:
        data = json.loads(printed.out)
        assert "θ 轮 🙂" in printed.out or STEERING not in json.dumps(data, ensure_ascii=False)
        if arguments[0] == "show" and "--form" not in arguments:
            assert data["name"] == STEERING
    for made in Path("out").glob("*.json"):
        text = made.read_text(encoding="utf-8")
        assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("command", ["simulate", "laws"])
@pytest.mark.parametrize(
    ("table", "place"),
    [("[view]\nbodie = []\n", "bodie"), ('[[claims]]\nconservd = "x\'"\n', "did you mean 'conserved'")],
)
def test_every_command_checks_all_of_the_file(
    command: str, table: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "free.toml"
    model.write_text(
        'coordinates = ["x"]\n[dynamics]\nlagrangian = "x\'^2/2"\n[initial.position]\nx = 1\n'
        f"[run]\nuntil = 1\n{table}",
        encoding="utf-8",
    )
    assert run([command, str(model)]) == 2
    assert place in capsys.readouterr().err
