"""`chetaev study`: from a system to a report.

The number path and the exact path run side by side, each in a process of its own: the motion waits for no
proof, and a proof that takes too long is stopped. Files are written after every stage, whole or not at all,
so a study that is interrupted leaves a readable directory.

>>> import chetaev as ch
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as place:
...     made = ch.study(ch.load("nonholonomic-particle"), place, budget=600)
...     made.complete, sorted(p.name for p in made.directory.iterdir())
(True, ['equations.tex', 'manifest.json', 'report.html', 'study.json', 'trajectory.nc'])
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import flag, number, shown
from chetaev.effort import expect_effort
from chetaev.errors import ModelError
from chetaev.model.system import System, expect_system
from chetaev.study.assistant import Outcome
from chetaev.study.study_course import Course, Watch
from chetaev.study.study_files import prepare

if TYPE_CHECKING:
    import xarray

    from chetaev.study.pictures import Pictures

BUDGET = 60.0
"""Seconds for the exact stages if nothing else is said."""


@dataclass
class Study:
    """A study under way or finished.

    Attributes
    ----------
    system
        What is studied.
    directory
        Where its files are.
    budget
        Seconds for the exact stages.
    effort
        What each exact question may cost; None for what is usual.
    started
        When it began, UTC.
    motion
        The motion, as `ch.simulate` gives it; None without one.
    outcomes
        How every stage went, and what it found.
    """

    system: System
    directory: Path
    budget: float
    effort: int | None = None
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    motion: xarray.Dataset | None = field(default=None, repr=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict, repr=False)
    pictures: Pictures | None = field(default=None, repr=False)

    @property
    def report(self) -> Path:
        """The report's file."""
        return self.directory / "report.html"

    @property
    def complete(self) -> bool:
        """Whether every stage came out."""
        return all(outcome.fine for outcome in self.outcomes.values())

    @property
    def agree(self) -> bool:
        """Whether no formulation was found to disagree with the others."""
        data = self.data("agreement")
        return not data or data["agree"] or not data["evaluated"]

    @property
    def as_claimed(self) -> bool:
        """Whether no claim of the model was judged against its expectation."""
        return not self.data("claims").get("surprising", 0)

    def data(self, stage: str) -> dict[str, Any]:
        """What a stage found; empty if it found nothing."""
        return self.outcomes[stage].data if stage in self.outcomes else {}

    def values(self, stage: str) -> Any:
        """The same as objects; None if it found nothing."""
        return self.outcomes[stage].values if stage in self.outcomes else None

    def summary(self) -> list[str]:
        """What was found, in sentences."""
        from chetaev.study.words import summary

        return summary(self)

    def to_json(self) -> dict[str, Any]:
        """Everything but the motion itself, as plain data."""
        from chetaev.model.system_display import facts, latex_rows
        from chetaev.study.provenance import provenance

        return {
            **provenance(self),
            "summary": self.summary(),
            "system": facts(self.system),
            "latex": [list(row) for row in latex_rows(self.system)],
            "model": self.system.to_toml(),
            "stages": {
                name: {"status": o.status, "seconds": round(o.seconds, 3), "message": o.message}
                for name, o in self.outcomes.items()
            },
            **{name: o.data for name, o in self.outcomes.items() if o.data},
        }

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.summary())
        link = escape(self.report.as_posix(), quote=True)
        return (
            f"<div><h3>{escape(self.system.name)}</h3>{sentences}"
            f'<p>The report: <a href="{link}" target="_blank">{link}</a></p></div>'
        )

    def __str__(self) -> str:
        return "\n".join([*self.summary(), f"report: {self.report}"])


def study(
    system: System,
    directory: str | Path = "study",
    budget: float = BUDGET,
    watch: Watch | None = None,
    *,
    force: bool = False,
    effort: int | None = None,
) -> Study:
    """Study a system and write its report.

    Parameters
    ----------
    system
        The system.
    directory
        Where ``report.html``, ``study.json``, ``equations.tex`` and ``trajectory.nc`` go; made if it does
        not exist.
    budget
        Seconds for the exact stages; the motion does not count.
    watch
        Told about the stages as they start and end: ``watch(stage, None)``, ``watch(stage, outcome)``.
    force
        Whether files of these names that chetaev did not write may be overwritten; what an earlier study
        wrote, as the directory's ``manifest.json`` lists it, is replaced in any case.
    effort
        What each exact question may cost, instead of what is usual for it; verdicts depend on this alone, the
        budget can only stop a stage.
    """
    if effort is not None:
        effort = expect_effort(effort)
    expect_system(system, "ch.study")
    seconds = number(budget, "the budget", sys.float_info.min, expected="a positive number of seconds")
    force = flag(force, "force")
    if watch is not None and not callable(watch):
        raise ModelError(f"watch is {shown(watch)}", expected="a function of a stage and its outcome")
    if not isinstance(directory, str | os.PathLike):
        raise ModelError(f"the directory is {shown(directory)}", expected="a path")
    if system.view:
        from chetaev.view.view_reader import read

        read(system)  # a mistake in the view is found before anything is written
    if system.claims:
        from chetaev.study.claims.claims import read as read_claims

        read_claims(system)
    path = Path(directory)
    prepare(path, force)
    result = Study(system, path, seconds, effort)
    Course(result, watch or (lambda stage, outcome: None), force).run()
    return result
