"""The worker of a study: what it imports, from where, and whose seconds a stage counts."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import time
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.study import study_course as course
from chetaev.study.assistant import Assistant, News, command
from chetaev.study.study import Study
from portions import parts, some

PLANTED = """
import pathlib
pathlib.Path({marker!r}).write_text("it was run")
raise SystemExit("planted")
"""


def plant(directory: Path, names: list[str]) -> Path:
    """Files in a directory that leave a mark when they are run."""
    marker = directory.parent / "mark"
    for name in names:
        (directory / name).write_text(PLANTED.format(marker=str(marker)))
    return marker


def study_from(directory: Path, *start: str) -> subprocess.CompletedProcess[str]:
    arguments = ["study", "nonholonomic-particle", "--budget", "600", "-o", "made"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    return subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


OTHERS = ["llvmlite.py", "casadi.py", "sympy.py", "json.py", "queue.py", "flint.py", "xarray.py"]


@pytest.mark.parametrize(
    "start", parts([["-m", "chetaev"], ["-P", "-m", "chetaev"]], 1), ids=["as a module", "safe"]
)
def test_what_lies_in_the_current_directory_is_not_run(start: list[str], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    names = OTHERS if "-P" not in start else [*OTHERS, "chetaev.py"]  # python -m chetaev is that very file
    marker = plant(here, names)
    done = study_from(here, *start)
    assert not marker.exists()
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((here / "made" / "study.json").read_text("utf-8"))["stages"]["motion"]["status"] == "done"
    )


@pytest.mark.slow
def test_the_path_of_the_user_counts(tmp_path: Path) -> None:
    """A package that is found by PYTHONPATH, or by a path set in the program, is the worker's too."""
    home = Path(ch.__file__).parent.parent
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from chetaev.cli import main; main()"
    done = study_from(tmp_path, "-P", "-c", program, str(home))
    assert done.returncode == 0, done.stderr
    copy = tmp_path / "other" / "chetaev"
    copy.parent.mkdir()
    copy.symlink_to(home / "chetaev")
    asked = subprocess.run(
        [sys.executable, "-P", "-c", "from chetaev.study.assistant import command; print(command()[4])"],
        env=os.environ | {"PYTHONPATH": str(copy.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(asked.stdout.strip()) == copy, "the very package that asks"


def test_the_current_directory_is_not_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), "relative", *sys.path])
    given = command()[5:]
    assert given
    assert all(os.path.isabs(entry) and Path(entry) != tmp_path for entry in given)


NO_IMPORTS = """
import sys
from chetaev.model.file.loader import load
from chetaev.study.worker import answered
answers = answered({"stage": sys.argv[1], "model": load(sys.argv[2]).to_toml(), "effort": None})
assert next(answers) == {"begin": True}
before = set(sys.modules)
assert list(answers)[-1]["end"] == ""
print(*sorted(name for name in set(sys.modules) - before if name.startswith("chetaev.")))
"""


@pytest.mark.slow
@pytest.mark.parametrize("stage", some(["motion", *course.EXACT], 9, slow=2))
def test_everything_is_imported_before_the_clock_starts(stage: str) -> None:
    run = [sys.executable, "-c", NO_IMPORTS, stage, "rolling-disc"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.slow
def test_seconds_end_when_the_worker_is_done_and_not_when_the_study_hears_of_it() -> None:
    news: News = queue.Queue()
    who = Assistant(news)
    try:
        who.ask("laws", ch.load("knife-edge").to_toml(), 600.0)
        heard = []
        while not heard or "end" not in json.loads(heard[-1][2] or "{}"):
            heard.append(news.get(timeout=600))
        own = heard[-1][3] - heard[0][3]
        time.sleep(own)  # the study is busy with pictures
        outcomes = [who.hear(generation, line, when) for _, generation, line, when in heard]
        assert outcomes[-1] is not None
        assert outcomes[-1].status == "done"
        assert outcomes[-1].seconds == pytest.approx(own)
    finally:
        who.stop()


@pytest.mark.slow
def test_the_seconds_of_the_stages_of_one_worker_do_not_overlap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawing takes until an exact stage beside it has ended, and longer; the stage does not count it."""
    took: dict[str, float] = {}

    def draw(self: course.Course) -> None:
        stage = self.exact.stage
        if stage is None:
            return
        begin, end = self.exact._since, None
        while end is None:
            time.sleep(0.01)
            for who, _, line, when in list(self.news.queue):
                if who is self.exact:
                    answer = json.loads(line or "{}")
                    begin = when if "begin" in answer else begin
                    end = when if "end" in answer else end
        took[stage] = end - begin
        time.sleep(1.0)

    monkeypatch.setattr(course.Course, "_draw", draw)
    made: Study = ch.study(ch.load("nonholonomic-particle"), tmp_path, budget=600)
    assert {name: made.outcomes[name].seconds for name in took} == pytest.approx(took)
