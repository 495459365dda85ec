"""Studies in trouble: stages that fail, hang or die; interrupts; directories that cannot be written."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import chetaev as ch
from chetaev import interrupts
from chetaev.cli import run
from chetaev.study import assistant, pictures, stages
from chetaev.study.study import study
from portions import parts, some
from study.test_study import check_files, names

WORKER = """
import os, sys, time
from chetaev.study import stages
from chetaev.study.worker import main
def bad(system, effort):
    {before}
    {action}
    yield {{}}
stages.STAGES[{stage!r}] = bad
main()
"""
ACTIONS = {
    "sleeps": ("time.sleep(600)", "out of time", "It was stopped after"),
    "dies": ("os._exit(3)", "failed", "Its process ended without an answer"),
    "raises": ("raise ZeroDivisionError('by hand')", "failed", "ZeroDivisionError: by hand"),
    "babbles": ("print('noise'); os.write(1, b'noise'); raise MemoryError", "failed", "Out of memory"),
}


def spoil(monkeypatch, stage, action, before=""):
    """Let a stage do something else in the worker; what would sleep is ended soon, the rest has its time."""
    program = WORKER.format(stage=stage, action=action, before=before or "pass")
    monkeypatch.setattr(assistant, "command", lambda: [sys.executable, "-c", program])
    if "sleep" in action:
        monkeypatch.setattr(assistant, "GRACE", 1.0)
        monkeypatch.setitem(stages.SHARES, stage, 1e-9)


@pytest.mark.parametrize("how", parts(ACTIONS, 2))
def test_a_stage_that_does_not_come_out_is_said_so(tmp_path, monkeypatch, how):
    action, status, message = ACTIONS[how]
    spoil(monkeypatch, "laws", action)
    made = study(ch.load("nonholonomic-particle"), tmp_path, budget=600)
    assert made.outcomes["laws"].status == status
    assert message in made.outcomes["laws"].message
    assert not made.complete
    for name in ("classification", "equations", "agreement", "motion", "pictures"):
        assert made.outcomes[name].status == "done", name
    report, _ = check_files(tmp_path)
    assert "This part did not come out" in report
    assert f"The part “laws” did not come out: {status}." in made.summary()


@pytest.mark.slow
def test_what_a_stage_had_found_is_kept_when_its_time_is_over(tmp_path, monkeypatch):
    first = "yield next(stages.laws(system, effort))"
    spoil(monkeypatch, "laws", "time.sleep(600)", first)
    monkeypatch.setattr(assistant, "GRACE", 600.0)
    hear = assistant.Assistant.hear

    def until_something_came(who, generation, line, when):
        outcome = hear(who, generation, line, when)
        if outcome is None and who.stage == "laws" and "data" in json.loads(line):
            who.deadline = when
        return outcome

    monkeypatch.setattr(assistant.Assistant, "hear", until_something_came)
    made = study(ch.load("nonholonomic-particle"), tmp_path, budget=600)
    assert made.outcomes["laws"].status == "out of time"
    assert [law["name"] for law in made.data("laws")["laws"]] == ["energy"]
    report, _ = check_files(tmp_path)
    assert "This part is not complete (out of time)" in report
    assert "The part “laws” is not complete: out of time." in made.summary()


@pytest.mark.slow
def test_what_has_nothing_to_find_has_not_failed(tmp_path):
    nowhere = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x'^2 + y'^2 = -1"]
    )
    made = study(nowhere, tmp_path, budget=600)
    assert made.complete
    assert made.outcomes["agreement"].status == "left out"
    assert "no real velocities satisfy" in made.outcomes["agreement"].message


@pytest.mark.slow
def test_a_motion_that_fails_leaves_the_rest(tmp_path, monkeypatch):
    spoil(monkeypatch, "motion", "raise RuntimeError('no motion')")
    made = study(ch.load("nonholonomic-particle"), tmp_path, budget=600)
    assert made.outcomes["motion"].status == "failed"
    assert "pictures" not in made.outcomes
    assert made.outcomes["agreement"].status == "done"
    assert names(tmp_path) == ["equations.tex", "manifest.json", "report.html", "study.json"]
    check_files(tmp_path)


@pytest.mark.slow
def test_pictures_that_fail_leave_the_rest(tmp_path, monkeypatch):
    import chetaev.view

    def broken(*_, **__):
        raise RuntimeError("no ink")

    monkeypatch.setattr(chetaev.view, "scene", broken)
    made = study(ch.load("nonholonomic-particle"), tmp_path, budget=600)
    assert made.outcomes["pictures"].status == "failed"
    assert made.outcomes["pictures"].message == "RuntimeError: no ink"
    report, _ = check_files(tmp_path)
    assert "no ink" in report


@pytest.mark.slow
def test_the_exit_status_says_that_a_stage_is_missing(tmp_path, monkeypatch, capsys):
    spoil(monkeypatch, "laws", "raise ZeroDivisionError")
    assert run(["study", "nonholonomic-particle", "-o", str(tmp_path), "--budget", "600"]) == 1
    assert "failed: An error in chetaev itself" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["a file", "below a file", "a null byte"])
def test_a_directory_that_cannot_be_made(tmp_path, capsys, place):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    path = {"a file": "file", "below a file": "file/out", "a null byte": "o\0ut"}[place]
    assert run(["study", "knife-edge", "-o", str(tmp_path / path)]) == 2
    error = capsys.readouterr().err
    assert "the study cannot be written to" in error
    assert "choose another" in error
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert names(tmp_path) == ["file"]


@pytest.mark.few(1)
@pytest.mark.parametrize("number", some([errno.ENOSPC, errno.EACCES, errno.EROFS], 3, slow=1))
@pytest.mark.parametrize("what", ["study.json", "trajectory.nc", "report.html"])
def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch, capsys, number, what):
    write = Path.write_bytes

    def fails(self, data):
        if what in self.name:
            write(self, data[: len(data) // 2])
            raise OSError(number, os.strerror(number))
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", fails)
    assert run(["study", "nonholonomic-particle", "-o", str(tmp_path), "--budget", "600"]) == 2
    error = capsys.readouterr().err
    assert f"cannot be written: {os.strerror(number)}" in error
    assert "Traceback" not in error
    assert what not in names(tmp_path)
    assert not [n for n in names(tmp_path) if n.startswith(".")]


def begin(directory, *options):
    command = [sys.executable, "-m", "chetaev", "study", "rolling-disc", "-o", str(directory), *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def wait_for(path, seconds=600.0):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} did not appear"
        time.sleep(0.02)


def children(process):
    """The processes that a process has started."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(pid) for pid in path.read_text(encoding="ascii").split()]


