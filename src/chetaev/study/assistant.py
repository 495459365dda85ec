"""A worker process on the study's side: ask it for a stage, and hear from it until its time is over.

It is started with the package and the libraries of this process, and nothing else: Python puts the current
directory first on the path of ``python -m``, so that a file ``llvmlite.py`` lying there would be run. Here
the child gets no such entry (``-P``), the path of this process without the current directory behind its own,
and exactly the package that asks, wherever it was imported from.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import chetaev
from chetaev.study.packed_objects import unpacked

STARTING = 600.0
"""Seconds that a process may take to start, on a busy machine too; one that has died is noticed at once."""
GRACE = 2.0
"""Seconds beyond its time that a stage may take before its process is ended."""


@dataclass(frozen=True)
class Outcome:
    """How a stage went."""

    status: str  # "done", "left out", "undecided", "failed", "out of time" or "interrupted"
    seconds: float  # how long it took
    # what it found, as plain data; if it was stopped, what it had found until then
    data: dict[str, Any] = field(default_factory=dict)
    message: str = ""  # why it did not come out, in a sentence
    values: Any = field(default=None, repr=False)  # the same as objects, for the report

    @property
    def fine(self) -> bool:
        """Whether nothing is missing that could have come out."""
        return self.status in ("done", "left out", "undecided")


News = queue.Queue[tuple["Assistant", int, str | None, float]]
"""Lines from assistants: who, in which process of theirs, the line (None when the process has ended), and
when it came, for the study may be busy with something else until it reads it.
"""


class Assistant:
    """Does stages in another process, one after the other; several assistants may share their `news`."""

    def __init__(self, news: News) -> None:
        self.news = news
        self.stage: str | None = None
        self.deadline = 0.0
        self._seconds = self._since = 0.0
        self._data: dict[str, Any] = {}
        self._values: Any = None
        self._generation = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the process, so that it is ready when it is asked."""
        if self._process is not None:
            return
        self._generation += 1
        process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # an interrupt from the keyboard is for the study alone
        )
        self._process = process
        threading.Thread(target=self._listen, args=(process, self._generation), daemon=True).start()

    def ask(self, stage: str, model: str, seconds: float, effort: int | None = None) -> None:
        """Ask for a stage; answers come as news, and it is stopped after so many seconds."""
        self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        self.stage, self._data, self._values, self._seconds = stage, {}, None, seconds
        self._since = time.monotonic()
        self.deadline = self._since + STARTING
        try:
            request = {"stage": stage, "model": model, "effort": effort}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.news.put((self, self._generation, None, time.monotonic()))

    def hear(self, generation: int, line: str | None, when: float) -> Outcome | None:
        """Take one piece of news; the outcome, if the stage has ended with it."""
        if generation != self._generation or self.stage is None:
            return None  # from a process that was ended
        if line is None:
            self.stop()
            return self._ended("failed", "Its process ended without an answer (out of memory?).", when)
        answer = json.loads(line)
        if "begin" in answer:
            self._since = when
            self.deadline = self._since + self._seconds + GRACE
            return None
        if "data" in answer:
            self._data, self._values = answer["data"], unpacked(answer["values"])
            return None
        return self._ended(answer["status"], answer["end"], when)

    def overdue(self) -> Outcome:
        """End a stage whose time is over."""
        self.stop()
        now = time.monotonic()
        took = f"{now - self._since:.0f} s"
        return self._ended("out of time", f"It was stopped after {took}; give it a larger budget.", now)

    def interrupted(self) -> Outcome:
        """End a stage because the study was interrupted."""
        self.stop()
        return self._ended("interrupted", "The study was interrupted.", time.monotonic())

    def _ended(self, status: str, message: str, when: float) -> Outcome:
        """The outcome; its seconds are those between the worker's first and last word."""
        self.stage = None
        return Outcome(status, max(0.0, when - self._since), self._data, message, self._values)

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        self._generation += 1
        process.kill()
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()

    def _listen(self, process: subprocess.Popen[str], generation: int) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.news.put((self, generation, line, time.monotonic()))
        self.news.put((self, generation, None, time.monotonic()))


PROGRAM = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
home, *rest = sys.argv[1:]
sys.path += [entry for entry in rest if entry not in sys.path]
spec = spec_from_file_location("chetaev", home + "/__init__.py", submodule_search_locations=[home])
package = sys.modules["chetaev"] = module_from_spec(spec)
spec.loader.exec_module(package)
from chetaev.study.worker import main
main()
"""


def command() -> list[str]:
    """The command that starts a worker."""
    safe = "-I" if sys.flags.isolated else "-P"
    home = os.path.dirname(os.path.abspath(chetaev.__file__))
    return [sys.executable, safe, "-c", PROGRAM, home, *_path()]


def _path() -> list[str]:
    """The entries of this process's path that do not depend on where it stands."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # the directory is gone
        here = ""
    absolute = [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]
    return [entry for entry in absolute if os.path.realpath(entry) != here]
