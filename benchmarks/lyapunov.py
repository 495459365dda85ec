"""Lyapunov exponents: k directions may cost 1.5 (k + 1) times the run alone."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from run import Row, table


def least(ask: Callable[[], Any], times: int = 7) -> float:
    """Processor time of a call, the least of some; the first one, which compiles, is not counted."""
    ask()
    found = []
    for _ in range(times):
        begun = process_time()
        ask()
        found.append(process_time() - begun)
    return min(found)


def measure() -> list[Row]:
    """The rows of this benchmark."""
    import chetaev as ch

    henon = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3",
        initial={"x": 0, "y": -0.15, "x'": 0.48, "y'": 0.1},
    )  # fmt: skip
    lorenz = ch.System(
        coordinates=["x", "y", "z"],
        dynamics={"velocities": {"x": "10*(y - x)", "y": "x*(28 - z) - y", "z": "x*y - 8/3*z"}},
        initial={"x": 1, "y": 1, "z": 20},
    )
    runs = (
        ("Hénon and Heiles", henon, 1000, (1, 4)), ("disc", ch.load("rolling-disc"), 100, (1, 4)),
        ("Lorenz", lorenz, 10, (1, 3)), ("Lorenz", lorenz, 1000, (1, 3)),
    )  # fmt: skip
    rows = []
    for name, system, until, counts in runs:
        plain = least(lambda: ch.simulate(system, until=until, at=[until]))  # noqa: B023
        for k in counts:
            carried = least(lambda: ch.lyapunov(system, until=until, exponents=k))  # noqa: B023
            what = f"{name}, {until} s: {k} Lyapunov exponent{'s' if k > 1 else ''}"
            rows.append(Row(what, "the run", carried / plain, 1.5 * (k + 1)))
    return rows


if __name__ == "__main__":
    print(table(measure()))
