"""Claims of a model: every kind judged right, wrong ones refuted, mistakes answered with a sentence."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

import chetaev as ch
from chetaev.cli import run
from chetaev.expr.graph.node import definitions
from chetaev.expr.print import to_text
from chetaev.model.gallery import names
from chetaev.study.claims.claims import KINDS
from chetaev.study.claims.judgement import Judgement
from portions import some

OSCILLATOR = {"coordinates": ["x"], "lagrangian": "m*x'^2/2 - k*x^2/2", "parameters": {"m": 2, "k": 3}}
SKATE = {
    "coordinates": ["x", "y", "phi"],
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*phi'^2/2 + m*g*x",
    "parameters": {"m": 2, "J": 3, "g": 9},
    "constraints": ["y'*cos(phi) = x'*sin(phi)"],
}
CYCLOID = {"x": "g/(2*w^2)*sin(w*t)^2", "y": "g/(2*w^2)*(w*t - sin(w*t)*cos(w*t))", "phi": "w*t"}
"""A skate that turns at the rate w on a plane that falls along x does not slide down: it runs sideways."""


def judge(model: dict[str, object], **claim: object) -> Judgement:
    (judged,) = ch.claims(ch.System(**model, claims=[claim]))
    return judged


def with_claims(system: ch.System, *claims: dict[str, object]) -> ch.System:
    return ch.loads(tomli_w.dumps(tomllib.loads(system.to_toml()) | {"claims": list(claims)}))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", some(names(), 15))
def test_K20_what_is_printed_holds_and_does_not_with_a_term_more(name: str) -> None:
    system = ch.load(name)
    try:
        solved = ch.equations(system).accelerations
    except ch.ModelError:  # nothing is printed
        solved = {}
    readable = {
        c: to_text(a)
        for c, a in solved.items()
        if len(to_text(a)) < 300 and all(d.value in system.scope.values for d in definitions(a))
    }
    printed = [f"{c}'' = {text}" for c, text in readable.items()]
    if not printed:
        assert ch.claims(with_claims(system)) == []
        return
    right, wrong = ch.claims(
        with_claims(system, {"equations": printed}, {"equations": [*printed[1:], printed[0] + " + 1/7"]})
    )
    assert right.holds is True
    assert not right.surprising
    assert wrong.holds is False
    assert wrong.surprising
    assert [part.holds for part in wrong.parts] == [True] * (len(printed) - 1) + [False]


@pytest.mark.slow
def test_K14_multipliers_have_the_sign_of_the_rule() -> None:
    """m x'' = m g − μ sin φ, m y'' = μ cos φ for f = y' cos φ − x' sin φ."""
    assert judge(SKATE, equations=["m*x'' = m*g - mu_1*sin(phi)", "m*y'' = mu_1*cos(phi)"]).proved
    assert judge(SKATE, equations="m*y'' = -mu_1*cos(phi)").holds is False


@pytest.mark.parametrize(
    ("curve", "holds"),
    [
        (CYCLOID, True),
        (CYCLOID | {"x": "g/(2*w^2)*sin(w*t)^2 + x0"}, True),
        (CYCLOID | {"phi": "-w*t"}, False),
        (CYCLOID | {"x": "g/w^2*sin(w*t)^2", "y": "g/w^2*(w*t - sin(w*t)*cos(w*t))"}, False),
    ],
)
def test_K14_closed_solutions(curve: dict[str, str], holds: bool) -> None:
    """The last keeps the constraint, and is too fast; the third leaves the constraint."""
    judged = judge(SKATE, solution=curve, constants=["w", "x0"])
    assert judged.holds is holds
    assert judged.proved
    assert len(judged.stated) == 3


def test_solutions_with_relations_between_constants() -> None:
    curve = {"x": "A*cos(w*t) + B*sin(w*t)"}
    assert judge(OSCILLATOR, solution=curve, constants=["A", "B", "w"], where="m*w^2 = k").holds is True
    assert judge(OSCILLATOR, solution=curve, constants=["A", "B", "w"]).holds is False


@pytest.mark.parametrize("where", [["w^2 = -1"], []])
def test_what_is_nowhere_real_is_not_a_solution(where: list[str]) -> None:
    given = {"where": where} if where else {}
    curve = "w*0" if where else "0*sqrt(-1 - t^2)"
    judged = judge(OSCILLATOR, solution={"x": curve}, constants=["w"], **given)
    assert judged.holds is None
    assert "real" in judged.parts[0].evidence


def test_dependent_constraints_leave_a_solution_open() -> None:
    twice = SKATE | {"constraints": [*SKATE["constraints"], "2*y'*cos(phi) = 2*x'*sin(phi)"]}
    assert judge(twice, solution=CYCLOID, constants=["w"]).holds is None


@pytest.mark.slow
@given(st.integers(-4, 4), st.integers(1, 4), st.integers(-3, 3))
def test_conserved_and_not_conserved_never_both_hold(a: int, b: int, c: int) -> None:
    """Of a x'² + b x² + c x only the multiples of the energy are kept."""
    text = f"({a})*x'^2 + ({b})*x^2 + ({c})*x"
    free = {"coordinates": ["x"], "lagrangian": "2*x'^2 - 3*x^2"}
    kept = 3 * a == 2 * b and c == 0
    assert judge(free, conserved=text).holds is kept
    assert judge(free, not_conserved=text).holds is (not kept)


