"""What the package offers is run by a test: public functions are called, commands and options are given.

An example on a page is a test, too. That the answer is the right one, the tests of the rooms say.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import click
import pytest

import chetaev as ch
from chetaev.commands import cli

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {name: cli.get_command(click.Context(cli), name) for name in cli.list_commands(click.Context(cli))}


def blocks(language: str) -> Iterator[str]:
    """The blocks of all pages in this language; `run_page` executes them."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        yield from re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@cache
def trees() -> tuple[ast.Module, ...]:
    """The tests and the Python of the pages."""
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    return tuple(ast.parse(text) for text in (*tests, *blocks("python")))


def called(nodes: Iterable[ast.AST]) -> set[str]:
    """The last names of what is called, or handed to what calls it."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    parts = [part for call in calls for part in (call.func, *call.args)]
    return {part.attr for part in parts if isinstance(part, ast.Attribute)} | {
        part.id for part in parts if isinstance(part, ast.Name)
    }


def words(nodes: Iterable[ast.AST], lines: Iterable[str]) -> set[str]:
    """What stands alone in a text of the tests, or in a line with a command; `--set` of ``--set=x=1``."""
    found: set[str] = set()
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in [*texts, *lines]:
        first, *others = text.split() or [""]
        if not others or {first, others[0]} & {"chetaev", "$PY", *COMMANDS}:
            found |= {word.partition("=")[0] for word in (first, *others)}
    return found


@cache
def given() -> set[str]:
    """Commands and options that the tests and the pages give."""
    lines = (line for block in blocks("console") for line in re.findall(r"^\$ (chetaev .*)$", block, re.M))
    return words((node for tree in trees() for node in ast.walk(tree)), lines)


def test_every_public_function_is_called() -> None:
    public = {
        name
        for place in (ch, ch.geometry, ch.variation, ch.bodies)
        for name in place.__all__
        if inspect.isfunction(getattr(place, name))
    }
    assert len(public) > 60
    assert not public - called(node for tree in trees() for node in ast.walk(tree))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_run_with_each_of_its_options(name: str) -> None:
    command = COMMANDS[name]
    assert command is not None
    assert name in given()
    options = [p for p in command.params if isinstance(p, click.Option)]
    assert not [p.opts for p in options if not given() & {*p.opts, *p.secondary_opts}]


def test_commands_of_the_pages_are_commands() -> None:
    named = {
        word
        for page in PAGES
        for word in re.findall(
            r"(?:`|^\$ )chetaev ([a-z]+)\b", page.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert len(named) > 15
    assert not named - COMMANDS.keys()


def test_what_is_not_run_is_seen() -> None:
    nodes = list(
        ast.walk(ast.parse("ch.load(name); list(map(ch.laws, x)); y = ch.reduce; run(['show', '--at'])"))
    )
    assert {"load", "laws"} <= called(nodes)
    assert "reduce" not in called(nodes)
    assert words(nodes, ["chetaev show --set=x=1", "use --seed"]) >= {"show", "--at", "--set"}
    assert "--seed" not in words(nodes, ["use --seed"])
