"""System: construction in Python, changes, identity, and what happens to wrong arguments."""

from __future__ import annotations

import copy
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

import chetaev as ch
from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.node import symbol
from chetaev.expr.language.parser import Equation, parse
from chetaev.expr.language.sympy_bridge import meanings
from chetaev.model.system import System
from chetaev.model.system_arguments import nested_initial
from formulas import formula
from portions import examples

GOOD = {
    "coordinates": ["x", "y", "phi"],
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    "constraints": ["x'*sin(phi) = y'*cos(phi)"],
    "forces": {"phi": "-k*phi'"},
    "parameters": {"m": 1, "J": "m/2", "k": 0.1},
    "initial": {"phi": "pi/6", "x_dot": 1, "phi_dot": 2},
}


def system(**changes: object) -> System:
    return System(**{**GOOD, **changes})  # type: ignore[arg-type]


# --- from strings, from SymPy ----------------------------------------------------------------------


def test_symbols_give_the_same_system_as_strings():
    x, y, phi, m, J, k = sympy.symbols("x y phi m J k")
    x_dot, y_dot, phi_dot = sympy.symbols("x_dot y_dot phi_dot")
    other = System(
        coordinates=[x, y, phi],
        lagrangian=m * (x_dot**2 + y_dot**2) / 2 + J * phi_dot**2 / 2,
        constraints=[sympy.Eq(x_dot * sympy.sin(phi), y_dot * sympy.cos(phi))],
        forces={phi: -k * phi_dot},
        parameters={m: 1, J: m / 2, k: 0.1},
        initial={phi: sympy.pi / 6, x_dot: 1, phi_dot: 2},
    )
    same(other, system())


def test_dynamicsymbols_give_the_same_system_as_strings():
    t = dynamicsymbols._t
    x, y, phi = dynamicsymbols("x y phi")
    m, J, k = sympy.symbols("m J k")
    other = System(
        coordinates=[x, y, phi],
        lagrangian=m * (x.diff(t) ** 2 + y.diff() ** 2) / 2 + J * phi.diff(t) ** 2 / 2,
        constraints=[x.diff(t) * sympy.sin(phi) - y.diff(t) * sympy.cos(phi)],
        forces={phi: -k * phi.diff(t)},
        parameters={m: 1, J: m / 2, k: 0.1},
        initial={phi: sympy.pi / 6, x.diff(t): 1, phi.diff(t): 2},
        time=t,
    )
    same(other, system())


def same(one: System, other: System) -> None:
    """The same names, state and values; the texts may differ in the order of terms."""
    assert one.coordinates == other.coordinates
    assert one.parameter_values == other.parameter_values
    assert one.state.position == pytest.approx(other.state.position)
    assert one.state.velocity == pytest.approx(other.state.velocity)
    engine = Engine()
    names = sorted(graph.symbols(one.lagrangian, *(e.residual for e in one.velocity_constraints)))
    point = np.linspace(0.3, 1.9, len(names))
    for a, b in [
        (one.lagrangian, other.lagrangian),
        (one.forces["phi"], other.forces["phi"]),
        (one.velocity_constraints[0].residual, other.velocity_constraints[0].residual),
    ]:
        inputs = [[symbol(*n) for n in sorted({*names, ("k", 0)})]]
        at = np.append(point, 0.7)
        values = [float(engine.function(inputs, [engine(e)])(at)) for e in (a, b)]
        assert values[0] == pytest.approx(values[1], rel=1e-14)


def test_second_derivatives_stand_in_acceleration_constraints():
    t = dynamicsymbols._t
    x, y = dynamicsymbols("x y")
    given = System(
        coordinates=[x, y],
        lagrangian=(x.diff(t) ** 2 + y.diff(t) ** 2) / 2,
        constraints={"acceleration": [sympy.Eq(x.diff(t, 2), y.diff(t) * y)]},
    )
    assert given.acceleration_constraints[0] == formula("x'' = y'*y") or given.acceleration_constraints[
        0
    ] == formula("x'' = y*y'")
    assert given.degrees_of_freedom == 1
    with pytest.raises(ModelError, match="may not contain an acceleration"):
        System(coordinates=[x, y], lagrangian=x.diff(t, 2) + y.diff(t))
    with pytest.raises(ModelError, match="order 3"):
        System(coordinates=[x], lagrangian=x.diff(t, 3))


