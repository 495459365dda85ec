"""`chetaev hamilton MODEL`: the Hamiltonian side at one glance (SCOPE K24, M5, B5, M4)."""

from __future__ import annotations

import json

import pytest

import chetaev as ch
from chetaev.cli import main
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import add, mul, sub
from chetaev.hamilton.overview import Overview
from formulas import formula


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0), capsys.readouterr().out


def test_K24_all_parts_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, "hamilton", "heisenberg")
    assert status == 0
    for line in (
        "H = P_x^2/(2*(y^2 + 1)) + P_y^2/2",
        "η = (y*P_x*P_y/(y^2 + 1)) dx",
        "{z, P_x} = y",
        "{P_x, P_y} = y*P_x/(y^2 + 1)",
        "none, since there can be none",
        "fails: nonzero (proved",
        "everywhere: det M^AB has no zeros on Q",
        "N = 1/sqrt(y^2 + 1)",
    ):
        assert line in text


@pytest.mark.slow
def test_K24_json_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "hamilton", "semiholonomic-disc", "--json")[1])
    assert data["energy_form"]["exact"] is True
    assert data["bracket"]["jacobi"] is True
    assert data["bracket"]["casimirs"]["casimirs"][0]["expression"] == formula("psi*R - x", factor=True)
    assert data["hamiltonization"]["verdict"] is True
    status, latex = run(capsys, "hamilton", "knife-edge", "--latex")
    assert status == 0
    assert latex.count(r"\[") == latex.count(r"\]") == 4
    assert r"\{y, P_{x}\} &= \frac{\sin \phi}{\cos \phi}" in latex


def test_K24_without_momenta_the_rest_is_still_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, "hamilton", "leibniz-particle")
    assert status == 1
    assert "condition (89) fails" in text
    assert "{x, x'} =" in text
    assert "no Chaplygin system" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["rolling-disc", "brachistochrone-constrained", "relativistic-particle", "suslov"]
)
def test_K24_other_models_have_an_answer_in_every_place(name: str) -> None:
    found = Overview(ch.load(name))
    assert str(found)
    assert json.dumps(found.to_json())
    assert found.latex().startswith(r"\[")


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["heisenberg", "knife-edge"])
def test_M5_brackets_in_momenta_give_the_canonical_equations(name: str) -> None:
    """Ḟ = {F, H}: the table against the equations (93), which are derived without it."""
    found = Overview(ch.load(name))
    law, table = found.momenta.equations, found.table
    from chetaev.expr.exact import Field

    field = Field()
    H = field(found.momenta.hamiltonian)
    z = [*found.system.coordinates, *found.momenta.names]
    for one in z:
        terms = []
        for other in z:
            slope = H.diff((other, 0)).to_expr()
            if (one, other) in table:
                terms.append(mul(table[one, other], slope))
            elif (other, one) in table:
                terms.append(mul(-1 * table[other, one], slope))
        assert zero_test(sub(add(*terms, 0 * law[one]), law[one])).is_zero, one
    assert constraint_functions(found.system)


def test_M5_a_bracket_of_unknown_names_and_hostile_text() -> None:
    b = ch.bracket(ch.load("heisenberg"))
    for text in ("nothing", "x''", "__import__('os')", "x +", "1/0", "x;y", "(" * 400, "\x00", ""):
        with pytest.raises(ch.ModelError):
            b("x", text)
    for wrong in (None, object(), 1.5, [], {}):
        with pytest.raises(ch.ModelError, match="a function of the bracket"):
            b(wrong, "x")
    with pytest.raises(ch.ModelError, match="P_x"):
        b("x", "P_x")  # momenta are functions on Q too, but have no name here


def test_K24_what_nobody_reads_is_not_printed() -> None:
    weight = " + ".join(f"{k * k + 1}*y^{k}" for k in range(200))
    found = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian=f"(({weight})*x'^2 + y'^2)/2"))
    assert len(str(found.hamiltonian)) > 2_000
    assert len(str(found)) < 1_000
    assert found.to_json()["hamiltonian"] == str(found.hamiltonian)
