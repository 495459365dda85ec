"""Schemes of fixed steps over long runs: what happens to the energy, and what equal errors cost.

python benchmarks/run.py schemes          cost at equal error, as ratios against dop853
python benchmarks/schemes.py PAGE         10⁶ steps of each: the tables and figures of docs/schemes.md

The problems: the contact oscillator (integrable, reversible), also with a derivative d(cos z)/dt in L, which
changes momenta and no motion, and whose discretisations are not their own mirror images; the gallery's
transmission driven by a pendulum that turns round, in the manner of Modin and Verdier (2020), reversible
along its motion for ε = 0 only; and a chaotic oscillator in seven coordinates (McLachlan and Perlmutter
2006), reversible, but not integrable.
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
ENERGIES = (1e-3, 1e-6)
"""What the energy may be off by in a run as long as 10⁶ steps."""


def contact(gauge: float) -> ch.System:
    """The gallery's contact oscillator with −c d(cos z)/dt in L."""
    return ch.System(
        coordinates=["x", "y", "z"],
        parameters={"c": gauge},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2 + c*sin(z)*z'",
        constraints=["x' + y*z' = 0"],
        initial={"x": 1, "y": 1.5, "z": 0.2, "y'": 0, "z'": 0.5},
    )


def chaotic() -> ch.System:
    """x' + Σ yᵢ zᵢ' = 0 with the potential (x² + Σ(yᵢ² + zᵢ² + yᵢ² zᵢ²) + z₁² z₂²)/2, i = 1, 2, 3."""
    return ch.System(
        coordinates=["x", "y1", "y2", "y3", "z1", "z2", "z3"],
        lagrangian="(x'^2 + y1'^2 + y2'^2 + y3'^2 + z1'^2 + z2'^2 + z3'^2)/2"
        " - (x^2 + y1^2 + y2^2 + y3^2 + z1^2 + z2^2 + z3^2)/2"
        " - (y1^2*z1^2 + y2^2*z2^2 + y3^2*z3^2 + z1^2*z2^2)/2",
        constraints=["x' + y1*z1' + y2*z2' + y3*z3' = 0"],
        initial={"x": 1, "y1": 0.6, "y2": 0.4, "y3": 0.2, "z1": 1, "z2": 1, "z3": 1}
        | {f"{a}{i}'": 0 for a in "yz" for i in (1, 2, 3)},
    )


def transmission(epsilon: float) -> ch.System:
    """The gallery's, with another potential of the pendulum."""
    return ch.load("variable-transmission").with_parameters(epsilon=epsilon)


def problems() -> dict[str, ch.System]:
    """The problems by name."""
    return {
        "contact oscillator": ch.load("contact-oscillator"),
        "with d(cos z)/dt in L": contact(1.0),
        "transmission, ε = 0": transmission(0.0),
        "transmission, ε = 0.1": transmission(0.1),
        "chaotic oscillator": chaotic(),
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


def at_equal_energy(
    field: CompiledField, system: ch.System, method: str, error: float
) -> tuple[float, float]:
    """The longest step, or largest tolerance, that keeps the energy for 10⁶ steps of 0.1; its cost."""
    fixed = next(s for s in ch.schemes() if s.name == method).fixed
    size = 0.8 if fixed else 1e-3
    while size > (2e-2 if fixed else 1e-14):
        how: dict[str, Any] = {"step": size} if fixed else {"tolerance": size}
        worst, took = 0.0, 0.0
        for end in (300.0, 3000.0, LENGTH * STEPS):
            count = round(end / size) if fixed else 3000
            times = end / count * np.unique(np.linspace(0, count, 3001).astype(int))  # at steps, not between
            how = {"step": end / count} if fixed else how
            began = process_time()
            run = integrate(field, 0.0, *start(system), end, at=times, method=method, **how)
            took = process_time() - began
            off = np.abs(run.energy - run.energy[0])
            worst = float(np.max(off)) if run.status == "done" else float("inf")
            if not worst < error:
                break
        if worst < error:
            return size, took
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
    figure, axes = pyplot.subplots(2, 3, figsize=(11, 7), sharey=True, layout="constrained")
    drawn = ("dla-midpoint", "dla-trapezoidal", "gauss2", "gauss4", "leapfrog", "discrete-gradient")
    for axis, title in zip(axes.ravel(), problems(), strict=False):
        for colour, method in enumerate(drawn):
            times, off = kept[title, method]
            blocks = np.array_split(np.arange(1, len(off)), 200)
            worst = [max(float(np.abs(off[b]).max()), 1e-16) for b in blocks]
            axis.semilogy([times[b[-1]] for b in blocks], worst, color=f"C{colour}", label=method, lw=1.2)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("t")
        axis.set_xticks([0, 50_000, 100_000])
        axis.grid(alpha=0.3)
    for axis in axes[:, 0]:
        axis.set_ylabel("largest |E − E₀| in a 200th of the run")
    axes[1, 2].axis("off")
    axes[1, 2].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", fontsize=10)
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / "schemes-energy.svg", metadata={"Date": None})
    print()
    costs()


def costs() -> None:
    """The tables of costs at equal errors: of positions, then of the energy over a long run."""
    system = problems()["contact oscillator"]
    field = compile_field(system)
    compared = [s.name for s in ch.schemes() if s.name in ("dop853", "radau", *names()) and s.order > 1]
    for kind, heads in (
        ("positions", [f"step, cost at {error:g} after {end:g}" for error, end in ERRORS]),
        ("energy", [f"step, cost at {error:g} over 10⁶ steps of 0.1" for error in ENERGIES]),
    ):
        print(f"\n| scheme, {kind} | " + " | ".join(heads) + " |")
        print("|---|" + "---:|" * len(heads))
        least: list[float] = []
        for method in compared:
            if kind == "positions":
                cells = [at_equal_error(field, system, method, *error) for error in ERRORS]
            else:
                cells = [at_equal_energy(field, system, method, error) for error in ENERGIES]
            least = least or [took for _, took in cells]
            shown = [
                f"{size:.2g}, {took / one:.2g}" if took > 0 else "–"
                for (size, took), one in zip(cells, least, strict=True)
            ]
            print(f"| `{method}` | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        page() if sys.argv[1] == "PAGE" else costs()
    else:
        from run import table

        print(table(measure()))
