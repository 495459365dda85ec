"""`chetaev list` by topic and word, tab completion, pictures with -o, and what `make demo` installs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from chetaev.cli import run
from chetaev.commands import cli
from chetaev.model import gallery
from chetaev.model.gallery.topics import TOPICS, topic_of

ROOT = Path(__file__).resolve().parent.parent


def test_every_model_stands_under_one_topic() -> None:
    listed = [name for names in TOPICS.values() for name in names]
    assert sorted(listed) == list(gallery.names()), "a new model gets its place in model/topics.py"
    assert len(set(listed)) == len(listed)


def test_the_list_is_grouped_and_searched(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(topic) for topic in TOPICS]
    assert places == sorted(places)
    assert run(["list", "BALL", "table", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in rows} == {"ball-on-rotating-table", "ball-on-accelerated-table"}
    assert {row["topic"] for row in rows} == {topic_of("rolling-ball")} == {"Rolling bodies"}
    assert run(["list", "vehicles"]) == 0
    assert "steered-car" in capsys.readouterr().out
    assert run(["list", "snakbord"]) == 1
    assert "did you mean 'snakeboard'" in capsys.readouterr().out


def completed(monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """What the tab key offers behind a line."""
    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    shell = BashComplete(cli, {}, "chetaev", "_CHETAEV_COMPLETE")
    arguments, incomplete = shell.get_completion_args()
    return [item.value for item in shell.get_completions(arguments, incomplete)]


def test_the_tab_key_completes_models_forms_schemes_and_parameters(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert completed(monkeypatch, "chetaev show rolling-") == [
        "rolling-ball",
        "rolling-disc",
        "rolling-disc-steady",
        "rolling-disc-swaczyna",
        "rolling-ellipsoid",
    ]
    assert completed(monkeypatch, "chetaev show knife-edge --form gibbs-g") == ["gibbs-geometric"]
    assert "dop853" in completed(monkeypatch, "chetaev simulate knife-edge --method ")
    assert completed(monkeypatch, "chetaev simulate knife-edge --until 3 --set p") == ["phi=", "phi_dot="]
    assert completed(monkeypatch, "chetaev simulate no-such-model --set p") == []
    assert completed(monkeypatch, "chetaev simulate --set p") == []
    assert completed(monkeypatch, "chetaev sim") == ["simulate"]
    assert completed(monkeypatch, "chetaev list vehi") == ["vehicles"]
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "mine.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    assert completed(monkeypatch, "chetaev show mi") == ["mine.toml"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_the_program(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"_CHETAEV_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_every_model_argument_is_completed() -> None:
    for command in cli.commands.values():
        for parameter in command.params:
            if parameter.name in ("model", "form"):
                context = click.Context(command)
                assert parameter.shell_complete(context, "r"), (command.name, parameter.name)


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "sign"), [(".png", b"\x89PNG"), (".gif", b"GIF89a"), (".csv", b"time,")])
def test_simulate_writes_pictures_and_data(suffix: str, sign: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    command = ["simulate", "nonholonomic-particle", "--until", "0.2", "-o", str(path)]
    assert run(command) == 0
    assert path.read_bytes().startswith(sign)
    path.write_text("mine")
    assert run(command) == 2
    assert path.read_text() == "mine"


@pytest.mark.slow
def test_the_demo_needs_no_more_than_it_installs() -> None:
    """A study runs where what `make demo` leaves out, and what only tests need, cannot be imported."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (without,) = re.findall(r"^DEMO_WITHOUT = (.*)$", makefile, re.MULTILINE)
    missing = [*without.split(), "plotly", "scipy", "pytest", "hypothesis"]
    code = (
        f"import sys\nfor name in {missing!r}: sys.modules[name] = None\n"
        "from chetaev.commands import cli\n"
        "import chetaev.study.report, chetaev.study.pictures, chetaev.view, chetaev.study.study\n"
        "import chetaev as ch\n"
        "from chetaev.study.pictures import Pictures\n"
        "s = ch.load('nonholonomic-particle'); p = Pictures(s, ch.simulate(s, until=0.1, at=5))\n"
        "assert p.player and p.data\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_demo_installs_no_tools_and_nothing_where_all_is_ready(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, tmp_path)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}

    def planned(target: str) -> str:
        command = ["make", "-n", target]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert "demo.txt" in planned("demo")
    assert "[dev]" not in planned("demo")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".demo").touch()
    assert "pip install" not in planned("demo")
    assert '".[dev]"' in planned("test"), "after the demo the tests still need their tools"
    (tmp_path / ".venv" / ".ready").touch()
    assert "pip install" not in planned("demo")
    assert "pip install" not in planned("test")
