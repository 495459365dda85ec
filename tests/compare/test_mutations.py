"""No shared part may be wrong without notice: every mutation is noticed by the comparison or by a test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mutations import PACKAGE, ROOT, ROWS, Row, as_recorded, digest
from portions import SOAK

HERE = Path(__file__).parent


def rows() -> Iterator[Any]:
    """The rows as parameters: those that are not as recorded are slow, the others are for `make soak`."""
    known = as_recorded()
    for name, row in ROWS.items():
        yield pytest.param(row, id=name, marks=SOAK if name in known else pytest.mark.slow)


def test_there_are_mutations_of_every_shared_part() -> None:
    assert len(ROWS) >= 40
    files = {row["file"] for row in ROWS.values()}
    assert {
        "equations/law/setup.py",
        "equations/law/hypotheses.py",
        "expr/graph/engine.py",
        "flow/compile/program_text.py",
    } <= files


def test_the_mutated_text_is_in_the_source_once() -> None:
    wrong = {}
    for name, row in ROWS.items():
        times = (PACKAGE / row["file"]).read_text(encoding="utf-8").count(row["old"])
        if times != 1 or row["new"] == row["old"]:
            wrong[name] = times
    assert not wrong


def test_every_row_names_a_test_that_exists() -> None:
    missing = {}
    for name, row in ROWS.items():
        file, _, test = row["by"].partition("::")
        if file.startswith("tests/"):
            text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).exists() else ""
            if not text or (test and f"def {test.partition('[')[0]}(" not in text):
                missing[name] = row["by"]
    assert not missing


def test_a_row_is_tried_again_when_what_it_is_about_has_changed(tmp_path: Path) -> None:
    row = next(row for row in ROWS.values() if row["by"].startswith("tests/"))
    assert digest(row) == digest(dict(reversed(row.items())))
    changed = [digest(row | {key: row[key] + " "}) for key in ("wrong", "old", "new", "by")]
    changed += [digest(row | {"file": "errors.py"}), digest(row | {"by": "forces"})]
    assert len({digest(row), *changed}) == 1 + len(changed)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds a copy of the package, of links, for one mutated file after the other."""
    where = tmp_path_factory.mktemp("mutants")
    shutil.copytree(PACKAGE, where / "chetaev", copy_function=_link)
    return where


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@contextmanager
def mutated(row: Row, where: Path) -> Iterator[None]:
    """The copy with a mistake in one file, until it is mended."""
    file = where / "chetaev" / row["file"]
    text = file.read_text(encoding="utf-8")
    file.parent.chmod(0o755)  # of a tree that is read-only, the copy is too
    file.unlink()
    try:
        file.write_text(text.replace(row["old"], row["new"]), encoding="utf-8")
        yield
    finally:
        file.unlink()
        _link(str(PACKAGE / row["file"]), str(file))


@pytest.fixture(scope="module")
def parent(copy: Path) -> Iterator[subprocess.Popen[str]]:
    """The process that all mutants are forked from; they find the copy in front, and no code in a cache."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(copy), str(ROOT / "tests")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CHETAEV_CACHE": "off",
        "PYTEST_ADDOPTS": "",
    }
    run = [sys.executable, str(HERE / "mutant.py")]
    with subprocess.Popen(
        run, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def noticed(row: Row, where: Path, parent: subprocess.Popen[str], output: Path) -> str | None:
    """What notices a mutation; None if nothing does."""
    assert parent.stdin is not None
    assert parent.stdout is not None
    asked = {"where": str(where), "by": row["by"], "output": str(output)}
    parent.stdin.write(f"{json.dumps(asked)}\n")
    parent.stdin.flush()
    status, printed = int(parent.stdout.readline()), output.read_text(encoding="utf-8")
    if row["by"].startswith("tests/"):
        assert status in (0, 1, 2), printed
        failed = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0] if failed else None
    assert not status, printed
    found = json.loads(printed)["noticed"]
    return f"compare on {row['by']!r}: {found}" if found else None


@pytest.mark.parametrize("row", list(rows()))
def test_a_mutation_is_noticed(
    row: Row,
    copy: Path,
    parent: subprocess.Popen[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    with mutated(row, copy):
        found = noticed(row, copy, parent, tmp_path / "output")
    record_property("mutation", (row["file"], row["wrong"], found))
    assert found is not None, f"nothing notices that {row['wrong']} in {row['file']}"