def test_K19_coefficients_of_the_reduced_equations() -> None:
    particle = {
        "coordinates": ["x", "y"],
        "lagrangian": "m*(x'^2 + y'^2)/2 - m*g*y",
        "parameters": {"m": 1, "g": 9},
        "constraints": ["y' = x*x'"],
    }
    right = {"dependent": ["y"], "A": ["-m*x*x'^2 - m*g*x"], "B": [["-m*(1 + x^2)"]]}
    assert judge(particle, coefficients=right).proved
    assert judge(particle, coefficients=right | {"A": ["-m*x*x'^2 + m*g*x"]}).holds is False


def test_K18_kinds() -> None:
    right = {"holonomy": "nonholonomic", "velocities": "linear", "degree": 1, "growth_vector": [2, 3]}
    assert judge(SKATE, kind=right).holds is True
    judged = judge(SKATE, kind=right | {"holonomy": "holonomic"}, expected=False)
    assert judged.holds is False
    assert not judged.surprising
    assert judged.verdict == "does not hold, as expected"


def test_values_of_a_run() -> None:
    ball = {"coordinates": ["z"], "lagrangian": "z'^2/2 - 10*z", "initial": {"z": 20, "z_dot": 0}}
    assert judge(ball, at=1, values={"z": 15, "z'": -10}).holds is True
    assert judge(ball, at=1, values={"z": 15.1}, within=0.05).holds is False
    assert judge(ball, at=1, values={"z": 15.1}, within=0.2).holds is True
    assert judge(ball, at=1, values={"z": 15.1}, within=0.1).holds is None  # as near as makes no difference


def test_a_phase_space_has_claims_of_first_order() -> None:
    suslov = ch.load("suslov-poisson")
    name = suslov.coordinates[0]
    rate = to_text(suslov.dynamics.velocities[name])
    right, wrong = ch.claims(
        with_claims(suslov, {"equations": f"{name}' = {rate}"}, {"equations": f"{name}' = {rate} + 1"})
    )
    assert (right.holds, wrong.holds) == (True, False)


