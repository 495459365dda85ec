"""Print which part of each room was run, from the data of `make coverage`.

Kernels and schemes are compiled before they run: of `flow/kernels/` and `flow/schemes/` only what is also run
as Python counts.
"""

from __future__ import annotations

from collections import defaultdict

from coverage import Coverage

from rooms import SOURCE


def by_room() -> dict[str, list[int]]:
    """Lines that can be run and lines that were, by room."""
    measured = Coverage()
    measured.load()
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path in sorted((SOURCE / "chetaev").rglob("*.py")):
        _, lines, _, missing, _ = measured.analysis2(str(path))
        room, *inside = path.relative_to(SOURCE / "chetaev").parts
        room = f"{room}/" if inside else "beside the rooms"
        found[room][0] += len(lines)
        found[room][1] += len(lines) - len(missing)
    return found


if __name__ == "__main__":
    rooms = by_room()
    rooms["all"] = [sum(numbers) for numbers in zip(*rooms.values(), strict=True)]
    for room, (lines, run) in rooms.items():
        print(f"{room:20} {run:6} of {lines:6} lines {run / max(lines, 1):7.1%}")
