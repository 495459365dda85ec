"""What a classification costs in processor time, in units of importing SymPy; the car with four trailers."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from time import process_time

from run import Row, table

import chetaev as ch
from chetaev.constraint import ConstraintData, classify
from chetaev.geometry import Chart, Distribution

IMPORT = '`python -c "import sympy"`'
TRAILERS = 4


def import_sympy() -> float:
    """Processor time of importing SymPy in a process of its own: the smallest of several runs."""
    times = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-c", "import sympy"], check=True)
        after = os.times()
        used = after.children_user + after.children_system
        times.append(used - before.children_user - before.children_system)
    return min(times)


def once(function: object, *arguments: object) -> float:
    """The processor time of one run."""
    start = process_time()
    function(*arguments)  # type: ignore[operator]
    return process_time() - start


def timed(function: object, *arguments: object) -> float:
    """The smaller time of two runs."""
    return min(once(function, *arguments) for _ in range(2))


def car(trailers: int) -> tuple[list[str], list[str]]:
    """Coordinates and constraints of a car with trailers hitched at the axles, all lengths 1."""
    names = ["x", "y", "delta", *(f"theta{i}" for i in range(trailers + 1))]
    rows = ["x'*sin(theta0 + delta) - y'*cos(theta0 + delta) - theta0'*cos(delta)"]
    vx, vy = "x'", "y'"
    for i in range(trailers + 1):
        if i:
            vx, vy = f"{vx} + theta{i}'*sin(theta{i})", f"{vy} - theta{i}'*cos(theta{i})"
        rows.append(f"({vx})*sin(theta{i}) - ({vy})*cos(theta{i})")
    return names, rows


def exact_growth() -> tuple[int, ...]:
    """The growth vector of the car with four trailers, exactly, from its two control fields."""
    names, _ = car(TRAILERS)
    chart = Chart(names)
    speed = chart.field.one
    drive = chart("cos(theta0)") * chart.partial("x") + chart("sin(theta0)") * chart.partial("y")
    drive = drive + chart("tan(delta)") * chart.partial("theta0")
    for i in range(1, TRAILERS + 1):
        drive = drive + speed * chart(f"sin(theta{i - 1} - theta{i})") * chart.partial(f"theta{i}")
        speed = speed * chart(f"cos(theta{i - 1} - theta{i})")
    return Distribution.spanned_by([chart.partial("delta"), drive]).growth_vector()


LARGE = {50: 10.0, 100: 60.0}
"""Limits by the number of coordinates, with half as many constraints."""


def half_constrained(kind: str, size: int) -> ch.System:
    """A system with half as many constraints as coordinates."""
    rng, half = random.Random(7), range(size // 2)
    names = [f"x{i}" for i in range(size)]

    def terms(count: int) -> str:
        return " + ".join(f"{rng.randint(1, 9)}*x{rng.randrange(size)}*x{j}'" for j in range(count, size))

    def functions(degree: str) -> str:
        parts = []
        for j in range(size // 2, size):
            a, b = rng.randrange(size), rng.randrange(size)
            factor = {"waves": f"{rng.choice(('sin', 'cos'))}(x{a})", "products": f"x{a}*x{b}"}[degree]
            parts.append(f"{rng.randint(1, 9)}*{factor}*x{j}'")
        return " + ".join(parts)

    def numbers() -> str:
        return " + ".join(f"({rng.randint(-9, 9)})*x{j}'" for j in range(size // 2, size))

    rows = {
        "trigonometric": lambda i: f"x{i}' = {functions('waves')}",
        "cubic": lambda i: f"x{i}' = {functions('products')}",
        "affine rheonomic": lambda i: (
            f"x{i}' = {numbers()} + {rng.randint(1, 9)}*sin({rng.randint(1, 5)}*t) + t*x{rng.randrange(size)}"
        ),
        "unsolved": lambda i: (
            " + ".join(f"({rng.randint(-9, 9)} + x{rng.randrange(size)})*{q}'" for q in names) + " = 0"
        ),
        "separate trigonometric": lambda i: f"x{2 * i}'*cos(x{2 * i + 1}) + sin(x{2 * i})*x{2 * i + 1}' = 0",
        "coupled quadratic": lambda i: (
            f"x{2 * i}'^2 + x{2 * i + 1}'^2 = x{(2 * i + 2) % size}'^2*(1 + x{2 * i}^2) + 1"
        ),
        "sparse": lambda i: f"x{2 * i + 1}' = x{(2 * i + 2) % size}*x{2 * i}'",
        "rheonomic": lambda i: f"x{2 * i + 1}' = t*x{(2 * i + 2) % size}*x{2 * i}' + sin(t)",
        "chained": lambda i: f"x{i + 1}' = x{i + 2}*x0'",
        "dense": lambda i: f"x{i}' = {terms(size // 2)}",
        "quadratic": lambda i: f"x{2 * i}'^2 + x{2 * i + 1}'^2 = 1 + x{(2 * i + 2) % size}^2",
        "integrable": lambda i: f"x{2 * i}*x{2 * i}' + x{2 * i + 1}*x{2 * i + 1}' = 0",
        "constant": lambda i: " + ".join(f"({rng.randint(-9, 9)})*{q}'" for q in names) + " = 0",
    }[kind]
    kinetic = " + ".join(f"{q}'^2" for q in names)
    return ch.System(coordinates=names, lagrangian=f"({kinetic})/2", constraints=[rows(i) for i in half])


KINDS = (
    "sparse", "rheonomic", "chained", "dense", "quadratic", "integrable", "constant", "trigonometric",
    "cubic", "affine rheonomic", "unsolved", "separate trigonometric", "coupled quadratic",
)  # fmt: skip


def large(unit: float) -> list[Row]:
    """Many coordinates, half as many constraints."""
    rows = []
    for size, limit in LARGE.items():
        for kind in KINDS:
            what = f"classify {size} coordinates with {size // 2} {kind} constraints"
            rows.append(Row(what, IMPORT, once(classify, half_constrained(kind, size)) / unit, limit))
    return rows


def measure() -> list[Row]:
    """One row for each gallery model, two for the car, and some for large systems."""
    unit = import_sympy()
    rows = []
    for name in ch.gallery():
        system = ch.load(name)
        rows.append(Row(f"classify `{name}`", IMPORT, timed(classify, system) / unit, 3.0))
    names, constraints = car(TRAILERS)
    given = ConstraintData.of(constraints, names)
    expected = tuple(range(2, len(names) + 1))
    found = classify(given).growth_vector
    assert found == expected, f"growth vector {found}, expected {expected}"
    rows.append(Row(f"classify a car with {TRAILERS} trailers", IMPORT, timed(classify, given) / unit, 20.0))
    assert exact_growth() == expected
    growth = timed(exact_growth) / unit
    rows.append(Row(f"exact growth vector of a car with {TRAILERS} trailers", IMPORT, growth, 8.0))
    return rows + large(unit)


if __name__ == "__main__":
    print(table(measure()))
