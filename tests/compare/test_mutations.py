"""No shared part may be wrong without notice: every mutation is noticed by the comparison or by a test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.flow.compile.code_image import writes_code

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGE = Path(ch.__file__).parent
MUTATIONS = tomllib.loads((HERE / "mutations.toml").read_text(encoding="utf-8"))["mutation"]
IDS = [f"{row['file']}: {row['wrong']}" for row in MUTATIONS]
ELSEWHERE = () if writes_code() else ("flow/compile/x86/", "flow/compile/loaded_objects.py")
"""What this processor does without, mistakes and all."""
TRIED = {name: row for name, row in zip(IDS, MUTATIONS, strict=True) if not row["file"].startswith(ELSEWHERE)}


def test_there_are_mutations_of_every_shared_part() -> None:
    assert len(MUTATIONS) >= 40
    assert len(set(IDS)) == len(IDS)
    files = {row["file"] for row in MUTATIONS}
    assert {
        "equations/law/setup.py",
        "equations/law/hypotheses.py",
        "expr/graph/engine.py",
        "flow/compile/translate.py",
    } <= files


@pytest.mark.parametrize("row", MUTATIONS, ids=IDS)
def test_the_mutated_text_is_in_the_source_once(row: dict[str, str]) -> None:
    assert (PACKAGE / row["file"]).read_text(encoding="utf-8").count(row["old"]) == 1
    assert row["new"] != row["old"]


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
def mutated(row: dict[str, str], where: Path) -> Iterator[None]:
    """The copy with a mistake in one file, until it is mended."""
    file = where / "chetaev" / row["file"]
    text = file.read_text(encoding="utf-8")
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


def noticed(row: dict[str, str], where: Path, parent: subprocess.Popen[str], output: Path) -> str | None:
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


@pytest.mark.slow
@pytest.mark.parametrize("row", TRIED.values(), ids=TRIED)
def test_a_mutation_is_noticed(
    row: dict[str, str],
    copy: Path,
    parent: subprocess.Popen[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    with mutated(row, copy):
        found = noticed(row, copy, parent, tmp_path / "output")
    record_property("mutation", (row["file"], row["wrong"], found))
    assert found is not None, f"nothing notices that {row['wrong']} in {row['file']}"
