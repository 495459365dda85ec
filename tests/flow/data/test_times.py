"""What `at` means: a list, a range, a number; and where the run ends."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chetaev as ch
from chetaev.cli import run
from chetaev.flow.data.times import read

SPRING = ch.System(coordinates=["x"], lagrangian="x'^2/2 - x^2/2", initial={"x": 1, "x_dot": 0}, until=3)
DECIMAL = st.decimals(-100, 100, allow_nan=False, places=3)


@given(DECIMAL, st.decimals("0.001", 50, places=3), st.integers(0, 60), st.booleans())
def test_a_range_is_exact_and_has_its_stop_where_it_is_met(start, step, many, backwards) -> None:
    step = -step if backwards else step
    met = start + many * step
    found = read(f"{start}:{met}:{step}")
    wanted = [float(Fraction(start) + k * Fraction(step)) for k in range(many + 1)]
    assert found.tolist() == wanted
    short = met - step / 2
    if many > 1:
        assert read(f"{start}:{short}:{step}").tolist() == wanted[:-1]


def test_without_until_the_run_ends_at_the_last_time() -> None:
    motion = ch.simulate(SPRING, at=[0, 100])
    assert motion.attrs["end_time"] == 100.0
    assert abs(motion["x"].values[-1] - np.cos(100)) < 1e-6
    assert ch.simulate(SPRING, at=[0, 1]).attrs["end_time"] == 1.0  # before the model's own end, too
    assert ch.simulate(SPRING, at=[0, -2]).attrs["end_time"] == -2.0
    assert ch.simulate(SPRING, at=4).attrs["end_time"] == 3.0
    assert ch.simulate(SPRING, until=2, at=[0, 1]).attrs["end_time"] == 2.0
    with pytest.raises(ch.ModelError, match="outside the run"):
        ch.simulate(SPRING, until=2, at=[0, 3])


def test_python_and_the_command_line_read_the_same_text(tmp_path) -> None:
    path = tmp_path / "spring.toml"
    path.write_text(SPRING.to_toml(), encoding="utf-8")
    for text in ("0:0.9:0.3,2", "5 times", "2"):
        here = ch.simulate(SPRING, at=text)
        out = tmp_path / "motion.csv"
        assert run(["simulate", str(path), "--at", text, "-o", str(out)]) == 0
        times = [float(line.split(",")[0]) for line in out.read_text().splitlines()[1:]]
        assert times == here["time"].values.tolist()
    assert len(ch.simulate(SPRING, at="5 times")["time"]) == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0:1", "has 2 numbers"),
        ("0:1:0", "do not lead"),
        ("0:1:-1", "do not lead"),
        ("0:1:1e-9", "1000000001 times"),
        ("0:zwei:1", "'zwei' is not a number"),
        ("1/0", "divides by zero"),
        ("1e999", "beyond double precision"),
        ("0 times", "number of times"),
        ("", "a number is missing"),
    ],
)
def test_bad_times_are_told(text: str, said: str) -> None:
    with pytest.raises(ch.ModelError, match=said):
        ch.simulate(SPRING, at=text)


def test_dates_and_spans_of_time_are_no_times() -> None:
    for at in (np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"), [np.timedelta64(1, "s")], [0, None]):
        with pytest.raises(ch.ModelError, match="the times are"):
            ch.simulate(SPRING, at=at)
    with pytest.raises(ch.ModelError, match="the final time is"):
        ch.simulate(SPRING, until=np.timedelta64(2, "s"))  # type: ignore[arg-type]
    assert ch.simulate(SPRING, at=[Decimal("0"), Fraction(1, 2), True])["time"].values.tolist() == [0, 0.5, 1]
