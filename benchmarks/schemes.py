"""Schemes of fixed steps over long runs: what happens to the energy, and what equal errors cost.

python benchmarks/run.py schemes          cost at equal error, as ratios against dop853
python benchmarks/schemes.py PAGE         10⁶ steps of each: the tables and figures of docs/schemes.md

The problems: the contact oscillator (integrable, reversible), and a transmission driven by a pendulum that
turns round, y' = −sin(x) z' with the potential −cos(x) + ε sin(2x) + (y² + z²)/2, in the manner of Modin and
Verdier (2020), reversible along its motion for ε = 0 only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from run import Row

import chetaev as ch
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.flow.run.motion import Run

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
STEPS = 1_000_000
SHOWN = 20_000
"""States that are looked at in a long run."""
LENGTH = 0.1
REPEAT = 5
ERRORS = ((1e-2, 1000.0), (1e-5, 1000.0))
"""What the positions may be wrong by, and when, for the comparison of costs."""


def transmission(epsilon: float) -> ch.System:
    """Two oscillators coupled by a gear whose ratio a pendulum drives."""
    return ch.System(
        coordinates=["x", "y", "z"],
        parameters={"epsilon": epsilon},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + cos(x) - epsilon*sin(2*x) - (y^2 + z^2)/2",
        constraints=["y' = -sin(x)*z'"],
        initial={"x": 0, "y": 1, "z": 0, "x'": 2.5, "z'": 1},
    )


def problems() -> dict[str, ch.System]:
    """The problems by name."""
    return {
        "contact oscillator": ch.load("contact-oscillator"),
        "transmission, ε = 0": transmission(0.0),
        "transmission, ε = 0.1": transmission(0.1),
    }


def names() -> list[str]:
    """The schemes of fixed steps that apply to all of them."""
    return [s.name for s in ch.schemes() if s.fixed and s.name != "lie-midpoint"]


def start(system: ch.System) -> tuple[list[float], list[float]]:
    """Initial positions and velocities."""
    state = system.state
    return [state.position[c] for c in system.coordinates], [state.velocity[c] for c in system.coordinates]


def long_run(system: ch.System, method: str, steps: int = STEPS) -> tuple[np.ndarray, np.ndarray, float]:
    """Times, what the energy is off by, and the microseconds of processor time that a step took."""
    field = compile_field(system)
    end = LENGTH * steps
    integrate(field, 0.0, *start(system), LENGTH, method=method, step=LENGTH, at=[LENGTH])  # compiles
    began = process_time()
    run = integrate(
        field, 0.0, *start(system), end, at=np.linspace(0, end, SHOWN + 1), method=method, step=LENGTH
    )
    took = process_time() - began
    return run.times, run.energy - run.energy[0], 1e6 * took / max(run.statistics.steps, 1)


def at_equal_error(
    field: CompiledField, system: ch.System, method: str, error: float, end: float
) -> tuple[float, float]:
    """The longest step, or largest tolerance, with a smaller error at the end, and the time the run takes."""
    exact = integrate(field, 0.0, *start(system), end, at=[end], tolerance=1e-14).q[-1]
    fixed = next(s for s in ch.schemes() if s.name == method).fixed
    size = 0.8 if fixed else 1e-3
    while size > (1e-3 if fixed else 1e-13):
        how: dict[str, Any] = {"step": size} if fixed else {"tolerance": size}

        def once(until: float, how: dict[str, Any] = how) -> tuple[Run, float]:
            began = process_time()
            made = integrate(field, 0.0, *start(system), until, at=[until], method=method, **how)
            return made, process_time() - began

        run = once(end)[0]
        if run.status == "done" and float(np.max(np.abs(run.q[-1] - exact))) < error:
            before = min(once(1e-3)[1] for _ in range(REPEAT))  # what a run costs that has one step
            return size, min(once(end)[1] for _ in range(REPEAT)) - before
        size /= 2.0**0.5 if fixed else 10**0.5
    return float("nan"), float("nan")


def measure() -> list[Row]:
    """The rows of this benchmark: what an error of 0.01 after 1000 time units costs."""
    rows, system = [], problems()["contact oscillator"]
    field = compile_field(system)
    _, least = at_equal_error(field, system, "dop853", *ERRORS[0])
    for method in names():
        if next(s for s in ch.schemes() if s.name == method).order > 1:
            _, took = at_equal_error(field, system, method, *ERRORS[0])
            rows.append(Row(f"contact oscillator, error 0.01 after 1000: {method}", "dop853", took / least))
    return rows


def page() -> None:
    """The tables of the page, on standard output, and its figures."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "schemes"
    from matplotlib import pyplot

    kept: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = {}
    print("| scheme | " + " | ".join(problems()) + " | µs a step |")
    print("|---|" + "---:|" * (len(problems()) + 1))
    for method in names():
        cells, cost = [], 0.0
        for title, system in problems().items():
            times, off, cost = long_run(system, method)
            kept[title, method] = times, off
            tenth = len(off) // 10
            if len(off) < SHOWN:
                cells.append(f"ends at {times[-1]:.0f}")
            else:
                cells.append(f"{np.abs(off[:tenth]).max():.0e}, {np.abs(off[-tenth:]).max():.0e}")
        print(f"| `{method}` | " + " | ".join(cells) + f" | {cost:.1f} |", flush=True)
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 4.2), sharey=True, layout="constrained")
    drawn = ("dla-midpoint", "dla-trapezoidal", "gauss2", "gauss4", "leapfrog", "discrete-gradient")
    for axis, title in zip(axes, problems(), strict=True):
        for colour, method in enumerate(drawn):
            times, off = kept[title, method]
            blocks = np.array_split(np.arange(1, len(off)), 200)
            worst = [max(float(np.abs(off[b]).max()), 1e-16) for b in blocks]
            axis.semilogy([times[b[-1]] for b in blocks], worst, color=f"C{colour}", label=method, lw=1.2)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("t")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("largest |E − E₀| in a 200th of the run")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(drawn), fontsize=9)
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / "schemes-energy.svg", metadata={"Date": None})
    print()
    costs()


def costs() -> None:
    """The table of costs at equal error."""
    heads = [f"step, cost at {error:g} after {end:g}" for error, end in ERRORS]
    print("| scheme | " + " | ".join(heads) + " |")
    print("|---|" + "---:|" * len(heads))
    system = problems()["contact oscillator"]
    field = compile_field(system)
    found = {
        scheme.name: [at_equal_error(field, system, scheme.name, *error) for error in ERRORS]
        for scheme in ch.schemes()
        if scheme.name in ("dop853", "radau", *names()) and scheme.order > 1
    }
    for method, cells in found.items():
        shown = [
            f"{size:.2g}, {took / least:.2g}" if took > 0 else "–"
            for (size, took), (_, least) in zip(cells, found["dop853"], strict=True)
        ]
        print(f"| `{method}` | " + " | ".join(shown) + " |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        page() if sys.argv[1] == "PAGE" else costs()
    else:
        from run import table

        print(table(measure()))
