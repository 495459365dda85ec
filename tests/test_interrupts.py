"""An interrupt at any moment of a command's life ends it quietly: no traceback, exit status 130."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chetaev import cli, commands, interrupts
from portions import parts

PROGRAM = """
import sys
from chetaev.cli import main
class Door:
    def find_spec(self, name, *_):
        if name == "chetaev.commands":
            print("the door is open", file=sys.stderr, flush=True)
sys.meta_path.insert(0, Door())
sys.argv[0] = "chetaev"
main()
"""
"""Says when somebody is in: before that an interrupt is Python's affair."""
COMMANDS = {
    "list": ["list"],
    "show": ["show", "rolling-disc"],
    "simulate": ["simulate", "rolling-disc", "--until", "2", "-o", "motion.nc"],
    "compare": ["compare", "heisenberg", "--samples", "4"],
    "laws": ["laws", "knife-edge"],
    "study": ["study", "knife-edge", "--budget", "600", "-o", "study"],
    "sweep": ["sweep", "rolling-disc", "--grid", "theta=0.1:0.5:400", "--until", "900", "-o", "sweep.zarr"],
}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


def interrupted(arguments: list[str], delay: float, directory: Path, again: bool = False) -> tuple[int, str]:
    """Exit status and error stream of a command that is interrupted so many seconds after its first line."""
    command = [sys.executable, "-P", "-c", f"import signal\nsignal.signal({int(signal.SIGINT)}, "]
    command[-1] += f"signal.default_int_handler)\n{PROGRAM}"  # also where the shell ignores interrupts
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=directory
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    if again:
        time.sleep(0.003)
        process.send_signal(signal.SIGINT)
    error = first + process.stderr.read()
    process.stderr.close()
    return process.wait(timeout=600), error


def check(status: int, error: str) -> None:
    assert "Traceback" not in error, error
    assert "Exception ignored" not in error, error
    assert status in (0, 130), error
    assert status == 0 or "interrupted" in error


@pytest.mark.few(3)
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.2])
def test_an_interrupt_while_modules_are_imported(delay: float, tmp_path: Path) -> None:
    check(*interrupted(COMMANDS["simulate"], delay, tmp_path))


@pytest.mark.parametrize("part", parts(range(4), 1))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_hundred_interrupts(command: str, part: int, tmp_path: Path) -> None:
    """A hundred over all commands, half of them in the first half second, some of them two at a time."""
    generator = random.Random(f"{command} {part}")
    for i in range(5):
        delay = generator.uniform(0.0, 0.5 if i % 2 else 3.0)
        again = i % 4 == 3
        check(*interrupted(COMMANDS[command], delay, tmp_path, again))
        assert again or not list(tmp_path.glob(".*")), "nothing half-written is left"


MODULE = """
import signal
from chetaev import cli
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests before left to their children
def run(arguments):
    try:
        exec("signal.raise_signal(signal.SIGINT)")
    except KeyboardInterrupt:
        return 130
cli.run = run
cli.main()
"""


def test_an_interrupt_inside_of_a_text_that_is_executed_ends_a_module_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(MODULE, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, check=False)
    assert done.returncode == 130


def test_an_interrupt_that_a_library_turns_into_an_error_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def turned(**_: object) -> None:
        monkeypatch.setattr(interrupts, "heard", [signal.SIGINT])
        raise SystemError("returned a result with an exception set")

    monkeypatch.setattr(commands.cli, "main", turned)
    assert cli.run(["list"]) == 130
    assert capsys.readouterr().err == "chetaev: interrupted\n"