def test_expressions_may_be_graphs_and_numbers():
    scope = system().scope
    other = System(
        coordinates=["x", "y", "phi"],
        lagrangian=parse(GOOD["lagrangian"], scope),
        constraints=[Equation(*(parse(s, scope) for s in GOOD["constraints"][0].split("=")))],
        forces={"phi": parse(GOOD["forces"]["phi"], scope)},
        parameters={"m": np.int64(1), "J": "m/2", "k": np.float64(0.1)},
        initial={"phi": "pi/6", ("x", 1): Fraction(1), "phi'": Decimal("2.0")},
    )
    assert other == system()


def test_a_definition_of_another_model_is_refused():
    stranger = graph.define("stranger", symbol("x", 1))
    with pytest.raises(ModelError, match="not one of this model"):
        system(lagrangian=stranger * stranger)
    own = system(define={"speed": "x'"})
    assert system(define={"speed": "x'"}, forces={"x": own.definitions["speed"]}).forces["x"].op == "define"
    with pytest.raises(ModelError, match="a definition, not a symbol"):
        system(define={"speed": "x'"}, forces={"x": symbol("speed")})


def test_kinetic_and_potential():
    given = System(coordinates=["x"], kinetic="x'^2/2", potential="x^2/2")
    assert given.lagrangian == formula("x'^2/2 - x^2/2")
    assert ch.loads(given.to_toml()) == given
    assert System(coordinates=["x"], kinetic="x'^2/2").potential is None
    with pytest.raises(ModelError, match="both"):
        System(coordinates=["x"], lagrangian="x'^2", kinetic="x'^2")
    with pytest.raises(ModelError, match="no Lagrangian"):
        System(coordinates=["x"])


def test_names_in_any_unicode_form_are_one_name():
    given = System(
        coordinates=["e\u0301", "θ"],
        lagrangian="é'^2 + θ'^2",
        forces={"e\u0301": "-é'"},
        initial={"e\u0301": 1, "e\u0301_dot": 2, "θ'": 3},
    )
    assert given.coordinates == ("é", "θ")
    assert given.state.velocity == {"é": 2.0, "θ": 3.0}
    assert ch.loads(given.to_toml()) == given
    text = given.to_toml().replace("é", "e\u0301")
    assert ch.loads(text) == given


def test_errors_name_the_argument():
    with pytest.raises(ModelError) as caught:
        system(constraints=["x' = 0", "y' = zz"])
    assert (caught.value.file, caught.value.line, caught.value.column) == ("constraints.velocity[1]", 1, 6)
    with pytest.raises(ModelError) as caught:
        system(forces={"phi": "1 +"})
    assert caught.value.file == "dynamics.forces.phi"


# --- wrong arguments ------------------------------------------------------------------------------

JUNK = [
    None,
    1,
    2.5,
    True,
    "",
    "zz",
    b"x",
    [],
    (),
    {},
    set(),
    object(),
    [1],
    [None],
    {"x": None},
    {1: 2},
    float("nan"),
    float("inf"),
    np.float64("nan"),
    np.array([1.0, 2.0]),
    np.array(1.0),
    np.int64(3),
    Decimal("NaN"),
    Fraction(1, 3),
    1j,
    len,
    sympy.Symbol("x"),
    sympy.Symbol("zz"),
    sympy.Matrix([1]),
    sympy.oo,
    sympy.I,
    range(3),
    {"x": [1]},
    [["x"]],
    {"velocity": 1},
    {"velocity": None},
    {"velocity": ["x' = 0"], "bad": []},
    {"position": {"x": 1}},
    type,
    10**400,
    {"position": 1, "velocity": {}},
    [{"a": object()}],
    {"a": object()},
    [{1: 2}],
    {"a": {1: 2}},
    {"a": None},
    "\ud800",
    {"a": "\ud800"},
    {"a": float("nan")},
    "\0",
    ("x", "y"),
    {("x", "a"): 1},
    {("x", 1): 1},
    {b"x": 1},
    {(): 1},
    sympy.Eq(sympy.Symbol("x"), 1),
    sympy.true,
    {"t": None},
    OrderedDict(x=1),
    MappingProxyType({"x": 1}),
]
ARGUMENTS = [
    "coordinates",
    "lagrangian",
    "kinetic",
    "potential",
    "constraints",
    "forces",
    "parameters",
    "initial",
    "define",
    "time",
    "name",
    "summary",
    "source",
    "until",
    "tolerance",
    "gauge",
    "degenerate",
    "view",
    "claims",
]


