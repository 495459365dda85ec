"""The linearisation of large systems, in units of one compilation of their field.

A car with 40 trailers (43 coordinates, 41 constraints), and Whipple's bicycle of the tests with its sines,
squares and partial sums named one by one, so that it has 98 definitions nested in each other. Both start from
text, and nothing is cached.
"""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time
from typing import Any

from flow_train import car_state, car_text, seconds
from run import Row, table

BICYCLE = Path(__file__).resolve().parent.parent / "tests" / "analysis" / "linear" / "bicycle.toml"
DEFINITIONS = 98
LIMIT = 3.0


def bicycle_text() -> str:
    """The bicycle, with names for what its definitions are made of."""
    head, rest = BICYCLE.read_text().split("[define]\n")
    define, tail = rest.split("[dynamics]")
    lines = [line for line in define.splitlines() if line and not line.startswith("#")]
    for pattern, prefix in (
        (r"(?:sin|cos)\(\w+\)", "u"),
        (r"\b[A-Z]\d\^2", "w"),
        (r"\w+\*\(\w+ \+ \w+\)/2", "z"),
    ):
        named: dict[str, str] = {}
        found: list[str] = []
        for line in lines:
            for part in re.findall(pattern, line.split("=", 1)[1]):
                if part not in named and len(lines) + len(named) < DEFINITIONS:
                    named[part] = f"{prefix}{len(named)}"
                    found.append(f'{named[part]} = "{part}"')
            left, right = line.split("=", 1)
            for part, name in named.items():
                right = right.replace(part, name)
            found.append(f"{left}={right}")
        lines = found
    i = 0
    while len(lines) < DEFINITIONS:  # then the first of two summands
        name, text = lines[i].split(" = ", 1)
        match = re.fullmatch(r'"([^()"]+?) ([+-]) (.+)"', text)
        if match and not re.fullmatch(r"\w+", match[1]):
            lines[i : i + 1] = [f'p{i} = "{match[1]}"', f'{name} = "p{i} {match[2]} {match[3]}"']
            i += 1
        i += 1
    return head + "[define]\n" + "\n".join(lines) + "\n[dynamics]" + tail


def linearisation(text: str, at: dict[str, Any] | None, moving: tuple[str, ...]) -> float:
    """Processor time from text to A."""
    import chetaev as ch
    from chetaev.flow.compile.programs import forget

    forget()
    start = process_time()
    found = ch.linearize(ch.loads(text), at=at, relative_to=moving)
    assert len(found.states)
    return process_time() - start


def measure() -> list[Row]:
    """The rows of this benchmark."""
    seconds(car_text(1), None)  # what happens once per process
    linearisation(car_text(1), _at(1), ())
    rows = []
    cases: list[tuple[str, str, dict[str, Any] | None, tuple[str, ...]]] = [
        ("a car with 40 trailers", car_text(40), _at(40), ()),
        ("a bicycle with 98 definitions", bicycle_text(), None, ("x", "y", "psi", "rear", "front")),
    ]
    for name, text, at, moving in cases:
        field = min(seconds(text, None) for _ in range(3))
        linear = min(linearisation(text, at, moving) for _ in range(3))
        rows.append(Row(f"linearisation of {name}", "one compilation of its field", linear / field, LIMIT))
    return rows


def _at(trailers: int) -> dict[str, float]:
    q, v = car_state(trailers)
    names = ["x", "y", *(f"th{i}" for i in range(trailers + 1))]
    return dict(zip(names, q, strict=True)) | {n + "_dot": x for n, x in zip(names, v, strict=True)}


if __name__ == "__main__":
    print(table(measure()))
