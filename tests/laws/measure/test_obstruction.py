"""States at rest that forbid an invariant density (M4): off the simple values, and on kinks."""

from __future__ import annotations

import pytest
import sympy

import chetaev as ch
from formulas import formulas

SL2 = {"h, k": "2*k", "h, f": "-2*f", "k, f": "h"}


@pytest.mark.parametrize(
    ("inertia", "row", "rates"),
    [
        ([1, 2, 1], "h = 3*k", {"h": "3*f*(6*f - h)/11", "f": "h*(h - 6*f)/3"}),  # at rest where f = h/6
        ([3, 1, 1], "h = f", {"h": "k*(3*h - 2*k)/4", "k": "h*(2*k - 3*h)"}),
    ],
)
def test_M4_beside_a_singular_density_lines_of_equilibria_are_seen(
    inertia: list[int], row: str, rates: dict[str, str]
) -> None:
    found = ch.measure(ch.on_algebra(SL2, inertia=inertia, constraints=[row]).system)
    assert found.singular
    assert found.obstruction is not None
    at = {name: e.to_sympy() for name, e in found.obstruction.state.items()}
    field = {name: sympy.sympify(e) for name, e in rates.items()}
    assert all(e.subs(at) == 0 for e in field.values())
    divergence = sum(e.diff(name) for name, e in field.items()).subs(at)
    assert divergence == found.obstruction.divergence.to_sympy() != 0


@pytest.mark.parametrize(
    ("force", "divergence"),
    [
        ("-max(x', 0)", None),  # 0 on one side of x' = 0 and -1 on the other
        ("-x'*(1 + sign(x))", None),
        ("-x' + sign(x')", None),  # no state at rest: the force jumps
        ("-x' - x'*abs(x')", "-1"),  # the same on both sides
        ("-x' - max(x', 0)*x", "-1"),
    ],
)
def test_M4_on_a_kink_all_sides_have_to_agree(force: str, divergence: str | None) -> None:
    system = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", forces={"x": force})
    found = ch.measure(system, effort=100_000).obstruction
    assert (None if found is None else found.divergence) == formulas(divergence)
