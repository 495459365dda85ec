"""Run all benchmarks and print one table of ratios.

Every other script in this directory has a function ``measure`` that returns rows. ``python benchmarks/run.py
startup`` runs only that one. The exit status is 1 when a ratio is above its limit.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Row(NamedTuple):
    """One measurement: `ratio` is the cost of `what` divided by that of `against`."""

    what: str
    against: str
    ratio: float
    limit: float | None = None

    @property
    def good(self) -> bool:
        """Whether the ratio keeps its limit."""
        return self.limit is None or self.ratio < self.limit


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | against | ratio | limit | |", "|---|---|---:|---:|---|"]
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:g}"
        verdict = "" if row.limit is None else "ok" if row.good else "**too much**"
        lines.append(f"| {row.what} | {row.against} | {row.ratio:.3g} | {limit} | {verdict} |")
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all."""
    known = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    rows: list[Row] = []
    broken: list[str] = []
    for name in names or known:
        print(f"measuring: {name}", file=sys.stderr)
        try:
            rows += importlib.import_module(name).measure()
        except Exception:  # what the others measured is not lost
            traceback.print_exc()
            broken.append(name)
    print(table(rows))
    if broken:
        print(f"not measured, for the reasons above: {', '.join(broken)}", file=sys.stderr)
    return 0 if all(row.good for row in rows) and not broken else 1


if __name__ == "__main__":
    sys.modules["run"] = sys.modules["__main__"]  # so that `from run import Row` finds this very module
    sys.exit(main(sys.argv[1:]))
