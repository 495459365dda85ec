"""A car with N trailers from text to a 10 s motion, and a mechanism of many nested definitions to a
compiled field.

The car stands for systems too large to read: N + 3 coordinates, N + 1 constraints, definitions nested N
deep. Nothing is cached. The exponent is that of time ~ N^e between N = 10 and N = 40; seconds against the
limit of the issue are given as ratios to it.
"""

from __future__ import annotations

import math
import sys
from time import process_time
from typing import Any

from run import Row, table

SIZES = (2, 5, 10, 20, 40)
LIMITS = {20: 5.0, 40: 30.0}


def car_text(trailers: int) -> str:
    """The model file of a car with so many trailers on a slope."""
    bodies = range(trailers + 1)
    names = ", ".join(f'"{c}"' for c in ("x", "y", *(f"th{i}" for i in bodies)))
    lines = [f"coordinates = [{names}]", "[parameters]", "m = 3", "mt = 1", "J = 0.6", "Jt = 0.2"]
    lines += ["d = 0.8", "a = 0.15", "g = 0.5", "[define]", 'X0 = "x"', 'U0 = "x\'"', 'V0 = "y\'"']
    for i in bodies[1:]:
        lines.append(f'X{i} = "X{i - 1} - d*cos(th{i})"')
        lines.append(f'U{i} = "U{i - 1} + d*sin(th{i})*th{i}\'"')
        lines.append(f'V{i} = "V{i - 1} - d*cos(th{i})*th{i}\'"')
    for i in bodies:
        mass, inertia = ("m", "J") if i == 0 else ("mt", "Jt")
        square = f"(U{i} - a*sin(th{i})*th{i}')^2 + (V{i} + a*cos(th{i})*th{i}')^2"
        energy = f"{mass}/2*({square}) + {inertia}/2*th{i}'^2 + {mass}*g*(X{i} + a*cos(th{i}))"
        lines.append(f'L{i} = "{energy}"')
    lines += ["[dynamics]", f'lagrangian = "{" + ".join(f"L{i}" for i in bodies)}"', "[constraints]"]
    rows = ", ".join(f'"cos(th{i})*V{i} = sin(th{i})*U{i}"' for i in bodies)
    lines.append(f"velocity = [{rows}]")
    return "\n".join(lines)


def car_state(trailers: int) -> tuple[list[float], list[float]]:
    """A state on the constraints: the car drives a bend, the headings fan out."""
    heading = [0.2 * math.cos(0.7 * i) for i in range(trailers + 1)]
    x, y = math.cos(heading[0]), math.sin(heading[0])
    start, turning = [x, y], [0.3]
    for angle in heading[1:]:
        rate = (math.cos(angle) * y - math.sin(angle) * x) / 0.8
        turning.append(rate)
        x, y = x + 0.8 * math.sin(angle) * rate, y - 0.8 * math.cos(angle) * rate
    return [0.0, 0.0, *heading], [*start, *turning]


def mechanism_text(count: int = 100) -> str:
    """Eight coordinates, five constraints, and definitions each of which uses the two before it."""
    names = [f"q{i}" for i in range(8)]
    lines = ["coordinates = [" + ", ".join(f'"{n}"' for n in names) + "]", "[define]"]
    lines += ['d0 = "sin(q0) + q1"', 'd1 = "cos(q1)*q2"']
    for i in range(2, count):
        lines.append(f'd{i} = "sin(d{i - 1} + q{i % 8})*d{i - 2} + 0.1*d{i - 1}*q{(3 * i) % 8}\'"')
    kinetic = " + ".join(f"{1 + 0.1 * i}*{n}'^2/2" for i, n in enumerate(names))
    lines += ["[dynamics]", f'lagrangian = "{kinetic} + 0.01*d{count - 1} - cos(d20)"', "[constraints]"]
    rows = [
        f"{names[i]}' = cos(d{2 + i}/(1 + d{2 + i}^2) + {names[i + 1]})*{names[i + 3]}'" for i in range(5)
    ]
    lines.append("velocity = [" + ", ".join(f'"{r}"' for r in rows) + "]")
    return "\n".join(lines)


def seconds(text: str, state: tuple[list[float], list[float]] | None) -> float:
    """Processor time from text to a 10 s motion, or to a compiled field; nothing cached."""
    from chetaev.flow.compile.cache import Cache
    from chetaev.flow.compile.programs import forget
    from chetaev.flow.run.compiled_field import compile_field
    from chetaev.flow.run.integrate import integrate
    from chetaev.model.file.loader import loads

    nowhere = Cache()
    nowhere.directory = None
    forget()
    start = process_time()
    field: Any = compile_field(loads(text), cache=nowhere)
    if state is None:
        field.programs.code("rhs", field.programs.first_chart, "null")
    else:
        run = integrate(field, 0.0, *state, 10.0)
        assert run.status == "done", run.reason
    return process_time() - start


def measure() -> list[Row]:
    """The rows of this benchmark."""
    seconds(car_text(1), car_state(1))  # what happens once per process
    times = {n: min(seconds(car_text(n), car_state(n)) for _ in range(2 if n < 40 else 1)) for n in SIZES}
    print(
        "car with N trailers: " + ", ".join(f"N = {n}: {t:.2f} s" for n, t in times.items()), file=sys.stderr
    )
    exponent = math.log(times[40] / times[10]) / math.log(4)
    rows = [
        Row("car with N trailers, text to 10 s: exponent of the time from N = 10 to 40", "N", exponent, 2.5)
    ]
    for n, limit in LIMITS.items():
        rows.append(Row(f"car with {n} trailers, text to 10 s", f"{limit:g} s", times[n] / limit, 1.0))
    mechanism = min(seconds(mechanism_text(), None) for _ in range(2))
    rows.append(
        Row("100 nested definitions, 8 coordinates, 5 constraints, text to field", "1 s", mechanism, 1.0)
    )
    return rows


if __name__ == "__main__":
    print(table(measure()))
