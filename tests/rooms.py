"""The import graph of the package, read from the sources: which room, and which file, imports which."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
GROUND = "the ground"
"""Modules beside the rooms that any room may use: errors, arguments, files, effort."""
DOOR = "the door"
"""The command line: modules beside the rooms that may use everything."""
DOORS = {"cli", "commands", "terminal", "progress", "__main__"}


def modules(source: Path = SOURCE) -> dict[str, Path]:
    """All modules by dotted name."""
    found = {}
    for path in sorted((source / "chetaev").rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(tree: ast.Module, known: Iterable[str], *, lazy: bool = True) -> Iterator[str]:
    """The modules that a source imports, those of functions included if `lazy`; not what only types need."""
    names = set(known)
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING":
            pending += node.orelse
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not lazy:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found = inner if inner in names else node.module
                if found in names:
                    yield found
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        pending += [part for part in ast.iter_child_nodes(node) if isinstance(part, _STATEMENTS)]


_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""What may contain an import; expressions do not."""


def _name(test: ast.expr) -> str:
    """The last name of ``a.b.c``."""
    return getattr(test, "attr", getattr(test, "id", ""))


@cache
def tree(path: Path) -> ast.Module:
    """A source file, parsed once in a process."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def graph(source: Path = SOURCE, *, lazy: bool = True) -> dict[str, set[str]]:
    """What every module imports of this package."""
    known = modules(source)
    return {name: set(imports(tree(path), known, lazy=lazy)) - {name} for name, path in known.items()}


def room(module: str, known: Mapping[str, Path]) -> str:
    """The room a module lies in, the ground or the door; the package itself is "chetaev"."""
    parts = module.split(".")
    if len(parts) == 1:
        return parts[0]
    if parts[1] in DOORS:
        return DOOR
    path = known[".".join(parts[:2])]
    return parts[1] if path.name == "__init__.py" else GROUND


def between_rooms(source: Path = SOURCE) -> dict[str, set[str]]:
    """Which room imports which others, lazily or not."""
    known = modules(source)
    found: dict[str, set[str]] = {room(m, known): set() for m in known}
    for module, targets in graph(source).items():
        here = room(module, known)
        found[here] |= {room(target, known) for target in targets} - {here}
    return found


def cycles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """Sets of nodes that reach each other, each in alphabetical order (Kosaraju)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in edges:
        stack = [(start, iter(sorted(edges[start])))] if start not in seen else []
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            step = next((n for n in rest if n not in seen), None)
            if step is None:
                order.append(stack.pop()[0])
            else:
                seen.add(step)
                stack.append((step, iter(sorted(edges.get(step, ())))))
    back: dict[str, set[str]] = {node: set() for node in order}
    for node, targets in edges.items():
        for target in targets:
            back.setdefault(target, set()).add(node)
    found, placed = [], set()
    for node in reversed(order):
        group, pending = [], [node]
        while pending:
            one = pending.pop()
            if one not in placed:
                placed.add(one)
                group.append(one)
                pending += back.get(one, ())
        if len(group) > 1:
            found.append(sorted(group))
    return found
