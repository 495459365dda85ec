"""How often a walk through the house changes rooms: from the text of a model to a System, and to its class.

A change of room is a call from a file of one room into a file of another, or a generator of another room that
goes on; imports and libraries are not counted. The walk is made twice: the first time imports and fills
tables, the second time counts.

    python benchmarks/walk.py [MODEL]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from run import Row

import chetaev

HOUSE = str(Path(chetaev.__file__).parent)


def room(file: str) -> str:
    """The room that a file lies in; "" outside of the house."""
    if not file.startswith(HOUSE):
        return ""
    parts = Path(file).relative_to(HOUSE).parts
    return parts[0] if len(parts) > 1 else "ground"


class Walk:
    """Counts the files seen and the changes of room while a function runs."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.ways: Counter[tuple[str, str]] = Counter()
        self.calls: Counter[tuple[str, str, str]] = Counter()
        self._rooms: dict[str, str] = {}

    def _room(self, frame: FrameType) -> str:
        file = frame.f_code.co_filename
        if file not in self._rooms:
            self._rooms[file] = room(file)
        return self._rooms[file]

    def _seen(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call":
            return
        here = self._room(frame)
        if not here:
            return
        self.files.add(frame.f_code.co_filename)
        back = frame.f_back
        while back is not None and not self._room(back):
            back = back.f_back
        if back is not None and self._room(back) != here:
            self.ways[self._room(back), here] += 1
            self.calls[self._room(back), here, frame.f_code.co_qualname] += 1

    def through(self, function: Callable[[], object]) -> None:
        """Run the function and watch."""
        sys.setprofile(self._seen)
        try:
            function()
        finally:
            sys.setprofile(None)

    def told(self, title: str) -> str:
        """What was seen, the most frequent ways and calls first."""
        lines = [f"{title}: {len(self.files)} files, {self.ways.total()} changes of room"]
        lines += [f"    {count:6d}  {a} → {b}" for (a, b), count in self.ways.most_common(8)]
        lines += [f"    {count:6d}  {a} → {b}: {name}" for (a, b, name), count in self.calls.most_common(12)]
        return "\n".join(lines)


def walks(model: str) -> tuple[Walk, Walk]:
    """From the text to a System, and from there to its classification."""
    text = (Path(HOUSE) / "model" / "gallery" / f"{model}.toml").read_text(encoding="utf-8")
    chetaev.classify(chetaev.loads(text))
    other = text.replace("\n[", "\n\n[")  # the same model, not the same text
    make, classify = Walk(), Walk()
    systems: list[chetaev.System] = []
    make.through(lambda: systems.append(chetaev.loads(other)))
    classify.through(lambda: chetaev.classify(systems[0]))
    return make, classify


def measure() -> list[Row]:
    """Changes of room for each file that is passed, on the rolling disc."""
    names = ("changes of room, text to System", "changes of room, System to its classification")
    found = zip(names, walks("rolling-disc"), strict=True)
    return [Row(name, "files passed", walk.ways.total() / len(walk.files)) for name, walk in found]


if __name__ == "__main__":
    made, classified = walks(*sys.argv[1:2] or ["rolling-disc"])
    print(made.told("to make the System"), classified.told("to classify it"), sep="\n")
