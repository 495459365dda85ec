"""Whether a constraint depends on time is said in numbers where the effort for a proof has ended."""

from __future__ import annotations

import pytest

import chetaev as ch


@pytest.mark.few(1)
@pytest.mark.parametrize("effort", [1, 10_000])
def test_less_effort_does_not_leave_time_open(effort: int) -> None:
    q = [f"x{i}" for i in range(8)]
    system = ch.System(
        coordinates=q,
        lagrangian=" + ".join(f"{x}'^2/2" for x in q),
        constraints=[f"x{i}' = sin({i + 1}*t*x{i + 4})*x{i + 4}' + exp(t*x{i})" for i in range(4)],
    )
    assert ch.classify(system, effort=effort).time == "rheonomic"
