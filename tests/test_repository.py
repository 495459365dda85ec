"""Guards of the repository itself: what its texts may not contain, what a light command may not import."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import chetaev

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("src", "tests", "docs", "benchmarks", ".ci", "papers")
SKIPPED = {"__pycache__", ".git", ".hypothesis", "node_modules"}
BINARY = {".pyc", ".gif", ".png", ".npz", ".nc", ".gz", ".bin"}

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(?:home|root|opt|work|Users|mnt)/\w|\b[A-Z]:\\\\?Users",
    "the address of a package registry": r"pypi[.]org|pythonhosted[.]|index[-]url|find[-]links|npmjs[.]",
}


def texts():
    """The text files of the repository, without what is generated."""
    files = [path for path in ROOT.iterdir() if path.is_file()]
    for part in PARTS:
        files += [path for path in (ROOT / part).rglob("*") if path.is_file()]
    for path in sorted(files):
        if not SKIPPED.intersection(path.relative_to(ROOT).parts) and path.suffix not in BINARY:
            yield path


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_text_contains(what):
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert not found, f"{what}:\n" + "\n".join(found)


def test_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert chetaev.__version__ == project["version"]


def test_scope_ids_in_tests_are_rows_of_the_ledger():
    """A test that names a row (K19, Sw6, …) names one that exists."""
    ledger = (ROOT / "docs" / "scope.md").read_text(encoding="utf-8")
    known = set(re.findall(r"\b(?:K|Sa|L|D|Sw|B|M)\d{1,2}\b", ledger))
    assert {"K25", "Sa10", "L11", "D8", "Sw7", "B13", "M6"} <= known
    unknown = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        names = re.findall(
            r"def test_\w*?_(K|Sa|L|D|Sw|B|M)(\d{1,2})(?:_|\()", path.read_text(encoding="utf-8")
        )
        wrong = {letter + digits for letter, digits in names} - known
        if wrong:
            unknown[str(path.relative_to(ROOT))] = wrong
    assert not unknown


def test_listing_the_gallery_imports_no_heavy_library():
    program = (
        "import sys\n"
        "sys.argv = ['chetaev', 'list']\n"
        "from chetaev.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'sympy', 'casadi', 'llvmlite', 'flint', 'xarray', 'pandas', 'scipy'}\n"
        "assert not heavy.intersection(sys.modules), heavy.intersection(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


GUARDS = {
    "browser.py",
    "sizes/__main__.py",
    "study/test_trouble.py",
    "study/test_worker.py",
    "verdicts_of.py",
}
"""Files that wait for another process, guarded against waiting for ever, or that are about clocks."""
CLOCK = re.compile(r"perf_counter|process_time|monotonic|time\.time\(|thread_time|time_ns")


def test_no_test_looks_at_absolute_time():
    """A slow or busy machine is no defect: effort is counted (tests/counted.py), waiting only guarded."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name, text = path.relative_to(ROOT / "tests").as_posix(), path.read_text(encoding="utf-8")
        if name not in GUARDS and name != "test_repository.py" and CLOCK.search(text):
            found.append(f"{name} reads a clock")
        found += [
            f"{name} waits {n} s only"
            for n in re.findall(r"(?:timeout=|alarm\(|[. ]wait\()(\d+)", text)
            if 0 < int(n) < 300
        ]
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_every_benchmark_can_be_imported():
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    script = f"import sys; sys.path.insert(0, 'benchmarks'); import {', '.join(names)}"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