@pytest.mark.few(4)
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_a_wrong_argument_is_a_model_error_or_none(argument):
    """Whatever is given for an argument: a ModelError, or a System that can be written and read again."""
    made = 0
    for junk in JUNK:
        changes: dict[str, object] = {argument: junk}
        if argument in ("kinetic", "potential"):
            changes = {"lagrangian": None, "kinetic": GOOD["lagrangian"], **changes}
        try:
            given = system(**changes)
        except ModelError:
            continue
        made += 1
        assert ch.loads(given.to_toml()) == given
        assert hash(given) == hash(ch.loads(given.to_toml()))
    assert made < len(JUNK)


@pytest.mark.parametrize("junk", JUNK, ids=map(str, range(len(JUNK))))
def test_wrong_changes_are_model_errors(junk):
    own = system()
    hashable = isinstance(junk, (str, bytes, int, float, tuple, type(None)))
    for change in (
        lambda: own.with_parameters(m=junk),
        lambda: own.with_parameters(junk),
        lambda: own.with_initial(x=junk),
        lambda: own.with_initial(x_dot=junk),
        lambda: own.with_initial(junk),
        lambda: own.with_initial(t=junk),
        lambda: own.with_initial({junk if hashable else "zz": 1}),
        lambda: own.with_parameters({junk if hashable else "zz": 1}),
    ):
        try:
            changed = change()
        except ModelError:
            continue
        assert ch.loads(changed.to_toml()) == changed


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    )
)
@settings(max_examples=examples(60))
def test_free_data_are_kept_exactly_or_refused(data):
    try:
        given = System(coordinates=["x"], lagrangian="x'^2", view={"data": data}, claims=[{"data": data}])
    except ModelError:
        return
    again = ch.loads(given.to_toml())
    assert again == given
    assert again.to_toml() == given.to_toml()


def test_missing_and_unknown_keywords_are_type_errors():
    with pytest.raises(TypeError):
        System(lagrangian="x'^2")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        System(["x"], "x'^2")  # type: ignore[misc]
    with pytest.raises(TypeError):
        system(lagrangean="x'^2")


@pytest.mark.parametrize(
    ("changes", "message", "help_"),
    [
        ({"coordinates": "x y"}, "coordinates is 'x y'", "a list"),
        ({"coordinates": [], "initial": None}, "no coordinates", "at least one"),
        ({"coordinates": ["x", "x"], "initial": None}, "used twice", "rename"),
        ({"coordinates": ["x_dot"], "initial": None}, "reserved", "choose another"),
        ({"coordinates": ["sin"], "initial": None}, "reserved", "choose another"),
        ({"parameters": {"m": None}}, "'m' has no value", "a number"),
        ({"parameters": {"m": None, "k": ""}}, "'m' has no value, nor 'k'", "a number"),
        ({"parameters": {"m": True}}, "not true", "a number"),
        ({"parameters": {"m": float("nan")}}, "nan is not a finite number", "finite"),
        ({"parameters": {"m": np.float64("inf")}}, "inf is not a finite number", "finite"),
        ({"parameters": {"m": 1j}}, "type complex", "a number"),
        ({"parameters": {"m": "sqrt(-1)", "k": 1, "J": 1}}, "no real value", "not negative"),
        ({"parameters": {"m": "exp(710)", "k": 1, "J": 1}}, "double precision", "other units"),
        ({"constraints": "x' = y'"}, "constraints is", "a list"),
        ({"constraints": {"speed": []}}, "unknown key 'speed'", "one of velocity"),
        ({"constraints": [3]}, "the constraint is the number 3", "equation"),
        ({"constraints": [sympy.true]}, "not a scalar", "SymPy"),
        ({"forces": ["x"]}, "forces is", "a dictionary"),
        ({"forces": {"z": 1}}, "'z', which is not a coordinate", "one of x"),
        ({"initial": {"z": 1}}, "'z', which is neither", "one of x"),
        ({"initial": {"x_ddot": 1}}, "neither a coordinate nor a velocity", "one of"),
        ({"initial": {"ph": 1}}, "'ph'", "did you mean 'phi'"),
        ({"initial": [1, 2]}, "initial data? is|initial is", "a dictionary"),
        ({"until": "soon"}, "unknown name 'soon'", "only|one of"),
        ({"until": float("inf")}, "not a finite number", "finite"),
        ({"tolerance": -1}, "the tolerance is -1", "positive"),
        ({"time": "x"}, "used twice", "rename"),
        ({"time": ""}, "cannot be the name", "a letter"),
        ({"degenerate": 1}, "'dynamics.degenerate' is the number 1", "true or false"),
        ({"name": 3}, "'name' is the number 3", "a text"),
        ({"view": [1]}, "view is", "a dictionary"),
        ({"view": {"a": None}}, "'view.a' is empty", "texts, numbers"),
        ({"claims": [3]}, "a claim is the number 3", "claims"),
        ({"lagrangian": sympy.Symbol("zz")}, "unknown name 'zz'", "one of"),
        ({"lagrangian": None}, "no Lagrangian", "kinetic"),
        ({"lagrangian": 3}, "contains no velocity", "prime"),
    ],
)
def test_wrong_arguments(changes, message, help_):
    with pytest.raises(ModelError, match=message) as caught:
        system(**changes)
    words = f"{caught.value.expected} {caught.value.remedy}"
    assert any(part in words for part in help_.split("|")), str(caught.value)


