"""Effort is counted, never timed: a question has the same answer on a slow machine and after others."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flint import fmpz

import chetaev as ch
from chetaev.cli import run
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.effort import written
from chetaev.expr.exact import Budget, BudgetError, EffortError, Field
from chetaev.expr.exact.effort.budget import SizeError
from chetaev.expr.exact.vanishing import zero_test, zero_tests
from chetaev.expr.language.parser import parse
from chetaev.laws.integrals import judged
from portions import parts

SCRIPT = Path(__file__).with_name("verdicts_of.py")
SOURCE = Path(ch.__file__).parent
EXACT_ROOMS = (
    "expr",
    "geometry",
    "constraint",
    "equations",
    "laws",
    "hamilton",
    "compare",
    "model",
    "numeric",
    "analysis",
    "reduction",
    "bodies",
    "ensemble",
    "variation",
)
LOCKS = "ensemble/leases.py"
"""Asks whether another process lives, which decides nothing about a system."""
SOME = ["knife-edge", "leibniz-particle"]


def said(*arguments: str) -> dict[str, Any]:
    """The verdicts that a process of its own gives, by name."""
    done = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


def slow_or_fast(names: list[str]) -> None:
    """Assert that verdicts do not change when clocks jump and when other questions come before."""
    first, again = said(*names), said("--slowed", *reversed(names))
    for name in names:
        assert first[name] == again[name], name


IMPORTED = re.compile(r"^\s*(import|from)\b.*\btime\b", re.MULTILINE)
"""Sources without this are not parsed."""


# --- load and history -------------------------------------------------------------------------------
def test_no_exact_room_looks_at_a_clock() -> None:
    for room in EXACT_ROOMS:
        for path in {*(SOURCE / room).rglob("*.py")} - {SOURCE / LOCKS}:
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source if IMPORTED.search(source) else "")):
                if isinstance(node, ast.Import):
                    assert "time" not in [alias.name for alias in node.names], path
                elif isinstance(node, ast.ImportFrom):
                    assert node.module != "time", path


@pytest.mark.slow
def test_verdicts_of_a_slow_process_and_after_other_questions() -> None:
    slow_or_fast(SOME)


@pytest.mark.parametrize("start", parts([10, *range(0, 10, 2), *range(12, 20, 2)], 0))
def test_verdicts_on_rheonomic_systems_of_a_slow_process(start: int) -> None:
    slow_or_fast([str(seed) for seed in range(start, start + 2)])


@pytest.mark.parametrize("start", parts(range(8), 1))
def test_verdicts_on_the_gallery_of_a_slow_process(start: int) -> None:
    slow_or_fast(ch.gallery()[start::8])


EFFORTS = (1, 300, 1000, 3000, 10_000, 10**6)
TEXTS = (
    "((x + y + 1)^9)^2 - (x + y + 1)^18",
    "(x + y + 1)^9*(x - y)^4 - (x + y + 1)^9*(y - x)^4",
    "sin(x + y)^2 - (sin(x)*cos(y) + cos(x)*sin(y))^2",
    "(x + y + 1)^9 - (x + y)^9",
)


@pytest.mark.few(8)
@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("on", [(), ("x'^2 + y'^2 - 1", "x' - y*y'")])
def test_a_zero_test_costs_the_same_alone_and_among_others(effort: int, on: tuple[str, ...]) -> None:
    scope = ch.load("rolling-disc").scope
    functions = [parse(text, scope) for text in TEXTS]
    constraints = [parse(text, scope) for text in on]
    alone = [zero_test(f, constraints, effort=effort) for f in functions]
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        found = zero_tests([functions[i] for i in order], constraints, effort=effort)
        for i, verdict in zip(order, found, strict=True):
            assert (verdict.answer, verdict.proved, verdict.limit) == (
                alone[i].answer, alone[i].proved, alone[i].limit,
            )  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["knife-edge", "central-force-constant-speed", "semiholonomic-cone"])
@pytest.mark.parametrize("effort", [1000, 3000, 10_000, 2 * 10**6])
def test_what_is_asked_of_a_constraint_does_not_depend_on_what_was_asked_before(
    name: str, effort: int
) -> None:
    system = ch.load(name)
    questions = {
        "forms": lambda Q: [str(form) for form in Q.normal_forms()],
        "rank": lambda Q: str(Q.rank_condition.vanishing),
        "charts": lambda Q: [chart.dependent for chart in Q.charts()],
        "exact": lambda Q: Q.exact,
    }
    fresh = {key: ask(Constraint(system, effort=effort)) for key, ask in questions.items()}
    asked = Constraint(system, effort=effort)
    assert {key: questions[key](asked) for key in reversed(questions)} == {**fresh}
    busy = Constraint(system, effort=effort)
    _ = busy.jacobian, busy.adapted.B, busy.adapted.cut_total, busy.prolongation()
    assert {key: ask(busy) for key, ask in questions.items()} == fresh


def test_a_remembered_element_costs_what_it_cost() -> None:
    field = Field()
    x, y = (parse(n, ch.load("rolling-disc").scope) for n in ("x", "y"))
    small, large = (x + y) ** 6, ((x + y) ** 6 + 1) ** 3

    def cost(*expressions: object) -> int:
        budget = Budget(10**6)
        with field.limit(budget):
            for e in expressions:
                field(e)  # type: ignore[arg-type]
        return budget.spent

    assert cost(large) == cost(large) == cost(large, large) == cost(small, large) == cost(large, small)
    assert cost(small) < cost(large)


# --- what cannot be interrupted is not begun --------------------------------------------------------
def test_effort_is_asked_for_before_an_operation() -> None:
    field = Field()
    x, y, z = field.symbols("x y z")
    p = ((x + 2 * y + 3 * z + 1) ** 8).numerator
    for operation in (lambda: field.factor(p), lambda: field.gcd(p, p), lambda: field.tower.multiply(p, p)):
        with pytest.raises(EffortError), field.limit(Budget(500)):
            operation()


def test_a_field_stays_whole_when_effort_ends_while_it_is_refined() -> None:
    for effort in range(100, 6000, 200):
        field = Field()
        (x,) = field.symbols("x")
        f = field.sin(x) ** 3 * field.cos(x) - x * field.sin(3 * x)
        try:
            with field.limit(Budget(effort)):
                field.sin(x / 6)
        except EffortError:
            pass
        assert (f - field.sin(x) ** 3 * field.cos(x) + x * field.sin(3 * x)).is_zero
        assert (field.sin(x) - 2 * field.sin(x / 2) * field.cos(x / 2)).is_zero


def test_an_angle_that_is_not_refined_leaves_the_field_as_it_was() -> None:
    field = Field()
    (x,) = field.symbols("x")
    before = field.sin(x)
    with pytest.raises(BudgetError, match="1000-fold"):
        field.sin(x / 1000)
    assert (field.sin(x) - before).is_zero
    assert (field.sin(x) ** 2 + field.cos(x) ** 2 - 1).is_zero


def test_of_a_field_that_was_torn_nothing_is_said() -> None:
    field = Field()
    (x,) = field.symbols("x")
    f = field.sin(x) * field.cos(x)
    with pytest.raises(BudgetError), field.limit(Budget(terms=3)):
        field.sin(x / 30)
    with pytest.raises(BudgetError, match="grew beyond"):
        _ = (f - f).is_zero


def test_sizes_grow_with_the_effort() -> None:
    with pytest.raises(SizeError):
        Budget.of(10**6).accept(30_000)
    Budget.of(10**7).accept(30_000)


@pytest.mark.slow
# --- the limit is visible, and can be raised --------------------------------------------------------
def test_what_was_cut_short_says_so() -> None:
    system = ch.load("rolling-disc")
    holonomy = ch.classify(system, effort=500).reason("holonomy")
    assert "no proof within effort 500; effort= raises it" in holonomy
    assert "proved" in ch.classify(system).reason("holonomy")
    energy = judged(system, effort=500)[0]
    assert "no proof within effort 500; effort= raises it" in energy.evidence
    assert judged(system)[0].evidence.startswith("proved")
    row = ch.compare(system, samples=1, prove=True, effort=500).to_json()["forms"]["reduced"]
    assert (row["proved"], row["limit"]) == (False, "not decided within effort 500; effort= raises it")
    row = ch.compare(system, samples=1, prove=True).to_json()["forms"]["reduced"]
    assert (row["proved"], row["limit"]) == (True, "")


@pytest.mark.slow
def test_equations_take_an_effort_for_their_normal_form() -> None:
    system = ch.load("rolling-disc")
    usual, little = ch.equations(system, "chetaev"), ch.equations(system, "chetaev", effort=1)
    assert len(str(little)) > len(str(usual))
    assert little.accelerations != usual.accelerations
    assert str(ch.equations(system, "chetaev")) == str(usual)
    with pytest.raises(ch.ModelError, match="the effort is"):
        ch.equations(system, effort=0)


@pytest.mark.slow
def test_little_effort_changes_no_verdict_into_another() -> None:
    for name in ("knife-edge", "semiholonomic-disc", "appell-hamel"):
        system = ch.load(name)
        usual = ch.classify(system)
        for effort in (1, 100, 2000, 20_000):
            little = ch.classify(system, effort=effort)
            for verdict in ("holonomy", "velocities", "time", "homogeneous", "projectable", "growth_vector"):
                found = getattr(little, verdict)
                assert found in (getattr(usual, verdict), None, "undecided", ()), (name, effort, verdict)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["show", "compare", "laws"])
def test_the_command_line_takes_an_effort(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--samples", "1"] if command == "compare" else []
    assert run([command, "rolling-disc", "--effort", "500", *more]) == 0
    assert "within effort 500; effort= raises it" in " ".join(capsys.readouterr().out.split())
    assert run([command, "knife-edge", "--effort", "0"]) == 2
    assert "--effort" in capsys.readouterr().err


@pytest.mark.parametrize("effort", [0, -1, 1.5, "10", None, True, float("nan"), float("inf")])
def test_a_wrong_effort_is_refused(effort: Any) -> None:
    system = ch.load("knife-edge")
    asked = [
        lambda: ch.classify(system, effort=effort),
        lambda: ch.integrals(system, effort=effort),
        lambda: ch.compare(system, samples=1, effort=effort),
        lambda: zero_test(system.lagrangian, effort=effort),
    ]
    for ask in asked:
        with pytest.raises(ch.ModelError, match="the effort is"):
            ask()


@pytest.mark.parametrize(
    ("effort", "text"), [(9999, "9999"), (10**6, "10⁶"), (9_999_999, "10⁷"), (1_500_000, "1.5·10⁶")]
)
def test_an_effort_is_written_as_people_do(effort: int, text: str) -> None:
    assert written(effort) == text


def test_costs_in_integers_of_flint_are_counted_as_integers() -> None:
    budget = Budget(50_000)
    budget.count(fmpz(40_001))
    assert type(budget.spent) is int
    with pytest.raises(EffortError, match="not decided within effort 5·10⁴"):
        budget.spend(fmpz(20_001))
    with pytest.raises(EffortError, match=r"effort= raises it"):
        Budget(Budget(200_000).effort).spend(fmpz(10) ** 6)
