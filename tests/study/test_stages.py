"""What a stage finds, as plain data and as objects."""

import chetaev as ch
from chetaev.expr.language.parser import parse
from chetaev.study.packed_objects import packed, unpacked
from chetaev.study.stages import classification, equations, laws, symmetries
from formulas import any_order, formula, formulas


def test_a_determinant_is_typeset():
    (found,) = classification(ch.load("ball-on-rotating-table"), None)
    (regular,) = [f for f in found["findings"] if f["question"] == "regular"]
    assert regular["words"] == "B̄ of (86) is regular at generic points"
    assert regular["reason"].startswith(f"{regular['words']}, det = ")
    assert r"\sin" in regular["determinant_latex"]
    assert regular["singular_latex"] == [r"\sin \theta"]
    assert found["values"].singular_where[0] is parse("sin(theta)", ch.load("ball-on-rotating-table").scope)


def test_values_come_through_a_line_of_text_as_they_were():
    system = ch.load("knife-edge")
    for stage in (classification, equations, laws):
        *_, found = stage(system, None)
        line, values = packed(found["values"]), found["values"]
        assert "\n" not in line
        again = unpacked(line)
        if stage is equations:
            again, values = again["forms"], values["forms"]
        assert again == values
    (energy, *momenta) = again
    assert energy.expression is values[0].expression
    assert [law.coordinate for law in momenta if law.coordinate] == ["y", "phi"]


def test_a_normal_form_is_typeset_with_its_conditions():
    system = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2", constraints=["x*x' = y*y'"])
    (found,) = classification(system, None)
    (form,) = found["normal_form_latex"]
    assert form == {"equations": [[r"\dot{x}", r"\frac{y \dot{y}}{x}"]], "where": [r"x \neq 0"], "notes": []}
    (value,) = found["values"].normal_forms
    assert value.velocities["x"] is parse("y*y'/x", system.scope)


def test_a_normal_form_is_typeset_although_its_branch_needs_words():
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints=["sin(x') = y + z'*exp(z')"],
    )
    (found,) = classification(system, None)
    first = found["normal_form_latex"][0]
    ((left, right),) = first["equations"]
    assert left == r"\dot{x}"
    assert right.startswith(r"\arcsin\left(")
    assert first["notes"] == ["up to multiples of 2*pi of the argument of sin"]


def test_symmetries_momenta_and_the_measure_come_one_after_the_other():
    stage = symmetries(ch.load("heisenberg"), None)
    first, second, last = ({**found} for found in stage)
    assert "measure" not in first
    assert second["measure"]["density"] == formula("sqrt(y^2 + 1)", factor=True)
    assert [one["field"] for one in last["symmetries"]][:2] == any_order("∂/∂x", "∂/∂z", factor=True)
    assert [one["rate"] for one in last["momenta"]["equations"]] == formulas(
        ["y*x'*y'"], on=ch.load("heisenberg")
    )
    again = unpacked(packed(last["values"]))
    assert again["measure"].density is last["values"]["measure"].density
    assert again["momenta"][0].rate is last["values"]["momenta"][0].rate


def test_a_system_without_symmetries_to_ask_for_says_why():
    *_, found = symmetries(ch.load("acceleration-constraint"), None)
    assert set(found["excluded"]) == {"symmetries", "measure"}
