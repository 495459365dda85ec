"""Random mechanical systems: regular Hessians depending on t, q, v; every kind of constraint; forces."""

from __future__ import annotations

import random
from fractions import Fraction

import chetaev as ch

KINDS = ("linear", "affine", "polynomial", "transcendental", "implicit")


def random_system(seed: int, kinds: tuple[str, ...] = KINDS, most: int = 6) -> ch.System:
    """A system with m = 2..most coordinates and k = 1..m−1 constraints, well conditioned near the origin."""
    rng = random.Random(seed)
    m = rng.randint(2, most)
    k = rng.randint(1, m - 1)
    q = [f"q{i}" for i in range(1, m + 1)]
    names = q[:]
    rng.shuffle(names)
    dependent, free = names[:k], names[k:]
    constraints = [_constraint(rng, rng.choice(kinds), d, free, q) for d in dependent]
    if k > 1 and rng.random() < 0.5:
        constraints = _mixed(rng, constraints)
    return ch.System(
        coordinates=q,
        lagrangian=_lagrangian(rng, q),
        constraints=constraints,
        forces={n: _force(rng, q) for n in rng.sample(q, rng.randint(0, m))},
        parameters={"a": _coefficient(rng), "b": _coefficient(rng)},
        name=f"random {seed}",
    )


def _coefficient(rng: random.Random, low: float = 0.1, high: float = 1.0) -> str:
    value = Fraction(rng.randint(int(low * 100), int(high * 100)), 100) * rng.choice((1, -1))
    return f"({value})"


def _function(rng: random.Random, q: list[str]) -> str:
    """A bounded smooth function of t and q."""
    x, y = rng.choice(q), rng.choice(q)
    return rng.choice(
        (f"sin({x})", f"cos({x} - {y})", f"cos(t)*{x}/(1 + {x}^2)", f"exp(-{x}^2)", f"a*sin({x} + t)",
         f"{x}*b",
         f"sqrt(2 + sin({y}))", f"tanh({x} + {y})", f"1/(3 + cos({x})*sin({y}))")
    )  # fmt: skip


def _lagrangian(rng: random.Random, q: list[str]) -> str:
    terms = [f"{rng.randint(2, 5)}*{n}'^2/2" for n in q]
    for _ in q:
        x, y = rng.choice(q), rng.choice(q)
        terms.append(f"{_coefficient(rng, 0.05, 0.25)}*{_function(rng, q)}*{x}'*{y}'")
    terms.append(f"{_coefficient(rng)}*{_function(rng, q)}*{rng.choice(q)}'")
    terms.append(f"{_coefficient(rng)}*{_function(rng, q)}")
    x = rng.choice(q)
    terms.append(rng.choice((f"{x}'^4/20", f"sqrt(1 + {x}'^2)/3", f"cos({x}')/10", f"t*{x}'^3/50", "0")))
    return " + ".join(terms)


def _force(rng: random.Random, q: list[str]) -> str:
    x = rng.choice(q)
    push = f"{_coefficient(rng)}*{_function(rng, q)}"
    return f"{push} - {rng.randint(1, 9)}/10*{x}' + {_coefficient(rng)}*{x}'*{rng.choice(q)}'"


def _constraint(rng: random.Random, kind: str, dependent: str, free: list[str], q: list[str]) -> str:
    d = f"{dependent}'"
    right = " + ".join(f"{_coefficient(rng)}*{_function(rng, q)}*{s}'" for s in free)
    s = f"{rng.choice(free)}'"
    match kind:
        case "linear":
            return f"{d} = {right}"
        case "affine":
            return f"{d} = {right} + {_coefficient(rng)}*{_function(rng, q)}"
        case "polynomial":
            cubic = f"{_coefficient(rng, 0.1, 0.3)}*{s}^3*{_function(rng, q)}"
            return f"{d} + {_coefficient(rng)}*{s}^2 = {right} + {cubic}"
        case "transcendental":
            return f"{d} = sin({s} + {rng.choice(q)}) + {right} + exp({_coefficient(rng, 0.1, 0.3)}*{s})"
        case _:
            drift = f"{_coefficient(rng)}*{_function(rng, q)}"
            return f"{d} + {d}^3/5 + sin({d})/4 = {right} + cos({d} + {s})/5 + {drift}"


def _mixed(rng: random.Random, constraints: list[str]) -> list[str]:
    """Replace the first constraint by itself plus a multiple of the second: the same submanifold."""
    sides = [c.split(" = ") for c in constraints]
    (l0, r0), (l1, r1) = sides[0], sides[1]
    factor = rng.choice(("2", "(1/3)", "(2 + sin(q1))"))
    return [f"({l0}) - ({r0}) + {factor}*(({l1}) - ({r1})) = 0", *constraints[1:]]
