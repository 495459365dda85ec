"""Mutation tests: every object that a law publishes, changed a little, is caught by the test that reads it.

An object is negated, moved by one in one entry, transposed or turned round; then the tests that read it have
to fail. `make slow` runs them; `-s` prints the list.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.equations.law.law import Equations
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from objects import TESTED, Jets, numbers, quadratic_system
from portions import parts
from random_systems import random_system

HERE = Path(__file__).parent
FUNCTIONS = {
    "projection": ("second_fundamental_form", "torsion", "energy_preserving", "admissible_variations",
                   "energy_rate", "first_variation"),
    "bracket": ("bracket",),
}  # fmt: skip
"""Public functions beside the laws, whose values are mutated in the same way."""


def negated(value):
    if isinstance(value, Expr):
        return graph.neg(value)
    if isinstance(value, list | tuple):
        return type(value)(negated(x) for x in value)
    if isinstance(value, Mapping):
        return {name: negated(x) for name, x in value.items()}
    return -value if hasattr(value, "__neg__") and not isinstance(value, bool) else value


def moved(value):
    """One entry, the last, larger by one."""
    if isinstance(value, Expr):
        return graph.add(value, graph.ONE)
    if isinstance(value, list | tuple) and value:
        i = max(j for j, x in enumerate(value) if not isinstance(x, bool))
        return type(value)([*value[:i], moved(value[i]), *value[i + 1 :]])
    if isinstance(value, Mapping):
        return dict(zip(value, moved(list(value.values())), strict=True))
    return f"{value}_" if isinstance(value, str) else value + 1 if hasattr(value, "__add__") else value


def turned(value):
    """The outer order turned round: rows, components, names."""
    if isinstance(value, Mapping):
        return dict(zip(value, turned(list(value.values())), strict=True))
    return type(value)(reversed(value)) if isinstance(value, list | tuple) else value


def transposed(value):
    """The innermost matrices transposed, where they are square."""
    if not isinstance(value, list) or not value or not isinstance(value[0], list):
        return value
    if isinstance(value[0][0], list):
        return [transposed(x) for x in value]
    return [list(x) for x in zip(*value, strict=True)] if len(value) == len(value[0]) else value


MUTATIONS = (negated, moved, turned, transposed)


def module(name):
    spec = importlib.util.spec_from_file_location(f"mutated_{name}", HERE / f"test_objects_{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def cases(test):
    """The arguments of a parametrized test."""
    choices = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names = mark.args[0] if isinstance(mark.args[0], tuple) else (mark.args[0],)
        choices.append([dict(zip(names, x if len(names) > 1 else (x,), strict=True)) for x in mark.args[1]])
    for chosen in itertools.product(*choices):
        yield {k: x for part in chosen for k, x in part.items()}


def is_caught(tests, where):
    """Whether one of the tests that mention a name fails."""
    for name, test in vars(tests).items():
        if name.startswith("test_") and where in inspect.getsource(test):
            for arguments in cases(test):
                try:
                    test(**arguments)
                except (AssertionError, IndexError, ValueError, TypeError, KeyError, AttributeError):
                    return True
    return False


def published(form):
    """(name of an object of a form, a value of it, its system)."""
    systems = [quadratic_system(1, affine=True, m=4, k=2), random_system(5, kinds=("implicit",), most=4)]
    systems.append(ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2*exp(x) - x*y"))
    seen = set()
    for system in systems:
        try:
            law = ch.equations(system, form)
        except ch.ModelError:
            continue
        for name in law.objects:
            if name not in seen:
                seen.add(name)
                yield name, law.objects[name], system


def changes(value, mutated, system):
    """Whether a mutant differs from the object at all."""
    if isinstance(value, Mapping):
        value, mutated = list(value.values()), list(mutated.values())
    if not isinstance(value, Expr | list):
        return value != mutated
    point = Jets(system).point(3)

    def flat(x):
        return [y for e in x for y in flat(e)] if isinstance(x, list | tuple) else [x]

    extra = {f"mu_{i + 1}": i + 2 for i in range(4)}
    point = {**point, "all": {**point["all"], **extra}}
    a, b = (numbers([flat(x)], system, point)[0] for x in (value, mutated))
    return max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0) > 1e-20


@pytest.mark.parametrize("form", parts(TESTED, 4))
def test_mutants_of_published_objects_are_caught(form, monkeypatch):
    tests = module(TESTED[form])
    plain = Equations.__getattr__
    survivors, caught = [], []
    for name, value, system in published(form):
        for mutate in MUTATIONS:
            if not changes(value, mutate(value), system):
                continue  # a symmetric matrix transposed is the same

            def changed(self, asked, name=name, mutate=mutate):
                found = plain(self, asked)
                return mutate(found) if asked == name and self.__dict__.get("form") == form else found

            monkeypatch.setattr(Equations, "__getattr__", changed)
            good = is_caught(tests, f"law.{name}")
            monkeypatch.setattr(Equations, "__getattr__", plain)
            (caught if good else survivors).append(f"{form}: {name} {mutate.__name__}")
    print("\n".join(f"caught    {line}" for line in caught))
    assert caught
    assert not survivors


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name"), [(f, n) for f, ns in FUNCTIONS.items() for n in ns])
def test_mutants_of_public_functions_are_caught(file, name, monkeypatch):
    tests = module(file)
    plain = getattr(tests, name)
    for mutate in (negated, moved):
        monkeypatch.setattr(tests, name, lambda *a, mutate=mutate, **k: mutate(plain(*a, **k)))
        assert is_caught(tests, name), f"{name} {mutate.__name__}"
        print(f"caught    {name} {mutate.__name__}")
