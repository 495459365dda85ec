"""A worker process on the study's side: ask for a stage, wait no longer than its time."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

GRACE = 3.0
"""Seconds beyond its time that a stage may take before its process is ended."""


@dataclass(frozen=True)
class Outcome:
    """How a stage went.

    Attributes
    ----------
    status
        ``"done"``, ``"failed"``, ``"out of time"`` or ``"interrupted"``.
    seconds
        How long it took.
    data
        What it found; empty unless done.
    message
        Why it did not come out, in a sentence.
    """

    status: str
    seconds: float
    data: dict[str, Any]
    message: str = ""


class Assistant:
    """Runs stages in another process, one after the other."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str | None] = queue.Queue()

    def __enter__(self) -> Assistant:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, stage: str, model: str, seconds: float) -> Outcome:
        """Run a stage; it is ended when its time is over."""
        start = time.monotonic()
        request = json.dumps({"stage": stage, "model": model, "seconds": seconds})
        try:
            self._send(request)
            line = self._answers.get(timeout=seconds + GRACE)
        except queue.Empty:
            self.stop()
            took = time.monotonic() - start
            return Outcome(
                "out of time", took, {}, f"it was ended after {took:.0f} s; give a larger --budget"
            )
        except KeyboardInterrupt:
            self.stop()
            raise
        took = time.monotonic() - start
        if line is None:
            self.stop()
            return Outcome("failed", took, {}, "its process ended without an answer (out of memory?)")
        answer = json.loads(line)
        if "error" in answer:
            return Outcome("failed", took, {}, answer["error"])
        return Outcome("done", took, answer["data"])

    def _send(self, request: str) -> None:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._answers.put(None)

    def _start(self) -> None:
        self._answers = queue.Queue()
        process = subprocess.Popen(
            [sys.executable, "-m", "chetaev.study.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # an interrupt from the keyboard is for the study alone
        )
        self._process = process
        threading.Thread(target=_listen, args=(process, self._answers), daemon=True).start()

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def _listen(process: subprocess.Popen[str], answers: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            answers.put(line)
    except ValueError:  # the stream was closed under us: the process was ended
        return
    answers.put(None)
