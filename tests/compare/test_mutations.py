"""No shared part may be wrong without notice: every mutation is noticed by the comparison or by a test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
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


def mutated(row: dict[str, str], where: Path) -> Path:
    """A copy of the package, of links except for the mutated file; returns the directory that holds it."""
    shutil.copytree(PACKAGE, where / "chetaev", copy_function=_link)
    file = where / "chetaev" / row["file"]
    text = file.read_text(encoding="utf-8")
    file.unlink()
    file.write_text(text.replace(row["old"], row["new"]), encoding="utf-8")
    return where


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def run(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the mutant in front of its path, and no code from a cache."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(where), str(ROOT / "tests")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CHETAEV_CACHE": "off",
        "PYTEST_ADDOPTS": "",
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def noticed(row: dict[str, str], where: Path) -> str | None:
    """What notices a mutation; None if nothing does."""
    if row["by"].startswith("tests/"):
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        done = run(where, "-m", "pytest", *options, row["by"])
        assert done.returncode in (0, 1, 2), done.stdout + done.stderr
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0] if failed else None
    done = run(where, str(HERE / "mutant.py"), str(where), row["by"])
    assert not done.returncode, done.stderr
    found = json.loads(done.stdout)["noticed"]
    return f"compare on {row['by']!r}: {found}" if found else None


@pytest.mark.slow
@pytest.mark.parametrize("row", TRIED.values(), ids=TRIED)
def test_a_mutation_is_noticed(row: dict[str, str], tmp_path: Path, record_property: object) -> None:
    found = noticed(row, mutated(row, tmp_path))
    record_property("mutation", (row["file"], row["wrong"], found))  # type: ignore[operator]
    assert found is not None, f"nothing notices that {row['wrong']} in {row['file']}"
