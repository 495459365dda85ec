"""The conditions of closed normal forms, and where the rank condition fails (SCOPE K13, K23)."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.constraint.kind.classifier import classify
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.submanifold import Constraint
from formulas import any_order, formula, formulas

XYZ = ["x", "y", "z"]


@pytest.mark.parametrize(
    ("constraint", "velocities", "nonzero", "notes"),
    [
        ("exp(x' - y*z') = 1", {"x": "y*z'"}, [], []),
        ("tan(x' - t*y' - y) = 0", {"y": "(x' - y)/t"}, ["t"], [("pi", "tan")]),
        ("exp(x') + sin(y') = z'*x + 2", {"z": "(exp(x') + sin(y') - 2)/x"}, ["x"], []),
        ("pi*x' + y*z' = sqrt(2)*y'", {"x": "(y'*sqrt(2) - y*z')/pi"}, [], []),
        ("x*(x^2 + 3)*y'/3 = -y*(x^2 + 1)*x'", {"y": "-3*y*x'*(x^2 + 1)/(x*(x^2 + 3))"}, ["x"], []),
    ],
)
def test_K13_a_normal_form_names_what_must_not_vanish(
    constraint: str, velocities: dict[str, str], nonzero: list[str], notes: list[tuple[str, str]]
) -> None:
    (form,) = classify(ConstraintData.of([constraint], XYZ)).normal_forms
    assert form.velocities == formulas(velocities)
    assert form.nonzero == any_order(*nonzero, factor=True)
    assert [(n.period, n.function) for n in form.notes] == [(formula(p), f) for p, f in notes]
    assert form.domain == ", ".join([*(f"{e} != 0" for e in form.nonzero), *map(str, form.notes)])


def test_K13_a_form_up_to_multiples_has_a_note_and_no_condition() -> None:
    forms = Constraint.of(["sin(x' + sin(y')) = y' + sin(z' + y)"], XYZ).normal_forms()
    assert forms
    assert any(f.notes for f in forms)
    assert all("where up to" not in str(f) for f in forms)


@pytest.mark.parametrize(
    ("constraint", "where"),
    [("x'^2 + y'^2 + z'^2 = 1", ()), ("x'*y' = 1", ()), ("x'^2 + y'^2 = z'^2", ("x'", "y'", "z'"))],
)
def test_K13_the_rank_condition_fails_only_at_points_of_Q(constraint: str, where: tuple[str, ...]) -> None:
    answer = classify(ConstraintData.of([constraint], XYZ))
    assert answer.rank_fails_where == any_order(*where, factor=True)
    assert ("holds everywhere" in answer.reason("rank")) is not bool(where)


def test_K23_a_factor_that_cannot_vanish_on_Q_is_no_singular_set() -> None:
    free = "(x'^2 + y'^2 + z'^2)/2"
    sphere = ch.System(coordinates=XYZ, lagrangian=free, constraints=["x'^2 + y'^2 + z'^2 = 1"])
    assert ch.classify(sphere).singular_where == ()
    pendulum = ch.System(
        coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints={"position": ["x^2 + y^2 = 1"]}
    )
    assert ch.classify(pendulum).singular_where == ()


def test_branches_of_an_inverse_are_values() -> None:
    (main, other) = Constraint.of(["sin(x') = y"], ["x", "y"]).normal_forms()
    assert [n.period for n in (*main.notes, *other.notes)] == formulas(["2*pi", "2*pi"])
    (form,) = Constraint.of(["atan(x') = y"], ["x", "y"]).normal_forms()
    assert [(n.period, n.function) for n in form.notes] == [(None, "atan")]
    assert str(form).endswith("   on the principal branch of atan")
