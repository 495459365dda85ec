"""sign(u) has slope 0 without being constant: nothing that contains it is affine in u, or free of u."""

from __future__ import annotations

import pytest

import chetaev as ch

SPACE = {"coordinates": ["x", "y", "z"]}
FREE = "(x'^2 + y'^2 + z'^2)/2"


@pytest.mark.parametrize(
    ("lagrangian", "constraint"),
    [
        (f"{FREE} + y*abs(x') - z^2/2", "z' = y*x'"),
        (f"{FREE} - x*z", "z' = x*y' + y/3*sign(y')"),
        (f"{FREE} + x*max(x', y')", "z' = y*x' - sign(x' - z')/4"),
    ],
)
def test_all_forms_agree_where_velocities_stand_under_a_sign(lagrangian: str, constraint: str) -> None:
    table = ch.compare(ch.System(lagrangian=lagrangian, constraints=[constraint], **SPACE), samples=3)
    assert table.agree, table


def test_the_momentum_of_a_kink_acts_in_every_form() -> None:
    """L = ½|v|² + y|x'|, z' = yx': y'' = |x'| − yx'μ with μ = 0, by hand."""
    system = ch.System(lagrangian=f"{FREE} + y*abs(x')", constraints=["z' = y*x'"], **SPACE)
    for form in ("gibbs-sasaki", "dalembert", "connection", "chetaev"):
        found = ch.field(system, form)(0.0, [0.0, 0.0, 1.0], [0.5, 0.0, 0.0])
        assert found[1] == pytest.approx(0.5)


def test_no_frame_of_directions_spans_velocities_with_a_sign() -> None:
    system = ch.System(lagrangian=FREE, constraints=["z' = x*y' + y/3*sign(y')"], **SPACE)
    assert "constraint 1 is not affine" in ch.forms(system).excluded["quasi"]


def test_signs_of_accelerations_make_no_linear_constraint() -> None:
    with pytest.raises(ch.ModelError, match="not linear in the accelerations"):
        ch.System(lagrangian=FREE, constraints={"acceleration": ["x'' + sign(y'') = 0"]}, **SPACE)


def test_a_force_with_the_sign_of_a_group_coordinate_is_not_invariant() -> None:
    """It was taken at x = 0, where it vanishes, and left out."""
    sliding = {"lagrangian": FREE, "constraints": ["z' = y*x'"], "forces": {"x": "-sign(x)"}}
    with pytest.raises(ch.ModelError, match="depends on x, which the group moves"):
        ch.reduce_by_group(ch.System(**sliding, **SPACE), [{"x": "1"}])
    line = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": "-sign(x)"})
    with pytest.raises(ch.ModelError, match="depends on x"):
        ch.on_algebra(line, frame={"u": {"x": "1"}})


def test_a_sign_of_velocities_makes_no_metric() -> None:
    """∂²L/∂v∂v = 1 + sign(x')/2 was taken at rest, for a flat metric."""
    with pytest.raises(ch.ModelError, match="depends on the velocities"):
        ch.killing(ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 + x'*abs(x')/4"))


def test_a_sign_of_velocities_is_not_left_out_of_the_hamiltonian() -> None:
    with pytest.raises(ch.ModelError, match="could not be eliminated"):
        ch.dirac(ch.System(coordinates=["x", "y"], lagrangian="y'^2/2 + x*sign(x') + x*y"))


@pytest.mark.parametrize("force", ["u + sign(u)", "sign(u)"])
def test_a_sign_of_an_input_is_not_affine(force: str) -> None:
    """And it occurs in the law."""
    line = ch.System(coordinates=["x"], lagrangian="x'^2/2", forces={"x": force}, parameters={"u": 1})
    with pytest.raises(ch.ModelError, match="not affine in the input u"):
        ch.accessibility(line, inputs=["u"])


def test_constraints_linear_on_either_side_of_a_kink_are_no_chaplygin_system() -> None:
    """z' = y|x' + z'|: slopes of one side were held against those of the other."""
    found = ch.hamiltonize(ch.System(lagrangian=FREE, constraints=["z' = y*abs(x' + z')"], **SPACE))
    assert (found.verdict, found.obstruction.kind) == (None, "no Chaplygin system")  # type: ignore[union-attr]
    assert "is not linear in the velocities" in str(found)
