"""Rooms import only to their left, in the order of the table of CONTRIBUTING, which is the real graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import rooms

ROOT = Path(__file__).resolve().parent.parent


def table() -> dict[str, set[str]]:
    """The rooms of CONTRIBUTING in their order, with the rooms each imports."""
    found = {}
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| `(\w+)/` \| .* \| (.*) \|", line)
        if row:
            found[row[1]] = set() if row[2] == "nothing" else set(row[2].split(", "))
    return found


def test_the_table_is_the_real_graph() -> None:
    real = rooms.between_rooms()
    assert set(real) - set(table()) == {rooms.GROUND, rooms.DOOR, "chetaev"}
    real = {name: real[name] & set(table()) for name in table()}
    assert table() == real


def test_rooms_import_only_to_their_left_lazy_imports_included() -> None:
    order = list(table())
    for here, targets in rooms.between_rooms().items():
        assert rooms.DOOR not in targets or here == "chetaev", here
        if here in order:
            assert {t for t in targets if t in order} <= set(order[: order.index(here)]), here
        if here == rooms.GROUND:
            assert not targets & set(order), targets


def test_rooms_have_no_cycles() -> None:
    assert rooms.cycles(rooms.between_rooms()) == []


def test_files_have_no_cycles_when_they_are_imported() -> None:
    assert rooms.cycles(rooms.graph(lazy=False)) == []


LAZY_STEPS_BACK = {
    ("expr", "graph", "print"),
    ("expr", "graph", "language"),  # Expr.to_sympy
    ("expr.exact", "field", "readable"),  # Element.to_expr
    ("geometry", "chart", "calculus"),
    ("model", "system", "file"),  # System.to_toml, and copies by pickle
}
"""What the docstrings of these rooms own up to: an object that makes, when asked, what a later room knows."""


@pytest.mark.parametrize(
    "room", ["expr", "expr.exact", "model", "geometry", "constraint", "equations", "flow", "analysis"]
)
def test_rooms_inside_a_room_import_only_those_above_in_the_list_of_its_docstring(room: str) -> None:
    doc = ast.get_docstring(rooms.tree(rooms.SOURCE / "chetaev" / room.replace(".", "/") / "__init__.py"))
    listed = re.findall(r"^    (\w+)(?:/| ) ", str(doc), re.MULTILINE)
    start = f"chetaev.{room}."

    def within(names: Iterable[str]) -> set[str]:
        return {name.removeprefix(start).split(".")[0] for name in names if name.startswith(start)}

    assert within(rooms.modules()) == set(listed)
    for lazy in (False, True):
        for here, targets in rooms.graph(lazy=lazy).items():
            for mine in within([here]):
                above = {*listed[: listed.index(mine) + 1]}
                steps = {(room, mine, inner) for inner in within(targets) - above}
                assert steps <= (LAZY_STEPS_BACK if lazy else set()), here


def classes(source: Path) -> dict[str, list[str]]:
    """Every name of a class below a directory, with the files that have it."""
    found: dict[str, list[str]] = {}
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(rooms.tree(path)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(source)))
    return found


def test_no_two_classes_have_one_name(tmp_path: Path) -> None:
    assert {name: files for name, files in classes(rooms.SOURCE).items() if len(files) > 1} == {}
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("class Chart:\n    pass\n")
    assert classes(tmp_path) == {"Chart": ["one.py", "two.py"]}


def test_a_cycle_and_a_step_to_the_right_are_seen(tmp_path: Path) -> None:
    """The tests above can fail: a small package of three rooms, with a lazy import backwards."""
    for name, text in {
        "__init__": "", "a/__init__": "", "a/one": "def f():\n    from chetaev.b.two import g\n",
        "b/__init__": "", "b/two": "from chetaev.a.one import f\nfrom chetaev import ground\n", "ground": "",
    }.items():  # fmt: skip
        path = tmp_path / "chetaev" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert rooms.between_rooms(tmp_path)["a"] == {"b"}
    assert rooms.between_rooms(tmp_path)["b"] == {"a", rooms.GROUND}
    assert rooms.cycles(rooms.between_rooms(tmp_path)) == [["a", "b"]]
    assert rooms.cycles(rooms.graph(tmp_path, lazy=False)) == []
    assert rooms.cycles(rooms.graph(tmp_path)) == [["chetaev.a.one", "chetaev.b.two"]]
