"""The verdicts on systems, as JSON: ``python tests/verdicts_of.py [--slowed] NAME …`` prints a line for each.

A name is one of the gallery, or a number: the seed of a random rheonomic system. With ``--slowed`` every look
at a clock finds that a hundred seconds have passed.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from typing import Any

import chetaev as ch
from chetaev.laws.integrals import judged
from random_families import XYZ, _smooth, _system

CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time")


def slow_down() -> None:
    """Let all clocks jump."""
    for name in CLOCKS:
        ticks = itertools.count(1e9, 100.0)
        setattr(time, name, lambda ticks=ticks: next(ticks))


def rheonomic(seed: int) -> ch.System:
    """A random system with a constraint that depends on time: linear, affine, or quadratic in velocities."""
    rng = random.Random(seed)
    a, b, c = (_smooth(rng, [*XYZ, "t"]) for _ in range(3))
    rest = rng.choice(("0", f"({c})*cos(t)", f"({c})*x'*y'/5"))
    return _system(rng, constraints=[f"z' = (2 + sin(t))*({a})*x' + ({b})*y' + {rest}"])


def system_of(name: str) -> ch.System:
    """A system by its name, or a random one by its seed."""
    return rheonomic(int(name)) if name.isdigit() else ch.load(name)


def verdicts(name: str) -> dict[str, Any]:
    """What is said about a system: its classification, its laws, the proofs of its formulations."""
    system = system_of(name)
    said: dict[str, Any] = {"classification": ch.classify(system).to_json()}
    said["laws"] = [law.to_json() for law in judged(system)]
    rows = ch.compare(system, samples=2, prove=True).to_json()["forms"]
    said["proved"] = {form: (row["proved"], row["limit"]) for form, row in rows.items()}
    return said


if __name__ == "__main__":
    if "--slowed" in sys.argv:
        slow_down()
    for name in (a for a in sys.argv[1:] if a != "--slowed"):
        print(json.dumps([name, verdicts(name)], ensure_ascii=False), flush=True)
