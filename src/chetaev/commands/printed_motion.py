"""A motion in the terminal: states at a few times, what it kept, its events, and how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from chetaev.flow.data.labels import facts, length, name_of
from chetaev.terminal import console, section, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import xarray

    from chetaev.model.system import System


def print_motion(
    motion: xarray.Dataset, system: System, *, every: bool, laws: Iterable[str], output: str | None
) -> None:
    """A motion: its times (or only its ends), what it kept, and how it was made."""
    out = console()
    out.print(words(system.name, style="bold underline"))
    count = length(motion)
    rows = list(range(count)) if every else sorted({0, count - 1})
    tables = (_states(motion, system, rows, digits) for digits in (8, 6, 5, 4))
    narrow = out.options.update(width=10**6)
    fits = (t for t in tables if out.measure(t, options=narrow).maximum <= out.width)
    out.print(next(fits, None) or _states(motion, system, rows, 4))
    out.print()
    section(out, "Figures", _figures(motion, laws), ":")
    if motion.attrs["status"] not in ("done", "event"):
        out.print(words(str(motion.attrs["reason"]), style="bold red"))
    if output is not None:
        out.print(words(f"written to {output}"))


def _states(motion: xarray.Dataset, system: System, rows: list[int], digits: int) -> Table:
    """States at a few times side by side, at many times one below the other; nothing is cut off."""
    names = [n for c in system.coordinates for n in (c, f"{c}_dot")]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    moments = motion[name_of(motion, "time")]
    times = [f"{float(moments[i]):.6g}" for i in rows]
    if len(rows) <= 4:
        table.add_column(system.time, style="cyan", overflow="fold")
        for time in times:
            table.add_column(time, justify="right", overflow="fold")
        for name in names:
            table.add_row(name, *(f"{float(motion[name][i]):.{digits}g}" for i in rows))
        return table
    table.add_column(system.time, style="cyan", justify="right")
    shown = names if len(names) <= 6 else list(system.coordinates)
    for name in shown:
        table.add_column(name, justify="right", overflow="fold")
    for i, time in zip(rows, times, strict=True):
        table.add_row(time, *(f"{float(motion[n][i]):.{digits}g}" for n in shown))
    return table


def _ends(values: xarray.DataArray) -> str:
    first, last = float(values[0]), float(values[-1])
    return f"{first:.10g} at the start, {last:.10g} at the end (difference {last - first:.1e})"


def _figures(motion: xarray.Dataset, laws: Iterable[str]) -> Iterable[tuple[str, str]]:
    attributes = motion.attrs
    yield "status", str(attributes["status"])
    if name_of(motion, "energy") in motion:
        yield "energy", _ends(motion[name_of(motion, "energy")])
    for name in laws:
        yield name, _ends(motion[name])
    for name in ("residual", "position_residual"):
        if name_of(motion, name) in motion:
            worst = float(abs(motion[name_of(motion, name)]).max())
            yield f"largest {name.replace('_', ' ')}", f"{worst:.1e}"
    if "check_error" in attributes:
        yield (
            "difference of the check run",
            f"{float(attributes['check_error']):.1e} relative, in the final state",
        )
    if hits := facts(attributes, "impacts"):
        yield "impacts", f"{len(hits)}, the last at {hits[-1]['time']:.10g}"
    for contact in facts(attributes, "contacts"):
        yield f"contact {contact['stop']}", f"from {contact['from']:.10g} to {contact['to']:.10g}"
    for stretch in facts(attributes, "held"):
        yield f"held at {stretch['zero']} = 0", f"from {stretch['from']:.10g} to {stretch['to']:.10g}"
    events = facts(attributes, "events")
    for event in events[:20]:
        yield f"event {event['name']}", _when(event)
    if len(events) > 20:
        yield "further events", str(len(events) - 20)
    for watched in facts(attributes, "watched"):
        if not watched["found"] or watched["poles"] or watched["jumps"] or watched["not_examined"]:
            yield f"event {watched['name']}", watched["statement"]
    for change in facts(attributes, "schemes"):
        yield f"{change['method']} takes over", f"at {change['time']:.10g}"
    if "step" in attributes:
        yield "steps", f"{attributes['steps']} of length {attributes['step']:g}, {attributes['method']}"
        return
    yield (
        "steps",
        f"{attributes['steps']} ({attributes['rejected']} rejected), tolerance {attributes['tolerance']:g}",
    )


def _when(event: Mapping[str, Any]) -> str:
    """When an event was, and of which kind if it is no crossing."""
    if event["kind"] == "zero":
        return f"from {event['from']:.12g} to {event['to']:.12g} (zero, within the accuracy)"
    kinds = {"touch": " (touch, within the accuracy)", "end": " (at the end of the run)"}
    return f"at {event['time']:.12g}{kinds.get(event['kind'], '')}"
