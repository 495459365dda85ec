"""The course of a study: two assistants at work, files after every stage, interrupts at any moment."""

from __future__ import annotations

import queue
import time
from base64 import b64decode
from collections.abc import Callable
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.interrupts import expect_none
from chetaev.results import json_text
from chetaev.study.assistant import Assistant, News, Outcome
from chetaev.study.stages import EXACT, SHARES, exact_stages
from chetaev.study.study_files import clear, write

if TYPE_CHECKING:
    from chetaev.study.study import Study

Watch = Callable[[str, Outcome | None], None]
"""Told when a stage starts (None) and how it went."""

ORDER = ("motion", "pictures", *EXACT)
"""All stages, in the order in which they are listed."""


class Course:
    """Runs the stages of a study and records their outcomes in it; `tell` is told about them."""

    def __init__(self, study: Study, tell: Watch, force: bool = False) -> None:
        self.study = study
        self.force = force
        self.tell = tell
        self.model = study.system.to_toml()
        self.left = study.budget
        self.planned = exact_stages(study.system)
        self.waiting = list(self.planned)
        self.news: News = queue.Queue()
        self.numbers, self.exact = Assistant(self.news), Assistant(self.news)

    def run(self) -> None:
        """Run all stages; on an interrupt, write what there is."""
        try:
            clear(self.study.directory, self.force)
            self._begin_motion()
            self._next_exact()
            self._write()  # from now on there is a report to read
            while running := [a for a in (self.numbers, self.exact) if a.stage is not None]:
                self._wait(min(running, key=lambda a: a.deadline))
                expect_none()
        except KeyboardInterrupt:
            self._interrupted()
            raise
        finally:
            self.numbers.stop()
            self.exact.stop()

    def _begin_motion(self) -> None:
        if self.study.system.initial is None:
            words = "The model has no initial state, so it is not run; [initial] gives it one."
            self._record("motion", Outcome("left out", 0.0, {}, words))
            return
        self.tell("motion", None)
        self.numbers.ask("motion", self.model, max(300.0, 5 * self.study.budget))

    def _next_exact(self) -> None:
        if not self.waiting:
            return
        later = sum(SHARES[name] for name in self.waiting)
        name = self.waiting.pop(0)
        self.tell(name, None)
        seconds = max(0.5, self.left * SHARES[name] / later)
        self.exact.ask(name, self.model, seconds, self.study.effort)

    def _wait(self, first: Assistant) -> None:
        """Wait for news, but not beyond the deadline of the stage that must end first."""
        try:
            who, generation, line, when = self.news.get(timeout=max(0.0, first.deadline - time.monotonic()))
        except queue.Empty:
            who, stage, outcome = first, first.stage, first.overdue()
        else:
            stage = who.stage
            heard = who.hear(generation, line, when)
            if heard is None:
                return
            outcome = heard
        assert stage is not None
        if who is self.exact:
            self.left = max(0.0, self.left - outcome.seconds)
            self._next_exact()  # it works while the outcome is written
        else:
            who.stop()
            outcome = self._keep_motion(outcome)
        self._record(stage, outcome)
        if stage == "motion" and self.study.motion is not None:
            self._draw()

    def _record(self, stage: str, outcome: Outcome) -> None:
        outcomes = {**self.study.outcomes, stage: outcome}
        self.study.outcomes = {name: outcomes[name] for name in ORDER if name in outcomes}
        if stage in ("motion", "laws"):
            self._follow_laws()
        self._write()
        self.tell(stage, outcome)

    def _keep_motion(self, outcome: Outcome) -> Outcome:
        """Write the motion to its file, and load it."""
        if not outcome.data:
            return outcome
        import xarray

        path = self.study.directory / "trajectory.nc"
        write(path, b64decode(outcome.data["netcdf"]))
        self.study.motion = xarray.load_dataset(path, engine="h5netcdf")
        return Outcome(outcome.status, outcome.seconds, outcome.data["figures"], outcome.message)

    def _follow_laws(self) -> None:
        """Evaluate the laws along the motion, when there are both."""
        from chetaev.study.told_figures import follow

        laws = self.study.values("laws")
        if self.study.motion is None or not laws:
            return
        curves = follow(self.study.system, self.study.motion, laws, self.study.data("laws")["laws"])
        if self.study.pictures is not None:
            self.study.pictures.add_drifts(self.study.motion, curves)

    def _draw(self) -> None:
        """The animation and the plots; they are drawn once."""
        from chetaev.study.pictures import Pictures

        assert self.study.motion is not None
        self.tell("pictures", None)
        start = time.monotonic()
        try:
            self.study.pictures = Pictures(self.study.system, self.study.motion)
            self._follow_laws()
            outcome = Outcome("done", time.monotonic() - start)
        except Exception as error:  # the report comes out without pictures, and says so
            expect_none()
            own = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
            outcome = Outcome("failed", time.monotonic() - start, {}, own)
        self._record("pictures", outcome)

    def _interrupted(self) -> None:
        found = self.study.outcomes
        for who in (self.numbers, self.exact):
            if who.stage is not None and who.stage != "motion":
                found.setdefault(who.stage, who.interrupted())
        every = [name for name in ORDER if name not in EXACT or name in self.planned]
        for name in every:
            found.setdefault(name, Outcome("interrupted", 0.0, {}, "The study was interrupted."))
        self.study.outcomes = {name: found[name] for name in every}
        self._write()

    def _write(self) -> None:
        from chetaev.study.report import render
        from chetaev.study.tex import equations_tex

        directory = self.study.directory
        text = json_text(self.study.to_json(), indent=1)
        write(directory / "study.json", text)
        if self.study.data("equations"):
            write(directory / "equations.tex", equations_tex(self.study))
        write(self.study.report, render(self.study))
