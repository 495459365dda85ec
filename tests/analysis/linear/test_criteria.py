"""Criteria of stability and their boundaries: where an inequality is exact, and what is left out (M3)."""

from __future__ import annotations

import math
from itertools import product

import pytest

import chetaev as ch
from chetaev.analysis.linear.criteria import ASYMPTOTIC, SPECTRAL, Criteria
from chetaev.expr.graph.evaluate import evaluate
from formulas import formulas


def found(potential: str, damping: str = "", *, names: str = "x", **parameters: float) -> Criteria:
    """Those of ẍ = −∂V/∂x − c ẋ at rest at the origin."""
    coordinates = names.split()
    system = ch.System(
        coordinates=coordinates,
        lagrangian="(" + " + ".join(f"{x}'^2" for x in coordinates) + f")/2 - ({potential})",
        forces={x: f"-({damping})*{x}'" for x in coordinates} if damping else {},
        parameters=parameters,
    )
    rest = dict.fromkeys([*coordinates, *(x + "'" for x in coordinates)], 0)
    criteria = ch.linearize(system, at=rest).criteria
    assert criteria is not None
    return criteria


@pytest.mark.parametrize("stiffness", [{1: 2}, {1: 2, 2: 1}, {1: 3, 3: 1}, {2: 2, 3: 3}])
@pytest.mark.parametrize("damping", [{}, {2: 2}, {1: 1}])
def test_M3_all_on_the_left_is_exact_at_zeros_of_squares_too(
    stiffness: dict[int, int], damping: dict[int, int]
) -> None:
    """s² + c s + a has its roots on the left exactly if a, c > 0, with a and c products of (k − r)^n."""
    a, c = ("*".join(["1", *(f"(k - {r})^{n}" for r, n in p.items())]) for p in (stiffness, damping))
    criteria = found(f"{a}*x^2/2", c, k=5)
    assert criteria.says == ASYMPTOTIC
    for k in (i / 4 for i in range(1, 21)):
        claimed = criteria.holds is None and all(e > 0 for e in evaluate(criteria.conditions, {("k", 0): k}))
        claimed = claimed and all(e != 0 for e in evaluate(criteria.unless, {("k", 0): k}))
        truth = all(math.prod((k - r) ** n for r, n in p.items()) > 0 for p in (stiffness, damping))
        assert claimed == truth, (k, str(criteria))


def test_M3_an_inequality_for_imaginary_eigenvalues_holds_up_to_its_boundary() -> None:
    """s² + k − 2: at k = 2 no eigenvalue lies on the right either."""
    criteria = found("(k - 2)*x^2/2", k=3)
    assert list(criteria.conditions) == formulas(["k - 2"], factor="positive")
    assert (criteria.says, criteria.is_open) == (SPECTRAL, True)
    assert not found("k*x^2/2", k=3).is_open  # always


def test_M3_never_leaves_out_where_all_conditions_are_on_their_boundary() -> None:
    """(s² − p²)(s² − r²): no root on the right only at p = r = 0, with a factor p in both at p = 0."""
    values = {"p": -1, "r": -1}
    for second, zeros in (("r", {(0, 0)}), ("p*r", {(0, 0), (0, 1)})):
        criteria = found(f"-(p^2*x^2 + ({second})^2*y^2)/2", names="x y", **values)
        assert criteria.holds is False
        for p, r in product((0, 1), repeat=2):
            left_out = any(e == 0 for e in evaluate(criteria.unless, {("p", 0): p, ("r", 0): r}))
            assert left_out == ((p, r) in zeros), str(criteria)
