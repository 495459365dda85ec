"""Families of random systems for the oracle: every kind of constraint, and what is redundant, singular,
nonsmooth, prescribed or derived.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import chetaev as ch
from random_systems import KINDS, random_system

XYZ = ["x", "y", "z"]


def _number(rng: random.Random) -> str:
    return rng.choice(("0.1", "1/3", "2", "0.75", "-1/2", "1.5", "-0.3"))


def _smooth(rng: random.Random, names: list[str]) -> str:
    a, b = rng.choice(names), rng.choice(names)
    return rng.choice(
        (f"sin({a})", f"cos({a} - {b})", f"{a}*{b}/3", f"exp(-{a}^2)", f"tanh({a} + t)", f"atan({b})",
         f"t*{a}/5", f"sqrt(3 + {a}^2)", f"log(4 + {b}^2)", f"atan2({a}, 3 + {b}^2)", f"asinh({a})",
         f"2^({a}/4)")
    )  # fmt: skip


def _kinetic(rng: random.Random, names: list[str]) -> str:
    terms = [f"{rng.randint(2, 5)}*{n}'^2/2" for n in names]
    a, b = rng.sample(names, 2)
    return " + ".join([*terms, f"{_smooth(rng, names)}*{a}'*{b}'/9", f"{_smooth(rng, names)}*{a}'/3"])


def _system(rng: random.Random, potential: str = "", **more: object) -> ch.System:
    names = [str(n) for n in more.pop("coordinates", XYZ)]  # type: ignore[attr-defined]
    lagrangian = f"{_kinetic(rng, names)} - {_number(rng)}*{_smooth(rng, names)} - ({potential or '0'})"
    forces = {
        n: f"{_number(rng)}*{_smooth(rng, names)} - {n}'/7" for n in rng.sample(names, rng.randint(0, 2))
    }
    return ch.System(coordinates=names, **{"lagrangian": lagrangian, "forces": forces, **more})  # type: ignore[arg-type]


def constrained(rng: random.Random) -> ch.System:
    """Linear, affine, polynomial, transcendental and implicit constraints, all with t."""
    return random_system(rng.randrange(10**6), (rng.choice(KINDS),), most=4)


def redundant(rng: random.Random) -> ch.System:
    """A constraint, and rows that follow from it."""
    row = f"z' - ({_smooth(rng, XYZ)})*x' - ({_smooth(rng, XYZ)})*{rng.choice(('y_dot', '1'))}"
    factor = rng.choice(("2", "exp(x)", "(3 + sin(t))", f"(2 + ({_smooth(rng, XYZ)})^2)", "(1 + x'^2)"))
    rows = [f"{row} = 0", f"{factor}*({row}) + ({row})/3 = 0"]
    if rng.random() < 0.3:
        rows.append(f"-({row})/7 = 0")
    return _system(rng, constraints=rng.sample(rows, len(rows)))


def with_its_derivative(rng: random.Random) -> ch.System:
    """A position constraint and its own time derivative."""
    constraints = {
        "position": ["x^2/4 + y^2 + t*z/9 = 4"],
        "velocity": ["x*x'/2 + 2*y*y' + (z + t*z')/9 = 0"],
    }
    return _system(rng, constraints=constraints)


def singular_lagrangian(rng: random.Random) -> ch.System:
    """M singular: determined where the constraint makes up for it, else nowhere."""
    square = f"(x'*sin(x) + exp(y/3)*y'/3 + {_number(rng)}*z'*{rng.choice('01')})^2/2"
    rows = [f"x' = ({_smooth(rng, ['y', 'z'])})*y' + z'/3"] if rng.random() < 0.6 else []
    return ch.System(
        coordinates=XYZ,
        lagrangian=f"{square} + z'^2/2 - x*y*{_number(rng)}",
        constraints=rows,
        degenerate=True,
    )


def singular_points(rng: random.Random) -> ch.System:
    """A mass that vanishes and changes its sign."""
    return _system(
        rng, lagrangian=f"x*x'^2/2 + (y - t)*y'^2 + z'^2*{rng.choice(('x*y', '1', 'sin(z)'))}/2 - x*z"
    )


def nonsmooth(rng: random.Random) -> ch.System:
    """abs, sign, min and max in the potential, the force and the constraint."""
    kink = rng.choice(
        ("abs(x - y/3)*x", "max(x, y, z/2)*z", "min(x^2, y + 1/3)*y", "sign(x - 1/7)*x*y",
         "abs(abs(x) - y)", "max(0, x)^2")
    )  # fmt: skip
    forces = {"x": rng.choice(("-sign(x' - y')/3", "-abs(x')*x'", "max(y', z)/2", "-min(1, x^2)"))}
    rows = rng.choice(([], [f"z' = abs({_smooth(rng, XYZ)})*x' + {rng.choice(('0', 't', 'sign(y)'))}"]))
    rows = rows or rng.choice(([], ["z' = max(x', y'/2)"]))
    return _system(rng, kink, forces=forces, constraints=rows)


def prescribed(rng: random.Random) -> ch.System:
    """A coordinate that moves as a function of time, on positions or on velocities."""
    motion = rng.choice(("sin(t)", "t^2/3 - t", "exp(t/4)", "sqrt(5 + t^2)", "abs(t - 1/3)*t"))
    if rng.random() < 0.5:
        return _system(rng, constraints={"position": [f"{rng.choice(('x', 'x + y^2/9'))} = {motion}"]})
    return _system(rng, constraints=[f"{rng.choice(XYZ)}' = {motion}"])


def rheonomic_positions(rng: random.Random) -> ch.System:
    """Moving curves and surfaces, beside a velocity constraint or not."""
    surface = rng.choice(("x^2 + (y - t/4)^2 + z^2 = 5", "z = x*y + sin(t)", "x + y^3/9 = cos(t)*z + t"))
    rows = [f"x' = ({_smooth(rng, XYZ)})*y' + {_number(rng)}"] if rng.random() < 0.4 else []
    return _system(rng, constraints={"position": [surface], "velocity": rows})


def derived(rng: random.Random) -> ch.System:
    """Derived parameters, definitions in chains, kinetic and potential energy, many spellings."""
    return ch.System(
        coordinates=["x", "θ"],
        parameters={"k": _number(rng).replace("-", ""), "l": "k^2 + 1/3", "m": "2 + sqrt(k)/l", "n": 3},
        define={
            "u": "x·θ' - k*θ",
            "w": f"u**2/9 + {rng.choice(('sin(u)', 'u*l', 'cos(x)^n', 'atan2(u, 3)'))}",
        },
        kinetic="m*x_dot²/2 + (l + 2)*θ'^2/2 + w/25",
        potential=rng.choice(("-x^2*k/l/2", "k^-1*x^2^1 - θ⁴/7", "−m·cos(θ)*x − .5e-1×x²", "2^n^1*x/8/l")),
        forces={"θ": rng.choice(("-x'^2 + 1/3*x", "k*l - m*θ'", "w*k", "-(x - θ)/(1 + x^2)"))},
        constraints=rng.choice(([], ["θ' = k*x*x' + 1"], ["x' - l*sin(θ) = 0"])),
    )


def acceleration(rng: random.Random) -> ch.System:
    """Constraints on accelerations, linear in them."""
    rows = [f"(2 + ({_smooth(rng, XYZ)})^2)*x'' = {_smooth(rng, XYZ)}*y'' + z'*x' - {_number(rng)}"]
    more = {"velocity": [f"z' = ({_smooth(rng, XYZ)})*y'"]} if rng.random() < 0.4 else {}
    return _system(rng, constraints={"acceleration": rows, **more})


FAMILIES: tuple[Callable[[random.Random], ch.System], ...] = (
    constrained, redundant, with_its_derivative, singular_lagrangian, singular_points, nonsmooth, prescribed,
    rheonomic_positions, derived, acceleration,
)  # fmt: skip


def member(family: Callable[[random.Random], ch.System], seed: int) -> ch.System:
    """The member of a family with this seed."""
    return family(random.Random(f"{family.__name__} {seed}"))
