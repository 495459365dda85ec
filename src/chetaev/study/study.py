"""`chetaev study`: from a system to a report (SCOPE: all rows that have a stage).

The number path comes first and waits for nothing: the system is run, checked by a second run, and its
motion saved. Meanwhile, and after it, the exact stages run in a process of their own under a time budget.
Files are written after every stage, whole or not at all, so an interrupted study leaves a readable
directory.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chetaev.errors import ChetaevError
from chetaev.model.display import latex_rows
from chetaev.model.facts import facts
from chetaev.model.system import System
from chetaev.study.assistant import Assistant, Outcome
from chetaev.study.files import prepare, write
from chetaev.study.stages import SHARES, STAGES

if TYPE_CHECKING:
    import xarray

BUDGET = 60.0
"""Seconds for the exact stages if nothing else is said."""

Watch = Callable[[str, Outcome | None], None]
"""Told when a stage starts (None) and how it went."""


@dataclass
class Study:
    """A study under way or finished: the system, its motion, and the outcome of every stage."""

    system: System
    directory: Path
    budget: float
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    motion: xarray.Dataset | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @property
    def report(self) -> Path:
        """The report's file."""
        return self.directory / "report.html"

    @property
    def complete(self) -> bool:
        """Whether every stage was done."""
        return all(o.status == "done" for o in self.outcomes.values())

    def data(self, stage: str) -> dict[str, Any]:
        """What a stage found, empty if it did not come out."""
        return self.outcomes[stage].data if stage in self.outcomes else {}

    def to_json(self) -> dict[str, Any]:
        """Everything but the motion itself, as plain data."""
        from chetaev import __version__

        return {
            "chetaev": __version__,
            "started": self.started,
            "budget": self.budget,
            "system": facts(self.system),
            "latex": [list(row) for row in latex_rows(self.system)],
            "model": self.system.to_toml(),
            "stages": {
                name: {"status": o.status, "seconds": round(o.seconds, 3), "message": o.message}
                for name, o in self.outcomes.items()
            },
            **{name: o.data for name, o in self.outcomes.items()},
        }


def study(
    system: System,
    directory: str | Path = "study",
    budget: float = BUDGET,
    watch: Watch | None = None,
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
        Seconds for the exact stages; the number path does not count.
    watch
        Told about the stages as they start and end.
    """
    path = Path(directory)
    prepare(path)
    result = Study(system, path, budget)
    tell = watch or (lambda stage, outcome: None)
    try:
        _number_stage(result, tell)
        _exact_stages(result, tell)
    except KeyboardInterrupt:
        for name in ("motion", *STAGES):
            result.outcomes.setdefault(name, Outcome("interrupted", 0.0, {}, "the study was interrupted"))
        _write(result)
        raise
    _write(result)
    return result


def _number_stage(result: Study, tell: Watch) -> None:
    tell("motion", None)
    start = time.monotonic()
    try:
        data = _run(result)
        outcome = Outcome("done", time.monotonic() - start, data)
    except ChetaevError as error:
        outcome = Outcome("failed", time.monotonic() - start, {}, str(error))
    result.outcomes["motion"] = outcome
    _write(result)
    tell("motion", outcome)


def _run(result: Study) -> dict[str, Any]:
    from chetaev.flow.save import save
    from chetaev.flow.simulate import simulate

    system = result.system
    if system.initial is None:
        raise ChetaevError("the model has no initial state, so it is not run")
    until = None if system.until is not None else system.state.t + 10.0
    motion = simulate(system, until=until, check=True)
    result.motion = motion
    save(motion, result.directory / "trajectory.nc")
    return {k: _plain(v) for k, v in motion.attrs.items() if k != "model"} | _figures(motion)


def _figures(motion: xarray.Dataset) -> dict[str, Any]:
    """The error figures of a motion."""
    energy = motion["energy_" if "energy_" in motion else "energy"].values
    figures: dict[str, Any] = {
        "energy_first": float(energy[0]),
        "energy_change": float(abs(energy - energy[0]).max()),
        "first_time": float(motion.time[0]),
    }
    for name in ("residual", "position_residual"):
        if name in motion:
            figures[f"largest_{name}"] = float(abs(motion[name]).max())
    return figures


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _exact_stages(result: Study, tell: Watch) -> None:
    model = result.system.to_toml()
    left = result.budget
    with Assistant() as assistant:
        for name in STAGES:
            tell(name, None)
            later = sum(SHARES[n] for n in list(STAGES)[list(STAGES).index(name) :])
            outcome = assistant.run(name, model, max(0.5, left * SHARES[name] / later))
            left = max(0.0, left - outcome.seconds)
            result.outcomes[name] = outcome
            if name == "laws":
                _add_drifts(result)
            _write(result)
            tell(name, result.outcomes[name])


def _add_drifts(result: Study) -> None:
    """How far each conserved quantity moved along the computed motion."""
    from chetaev.expr.evaluate import evaluate
    from chetaev.expr.parser import parse

    if result.motion is None:
        return
    values: dict[Any, Any] = {**result.system.parameter_values, result.system.time: result.motion.time.values}
    for name in result.system.coordinates:
        values[(name, 0)] = result.motion[name].values
        values[(name, 1)] = result.motion[f"{name}_dot"].values
    for law in result.data("laws").get("laws", []):
        series = evaluate([parse(law["expression"], result.system.scope)], values)[0]
        law["first"] = float(series if not hasattr(series, "__len__") else series[0])
        law["drift"] = float(abs(series - law["first"]).max())


def _write(result: Study) -> None:
    from chetaev.study.report import render
    from chetaev.study.tex import equations_tex

    write(result.directory / "study.json", json.dumps(result.to_json(), indent=1, ensure_ascii=False))
    if result.data("equations"):
        write(result.directory / "equations.tex", equations_tex(result.system, result.data("equations")))
    write(result.report, render(result))
