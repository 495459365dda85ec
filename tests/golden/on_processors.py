"""The same answers on every processor: ``python -m golden.on_processors`` (in ``tests/``).

Facts about the gallery and about sixty random systems are computed by processes that take themselves for
other processors (`processors.py`). Each has a hash seed of its own, and every other one is asked in the
reverse order. Words must be equal, and numbers agree as they must with the golden record.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import chetaev as ch
from chetaev.laws.integrals import judged
from golden.differences import differences
from golden.facts import VERBS, Facts, facts, how, read, refused
from processors import processors
from random_families import FAMILIES, member
from random_systems import random_system
from verdicts_of import rheonomic

MACHINES = ("this one", "Prescott", "Haswell")
ALWAYS = ("classify", "equations", "linearize")
OF_MANY = ("hamilton", "dirac", "helmholtz", "equilibria", "measure", "closed")
IN_TURN = ("compare", "bracket", "laws", "simulate", "symmetries")
"""What is asked about every model of the gallery, where it is not dear, and one of them a model."""
MOST = 0.3
"""Processor seconds of what is not dear, by the golden record."""
EFFORT = 30_000
"""For the classes of random systems and for laws: some proofs are cut short, everywhere at the same step."""

RANDOM: dict[str, Callable[[], ch.System]] = {
    **{f"random-{i}": partial(random_system, i, most=3) for i in range(20)},
    **{f"rheonomic-{i}": partial(rheonomic, i) for i in range(10)},
    **{f"{family.__name__}-{i}": partial(member, family, i) for family in FAMILIES for i in range(3)},
}
Question = tuple[str, Callable[[], Any]]


def theory(system: ch.System) -> Facts:
    """The laws that theory proposes, judged."""
    return {law.name: how(law.conserved, law.proof.proved) for law in judged(system, effort=EFFORT)}


def of_gallery(number: int, name: str, record: dict[str, Any]) -> Iterator[Question]:
    """Questions about a model."""
    system = ch.load(name)
    yield "states", partial(system.random_states, 4, seed=1)
    yield "theory", partial(theory, system)
    for verb in (*ALWAYS, *OF_MANY, IN_TURN[number % len(IN_TURN)]):
        if verb in ALWAYS or record.get(f"{name} {verb}", {"cost": MOST + 1})["cost"] <= MOST:
            yield verb, partial(facts, name, verb)


def of_random_system(name: str) -> Iterator[Question]:
    """Questions about a random system."""
    system = RANDOM[name]()
    states = system.random_states(4, seed=1)
    yield "states", lambda: states
    yield "theory", partial(theory, system)
    yield "classify", lambda: ch.classify(system, effort=EFFORT).to_json()
    for verb in ("equations", "linearize"):
        yield verb, partial(VERBS[verb], system, states)


def bits() -> str:
    """A product of matrices of sines in bits, which are not the same on all processors."""
    A = np.sin(np.arange(1.0, 10001.0)).reshape(100, 100)
    return (A @ A).tobytes().hex()


def answers(backwards: bool) -> dict[str, Any]:
    """All facts, by name, forwards or backwards."""
    order: Callable[[Any], Any] = reversed if backwards else list
    record, found = read(), {"bits": bits()}
    asked = [(name, of_gallery(i, name, record)) for i, name in enumerate(ch.gallery())]
    asked += [(name, of_random_system(name)) for name in RANDOM]
    for name, questions in order(asked):
        for verb, question in order(list(questions)):
            found[f"{name} {verb}"] = refused(question)
    return found


def told(settings: dict[str, dict[str, str]], place: Path) -> dict[str, dict[str, Any]]:
    """The answers of each machine; they compute at the same time."""
    running = {}
    for seed, (name, setting) in enumerate(settings.items()):
        run = [sys.executable, "-m", "golden.on_processors", str(place / name), *(["backwards"] * (seed % 2))]
        environment = {**os.environ, **setting, "PYTHONHASHSEED": str(seed)}
        running[name] = subprocess.Popen(run, env=environment, cwd=Path(__file__).parent.parent)
    ended = {name: process.wait() for name, process in running.items()}
    return {name: json.loads((place / name).read_text()) for name, status in ended.items() if not status}


def main() -> int:
    """Ask all machines, and print where they differ; the exit status."""
    settings = {name: setting for name, setting in processors().items() if name in (*MACHINES, "ARMv8")}
    with TemporaryDirectory() as place:
        said = told(settings, Path(place))
    if silent := settings.keys() - said.keys():
        print(f"There are no answers of {', '.join(sorted(silent))}.")
        return 1
    if len({answer.pop("bits") for answer in said.values()}) == 1:
        print("All processors compute with the same bits, so that nothing was compared.")
        return 1
    first, *others = said
    number = 0
    for name in others:
        for found in differences(said[first], said[name]):
            print(f"{first} and {name}: {found}")
            number += 1
    print(f"{len(said[first])} facts on {len(said)} processors: {number or 'no'} differences")
    return int(number > 0)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    Path(sys.argv[1]).write_text(json.dumps(answers("backwards" in sys.argv)), encoding="utf-8")
