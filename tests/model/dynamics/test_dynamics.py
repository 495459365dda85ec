"""Every kind of dynamics as a model: how it is written, read, changed, shown; what is wrong with it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import sympy

import chetaev as ch
from chetaev.cli import run
from chetaev.errors import ModelError
from chetaev.model.dynamics.form import FormDynamics
from chetaev.model.dynamics.lagrangian import Energies, Lagrangian
from chetaev.model.dynamics.mixed import Mixed
from chetaev.model.dynamics.submanifold import DynamicsOnQ
from formulas import formula, formulas
from portions import some

FORM = """
coordinates = ["x", "y"]
[parameters]
k = 2
[dynamics]
form = {F = ["-k*x", "-x'/5"], Pi = ["x'", "3*y'"]}
[initial.position]
x = 1
[initial.velocity]
x = 0
y = 1
"""
MIXED = """
coordinates = ["s", "x"]
[parameters]
k = 2
[dynamics.accelerations]
s = "-k*s"
[dynamics.velocities]
x = "s*s'"
[initial.velocity]
s = 1
"""
ON_Q = """
coordinates = ["x", "y"]
[parameters]
k = 2
[dynamics]
A = {x = "-k*x"}
B = [["-1 - x^2"]]
[constraints]
velocity = ["y' = x*x'"]
[initial.velocity]
x = 1
"""
MODELS = {"form": FORM, "mixed": MIXED, "on Q": ON_Q}


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_file_round_trip(kind: str) -> None:
    system = ch.loads(MODELS[kind])
    assert system.dynamics.kind == kind
    assert ch.loads(system.to_toml()) == system
    assert pickle.loads(pickle.dumps(system)) == system
    assert hash(ch.loads(system.to_toml())) == hash(system)
    assert system != ch.loads(MODELS[kind].replace("k = 2", "k = 3"))
    assert system.with_parameters(k=3) == ch.loads(MODELS[kind].replace("k = 2", "k = 3"))


@pytest.mark.parametrize("kind", MODELS)
def test_other_values_and_other_starts(kind: str) -> None:
    system = ch.loads(MODELS[kind])
    other = system.with_parameters(k=5).with_initial({system.coordinates[0]: 0.5})
    assert other.dynamics == system.dynamics
    assert other.state.position[system.coordinates[0]] == 0.5
    a, b = (ch.simulate(s, until=0.5, at=[0.5]) for s in (system, other))
    assert float(a[system.coordinates[0]][-1]) != float(b[system.coordinates[0]][-1])


def test_lists_and_tables_are_the_same_form_D4() -> None:
    table = FORM.replace('F = ["-k*x", "-x\'/5"]', 'F = {y = "-x\'/5", x = "-k*x"}')
    assert ch.loads(table) == ch.loads(FORM)
    short = FORM.replace('F = ["-k*x", "-x\'/5"], ', "")
    assert all(e == formula("0") for e in ch.loads(short).dynamics.parts[0][-1:])


def test_lists_and_tables_are_the_same_on_Q_K25() -> None:
    assert ch.loads(ON_Q.replace('{x = "-k*x"}', '["-k*x"]')) == ch.loads(ON_Q)
    assert ch.loads(ON_Q.replace('[["-1 - x^2"]]', '{x = {x = "-1 - x^2"}}')) == ch.loads(ON_Q)


def test_python_takes_the_same_table_as_a_file() -> None:
    made = ch.System(
        coordinates=["x", "y"],
        parameters={"k": 2},
        dynamics={"A": {"x": "-k*x"}, "B": [["-1 - x^2"]]},
        constraints=["y' = x*x'"],
        initial={"x_dot": 1},
    )
    assert made == ch.loads(ON_Q)


def test_sympy_expressions_matrices_and_arrays() -> None:
    t = sympy.Symbol("t")
    x, y = (sympy.Function(n)(t) for n in "xy")
    system = ch.System(
        coordinates=[x, y],
        dynamics={"form": {"F": sympy.Matrix([-x, 0]), "Pi": sympy.Matrix([2 * x.diff(t), y.diff(t)])}},
    )
    assert list(ch.equations(system).accelerations.values()) == formulas(["-x/2", "0"])
    mixed = ch.System(
        coordinates=[x, y], dynamics={"accelerations": {x: -x}, "velocities": {y: x * x.diff(t)}}
    )
    assert list(mixed.velocity_constraints) == formulas(["y' = x'*x"])
    assert ch.compare(mixed, samples=2).agree
    square = ch.System(
        coordinates=["x", "y"], dynamics={"A": ["-x", "0"], "B": sympy.Matrix([[-1, 0], [0, -2]])}
    )
    assert ch.compare(square, samples=2).agree


def test_a_lagrangian_may_stand_in_dynamics_too() -> None:
    one = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-x"})
    assert one == ch.System(coordinates=["x"], dynamics={"lagrangian": "x'^2/2", "forces": {"x": "-x"}})
    with pytest.raises(ModelError, match="'lagrangian' is given twice"):
        ch.System(coordinates=["x"], lagrangian="x'^2/2", dynamics={"lagrangian": "x'^2/2"})
    with pytest.raises(ModelError, match="expected a dictionary"):
        ch.System(coordinates=["x"], dynamics="x'^2/2")  # type: ignore[arg-type]


def test_definitions_are_used_in_every_kind() -> None:
    define = '[define]\nw = "k*x"\n[dynamics]'
    assert "w" in ch.loads(FORM.replace("[dynamics]", define).replace('"-k*x"', '"-w"')).to_toml()


def test_kinds_have_names() -> None:
    assert isinstance(ch.loads(FORM).dynamics, FormDynamics)
    assert isinstance(ch.loads(MIXED).dynamics, Mixed)
    assert isinstance(ch.loads(ON_Q).dynamics, DynamicsOnQ)
    assert isinstance(ch.load("knife-edge").dynamics, Energies)
    assert isinstance(ch.load("dog-pursues-man").dynamics, (Energies, Lagrangian))


# --- the command line -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", some(reversed(MODELS), 3))
def test_every_command_takes_every_kind(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.toml"
    path.write_text(MODELS[kind])
    for command in (["show"], ["show", "--latex"], ["show", "--form", "all"], ["compare", "--samples", "2"],
                    ["simulate", "--until", "0.1"]):  # fmt: skip
        assert run([command[0], str(path), *command[1:]]) == 0
        assert "Traceback" not in capsys.readouterr().err
    assert run(["laws", str(path)]) == 0
    assert "no Lagrangian" in " ".join(capsys.readouterr().out.split())
    assert run(["show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["dynamics"] == kind
    assert shown["lagrangian"] is None
    assert run(["laws", str(path), "--json"]) == 0
    laws = json.loads(capsys.readouterr().out)
    assert any(law["name"] == "energy" and "no Lagrangian" in law["origin"] for law in laws)


# --- mistakes ---------------------------------------------------------------------------------------

MISTAKES = {
    "nothing": ("", "no Lagrangian and no other dynamics"),
    "two kinds": ('lagrangian = "x\'^2 + y\'^2"\nform = {Pi = ["x\'", "y\'"]}\n', "both a Lag"),
    "form is a text": ('form = "x"\n', "is the text"),
    "form without momenta": ('form = {F = ["x", "y"]}\n', "has no momenta"),
    "unknown key": ('form = {F = ["x", "y"], P = ["x\'", "y\'"]}\n', "unknown key 'P'"),
    "too few": ('form = {F = ["x"], Pi = ["x\'", "y\'"]}\n', "1 entry"),
    "no velocity": ('form = {F = ["x", "y"], Pi = ["x", "y"]}\n', "contains no velocity"),
    "unknown name": ('form = {F = ["x", "w"], Pi = ["x\'", "y\'"]}\n', "unknown name 'w'|'w'"),
    "form of no coordinate": ('form = {F = {u = "x"}, Pi = ["x\'", "y\'"]}\n', "not a coordinate"),
    "entry is a table": ('form = {F = [{}, "y"], Pi = ["x\'", "y\'"]}\n', "an expression was expected"),
    "accelerations in a form": ('form = {F = ["x", "y"], Pi = ["x\'\'", "y\'"]}\n', "acceleration"),
    "no equation": ('accelerations = {x = "-x"}\n', "'y' has no equation"),
    "two equations": (
        'accelerations = {x = "-x", y = "0"}\nvelocities = {y = "x"}\n', "an acceleration and a velocity",
    ),
    "dependent velocity": ('accelerations = {x = "-y\'"}\nvelocities = {y = "x"}\n', "not independent"),
    "mixed constraints": (
        'accelerations = {x = "-x"}\nvelocities = {y = "x"}\n[constraints]\nvelocity = ["x\' = y\'"]\n',
        "no room for constraints",
    ),
    "mixed forces": (
        'accelerations = {x = "-x", y = "1"}\nforces = {x = "1"}\n', "no law of inertia",
    ),
    "A alone": ('A = {x = "-x"}\n', "A is given without B"),
    "B alone": ('B = [["-1"]]\n', "B is given without A"),
    "rows of B": ('A = {x = "-x", y = "0"}\nB = [["-1", "0"]]\n', "B has 1 row"),
    "columns of B": ('A = {x = "-x", y = "0"}\nB = [["-1"], ["0", "-1"]]\n', "1 entry"),
    "B is a text": ('A = {x = "-x", y = "0"}\nB = "-1"\n', "B is the text"),
    "B zero": ('A = {x = "-x", y = "0"}\nB = [[0, 0], [0, 0]]\n', "B is zero"),
    "too many entries": (
        'A = {x = "-x", y = "0"}\nB = [[-1, 0], [0, -1]]\n[constraints]\nvelocity = ["y\' = x*x\'"]\n',
        "leave 1 degree of freedom",
    ),
    "too few entries": ('A = {x = "-x"}\nB = [[-1]]\n', "leave 2 degrees of freedom"),
    "list of A": (
        'A = ["-x"]\nB = [[-1]]\n[constraints]\nvelocity = ["y\'^3 + y\' = x\'"]\n', "which velocity is",
    ),
    "row of a dependent one": (
        'A = {x = "-x"}\nB = {y = {x = "1"}}\n[constraints]\nvelocity = ["y\' = x\'"]\n', "is dependent",
    ),
    "acceleration constraints": (
        'A = {x = "-x"}\nB = [[-1]]\n[constraints]\nacceleration = ["y\'\' = x\'\'"]\n', "define none",
    ),
    "hostile": ('form = {F = ["__import__(\'os\')", "y"], Pi = ["x\'", "y\'"]}\n', "import|name"),
    "potential alone": ('potential = "x"\n', "no kinetic energy"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_a_sentence_and_a_place(name: str) -> None:
    text, words = MISTAKES[name]
    with pytest.raises(ModelError, match=words) as caught:
        ch.loads('coordinates = ["x", "y"]\n[dynamics]\n' + text, "model.toml")
    assert caught.value.place is not None
    assert "model.toml:" in str(caught.value)


def test_a_function_without_a_value_at_the_start_is_named() -> None:
    with pytest.raises(ModelError, match="the component Pi of x has no finite value"):
        ch.loads(FORM.replace('"x\'"', '"x\'/(x - 1)"'))
    with pytest.raises(ModelError, match="the acceleration of s has no finite value"):
        ch.loads(MIXED.replace('"-k*s"', '"1/s"'))
