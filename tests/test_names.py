"""Public names that are rooms too: `ch.equations` is a function, `chetaev.equations.forms.gauss` a module."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import chetaev as ch
from portions import some

HOUSE = Path(ch.__file__).parent
ROOMS = [
    path.parent
    for path in sorted(HOUSE.glob("*/__init__.py"))
    if path.parent.name in ch.__all__ and inspect.isfunction(getattr(ch, path.parent.name))
]
FILES = {room.name: sorted(f.stem for f in room.glob("[a-z]*.py"))[-1] for room in ROOMS}

STEPS = {
    "from": "from chetaev.{room} import {file} as M; assert M.__name__ == NAME",
    "import": "import chetaev.{room}.{file}, sys; assert sys.modules[NAME].__name__ == NAME",
    "call": "import chetaev as ch; assert callable(ch.{room}) and ch.{room}.__name__ == '{room}'",
    "pickle": "import pickle, chetaev as ch; assert pickle.loads(pickle.dumps(ch.{room})) is ch.{room}",
}


def run(*lines: str) -> None:
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.few(2)
@pytest.mark.parametrize("room", FILES)
@pytest.mark.parametrize("first", some(STEPS, 3))
def test_a_room_and_the_function_of_its_name_live_together_in_any_order(room, first):
    order = [first, *(name for name in STEPS if name != first), first]
    steps = [STEPS[name].format(room=room, file=FILES[room]) for name in order]
    run(f"NAME = 'chetaev.{room}.{FILES[room]}'", *steps)


def test_the_function_keeps_its_signature_and_its_documentation():
    assert list(inspect.signature(ch.equations).parameters)[:2] == ["system", "form"]
    assert "equations of motion" in (inspect.getdoc(ch.equations) or "")
    assert next(iter(inspect.signature(ch.study).parameters)) == "system"


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    shown = [name for name in dir(ch) if not name.startswith("__")]
    assert shown == sorted(name for name in ch.__all__ if name != "__version__")
