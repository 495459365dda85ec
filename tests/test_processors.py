"""What is exact or has a seed is the same on every processor, under every hash seed: byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chetaev as ch
from analyses_of import QUESTIONS
from portions import parts
from processors import processors

SCRIPT = Path(__file__).with_name("facts_of.py")
SOME = ("knife-edge", "appell-hamel", "pendulum-cartesian", "heisenberg", "rolling-disc")
"""Linear and nonlinear constraints, a position constraint, and pivots of equal size."""


ANALYSES = Path(__file__).with_name("analyses_of.py")


def said(settings: dict[str, str], *arguments: str, script: Path = SCRIPT) -> str:
    """The lines of JSON that a process with these settings prints."""
    run = [sys.executable, str(script), *arguments]
    done = subprocess.run(run, env={**os.environ, **settings}, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    return done.stdout


def differences(a: Any, b: Any, where: str = "") -> Iterator[str]:
    """Where two pieces of data differ."""
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        for key in a:
            yield from differences(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from differences(x, y, f"{where}/{i}")
    elif a != b:
        yield f"{where}: {a!r} and {b!r}"


def compared(machines: list[dict[str, str]], *arguments: str) -> None:
    """Assert that all machines say the same; each has a hash seed of its own."""
    first, *others = (
        said({"PYTHONHASHSEED": str(seed), **settings}, *arguments) for seed, settings in enumerate(machines)
    )
    for other in others:
        for a, b in zip(first.splitlines(), other.splitlines(), strict=True):
            found = [] if a == b else list(differences(json.loads(a), json.loads(b)))
            assert a == b, "\n".join(found)


@pytest.mark.parametrize("start", parts(range(6), 0))
def test_the_later_rooms_say_the_same_on_all_processors(start: int) -> None:
    """Whatever the processor, the hash seed, the clock, and what was asked before."""
    names = list(QUESTIONS)[start::6]
    first, *others = list(processors().values())[: 2 if start == 0 else 4]
    told = [said({"PYTHONHASHSEED": "0", **first}, *names, script=ANALYSES)]
    for seed, settings in enumerate(others, 1):
        asked = ["--slowed", *reversed(names)]
        told.append(said({"PYTHONHASHSEED": str(seed), **settings}, *asked, script=ANALYSES))
    expected, *answers = [
        {name: x for line in text.splitlines() for name, x in json.loads(line).items()} for text in told
    ]
    assert list(expected) == names
    for answer in answers:
        for name in names:
            assert json.dumps(answer[name]) == json.dumps(expected[name]), "\n".join(
                differences(expected[name], answer[name], name)
            )


@pytest.mark.slow
def test_all_processors_and_hash_seeds_say_the_same() -> None:
    compared(list(processors().values())[:2], *SOME[:2])


@pytest.mark.parametrize("start", parts(range(12), 0))
def test_all_processors_and_hash_seeds_say_the_same_of_the_whole_gallery(start: int) -> None:
    compared(list(processors().values()), *ch.gallery()[start::12])


@pytest.mark.parametrize("name", parts(SOME, 0))
def test_all_processors_and_hash_seeds_study_alike(name: str) -> None:
    compared(list(processors().values())[:2], "--study", name)