def test_a_degenerate_lagrangian_leaves_equations_open() -> None:
    judged = judge(
        {"coordinates": ["x", "y"], "lagrangian": "x'^2/2", "degenerate": True}, equations="x'' = 0"
    )
    assert judged.holds is None
    assert not judged.surprising


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({}, "nothing is stated that can be judged"),
        ({"conserve": "x"}, "did you mean 'conserved'"),
        ({"conserved": "x'", "equations": "x'' = 0"}, "are two claims"),
        ({"conserved": "x'", "sources": "a book"}, "did you mean 'source'"),
        ({"conserved": "x' + q"}, "unknown name 'q'"),
        ({"conserved": []}, "expected a text or a list of texts"),
        ({"conserved": 3}, "expected a text or a list of texts"),
        ({"conserved": "x'", "expected": "yes"}, "expected true or false"),
        ({"conserved": "x'", "says": 3}, "expected a text"),
        ({"equations": "x''"}, "="),
        ({"equations": "x''' = 0"}, "derivative of order 3"),
        ({"kind": {"holonomi": "holonomic"}}, "did you mean 'holonomy'"),
        ({"kind": {"degree": True}}, "expected a whole number"),
        ({"kind": {"holonomy": "nonholonomc"}}, "did you mean 'nonholonomic'"),
        ({"kind": {}}, "expected a table"),
        ({"solution": {"x": "t", "z": "t"}}, "which is no coordinate"),
        ({"solution": {"x": "x + t"}}, "unknown name 'x'"),
        ({"solution": {"x": "A*t"}}, "unknown name 'A'"),
        ({"solution": {"x": "t"}, "constants": "A"}, "expected a list of names"),
        ({"solution": {"x": "t"}, "constants": ["m"]}, "is a name of the model"),
        ({"solution": {"x": "t"}, "constants": [1]}, "needs a name"),
        ({"solution": {}}, "expected a table"),
        ({"values": {"x": 1}}, "'at' is missing"),
        ({"values": {"x": "1"}, "at": 1}, "expected a finite number"),
        ({"values": {"x": 1}, "at": 1, "within": -1}, "at least 0"),
        ({"coefficients": {"dependent": ["z"], "A": ["1"]}}, "which is no coordinate"),
        ({"coefficients": {"dependent": ["x"]}}, "neither what A is nor what B is"),
        ({"momenta": {"P_x": "x'"}}, "did you mean 'p_x'"),
        ({"momenta": {}}, "expected a table"),
        ({"momenta": {"p_x": "x'"}, "dependent": ["x"]}, "dependent coordinates are chosen"),
        ({"hamiltonian": "x'^2"}, "x'"),
        ({"hamiltonian": ["x"]}, "expected a text"),
        ({"measure": "1", "dependent": ["q"]}, "is no coordinate"),
        ({"measure": True}, "expected a text"),
        ({"symmetry": {"y": "1"}}, "has no entry 'y'"),
        ({"symmetry": {"x": "x'"}}, "x'"),
        ({"symmetry": {"x": "1"}, "of": "motions"}, "did you mean 'motion'"),
        ({"stable": True}, "expected a table"),
        ({"stable": "yes", "at": {"x": 0}}, "expected true or false"),
        ({"stable": True, "at": {"y": 0}}, "which is no coordinate"),
        ({"dirac": {"outcome": "gage"}}, "did you mean 'gauge'"),
        ({"dirac": {"degrees": 1}}, "has no entry 'degrees'"),
        ({"dirac": {"first_class": "1"}}, "expected a number"),
        ({"same_as": "rolling-dis"}, "did you mean 'rolling-disc'"),
        ({"same_as": "rolling-disc"}, "has the coordinates"),
        ({"conserved": "x'", "domain": "x"}, "is no strict inequality"),
        ({"conserved": "x'", "domain": "x >= 0"}, "is no strict inequality"),
        ({"conserved": "x'", "domain": "2 < 1"}, "holds nowhere"),
        ({"conserved": "x'", "domain": "x < q"}, "unknown name 'q'"),
        ({"not_conserved": "x'", "domain": "x < 0"}, "has no entry 'domain'"),
        ({"conserved": "x'", "parameters": {"M": 2}}, "M"),
        ({"conserved": "x'", "parameters": 2}, "expected a table"),
    ],
)
def test_mistakes_are_told_before_anything_is_judged(claim: dict[str, object], words: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        judge(OSCILLATOR, **claim)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("claim", "place"),
    [
        ('sais = "a"\nconserved = "x"', "3:1: a claim has no entry 'sais'"),
        ('conserved = ["x", "x + q"]', "3:24: unknown name 'q'"),
        ('kind = { holonomi = "holonomic" }', "3:10: the kind of a constraint has no entry 'holonomi'"),
        ('says = "nothing"', "2:1: nothing is stated"),
        ('conserved = "x"\ncorrection = ["x", "q"]', "4:21: unknown name 'q'"),
        ('conserved = "x"\ncorrection = 3', "4:14: 'conserved' is 3"),
        ('conserved = "x"\ndomain = "0 < x < q"', "4:19: unknown name 'q'"),
        ('conserved = "x"\nparameters = { M = 2 }', "4:14: "),
        ("at = true\nvalues = { x = 1 }", "3:6: 'at' is True"),
    ],
)
@pytest.mark.parametrize("command", ["claims", "show", "study"])
def test_mistakes_in_a_file_have_their_place_in_every_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, claim: str, place: str, command: str
) -> None:
    model = tmp_path / "a.toml"
    text = f"coordinates = ['x']\n[[claims]]\n{claim}\n[dynamics]\nlagrangian = \"x'^2/2\"\n"
    model.write_text(text, encoding="utf-8")
    out = ["-o", str(tmp_path / "out")] if command == "study" else []
    assert run([command, str(model), *out]) == 2
    assert f"a.toml:{place}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_arguments() -> None:
    with pytest.raises(ch.ModelError, match=r"ch\.claims"):
        ch.claims("rolling-disc")  # type: ignore[arg-type]
    assert str(ch.claims(ch.System(**OSCILLATOR))) == "no claims"


