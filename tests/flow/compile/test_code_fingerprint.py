"""A process in which a function of the rooms that make code was replaced is noticed, however it was."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from chetaev.flow.compile import code_fingerprint, translate
from chetaev.flow.derive import chart, dynamics
from chetaev.flow.schemes.scheme import Scheme


def other(*arguments: object) -> object:
    return arguments


@pytest.mark.parametrize(
    ("owner", "name"),
    [(dynamics, "solve_reduced"), (chart, "choose"), (translate, "scalar_text"), (Scheme, "to_json")],
)
def test_a_function_of_a_module_or_of_a_class(
    owner: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, other)
        assert code_fingerprint.is_changed()
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()


def test_an_entry_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamics, "TABLE_FOR_TEST", {"a": dynamics.eliminate}, raising=False)
    assert not code_fingerprint.is_changed()
    dynamics.TABLE_FOR_TEST["a"] = other
    assert code_fingerprint.is_changed()


@contextlib.contextmanager
def foreign_context() -> Iterator[None]:
    yield


def test_a_function_that_a_trusted_library_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert foreign_context.__code__.co_filename == contextlib.__file__
    monkeypatch.setattr(dynamics, "eliminate", foreign_context)
    assert code_fingerprint.is_changed()


def test_a_function_that_calls_itself_one_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def disguised() -> None:
        return None

    disguised.__module__ = dynamics.__name__
    monkeypatch.setattr(dynamics, "eliminate", disguised)
    assert code_fingerprint.is_changed()


def test_a_module_that_comes_or_takes_the_place_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = types.ModuleType("chetaev.flow.foreign")
    foreign.__dict__["answer"] = other
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "chetaev.flow.foreign", foreign)
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "chetaev.flow.derive.chart", foreign)
        assert code_fingerprint.is_changed()
    assert not code_fingerprint.is_changed()


# --- files ----------------------------------------------------------------------------------------------


def package(where: Path) -> Path:
    """Two rooms with two files each, one of them in a folder of its own."""
    for room in code_fingerprint.ROOMS:
        (where / room / "inner").mkdir(parents=True)
        (where / room / "one.py").write_text("a = 1\n")
        (where / room / "inner" / "two.py").write_text("b = 2\n")
    return where


def test_whatever_happens_to_a_file_gives_another_name(tmp_path: Path) -> None:
    home = package(tmp_path)
    seen = {code_fingerprint.fingerprint_of(str(home))}
    assert code_fingerprint.fingerprint_of(str(home)) in seen

    def is_new() -> bool:
        found = code_fingerprint.fingerprint_of(str(home))
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
from chetaev.flow.compile import code_fingerprint
at_first = code_fingerprint.fingerprint_of(code_fingerprint.PACKAGE)
edited = Path(code_fingerprint.PACKAGE, "flow", "derive", "dynamics.py")
edited.write_text(edited.read_text() + "# edited\\n")
now = code_fingerprint.fingerprint_of(code_fingerprint.PACKAGE)
assert code_fingerprint.fingerprint() == at_first != now
"""


@pytest.mark.slow
def test_sources_that_are_edited_while_a_process_lives_do_not_lend_their_name_to_the_old_code(
    tmp_path: Path,
) -> None:
    copy = tmp_path / "chetaev"
    shutil.copytree(code_fingerprint.PACKAGE, copy, ignore=shutil.ignore_patterns("objects", "__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
