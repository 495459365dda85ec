"""Which mutations a change touches, and what noticed each when it was tried last.

The list is `compare/mutations.toml`. `compare/noticed.json` has, for each row, what noticed it and a digest
of all that the row is about: its own texts, the source file it changes, the file that must notice it. A row
whose digest is another one now is tried by `make slow`, the others by `make soak`.

``python tests/mutations.py`` tries the rows that are not as recorded (``--all``: all of them) and writes the
record anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "chetaev"
COMPARE = ROOT / "tests" / "compare"
RECORD = COMPARE / "noticed.json"

Row = dict[str, str]
"""wrong, file, old, new, by."""


def identity(row: Row) -> str:
    """What a row is called."""
    return f"{row['file']}: {row['wrong']}"


ROWS: dict[str, Row] = {}
for _row in tomllib.loads((COMPARE / "mutations.toml").read_text(encoding="utf-8"))["mutation"]:
    assert identity(_row) not in ROWS, f"mutations.toml has '{identity(_row)}' twice"
    ROWS[identity(_row)] = _row


def digest(row: Row) -> str:
    """Of the texts that a row is about: its own, the source file's, that of the test or of the probes."""
    by = row["by"].partition("::")[0] if row["by"].startswith("tests/") else "tests/probes.py"
    texts = [json.dumps(row, sort_keys=True), *map(_text, (PACKAGE / row["file"], ROOT / by))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def recorded() -> dict[str, dict[str, str]]:
    """The record: what noticed each row, and the digest it had then."""
    return json.loads(_text(RECORD) or "{}")  # type: ignore[no-any-return]


def as_recorded() -> set[str]:
    """The rows of which nothing has changed since something noticed them."""
    record = recorded()
    return {name for name, row in ROWS.items() if record.get(name, {}).get("digest") == digest(row)}


class Recorder:
    """A plugin of pytest that gathers what noticed the rows that were tried."""

    def __init__(self) -> None:
        self.noticed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Read what `compare/test_mutations.py` says of a row."""
        for key, value in report.user_properties if report.when == "call" else ():
            if key == "mutation" and value[2]:
                file, wrong, found = value
                self.noticed[f"{file}: {wrong}"] = found

    def write(self) -> None:
        """The record with what was noticed now, in the order of the list; rows that are gone leave it."""
        record = recorded()
        record |= {name: {"digest": digest(ROWS[name]), "by": by} for name, by in self.noticed.items()}
        lines = {name: record[name] for name in ROWS if name in record}
        RECORD.write_text(json.dumps(lines, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


def main(*arguments: str) -> int:
    """Try the rows and write the record; the exit status."""
    recorder = Recorder()
    tried = "slow" if "--all" in arguments else "slow and not soak"
    options = ["-q", "-n", "auto", "--dist", "load", "-m", tried, str(COMPARE / "test_mutations.py")]
    status = int(pytest.main(options, plugins=[recorder]))
    recorder.write()
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        print("All mutations are as recorded.")
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