def gone(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.4, 0.0, 1.3, 3])
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_an_interrupt_at_any_moment_leaves_a_readable_directory(tmp_path, kind, delay):
    process = begin(tmp_path)
    wait_for(tmp_path / "report.html")
    time.sleep(delay)
    workers = children(process)
    process.send_signal(kind)
    _, error = process.communicate(timeout=600)
    if kind == signal.SIGINT and process.returncode != 0:
        assert process.returncode == 130
        assert f"what was done until here is in {tmp_path}" in error
        report, data = check_files(tmp_path)
        assert "interrupted" in {stage["status"] for stage in data["stages"].values()}
        assert "The study was interrupted." in report
    else:
        for leftover in tmp_path.glob(".*"):
            leftover.unlink()
        check_files(tmp_path)
    end = time.monotonic() + 600
    while not all(map(gone, workers)) and time.monotonic() < end:
        time.sleep(0.1)
    assert all(map(gone, workers))


@pytest.mark.slow
def test_an_interrupt_keeps_what_stages_had_found(tmp_path, monkeypatch, request):
    spoil(monkeypatch, "equations", "time.sleep(600)")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may be run with it ignored

    def watch(stage, outcome):
        if stage == "equations" and outcome is None:
            signal.raise_signal(signal.SIGINT)

    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with pytest.raises(KeyboardInterrupt):
        study(ch.load("nonholonomic-particle"), tmp_path, 600, watch)
    _, data = check_files(tmp_path)
    assert data["stages"]["classification"]["status"] == "done"
    assert data["stages"]["equations"]["status"] == "interrupted"
    assert data["stages"]["agreement"]["status"] == "interrupted"


def test_a_mistake_in_the_view_is_found_before_anything_is_written(tmp_path, capsys):
    model = tmp_path / "model.toml"
    model.write_text(ch.load("knife-edge").to_toml().replace('"box"', '"bix"', 1), encoding="utf-8")
    for command in (["study", str(model), "-o", str(tmp_path / "out")], ["show", str(model)]):
        assert run(command) == 2
        error = capsys.readouterr().err
        assert "did you mean 'box'" in error
        assert f"{model}:" in error
    assert names(tmp_path) == ["model.toml"]


@pytest.mark.slow
def test_an_interrupt_that_a_library_made_an_error_of_ends_the_study(monkeypatch, tmp_path):
    class Drawing:
        def __init__(self, *_):
            interrupts.heard.append(signal.SIGINT)  # as the command line's handler does
            raise RuntimeError("a callback failed")

    monkeypatch.setattr(interrupts, "heard", [])
    monkeypatch.setattr(pictures, "Pictures", Drawing)
    with pytest.raises(KeyboardInterrupt):
        ch.study(ch.load("knife-edge"), tmp_path)
    _, data = check_files(tmp_path)
    assert data["stages"]["pictures"]["status"] == "interrupted"
