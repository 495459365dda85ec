"""Compiled code on disk: found again, safe under concurrent use and after crashes, not needed at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import chetaev as ch
from chetaev.flow.compile import loops
from chetaev.flow.compile.cache import MAGIC, Cache, default_directory
from chetaev.flow.compile.programs import forget
from chetaev.flow.derive.digest import digest
from chetaev.flow.run.compiled_field import compile_field

CHILD = """
import sys
from types import SimpleNamespace
from chetaev.expr.language.parser import parse, parse_equation
from chetaev.expr.language.scope import Scope
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate
from chetaev.model.dynamics.lagrangian import Lagrangian
scope = Scope.of(["x", "y", "phi"])
names = ("x", "y", "phi")
system = SimpleNamespace(
    time="t", coordinates=names, parameters={}, position_constraints=(), acceleration_constraints=(),
    dynamics=Lagrangian(names, {}, parse("x'^2 + y'^2 + phi'^2/3 - cos(phi)*x", scope)),
    velocity_constraints=(parse_equation("x'*sin(phi) = y'*cos(phi)", scope),),
)
assert "casadi" not in sys.modules and "sympy" not in sys.modules
run = integrate(compile_field(system), 0.0, [0, 0, 0.3], [0, 0, 1], 2.0, tolerance=1e-11)
values = (*run.q[-1], *run.multipliers[-1], run.energy[-1])
assert "sympy" not in sys.modules
print("casadi" in sys.modules, *[repr(float(x)) for x in values])
"""


def child(directory: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"CHETAEV_CACHE": str(directory)}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert not err
    return out.split()


@pytest.mark.slow
def test_several_processes_fill_one_empty_cache(tmp_path: Path) -> None:
    first = [finish(p) for p in [child(tmp_path) for _ in range(3)]]
    again = finish(child(tmp_path))
    assert all(values[1:] == again[1:] for values in first)
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    assert files
    assert all(f.suffix == ".bin" for f in files), "no half-written file is left"


@pytest.mark.slow
def test_a_cached_start_derives_nothing(tmp_path: Path) -> None:
    first, second = finish(child(tmp_path)), finish(child(tmp_path))
    assert first[0] == "True"
    assert second[0] == "False", "CasADi was imported although the machine code is there"
    assert first[1:] == second[1:]


def test_damaged_files_are_ignored_and_written_anew(tmp_path: Path) -> None:
    system = ch.load("heisenberg")
    q, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, 0.5, 0.2])
    forget()
    loops.library(Cache(off=True))  # once for all models, and not made again
    wanted = compile_field(system, cache=Cache(tmp_path))(0.0, q, v)
    files = list(tmp_path.rglob("*.bin"))
    whole = {f: f.read_bytes() for f in files}
    for damage in (b"", b"garbage", MAGIC, None):
        for f in files:
            data = whole[f]
            f.write_bytes(data[:-20] + bytes(20) if damage is None else damage)
        forget()
        again = compile_field(system, cache=Cache(tmp_path))(0.0, q, v)
        assert again.tolist() == wanted.tolist()
        assert all(Cache(tmp_path).get(f.parent.name + f.stem) is not None for f in files), "rewritten whole"


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    forget()
    field = compile_field(ch.load("heisenberg"), cache=Cache(blocked / "cache"))
    assert np.all(np.isfinite(field(0.0, np.zeros(3), np.ones(3))))
    assert blocked.read_text() == "not a directory"


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache = Cache(tmp_path)
    cache.put("ab" * 32, b"code")
    assert cache.get("ab" * 32) is None
    assert not [f for f in tmp_path.rglob("*") if f.is_file()]


def test_where_the_cache_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHETAEV_CACHE", "off")
    assert default_directory() is None
    assert Cache().get("ab" * 32) is None
    Cache().put("ab" * 32, b"x")
    monkeypatch.delenv("CHETAEV_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == str(tmp_path / "chetaev")


def test_the_name_depends_on_everything_that_matters() -> None:
    base = {"coordinates": ["x", "y"], "lagrangian": "x'^2/2 + y'^2/2 - k*x", "parameters": {"k": 1}}
    names = set()
    for change in (
        {}, {"lagrangian": "x'^2/2 + y'^2/2 - k*y"}, {"constraints": ["x' = y'"]}, {"forces": {"y": "k"}},
        {"coordinates": ["y", "x"]}, {"constraints": {"position": ["x = y"]}},
        {"parameters": {"k": 1, "l": 2}},
    ):  # fmt: skip
        names.add(compile_field(ch.System(**(base | change))).programs.key("x"))
    assert len(names) == 7
    same = compile_field(ch.System(**(base | {"parameters": {"k": 7}}))).programs.key("x")
    assert same in names, "parameter values must not matter"
    assert digest("a", "bc") != digest("ab", "c")


def test_old_files_are_removed_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chetaev.flow.compile.cache.MAX_FILES", 10)
    cache = Cache(tmp_path)
    for i in range(12):
        cache.put(f"{i + 1:02x}" * 32, b"x")
    cache.put("00" * 32, b"y")
    assert len(list(tmp_path.rglob("*.bin"))) == 7


def test_a_model_made_again_uses_the_code_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHETAEV_CACHE", "off")
    forget()
    text = {"coordinates": ["x", "y"], "lagrangian": "x'^2/2 + y'^4/12 + y'^2 - sin(x*y)"}
    first = compile_field(ch.System(**text))
    wanted = first(0.0, [0.3, 0.2], [1.0, 2.0])
    monkeypatch.setattr("chetaev.flow.compile.programs.object_code", None)  # compiling would now fail
    assert compile_field(ch.System(**text))(0.0, [0.3, 0.2], [1.0, 2.0]).tolist() == wanted.tolist()
    forget()
    with pytest.raises(TypeError):
        compile_field(ch.System(**text))(0.0, [0.3, 0.2], [1.0, 2.0])


FORK = """
import os
import chetaev as ch
from chetaev.flow.run.compiled_field import compile_field
from chetaev.flow.run.integrate import integrate  # with an empty cache, a thread now compiles the loops
child = os.fork()
field = compile_field(ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2"))
print(round(integrate(field, 0.0, [1.0], [0.0], 1.0).q[-1, 0], 6), flush=True)
if child:
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_may_fork_while_the_loops_are_being_made(tmp_path: Path) -> None:
    environment = os.environ | {"CHETAEV_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        env=environment,
        text=True,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("0.540302") == 2
