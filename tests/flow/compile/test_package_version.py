"""The package's version is another one after any change of the files that make code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chetaev.flow.compile import programs as package_version


def package(where: Path) -> Path:
    """Two rooms with two files each, one of them in a folder of its own."""
    for room in package_version.ROOMS:
        (where / room / "inner").mkdir(parents=True)
        (where / room / "one.py").write_text("a = 1\n")
        (where / room / "inner" / "two.py").write_text("b = 2\n")
    return where


def test_whatever_happens_to_a_file_gives_another_name(tmp_path: Path) -> None:
    home = package(tmp_path)
    seen = {package_version.version_of(str(home))}
    assert package_version.version_of(str(home)) in seen

    def is_new() -> bool:
        found = package_version.version_of(str(home))
        new = found not in seen
        seen.add(found)
        return new

    edited = home / "flow" / "inner" / "two.py"
    before = shutil.copy2(edited, home / "before")
    edited.write_text("b = 3\n")  # as long as it was, and with the old time of change
    shutil.copystat(before, edited)
    assert is_new()
    (home / "expr" / "three.py").write_text("")
    assert is_new()
    (home / "expr" / "three.py").unlink()
    edited.rename(home / "flow" / "inner" / "four.py")
    assert is_new()
    (home / "flow" / "inner" / "notes.txt").write_text("no code")
    assert not is_new()


LATE = """
import sys
from pathlib import Path
import chetaev.flow.derive.dynamics
from chetaev.flow.compile import programs as package_version
at_first = package_version.version_of(package_version.PACKAGE)
edited = Path(package_version.PACKAGE, "flow", "derive", "dynamics.py")
edited.write_text(edited.read_text() + "# edited\\n")
now = package_version.version_of(package_version.PACKAGE)
assert package_version.package_version() == at_first != now
"""


@pytest.mark.slow
def test_sources_that_are_edited_while_a_process_lives_do_not_lend_their_name_to_the_old_code(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "chetaev"
    left_out = shutil.ignore_patterns("objects", "__pycache__")
    shutil.copytree(package_version.PACKAGE, copy, copy_function=shutil.copyfile, ignore=left_out)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
