"""What the later rooms say about models, as JSON: ``python tests/analyses_of.py QUESTION …``, a line each.

Laws, symmetries, the Hamiltonian side, linearisation, steady motions, orbits, reduction, control, bodies, and
the commands that show them: verdicts, what is exact, and numbers that are computed in a fixed order.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from typing import Any

import chetaev as ch
from chetaev.cli import run
from facts_of import without_times
from verdicts_of import slow_down


def model(name: str) -> ch.System:
    """A model of the gallery."""
    return ch.load(name)


def plane_spring() -> ch.System:
    """Two coordinates with several equilibria and equal pivots."""
    return ch.System(
        coordinates=["x", "y"],
        parameters={"m": 2, "k": 1},
        lagrangian="m*(x'^2 + y'^2)/2 - k*(x^2 + y^2 - 1)^2/4 - x*y/3",
        initial={"x": 0.5, "y": 0.1, "x'": 0, "y'": 0},
        until=5,
    )


def chain(size: int = 7) -> ch.System:
    """Many unlike springs and dampers, a constraint, and no number that a double holds."""
    q = [f"x{i}" for i in range(size)]
    T = " + ".join(f"{x}'^2*{i + 3}/7 + {x}'*{q[i - 1]}'/11" for i, x in enumerate(q))
    V = " + ".join(f"sin({x} + {i}/3)*{i + 1}/9 + ({x} - {q[i - 1]}/3)^2*{i + 2}/13" for i, x in enumerate(q))
    return ch.System(
        coordinates=q,
        lagrangian=f"{T} - ({V})",
        constraints=["x0' = x1'*(1 + x2/3) + x3'/7"],
        forces={x: f"-{x}'*{i + 1}/10" for i, x in enumerate(q)},
        initial={x: 0.1 * i for i, x in enumerate(q)} | {f"{x}'": 0.3 for x in q[1:]},
        until=2,
    )


def particle() -> ch.System:
    """A particle with one nonholonomic constraint and an input."""
    return ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["z' = y*x'"],
        initial={"x": 0, "y": 0, "z": 0, "x'": 1, "y'": 0.5},
        until=1,
    )


def command(*arguments: str) -> Any:
    """What a command prints with ``--json``, and its exit status."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = run([*arguments, "--json"])
    return {"status": status, "said": json.loads(out.getvalue())}


def spoken(result: Any) -> Any:
    """Plain data and the words of a result."""
    return {"json": result.to_json(), "text": str(result)}


