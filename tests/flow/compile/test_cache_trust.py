"""What is kept on disk is run, so it is believed only where it is our own: made by this very code for this
very program, under its own name, in files that no one else could have written.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.compile.cache import Cache, default_directory
from chetaev.flow.compile.programs import Programs, forget
from chetaev.flow.derive.chart import read_chart
from chetaev.flow.run.compiled_field import compile_field

KEY, OTHER = "ab" * 32, "cd" * 32
PACKAGE = Path(ch.__file__).parent
CHAIN = {"coordinates": ["x"], "lagrangian": "x'^2/2 - cosh(x)"}
SCRIPT = f"""
import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field
print(compile_field(ch.System(**{CHAIN}))(0.0, [1.0], [0.0])[0])
"""
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such permissions here")


def run(package: Path, cache: Path | str) -> float:
    environment = os.environ | {"PYTHONPATH": str(package.parent), "CHETAEV_CACHE": str(cache)}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.slow
def test_after_any_change_of_the_code_a_warm_cache_is_as_good_as_a_cold_one(tmp_path: Path) -> None:
    copy = tmp_path / "chetaev"
    shutil.copytree(
        PACKAGE, copy, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__")
    )
    assert run(copy, tmp_path / "cache") == pytest.approx(-np.sinh(1.0))
    source = copy / "expr" / "graph" / "engine.py"
    text = source.read_text("utf-8")
    tripled = text.replace('"cosh": unary(casadi.OP_COSH)', '"cosh": lambda x: 3 * casadi.cosh(x)')
    assert tripled != text
    source.write_text(tripled, "utf-8")
    assert run(copy, tmp_path / "cache") == run(copy, "off") == pytest.approx(-3 * np.sinh(1.0))
    source.write_text(text, "utf-8")
    assert run(copy, tmp_path / "cache") == pytest.approx(-np.sinh(1.0))


def test_content_is_bound_to_its_name(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, b"one")
    cache.put(OTHER, b"two")
    shutil.copy(tmp_path / "ab" / f"{KEY[2:]}.bin", tmp_path / "cd" / f"{OTHER[2:]}.bin")
    assert cache.get(KEY) == b"one"
    assert cache.get(OTHER) is None


def test_code_under_anothers_name_is_not_run(tmp_path: Path) -> None:
    """Every file of one model is copied over every file of another: it is derived again, and put right."""
    field = {}
    for name, lagrangian in {"a": "x'^2/2 - cosh(x)", "b": "x'^2/2 - 5*x"}.items():
        forget()
        system = ch.System(coordinates=["x"], lagrangian=lagrangian)
        field[name] = compile_field(system, cache=Cache(tmp_path / name))
        field[name](0.0, [1.0], [0.0])
    for victim in (tmp_path / "a").rglob("*.bin"):
        whole = victim.read_bytes()
        for planted in (tmp_path / "b").rglob("*.bin"):
            shutil.copy(planted, victim)
            forget()
            again = compile_field(ch.System(**CHAIN), cache=Cache(tmp_path / "a"))
            assert again(0.0, [1.0], [0.0])[0] == pytest.approx(-np.sinh(1.0))
            assert victim.read_bytes() == whole or victim.read_bytes() == planted.read_bytes()
        assert Cache(tmp_path / "a").get(victim.parent.name + victim.stem) is not None, "written anew"


def kept(directory: Path) -> tuple[Cache, Path]:
    cache = Cache(directory)
    cache.put(KEY, b"code")
    path = directory / "ab" / f"{KEY[2:]}.bin"
    assert cache.get(KEY) == b"code"
    return cache, path


@posix
@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602, 0o777])
def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path, mode: int) -> None:
    cache, path = kept(tmp_path / "cache")
    path.chmod(mode)
    assert cache.get(KEY) is None
    cache.put(KEY, b"code")
    assert cache.get(KEY) == b"code"
    assert path.stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_directory_that_others_may_write_is_not_believed(tmp_path: Path, mode: int) -> None:
    cache, _ = kept(tmp_path / "cache")
    (tmp_path / "cache").chmod(mode)
    assert cache.get(KEY) is None
    (tmp_path / "cache").chmod(0o755)
    assert cache.get(KEY) == b"code"


@posix
def test_a_file_of_another_user_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, path = kept(tmp_path / "cache")
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        assert cache.get(KEY) is None
        os.chown(path, 0, 0)
    assert cache.get(KEY) == b"code"
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert cache.get(KEY) is None


@posix
@pytest.mark.parametrize("kind", ["pipe", "link", "link to nothing", "directory", "device"])
def test_what_is_no_regular_file_is_never_waited_for(tmp_path: Path, kind: str) -> None:
    cache, path = kept(tmp_path / "cache")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    match kind:
        case "pipe":
            os.mkfifo(path, 0o600)
        case "link":
            path.symlink_to(elsewhere)
        case "link to nothing":
            path.symlink_to(tmp_path / "nothing")
        case "directory":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
    assert cache.get(KEY) is None
    cache.put(KEY, b"code")
    assert cache.get(KEY) == (None if kind == "directory" else b"code")


@posix
def test_the_directory_is_made_for_the_user_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        kept(tmp_path / "deep" / "cache")
    finally:
        os.umask(old)
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "deep" / "cache" / "ab").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "settings",
    [
        {"HOME": "", "USERPROFILE": ""}, {"HOME": "relative", "USERPROFILE": "relative"},
        {"CHETAEV_CACHE": "cache"}, {"CHETAEV_CACHE": "."}, {"CHETAEV_CACHE": "~/cache"},
        {"XDG_CACHE_HOME": "cache", "HOME": "", "USERPROFILE": ""},
    ],
)  # fmt: skip
def test_no_directory_under_the_current_one(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CHETAEV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    chosen = default_directory()
    assert chosen is None or not Path(chosen).resolve().is_relative_to(tmp_path)
    if chosen is None:
        Cache().put(KEY, b"code")
        assert Cache().get(KEY) is None
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_is_not_known_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHETAEV_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what it does for an unknown user
    assert default_directory() is None


CHARTS: dict[str, Any] = {
    "no json": b"\x80\x04K\x01.",
    "nothing": b"",
    "a number": b"7",
    "a text": b'"four"',
    "four letters": b'"abcd"',
    "an object": b'{"a": 1, "b": 2, "c": 3, "d": 4}',
    "endless nesting": b"[" * 100_000,
    "other lengths": b"[[0], [1], [1.0, 1.0], [1, 1]]",
    "a row twice": b"[[0, 0], [0, 1], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a column twice": b"[[0, 1], [1, 1], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a column far away": b"[[0, 1], [0, 1000000000000], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a negative column": b"[[0, 1], [0, -1], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a column of text": b'[[0, 1], [0, "1"], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]',
    "a column of truth": b"[[0, 1], [0, true], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a scale of zero": b"[[0, 1], [0, 1], [1.0, 0.0, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a scale that is none": b"[[0, 1], [0, 1], [1.0, NaN, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a scale beyond all": b"[[0, 1], [0, 1], [1.0, 1e999, 1.0], [1, 1, 1, 1, 1, 1]]",
    "a place of seven": b"[[0, 1], [0, 1], [1.0, 1.0, 1.0], [1, 1, 7, 1, 1, 1]]",
    "a place of null": b"[[0, 1], [0, 1], [1.0, 1.0, 1.0], [1, null, 1, 1, 1, 1]]",
    "digits without end": b"[[0, 1], [0, 1" + b"0" * 5000 + b"], [1.0, 1.0, 1.0], [1, 1, 1, 1, 1, 1]]",
}


@pytest.mark.few(8)
@pytest.mark.parametrize("name", CHARTS)
def test_a_hostile_chart_ends_in_a_fresh_derivation(name: str, tmp_path: Path) -> None:
    assert read_chart(CHARTS[name], 2, 3) is None
    system = ch.System(
        coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2 - z", constraints=["x' = y*z'", "y' = z"]
    )
    cache = Cache(tmp_path)
    forget()
    wanted = compile_field(system, cache=cache)(0.0, [0.1, 0.2, 0.3], [0.1, 0.3, 0.5])
    forget()
    programs = compile_field(system, cache=cache).programs
    assert isinstance(programs, Programs)
    key = programs.key("chart")
    good = cache.get(key)
    assert good is not None
    cache.put(key, CHARTS[name])
    found = compile_field(system, cache=cache)(0.0, [0.1, 0.2, 0.3], [0.1, 0.3, 0.5])
    assert found.tolist() == wanted.tolist()
    assert cache.get(key) == good, "written anew"
