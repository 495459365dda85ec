"""Signs of life on the terminal's error stream while something takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from chetaev.terminal import console, indented, words

if TYPE_CHECKING:
    from chetaev.model.system import System
    from chetaev.study.assistant import Outcome
    from chetaev.study.study import Study


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A sign of life on the terminal's error stream while something takes time."""
    out = Console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with out.status(f"{what} …"):
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on the terminal's error stream; yields what is called with the part that is done, from 0 to 1."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    out = Console(stderr=True)
    if not out.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description} …"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bars:
        task = bars.add_task(what, total=1.0)
        yield lambda part: bars.update(task, completed=part)


class Stages:
    """The progress of a study: one line a stage, with its time."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.out = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._status = self.out.status("") if self.out.is_terminal else None
        self._running: list[str] = []

    def __enter__(self) -> Stages:
        self.out.print(words(self.system.name, style="bold underline"), soft_wrap=True)
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def tell(self, stage: str, outcome: Outcome | None) -> None:
        """A stage starts (None), or ended so."""
        if outcome is None:
            self._running.append(stage)
        else:
            self._running = [name for name in self._running if name != stage]
            line = f"  {stage:16} {outcome.seconds:6.1f} s"
            if outcome.status != "done":
                line += f"   {outcome.status}: {' '.join(outcome.message.split())}"
            self.out.print(words(line, style="" if outcome.fine else "yellow"), soft_wrap=True)
        if self._status:
            doing = ", ".join(self._running) or "writing"
            self._status.update(f"{doing} …  (Ctrl-C stops and keeps what is done)")

    def finish(self, study: Study) -> None:
        """What was found, and where the report is."""
        out = console()
        out.print()
        for sentence in study.summary():
            indented(out, sentence, 2)
        out.print()
        out.print(words(f"report: {study.report}", style="bold"), soft_wrap=True)