QUESTIONS: dict[str, Callable[[], Any]] = {
    "linearize chain": lambda: spoken(ch.linearize(chain(), inputs=["x2", "x5"], outputs=["x1*x3'"])),
    "lyapunov chain": lambda: ch.lyapunov(chain(), until=2, exponents=3, intervals=4).to_dict(),
    "steer forces": lambda: spoken(
        ch.steer(particle(), {"x": 0}, {"x": 1, "y": 0, "z": 0.3}, inputs=["x", "y"])
    ),
    "steer chained": lambda: spoken(
        ch.steer(particle(), {"x": 0}, {"x": 1, "y": 0, "z": 0.3}, method="chained")
    ),
    "return_map": lambda: ch.return_map(plane_spring(), "y")([0.5, 0.01, 0.2]),
    "periodic pendulum": lambda: spoken(
        ch.periodic(model("double-pendulum"), {"a1": 0.1, "a2": 0.14}, period=2.6)
    ),
    "linearize sleeping": lambda: spoken(ch.linearize(plane_spring(), at={"x": 0, "y": 0, "x'": 0, "y'": 0})),
    "linearize disc": lambda: spoken(
        ch.linearize(model("rolling-disc"), relative_to=["x", "y", "psi", "phi"])
    ),
    "linearize ports": lambda: spoken(
        ch.linearize(model("ziegler-pendulum"), inputs=model("ziegler-pendulum").coordinates[:1])
    ),
    "equilibria spring": lambda: spoken(ch.equilibria(plane_spring())),
    "equilibria ziegler": lambda: spoken(ch.equilibria(model("ziegler-pendulum"))),
    "equilibria box": lambda: spoken(
        ch.equilibria(
            ch.System(coordinates=["x"], lagrangian="x'^2/2 - exp(sin(3*x)) - x^2/5"), box={"x": (-3, 3)}
        )
    ),
    "relative_equilibria disc": lambda: spoken(
        ch.relative_equilibria(model("rolling-disc"), ["x", "y", "psi", "phi"], {"theta": 0.4, "phi'": 1})
    ),
    "follow": lambda: ch.follow(plane_spring(), {"x": 0, "y": 0}, "k", (0.1, 1), points=40).to_json(),
    "reduce sleigh": lambda: spoken(
        ch.reduce(
            model("caratheodory-sleigh"), symmetries=[{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
        )
    ),
    "reduce group": lambda: spoken(ch.reduce(plane_spring(), group=[{"x": "-x", "y": "-y"}])),
    "reduce_by_group": lambda: spoken(ch.reduce_by_group(particle(), [{"x": 1}, {"z": 1}])),
    "on_algebra": lambda: spoken(ch.on_algebra("so3", inertia=[1, 2, 3], initial={"w1": 1, "w2": 0.1})),
    "bodies": lambda: spoken(ch.integrals(ch.bodies.rolling(support="1 + g3/10", inertia=[1, 1, 3]).system)),
    "dirac": lambda: spoken(ch.dirac(model("christ-lee"))),
    "hamilton": lambda: spoken(ch.hamilton(particle())),
    "bracket": lambda: spoken(ch.bracket(particle())),
    "hamiltonize": lambda: spoken(ch.hamiltonize(particle())),
    "distributional": lambda: spoken(ch.distributional(particle())),
    "poisson": lambda: spoken(ch.poisson(model("suslov-poisson"))),
    "integrals": lambda: spoken(ch.integrals(particle())),
    "symmetries": lambda: spoken(ch.symmetries(particle())),
    "killing": lambda: spoken(ch.killing(plane_spring(), 1)),
    "helmholtz": lambda: spoken(ch.helmholtz(model("contact-oscillator"))),
    "measure": lambda: spoken(ch.measure(model("caratheodory-sleigh"))),
    "reversals": lambda: spoken(ch.reversals(particle())),
    "accessibility": lambda: spoken(ch.accessibility(particle(), ["x", "y"])),
    "decoupling": lambda: spoken(ch.decoupling(particle(), ["x", "y"])),
    "steer": lambda: spoken(ch.steer(particle(), {"x": 0}, {"x": 1, "y": 0, "z": 0.3})),
    "periodic": lambda: spoken(
        ch.periodic(
            ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2 - x^4/40", initial={"x": 0.1, "x'": 1}),
            period=6.0,
        )
    ),
    "lyapunov": lambda: ch.lyapunov(model("double-pendulum"), until=2, intervals=4).to_dict(),
    "section": lambda: ch.section(particle(), "x - 0.3", crossings=1, until=2.0).to_dict(),
    "linearize ellipsoid": lambda: spoken(ch.linearize(model("rolling-ellipsoid"))),
    "linearize rattleback": lambda: spoken(ch.linearize(model("rattleback"))),
    "linearize car": lambda: spoken(ch.linearize(model("car-with-trailers-2"))),
    "control snakeboard": lambda: spoken(ch.accessibility(model("snakeboard"))),
    "sensitivities": lambda: ch.sensitivities(chain()).to_dict(),
    "ensemble": lambda: ch.ensemble(chain(), {"x1": [0.1, 0.2], "x2": "0:1:3"}, until=0.5).to_dict(),
    "singular": lambda: str(ch.singular(model("snakeboard"))),
}

COMMANDS: dict[str, tuple[str, ...]] = {
    "stability": ("stability", "ziegler-pendulum"),
    "reduce": ("reduce", "caratheodory-sleigh", "--symmetry", "x=1", "--symmetry", "y=1"),
    "control": ("control", "heisenberg"),
    "periodic": ("periodic", "pendulum-cartesian", "--period", "2"),
    "reversals": ("reversals", "rolling-disc"),
    "dirac": ("dirac", "christ-lee"),
    "hamilton": ("hamilton", "heisenberg"),
    "symmetries": ("symmetries", "heisenberg"),
    "helmholtz": ("helmholtz", "damped-sleigh"),
    "measure": ("measure", "knife-edge"),
}
QUESTIONS |= {f"chetaev {name}": lambda words=words: command(*words) for name, words in COMMANDS.items()}  # type: ignore[misc]


if __name__ == "__main__":
    if "--slowed" in sys.argv:
        slow_down()
    for name in [x for x in sys.argv[1:] if x != "--slowed"] or QUESTIONS:
        said = without_times(QUESTIONS[name]())
        print(json.dumps({name: said}, ensure_ascii=False, default=str), flush=True)