# --- changes --------------------------------------------------------------------------------------


def test_with_parameters():
    own = system()
    other = own.with_parameters(m=3, k="m/10")
    assert other.parameter_values == {"m": 3.0, "J": 1.5, "k": 0.3}
    assert own.parameter_values == {"m": 1.0, "J": 0.5, "k": 0.1}
    assert own.with_parameters({"m": 3}, k="m/10") == other
    assert own.with_parameters({sympy.Symbol("m"): 3}, k="m/10") == other
    assert own.with_parameters() == own
    assert other.with_parameters(m=1, k=0.1) == own
    assert own.with_parameters(m=0.1).parameters["m"] == formula("1/10")
    assert own.with_parameters(m=np.float32(0.5)).parameter_values["m"] == 0.5
    with pytest.raises(ModelError, match="no parameter 'M'") as caught:
        own.with_parameters(M=1)
    assert caught.value.remedy == "did you mean 'm'?"
    with pytest.raises(ModelError, match="made only later"):
        own.with_parameters(m="2*J")
    with pytest.raises(ModelError, match="no parameter"):
        System(coordinates=["x"], lagrangian="x'^2").with_parameters(m=1)


def test_the_initial_state_follows_the_parameters():
    own = System(
        coordinates=["x", "y"],
        lagrangian="x'^2 + y'^2",
        constraints=["y' = a*x'"],
        parameters={"a": 2},
        initial={"x": "a", "x_dot": 1},
    )
    assert own.state.velocity["y"] == 2.0
    assert own.with_parameters(a=5).state.velocity["y"] == 5.0
    assert own.with_parameters(a=5).state.position["x"] == 5.0


def test_with_initial_lays_over_and_none_leaves_out():
    own = system()
    assert own.with_initial(x=3).state.position["x"] == 3.0
    assert own.with_initial(x=3).state.velocity == own.state.velocity
    assert own.with_initial(x_dot=None, y_dot=1).state.velocity["x"] == pytest.approx(3**0.5)
    assert own.with_initial({"x'": None, "y'": 1}) == own.with_initial(x_dot=None, y_dot=1)
    assert own.with_initial(t=2).state.t == 2.0
    assert own.with_initial({"velocity": {"x": 2}}).state.velocity["x"] == 2.0
    assert own.with_initial() == own
    with pytest.raises(ModelError, match="are free"):
        own.with_initial(x_dot=None)
    with pytest.raises(ModelError, match="misses the constraint"):
        own.with_initial(y_dot=5)
    with pytest.raises(ModelError, match="neither a coordinate nor a velocity"):
        own.with_initial(z=1)
    bare = System(coordinates=["x"], lagrangian="x'^2")
    with pytest.raises(ModelError, match="no initial data"):
        _ = bare.state
    assert bare.with_initial(x_dot=1).state.velocity == {"x": 1.0}


def test_a_coordinate_may_be_called_t_when_time_is_not():
    given = System(coordinates=["t"], lagrangian="t'^2/2", time="tau", initial={"t": 3, "t_dot": 1, "tau": 2})
    assert given.state.position == {"t": 3.0}
    assert given.state.t == 2.0
    assert ch.loads(given.to_toml()) == given


def test_nested_initial_data():
    nested = {"position": {"x": 1}, "velocity": {"y": 2}, "t": 3}
    assert nested_initial(nested, ["x", "y"], "t") == nested
    assert nested_initial({}, ["x"], "t") == {"position": {}, "velocity": {}}


# --- identity -------------------------------------------------------------------------------------


def test_a_system_does_not_change():
    own = system(view={"a": [1, {"b": 2}]})
    for name in ("name", "lagrangian", "anything"):
        with pytest.raises(AttributeError):
            setattr(own, name, 1)
    with pytest.raises(AttributeError):
        del own.name
    with pytest.raises(TypeError):
        own.parameters["m"] = 2  # type: ignore[index]
    with pytest.raises(TypeError):
        own.forces["x"] = 2  # type: ignore[index]
    with pytest.raises(TypeError):
        own.view["a"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError):
        own.view["a"].append(3)
    with pytest.raises(TypeError):
        own.view["a"][1]["b"] = 3


