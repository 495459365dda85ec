"""All that is missing in a model is told at once, each with its place; in Python remedies speak Python."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import chetaev as ch
from chetaev.errors import InitialDataError, ModelError, UnknownNameError

FILE = """\
coordinates = ["x", "y"]
[parameters]
m = 1
[define]
r2 = "x^2 + w^2"
[dynamics]
lagrangian = "m*(x'^2 + y'^2)/2 - k*r2/2 - m*g*y + g*0"
[dynamics.forces]
x = "-c*x'"
y = "2 y"
[constraints]
velocity = ["y' = a*x'"]
"""


def test_all_unknown_names_and_unreadable_texts_are_told_at_once() -> None:
    with pytest.raises(UnknownNameError) as caught:
        ch.loads(FILE, "model.toml")
    error = caught.value
    told = [(e.message, e.line, e.column) for e in (error, *error.others)]
    assert told == [
        ("unknown name 'w'", 5, 13),
        ("unknown name 'a'", 12, 19),
        ("unknown name 'k'", 7, 35),
        ("unknown name 'g'", 7, 46),
        ("unknown name 'c'", 9, 7),
        ("'y' follows '2' without an operator between them", 10, 8),
    ]
    text = str(error)
    assert [text.count(f"unknown name {n!r}") for n in "wakgc"] == [1] * 5
    assert text.count("expected one of") == 2  # a definition may use other names than the rest
    assert str(pickle.loads(pickle.dumps(error))) == text
    assert not any(e.__cause__ or e.__context__ or e.__traceback__ for e in error.others)  # no way back to it


@pytest.mark.slow
def test_what_is_told_comes_through_pickles_that_hold_contexts_too() -> None:
    """Dask sends errors with their contexts (tblib), those that were known when it was imported."""
    program = (
        "import pickle, chetaev as ch, chetaev.errors, distributed\n"
        f"try:\n    ch.loads({FILE!r}, 'model.toml')\n"
        "except ch.ModelError as error:\n    assert str(pickle.loads(pickle.dumps(error))) == str(error)\n"
        "    print(len(error.others))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["5"]


def test_one_mistake_is_told_alone() -> None:
    with pytest.raises(UnknownNameError) as caught:
        ch.System(coordinates=["x"], lagrangian="m*x'^2", parameters={"k": 1})
    assert caught.value.others == ()


def test_a_model_full_of_mistakes_is_not_told_without_end() -> None:
    forces = {f"x{i}": f"k{i}*x{i}" for i in range(200)}
    with pytest.raises(ModelError) as caught:
        ch.System(coordinates=list(forces), lagrangian="+".join(f"{n}'^2" for n in forces), forces=forces)
    assert 5 < len(caught.value.others) < 20


def test_all_free_velocities_are_told_in_the_language_of_the_model() -> None:
    model = {"coordinates": ["x", "y", "z"], "lagrangian": "x'^2 + y'^2 + z'^2", "constraints": ["z' = 1"]}
    with pytest.raises(InitialDataError) as caught:
        ch.System(**model, initial={"x": 1})
    assert "x', y' are free" in caught.value.message
    assert caught.value.remedy == 'for example initial={"x_dot": 0, "y_dot": 0}'
    assert "initial={…}" in caught.value.expected
    file = ch.System(**model).to_toml() + "[initial.position]\nx = 1\n"
    with pytest.raises(InitialDataError) as caught:
        ch.loads(file)
    assert caught.value.remedy == "for example x = 0, y = 0"
    assert "[initial.velocity]" in caught.value.expected


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"constraints": ["x = y"]}, 'constraints={"position": […]}'),
        ({"lagrangian": "x^2"}, "forget the prime"),
        ({"lagrangian": "x'^2"}, "degenerate=True"),
        ({"lagrangian": None}, 'dynamics={"form": '),
        ({"parameters": {"a": "x"}}, "in define={…}"),
        ({"parameters": 3}, "a dictionary"),
        ({"lagrangian": "f(x)*x'^2"}, "define={…}"),
    ],
)
def test_python_is_answered_in_python(changes: dict[str, object], remedy: str) -> None:
    with pytest.raises(ModelError) as caught:
        ch.System(**({"coordinates": ["x", "y"], "lagrangian": "x'^2 + y'^2"} | changes))
    assert remedy in f"{caught.value.expected} {caught.value.remedy}"
    assert "[define]" not in str(caught.value)
    assert "[dynamics]" not in str(caught.value)


def test_several_forgotten_velocities_are_told_together() -> None:
    with pytest.raises(ModelError, match="velocities of 'y', 'z' occur nowhere"):
        ch.System(coordinates=["x", "y", "z"], lagrangian="x'^2 + y*z")


@pytest.mark.parametrize("events", [lambda t, y: y[0], [lambda t, y: y[0]], [lambda x: x, "x"]])
def test_functions_as_events_end_in_a_sentence(events: object) -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2", initial={"x": 1, "x_dot": 0})
    with pytest.raises(ModelError, match="an event is a function") as caught:
        ch.simulate(system, until=1, events=events)
    assert 'events=["x - 1"]' in caught.value.remedy


@pytest.mark.parametrize(
    ("event", "remedy"),
    [
        ("x > 1", "write x - 1"),
        ("x = y + 1", "write x - (y + 1)"),
        ("x' <= 0", "write x'"),
        ("q", "names of the model"),
    ],
)
def test_events_that_are_no_expressions(event: str, remedy: str) -> None:
    system = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", initial={"x_dot": 1, "y_dot": 0})
    with pytest.raises(ModelError) as caught:
        ch.simulate(system, until=1, events=[event])
    assert remedy in caught.value.remedy


def test_initial_data_are_not_told_to_declare_names() -> None:
    with pytest.raises(ModelError, match="a number, or an expression in parameters"):
        ch.System(coordinates=["x"], lagrangian="x'^2", initial={"x": "fast", "x_dot": 0})
    with pytest.raises(ModelError, match=r"declare it before, in parameters=\{…\}"):
        ch.System(coordinates=["x"], lagrangian="x'^2", parameters={"J": "2*k"})


def test_a_file_without_a_name_bears_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "my-cart.toml"
    path.write_text('coordinates = ["x"]\n[dynamics]\nlagrangian = "x\'^2"\n', encoding="utf-8")
    assert ch.load(path).name == "my-cart"
    assert ch.loads(path.read_text(encoding="utf-8")).name == "untitled"


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"initial": {"xdot": 1}}, "'x_dot'"),
        (
            {"initial": {"dx": 1, "vphi": 2, "φ": 1}},
            "did you mean 'x_dot'?; did you mean 'phi_dot'?; did you mean 'phi'?",
        ),
        ({"initial": [0, 1]}, 'initial={"x": 1, "x_dot": 0}'),
        ({"coordinates": "x, phi"}, "coordinates=['x', 'phi']"),
        ({"constraints": "x' = phi'"}, """constraints=["x' = phi'"]"""),
        ({"constraints": ["x' >= phi'"]}, "write ="),
        ({"constraints": {"holonomic": ["x = phi"]}}, "'position'"),
        ({"constraints": [lambda q, v: v[0]]}, "as a text"),
        ({"forces": {"x": lambda t: 1}}, "as a text"),
        ({"forces": ["1", "2"]}, 'forces={"x": "-k*x"}'),
        ({"lagrangian": lambda q, v: v[0] ** 2}, "as a text"),
    ],
)
def test_arguments_of_another_shape(changes: dict[str, object], remedy: str) -> None:
    with pytest.raises(ModelError) as caught:
        ch.System(**({"coordinates": ["x", "phi"], "lagrangian": "x'^2 + phi'^2"} | changes))
    assert remedy in caught.value.remedy
    assert "[" not in caught.value.message.replace("[0", "").replace("['", "")


def test_a_notebook_shows_the_users_line_and_the_message_alone() -> None:
    with pytest.raises(ModelError) as caught:
        ch.System(coordinates=["x"], lagrangian="m*x'^2")
    *lines, message = caught.value._render_traceback_()
    assert message == f"UnknownNameError: {caught.value}"
    assert [line.split(": ", 1)[1] for line in lines] == [
        'ch.System(coordinates=["x"], lagrangian="m*x\'^2")'
    ]


def test_data_without_end_are_not_followed_without_end() -> None:
    loop: dict[str, object] = {"F": ["k*x"], "Pi": ["x'"]}
    loop["more"] = loop
    with pytest.raises(ModelError):
        ch.System(coordinates=["x"], dynamics={"form": loop, "forces": {"x": "q"}})
    with pytest.raises(ModelError):
        ch.System(coordinates=["x"], parameters={"a": "q"}, dynamics={"form": loop})
