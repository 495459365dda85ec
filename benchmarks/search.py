"""The search for first integrals, in units of one dense exact null space of its size in python-flint.

Five coordinates, degree 2 in the velocities, coefficients of degree ≤ 2: 441 unknowns. The search draws
points of Q modulo a prime, evaluates all members and their rates there, and eliminates twice; lifting what
is found is not part of the figure. Against it stands the exact null space of one integer matrix with as many
rows and columns, of entries with as few digits as the coefficients of such a problem have, and the same
corank. Growth: the exponent with which the time of the same search grows to 1225 unknowns. And all of
`ch.integrals` for degree 4 on three coordinates, beside a minute of processor time.
"""

from __future__ import annotations

import random
from math import log
from time import process_time

from flint import fmpz_mat
from run import Row, table

import chetaev as ch
from chetaev.laws.search.first_integrals import first_integrals
from chetaev.laws.search.function_space import Atom, Monomial, Space
from chetaev.laws.search.motion_modulo_prime import Motion


def monomials(first: int, count: int, degree: int) -> list[Monomial]:
    """All monomials of some atoms up to a degree."""
    found: list[Monomial] = [()]
    level: list[Monomial] = [()]
    for _ in range(degree):
        longer = []
        for m in level:
            for i in range(m[-1][0] if m else first, first + count):
                last = m and m[-1][0] == i
                longer.append((*m[:-1], (i, m[-1][1] + 1)) if last else (*m, (i, 1)))
        found += longer
        level = longer
    return found


def problem(size: int, degree: int, weight: int) -> tuple[Motion, Space]:
    """A particle in a quartic potential with a nonholonomic constraint, and a polynomial space."""
    names = [f"x{i}" for i in range(size)]
    kinetic = " + ".join(f"{i + 1}*{n}'^2/2" for i, n in enumerate(names))
    system = ch.System(
        coordinates=names,
        lagrangian=f"{kinetic} - x0^2*x1^2 - x1^4 - x{size - 1}^2",
        constraints=[f"x1' = x2*x{size - 1}'"],
    )
    motion = Motion(system)
    q = [Atom(motion.field.variable(k)) for k in motion.positions]
    v = [Atom(motion.field.variable(k)) for k in motion.velocities]
    members = [(*c, *w) for w in monomials(size, size, degree) for c in monomials(0, size, weight)]
    return motion, Space.of(motion, [*q, *v], members)


def searched(size: int, degree: int, weight: int) -> tuple[int, float]:
    """How many unknowns, and the smaller time of two searches."""
    times = []
    for _ in range(2):
        motion, space = problem(size, degree, weight)
        start = process_time()
        first_integrals(motion, space)
        times.append(process_time() - start)
    return len(space), min(times)


def dense(size: int) -> float:
    """The smaller time of two exact null spaces of an integer matrix of corank 4."""
    rng = random.Random(1)
    rows = [[rng.randrange(-99, 100) for _ in range(size)] for _ in range(size - 4)]
    rows += [[a + b for a, b in zip(rows[i], rows[i + 4], strict=True)] for i in range(4)]
    times = []
    for _ in range(2):
        start = process_time()
        fmpz_mat(rows).nullspace()
        times.append(process_time() - start)
    return min(times)


def whole(degree: int) -> float:
    """Processor time of `ch.integrals` on three coordinates."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2*y^2 - z^4",
        constraints=["z' = y*x'"],
    )
    start = process_time()
    ch.integrals(system, degree=degree)
    return process_time() - start


def measure() -> list[Row]:
    """The rows."""
    few, little = searched(5, 2, 1)
    unknowns, cost = searched(5, 2, 2)
    many, more = searched(3, 4, 4)
    return [
        Row(
            f"first integrals, {unknowns} unknowns",
            "one dense exact null space of that size",
            cost / dense(unknowns),
            3,
        ),
        Row(
            f"exponent of growth of the time, {few} to {many} unknowns",
            "unknowns",
            log(more / little) / log(many / few),
            3,
        ),
        Row("`ch.integrals`, degree 4 on three coordinates", "a minute", whole(4) / 60, 1),
    ]


if __name__ == "__main__":
    print(table(measure()))