def test_what_was_handed_over_may_change_later():
    names, view = ["x"], {"a": [1]}
    own = System(coordinates=names, lagrangian="x'^2", view=view)
    names.append("y")
    view["a"].append(2)
    assert own.coordinates == ("x",)
    assert own.view["a"] == (1,)


def test_equality_and_hash():
    assert system() == system()
    assert hash(system()) == hash(system())
    assert system() != system(parameters={"m": 2, "J": "m/2", "k": 0.1})
    assert system() != system(name="other")
    assert system() != 3
    assert len({system(), system(), system(name="other")}) == 2
    assert copy.deepcopy(system()) == system()


def test_repr_and_names():
    assert repr(system(name="Sleigh")) == "<System 'Sleigh': 3 coordinates, 1 constraint>"
    assert system().degrees_of_freedom == 2


# --- linear cost of definitions, both paths -------------------------------------------------------


def test_nested_definitions_stay_linear_in_both_paths():
    """100 and 200 definitions, each using the one before it three times: counted, not timed."""
    sizes = {}
    for count in (100, 200):
        model = System(
            coordinates=["x"],
            lagrangian=f"x'^2*d{count - 1}",
            define={"d0": "x^2 + 1"}
            | {f"d{i}": f"d{i - 1}*d{i - 1} + sin(d{i - 1})" for i in range(1, count)},
        )
        exact = sum(int(meaning.count_ops()) for _, meaning in meanings(model.lagrangian))
        engine = Engine()
        names = [symbol("x"), symbol("x", 1)]
        number = engine.function([names], [engine.gradient(model.lagrangian, names)]).n_instructions()
        sizes[count] = (exact, number, len(model.to_toml()), graph.size(model.lagrangian))
        assert ch.loads(model.to_toml()) == model
    for small, large in zip(sizes[100], sizes[200], strict=True):
        assert large <= 2.2 * small


@pytest.mark.parametrize(
    "text",
    [
        lambda n: '[define]\nd0 = "x"\n' + "".join(f'd{i} = "d{i - 1} + 1"\n' for i in range(1, n)),
        lambda n: '[define]\nd0 = "x"\n' + "".join(f'd{i} = "d0 + {i}"\n' for i in range(1, n)),
        lambda n: "[parameters]\n" + "".join(f"p{i} = {i}\n" for i in range(n)),
        lambda n: "[parameters]\np0 = 1\n" + "".join(f'p{i} = "p{i - 1} + 1"\n' for i in range(1, n)),
        lambda n: "[initial.velocity]\nx = 1\n[view]\n" + "".join(f"k{i} = [{i}]\n" for i in range(n)),
    ],
    ids=["nested definitions", "definitions", "parameters", "chained parameters", "view"],
)
def test_reading_a_model_is_linear_in_its_text(text):
    """Steps through the interpreter are counted, not timed."""
    import sys

    def steps(count: int) -> int:
        whole = 'coordinates = ["x"]\ndynamics.lagrangian = "x\'^2"\n' + text(count)
        total = 0

        def tick(frame: object, event: str, arg: object) -> None:
            nonlocal total
            total += event in ("call", "c_call")

        sys.setprofile(tick)
        try:
            model = ch.loads(whole)
            model.with_parameters()
        finally:
            sys.setprofile(None)
        return total

    steps(10)
    small, large = steps(100), steps(200)
    assert large <= 2.15 * small


@pytest.mark.slow
@pytest.mark.parametrize(
    "constraints",
    [
        ["x' = y*z'", "2*x' = 2*y*z'", "x'^2 = y*z'*x'"],
        {"velocity": ["x' = z'", "y' = z'"], "position": ["x = y"]},
        {"position": ["x = y", "y = z", "x = z"]},
        ["x' = y'", "x' = y'", "x' = y'", "x' = y'"],
    ],
)
def test_as_many_constraints_as_coordinates_are_fine_where_some_are_redundant(constraints):
    system = System(coordinates=["x", "y", "z"], lagrangian="x'^2 + y'^2 + z'^2", constraints=constraints)
    assert len(ch.classify(system).warnings) > 0
    assert ch.classify(system).degrees_of_freedom >= 1


def test_as_many_independent_constraints_as_coordinates_leave_no_freedom():
    for constraints in (["x' = y", "y' = -x"], {"velocity": ["x' = t"], "position": ["x = 2*y"]}):
        system = System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=constraints)
        assert system.degrees_of_freedom == 0
