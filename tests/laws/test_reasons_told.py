"""Reasons that are true as they are told: disguises on Q, the free motion off Q, and what was not decided."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.laws.integrals import judged
from chetaev.laws.reasons import reasons
from formulas import formulas


def told(system: ch.System, *expressions: str) -> list[str]:
    """The causes of all integrals, or of those given."""
    laws = ch.integrals(system)
    if not expressions:
        return [law.cause for law in laws]
    wanted = formulas(expressions, on=system, factor=True)
    return [next(law.cause for law in laws if law.expression == one) for one in wanted]


def test_a_function_of_positions_on_q_alone_is_a_constraint_in_disguise() -> None:
    system = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - y", constraints=["x*x' + y*y' = t"]
    )
    causes = told(system)
    assert causes
    assert all(cause.startswith("constraint in disguise: on Q it depends") for cause in causes)


def test_constraints_on_accelerations_explain_what_they_keep_constant() -> None:
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
        constraints={"acceleration": ["z'' = y*x'' + y'*x'"]},
    )
    constrained, free = told(system, "z' - y*x'", "t*y' - y")
    assert "combination of the constraints" in constrained
    assert "combination" not in free


@pytest.mark.slow
def test_constant_along_the_free_motion_is_said_where_it_is_so() -> None:
    body = {
        "p": "psi'*sin(th)*sin(phi) + th'*cos(phi)",
        "q": "psi'*sin(th)*cos(phi) - th'*sin(phi)",
        "r": "psi'*cos(th) + phi'",
    }
    suslov = ch.System(
        coordinates=["psi", "th", "phi"],
        define=body,
        lagrangian="(p^2 + 2*q^2 + 3*r^2)/2",
        constraints=["r = 0"],
    )
    (first,) = told(suslov, "psi'*sin(th)*sin(phi) + th'*cos(phi)")
    assert "on Q neither the free motion nor the constraint forces change it" in first
    skate = ch.System(
        coordinates=["x", "y", "phi"],
        lagrangian="x'^2 + y'^2 + phi'^2",
        constraints=["y'*cos(phi) = x'*sin(phi)"],
    )
    assert any("it is constant along the free motion" in cause for cause in told(skate))


def test_no_other_theorem_is_claimed_only_where_all_were_decided() -> None:
    coin = ch.System(
        coordinates=["x", "y", "th", "ph"],
        parameters={"R": 0.2, "g": 9.81},
        lagrangian="(x'^2 + y'^2)/2 + R^2/4*th'^2 + R^2/8*ph'^2 + g/2*x",
        constraints=["x' = R*th'*cos(ph)", "y' = R*th'*sin(ph)"],
    )
    assert any("no other theorem of the list explains it" in cause for cause in told(coin))
    (law,) = (one for one in judged(coin, {"F": "g*sin(ph) - 3*th'*ph'*R"}) if one.name == "F")
    (hurried,) = reasons(coin, law, 1_000)
    assert "was not decided with this effort" in str(hurried)
