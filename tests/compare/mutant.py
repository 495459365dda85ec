"""Run by `test_mutations` with a mutated chetaev on its path: does the comparison notice?

Prints a JSON object with what noticed it, or null.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import chetaev as ch
import probes

SAMPLES = 4


def noticed(name: str) -> str | None:
    """Who notices a mistake on this system: rows that disagree, or an error."""
    try:
        table = ch.compare(probes.probe(name), samples=SAMPLES)
    except Exception as error:  # whatever a mutant raises, it is not silent
        return f"{type(error).__name__}"
    if not table.evaluated:
        return "nothing evaluated"
    rows = [row.form for row in table.rows if not row.agrees]
    return f"{', '.join(rows[-3:])}" if rows else None


if __name__ == "__main__":
    where, name = Path(sys.argv[1]), sys.argv[2]
    assert Path(ch.__file__).is_relative_to(where), "another chetaev than the mutant was imported"
    json.dump({"noticed": noticed(name)}, sys.stdout)
