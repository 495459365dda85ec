"""``python -m golden`` (in ``tests/``): all facts computed, and what differs from the golden record printed.

Each has a process of its own, so that a crash, a hang or a question without end is a fact too.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import pkgutil
import resource
import selectors
import signal
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import chetaev as ch
from golden.differences import differences
from golden.facts import KEYS, MODELS, RECORD, facts, points, read

SECONDS = 60
"""Processor time that a fact may take; more is recorded as ``gave up: clock``, and may only improve."""
PATIENCE = 20 * SECONDS
"""Seconds of real time after which a process that does not use its processor time hangs."""
SAMPLE, MOST = 230.0, 6.0
"""Processor seconds of the sample, and of a fact in it, by the record."""

EVERY = 25
"""Facts after which the record is written."""

Question = tuple[str, Callable[[], Any], int]
"""A name, what is to be computed, and the processor seconds that it may take."""


@dataclass
class Running:
    """A process that computes a fact."""

    key: str
    pid: int
    pipe: int
    text: bytes = b""


def started(key: str, question: Callable[[], Any], seconds: int) -> Running:
    """Fork a process that answers into a pipe."""
    out, into = os.pipe()
    pid = os.fork()
    if pid:
        os.close(into)
        return Running(key, pid, out)
    try:
        os.close(out)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        signal.alarm(PATIENCE)
        with os.fdopen(into, "wb") as pipe:
            pipe.write(compact(question()).encode())
    finally:
        os._exit(0)


def ended(one: Running) -> tuple[str, Any, float]:
    """The key, what was found, and the processor time."""
    os.close(one.pipe)
    _, status, used = os.wait4(one.pid, 0)
    seconds = used.ru_utime + used.ru_stime
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if killed in (signal.SIGXCPU, signal.SIGALRM):
        return one.key, f"gave up: {'clock' if killed == signal.SIGXCPU else 'it hangs'}", seconds
    if killed or not one.text:
        return one.key, f"crashed: {signal.Signals(killed).name if killed else 'no answer'}", seconds
    return one.key, json.loads(one.text), seconds


def answers(questions: Iterable[Question], jobs: int) -> Iterator[tuple[str, Any, float]]:
    """The facts as they come: key, value, processor time."""
    waiting, running = iter(questions), selectors.DefaultSelector()
    while True:
        while len(running.get_map()) < jobs and (asked := next(waiting, None)):
            one = started(*asked)
            running.register(one.pipe, selectors.EVENT_READ, one)
        if not running.get_map():
            return
        for ready, _ in running.select():
            one = ready.data
            if more := os.read(one.pipe, 1 << 16):
                one.text += more
            else:
                running.unregister(one.pipe)
                yield ended(one)


def compact(data: Any) -> str:
    """JSON in one line."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def write(record: dict[str, Any]) -> None:
    """Write the record, a line for each fact in the order of the models."""
    order = {name: i for i, name in enumerate(MODELS)}
    verbs = {key: i for i, key in enumerate(KEYS)}
    kept = [key for key in record if key in verbs or (key.endswith(" points") and key.split()[0] in order)]
    kept.sort(key=lambda key: (order[key.split()[0]], verbs.get(key, -1)))
    lines = [f"{compact(key)}: {compact(record[key])}" for key in kept]
    new = RECORD.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    new.replace(RECORD)


def sample(record: dict[str, Any]) -> list[str]:
    """Some facts, chosen by their names and by what they cost when they were recorded."""
    chosen, spent = set(), 0.0
    for key in sorted(KEYS, key=lambda key: zlib.crc32(key.encode())):
        cost = record[key]["cost"] if key in record else MOST
        if cost <= MOST and spent + cost <= SAMPLE:
            chosen.add(key)
            spent += cost
    return [key for key in KEYS if key in chosen]


def prepare() -> None:
    """Import all of chetaev once, for all processes."""
    warnings.simplefilter("ignore")
    for module in pkgutil.walk_packages(ch.__path__, "chetaev."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.collect()
    gc.freeze()


def main() -> int:
    """Compare, or record."""
    parser = argparse.ArgumentParser(prog="golden", description="compare what chetaev says with the record")
    parser.add_argument("--record", action="store_true", help="write the facts that differ into the record")
    parser.add_argument("--sample", action="store_true", help="only some facts, a few minutes")
    parser.add_argument("--new", action="store_true", help="only facts that are not recorded yet")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("words", nargs="*", help="only facts whose names have one of these words")
    given = parser.parse_args()
    prepare()
    record = read()
    keys = sample(record) if given.sample else KEYS
    keys = [key for key in keys if not given.words or set(given.words) & set(key.split())]
    keys = [key for key in keys if not (given.new and key in record)]
    if given.record:
        for name in dict.fromkeys(key.split()[0] for key in keys):
            record.setdefault(f"{name} points", [list(point.values()) for point in points(name)])
        write(record)

    def question(key: str) -> Question:
        seconds = max(SECONDS, int(4 * record[key]["cost"])) if key in record else SECONDS
        return key, lambda: facts(*key.split()), seconds

    kinds: Counter[str] = Counter()
    for n, (key, found, cost) in enumerate(answers(map(question, keys), given.jobs), 1):
        changes = list(differences(record.get(key, {}).get("facts"), found))
        kinds.update(change.kind for change in changes)
        for change in changes:
            print(f"{key}: {change}", flush=True)
        if given.record and (changes or key not in record):
            record[key] = {"cost": float(f"{cost:.2g}"), "facts": found}
        if given.record and (n % EVERY == 0 or n == len(keys)):
            write(record)
    told = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    print(f"{len(keys)} facts compared with the record: {told or 'nothing differs'}")
    return int(bool(kinds) and not given.record)


if __name__ == "__main__":
    sys.exit(main())