@pytest.mark.parametrize("name", some([n for n in names() if ch.load(n).claims], 6))
def test_claims_of_the_gallery_are_judged_as_expected_and_proved(name: str) -> None:
    found = ch.claims(ch.load(name))
    for one in found:
        assert not one.surprising, str(one)
        assert one.holds is one.claim.expected
        if one.claim.kind not in ("kind", "values"):  # a run proves nothing
            assert one.proved, str(one)
        if one.correction is not None:
            assert one.correction.holds, str(one)
            assert one.correction.proved or one.claim.kind == "values", str(one)
    assert json.loads(json.dumps(found.to_json()))["surprising"] == 0


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["claims", "caratheodory-sleigh"]) == 0
    assert "none against expectation" in capsys.readouterr().out
    model = tmp_path / "wrong.toml"
    system = ch.System(**OSCILLATOR, claims=[{"says": "momentum", "conserved": "m*x'"}])
    model.write_text(system.to_toml(), encoding="utf-8")
    assert run(["claims", str(model), "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["claims"]
    assert one["holds"] is False
    assert one["surprising"]
    assert run(["claims", "damped-sleigh"]) == 0
    assert "Nothing is claimed" in capsys.readouterr().out


def test_a_claim_with_its_correction() -> None:
    wrong = {"equations": "m*x'' = k*x", "paper": "A paper", "section": "2", "equation": "(3)"}
    right = judge(OSCILLATOR, **wrong, correction="m*x'' = -k*x")
    assert right.holds is False
    assert right.proved
    assert not right.surprising
    assert right.correction is not None
    assert right.correction.holds
    assert right.claim.source == "A paper, 2, (3)"
    neither = judge(OSCILLATOR, **wrong, correction="m*x'' = 2*k*x")
    assert neither.surprising
    assert "its correction does not hold" in neither.verdict
    curve = judge(OSCILLATOR, solution={"x": "t"}, correction={"x": "0"})
    assert curve.to_json()["correction"]["stated"] == ["x = 0"]
    assert judge(OSCILLATOR, equations="m*x'' = -k*x", correction="m*x'' = -k*x").surprising


@pytest.mark.slow
def test_what_the_gallery_has_of_a_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["claims", "lewis", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["claims"]
    assert found
    assert all(one["source"].startswith("Lewis") for one in found)
    assert run(["claims", "nobody"]) == 2
    assert "there is no model 'nobody'" in capsys.readouterr().err
    with pytest.raises(ch.ModelError, match="a text"):
        ch.claims(paper=3)  # type: ignore[arg-type]


def test_every_kind_is_described_on_the_page(root: Path) -> None:
    page = (root / "docs" / "claims.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


BOTH_WAYS = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2", "constraints": ["y' = sqrt(x'^2)"]}
"""y' = |x'|: on either side of x' = 0 a linear constraint."""


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ({"equations": "y' = -x'", "domain": "x' < 0"}, True),
        ({"equations": "y' = -x'", "domain": "x' > 0"}, False),
        ({"equations": "y' = -x'"}, False),
        ({"equations": "y' = x'", "domain": "1 < x' < 2"}, True),
        ({"conserved": "x + y", "domain": ["x' < 0", "y < t"]}, True),
        ({"conserved": "x + y", "domain": "x' > 0"}, False),
        ({"conserved": "sign(x)", "domain": "x' > 0"}, None),
        ({"equations": "y' = x'", "domain": "y' < 0"}, None),
        ({"equations": "x' = sqrt(4*y'^2 - 3*x'^2)", "domain": ["x' > 0", "y' > 0"]}, True),
        ({"coefficients": {"dependent": ["y"], "B": [[-2]]}, "domain": "x' > 0"}, True),
        ({"coefficients": {"dependent": ["y"], "B": [[-1]]}, "domain": "x' > 0"}, False),
        ({"solution": {"x": "-C*t", "y": "C*t"}, "constants": ["C"], "domain": "C > 0"}, True),
        ({"solution": {"x": "-C*t", "y": "C*t"}, "constants": ["C"], "domain": "C < 0"}, False),
    ],
)
def test_a_claim_about_a_part_of_q(claim: dict[str, object], holds: bool | None) -> None:
    judged = judge(BOTH_WAYS, **claim)
    assert judged.holds is holds
    assert judged.proved is (holds is not None)


FREE = {"coordinates": ["x", "y"], "lagrangian": "m*(x'^2 + y'^2)/2", "parameters": {"m": 2}}
HEISENBERG = FREE | {"coordinates": ["x", "y", "z"], "constraints": ["z' = y*x'"]}
HEISENBERG["lagrangian"] = "m*(x'^2 + y'^2 + z'^2)/2"
CONSTANT_SPEED = HEISENBERG | {"lagrangian": "m*(x'^2 + y'^2 + z'^2)/2 - m*z"}
CONSTANT_SPEED["constraints"] = ["x'^2 + y'^2 + z'^2 = 4"]
PENDULUM = {"coordinates": ["theta"], "lagrangian": "theta'^2/2 + k*cos(theta)", "parameters": {"k": 3}}
VALLEY = {"coordinates": ["x", "y"], "lagrangian": "(x'^2 + y'^2)/2 - x*y^2/2"}
"""At rest everywhere on y = 0: in a valley for x > 0, on a ridge for x < 0."""
GAUGE = {"coordinates": ["x", "y"], "lagrangian": "(x' - y')^2/2", "degenerate": True}


@pytest.mark.parametrize(
    ("model", "claim", "holds"),
    [
        (OSCILLATOR, {"momenta": {"p_x": "m*x'"}}, True),
        (OSCILLATOR, {"momenta": {"p_x": "x'"}}, False),
        (HEISENBERG, {"momenta": {"P_x": "m*(1 + y^2)*x'", "P_y": "m*y'"}, "dependent": ["z"]}, True),
        (HEISENBERG, {"momenta": {"P_x": "m*x'"}, "dependent": ["z"]}, False),
        (HEISENBERG, {"momenta": {"P_z": "m*(1 + 1/y^2)*z'"}, "dependent": ["x"]}, True),
        (HEISENBERG, {"momenta": False}, False),
        (CONSTANT_SPEED, {"momenta": False}, True),
        (CONSTANT_SPEED, {"momenta": {"P_x": "m*x'"}, "dependent": ["z"]}, False),
        (OSCILLATOR, {"hamiltonian": "p_x^2/(2*m) + k*x^2/2"}, True),
        (OSCILLATOR, {"hamiltonian": "p_x^2/(2*m) - k*x^2/2"}, False),
        (HEISENBERG, {"hamiltonian": "P_x^2/(2*m*(1 + y^2)) + P_y^2/(2*m)", "dependent": ["z"]}, True),
        (HEISENBERG, {"hamiltonian": "(P_x^2 + P_y^2)/(2*m)", "dependent": ["z"]}, False),
        (CONSTANT_SPEED, {"hamiltonian": "P_x^2", "dependent": ["z"]}, False),
        (HEISENBERG, {"measure": "sqrt(1 + y^2)", "dependent": ["z"]}, True),
        (HEISENBERG, {"measure": "1/sqrt(1 + y^2)", "dependent": ["z"]}, False),
        (HEISENBERG, {"measure": "sqrt(1 + y^2)/y", "dependent": ["x"]}, True),
        (HEISENBERG, {"measure": "0"}, False),
        (HEISENBERG, {"measure": False}, False),
        (FREE | {"forces": {"x": "-x'"}}, {"measure": False}, True),
        (FREE, {"symmetry": {"x": "-y", "y": "x"}, "of": ["motion", "lagrangian"]}, True),
        (FREE, {"symmetry": {"x": "x", "y": "y"}}, True),
        (FREE, {"symmetry": {"x": "x", "y": "y"}, "of": "lagrangian"}, False),
        (FREE, {"symmetry": {"x": "y^2"}}, False),
        (HEISENBERG, {"symmetry": {"y": 1, "z": "x"}, "of": ["constraint"]}, True),
        (HEISENBERG, {"symmetry": {"y": 1, "z": "x"}, "of": ["constraint", "lagrangian"]}, False),
        (PENDULUM, {"stable": True, "at": {"theta": 0}}, True),
        (PENDULUM, {"stable": True, "at": {"theta": "pi"}}, False),
        (PENDULUM, {"stable": False, "at": {"theta": "pi"}}, True),
        (PENDULUM, {"stable": False, "at": {"theta": "pi/2"}}, None),
        (VALLEY, {"stable": False, "at": {"x": -1, "y": 0}}, True),
        (VALLEY, {"stable": True, "at": {"x": -1, "y": 0}}, False),
        (VALLEY, {"stable": True, "at": {"x": 0, "y": 0}}, None),  # the plain member of the family is another
        (GAUGE, {"dirac": {"outcome": "gauge", "degrees_of_freedom": 1, "first_class": 1}}, True),
        (GAUGE, {"dirac": {"outcome": "second class"}}, False),
        (OSCILLATOR, {"dirac": {"outcome": "regular", "degrees_of_freedom": 1}}, True),
        (OSCILLATOR, {"dirac": {"degrees_of_freedom": 2}}, False),
        (HEISENBERG, {"jacobian": {"of": "z' - y*x'", "rows": [["-y", 0, 1]], "rank": 1}}, True),
        (HEISENBERG, {"jacobian": {"of": "z' - y*x'", "rows": [["y", 0, 1]]}}, False),
        (HEISENBERG, {"jacobian": {"of": ["z' - y*x'", "2*z' - 2*y*x'"], "rank": 1}}, True),
        (HEISENBERG, {"jacobian": {"of": ["z' - y*x'", "y' - x*x'"], "rank": 1}}, False),
        (HEISENBERG, {"jacobian": {"of": "z' - y*x'", "rank": 2}}, False),
        (CONSTANT_SPEED, {"jacobian": {"of": "x'^2 + y'^2 + z'^2 - 4", "rank": 0}}, False),
    ],
)
def test_what_the_verbs_answer(
    model: dict[str, object], claim: dict[str, object], holds: bool | None
) -> None:
    judged = judge(model, **claim)
    assert judged.holds is holds, str(judged)
    # which steps of Dirac's algorithm are proofs, its result does not say
    assert judged.proved is (holds is not None and "dirac" not in claim), str(judged)


def test_the_same_as_a_model_that_is_known() -> None:
    true = with_claims(ch.load("vertical-rolling-disc"), {"same_as": "vertical-rolling-disc"}).to_toml()
    axle, law = "I/2*theta'^2", "x' = R*cos(phi)*theta'"
    other_names = true.replace("R = 1", 'R = 1\nA = "m*R^2/2"').replace(axle, "A/2*theta'^2")
    for text in (true, other_names):
        (judged,) = ch.claims(ch.loads(text))
        assert judged.holds
        assert judged.proved
    (heavier,) = ch.claims(ch.loads(true.replace(axle, "theta'^2 + x*theta'^2")))
    wrong = [part.text for part in heavier.parts if part.holds is False]
    assert wrong
    assert all("'' is that of" in text for text in wrong)
    (backwards,) = ch.claims(ch.loads(true.replace(law, law.replace("R", "-R"))))
    first = next(part.text for part in backwards.parts if part.holds is False)
    assert first.startswith("x' = R*cos(phi)")


@pytest.mark.parametrize(("domain", "holds"), [("z' > 0", True), ("z' < 0", False), ("0 < z' < 2", True)])
def test_the_branch_of_a_root_is_that_of_the_domain(domain: str, holds: bool) -> None:
    """On the sphere of velocities the root is z' on one side and -z' on the other."""
    judged = judge(CONSTANT_SPEED, equations="z' = sqrt(4 - x'^2 - y'^2)", domain=domain)
    assert judged.holds is holds
    assert judged.proved


def test_a_claim_with_its_own_parameters() -> None:
    falling = {"coordinates": ["z"], "lagrangian": "z'^2/2 - g*z", "parameters": {"g": 10, "h": "2*g"}}
    falling["initial"] = {"z": "h", "z_dot": 0}
    assert judge(falling, at=1, values={"z": 15}).holds is True
    assert judge(falling, at=1, values={"z": 3}, parameters={"g": 2}).holds is True
    assert judge(falling, equations="z'' = -2", parameters={"g": 2}).proved
    assert judge(falling, equations="z'' = -2").holds is False
