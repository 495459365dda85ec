"""The section of a study on the Hamiltonian side (K9, K24, B7, B13)."""

from __future__ import annotations

import chetaev as ch
from chetaev.study.hamiltonian import hamilton
from formulas import formulas


def found(system: ch.System) -> dict:
    *_, data = hamilton(system, None)
    return data


def titles(data: dict) -> list[str]:
    return [block["title"] for block in data["blocks"]]


def test_K24_momenta_and_canonical_equations() -> None:
    data = found(ch.load("heisenberg"))
    assert data["kind"] == "momenta"
    assert titles(data) == ["Momenta", "Hamiltonian", "Canonical equations"]
    assert data["blocks"][0]["texts"] == formulas(["P_x = x'*(y^2 + 1)", "P_y = y'"])
    assert data["words"] == ["Jacobi's identity fails for the bracket on Q"]


def test_K24_no_momenta_is_said_with_its_condition() -> None:
    data = found(ch.load("leibniz-particle"))
    assert "condition (89) fails" in data["words"][0]
    assert data["blocks"] == []


def test_B7_degenerate_lagrangians_end_by_dirac() -> None:
    system = ch.System(
        coordinates=["r", "th", "z"],
        dynamics={"lagrangian": "(r'^2 + r^2*(th' - z)^2)/2 - r^2/2", "degenerate": True},
    )
    data = found(system)
    assert data["kind"] == "dirac"
    assert "Primary constraints" in titles(data)
    assert data["blocks"][2]["texts"] == ["p_z = 0"]
    assert data["blocks"][2]["equations"] == [["p_{z}", "0"]]
    assert any("nothing determines u_1" in words for words in data["words"])


def test_B13_poisson_brackets_have_rank_and_casimirs() -> None:
    data = found(ch.load("particle-with-spin"))
    assert (data["kind"], titles(data)) == ("poisson", ["Casimir functions"])
    assert "the Poisson bracket has the rank 8 on 9 variables" in data["words"]


def test_without_a_lagrangian_there_is_a_sentence() -> None:
    assert "no Lagrangian" in found(ch.load("sleigh-on-q"))["words"][0]
