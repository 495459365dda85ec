"""The loops' code that is made with the package: found, as good as what is made on the spot, never stale."""

import ast
import ctypes
import os
import shutil
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

import chetaev
from chetaev.flow.compile import loops
from chetaev.flow.compile.machine import Library, host
from chetaev.flow.schemes import schemes

KINDS = {scheme.loops for scheme in schemes() if not scheme.chooses}
"""Schemes whose steps are the same loop share its code."""


ALONE = """
import sys
import zipfile
from pathlib import Path

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {"llvmlite", "chetaev"} | sys.stdlib_module_names:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from chetaev.flow.compile import loops
print(loops.build(Path(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A build, made where there is nothing but llvmlite: pyproject.toml asks for no more."""
    path = tmp_path_factory.mktemp("built")
    done = subprocess.run([sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(loops.levels()) * len(KINDS)
    return path


@pytest.mark.slow
def test_a_build_holds_every_level_and_a_run_finds_its_own(built, monkeypatch):
    assert len(list(built.glob("??/*.bin"))) == len(loops.levels()) * len(KINDS)
    monkeypatch.setattr(loops, "OBJECTS", built)
    for scheme in schemes():
        if scheme.chooses:
            continue
        code = loops.shipped(scheme.loops, loops.sources(scheme.name))
        assert code is not None
        assert Library(code).address("advance")


@pytest.mark.slow
def test_other_sources_or_a_damaged_file_find_nothing(built, tmp_path, monkeypatch):
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(loops, "OBJECTS", tmp_path)
    assert loops.shipped("dop853", "of another version") is None
    for path in tmp_path.glob("??/*.bin"):
        path.write_bytes(path.read_bytes()[:-1])
    assert loops.shipped("dop853", loops.sources()) is None


def test_everything_that_the_loops_are_made_of_counts():
    """Whatever the counted files import of this package is counted, but for the machinery around it."""
    around = {"cache.py", "digest.py", "__init__.py"}
    counted = loops.source_files()
    for path in counted:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chetaev.flow"):
                home = Path(chetaev.__file__).parents[1].joinpath(*node.module.split("."))
                inner = [home / f"{alias.name}.py" for alias in node.names]
                files = [f if f.exists() else home / "__init__.py" for f in inner]
                for file in files if home.is_dir() else [home.with_suffix(".py")]:
                    assert file in counted or file.name in around, f"{path.name} imports {file.name}"


@pytest.mark.slow
def test_files_can_be_read_by_everybody(built):
    assert {oct(path.stat().st_mode & 0o777) for path in built.glob("??/*.bin")} == {"0o644"}
    assert {oct(path.stat().st_mode & 0o777) for path in (built, *built.glob("??"))} == {"0o755"}


@pytest.mark.parametrize("architecture", list(loops.LEVELS))
def test_levels_go_from_much_to_nothing(architecture):
    levels = loops.LEVELS[architecture]
    assert levels[-1].needs == frozenset()
    assert all(a.needs > b.needs for a, b in pairwise(levels))


@pytest.mark.slow
def test_lower_levels_compute_the_same():
    """sin and cos of the lowest level and of this very processor, to roundoff."""
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_double, ctypes.c_void_p)
    results = []
    for processor in (loops.levels()[-1].processor if loops.levels() else host(), host()):
        library = Library(loops.make("dop853", processor))
        out = (ctypes.c_double * 4)()
        function(library.address("circle2"))(0.7, -1234.5, out)
        results.append(list(out))
    assert results[0] == pytest.approx(results[1], abs=3e-16)


@pytest.mark.slow
def test_with_the_package_built_the_first_run_compiles_its_model_only(tmp_path):
    if loops.shipped("dop853", loops.sources()) is None and not os.environ.get("CI"):
        pytest.skip("the loops have changed since the package was installed: install it again")
    script = """
import chetaev as ch
system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x'": 0})
assert ch.simulate(system, until=1.0).attrs["status"] == "done"
"""
    environment = os.environ | {"CHETAEV_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, timeout=600)
    sizes = [path.stat().st_size for path in tmp_path.glob("??/*.bin")]
    assert sizes, "the model's own code is kept"
    assert max(sizes) < 10_000, "the loops, tens of kilobytes, are not compiled again"


def contents(directory):
    """What is in a directory, but for the byte code that Python keeps of the build's own script."""
    own = directory / "__pycache__"
    found = (path for path in directory.rglob("*") if own not in (path, *path.parents))
    return {path: path.read_bytes() if path.is_file() else b"" for path in found}


@pytest.mark.slow
def test_a_wheel_leaves_the_source_as_it_was(tmp_path):
    root, copy = Path(__file__).parents[3], tmp_path / "a copy"
    copy.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    shutil.copytree(root / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "objects"))
    before = contents(copy)
    command = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, copy]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert contents(copy) == before
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as parts:
        objects = [name for name in parts.namelist() if name.startswith("chetaev/flow/objects/")]
    assert len(objects) == len(loops.levels()) * len(KINDS)
