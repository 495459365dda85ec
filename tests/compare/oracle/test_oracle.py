"""The oracle: its reader, its derivatives, its solution, and that it sees what formulations share."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import casadi
import pytest
import sympy
from flint import arb, ctx
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

import chetaev as ch
import probes
import strategies
from chetaev.compare.oracle import jets
from chetaev.compare.oracle.jets import SLOPES, Jet, UndefinedError, rational
from chetaev.compare.oracle.model import ModelText
from chetaev.compare.oracle.oracle import Oracle, run
from chetaev.compare.oracle.reader import UnreadableError, read
from chetaev.compare.oracle.solve import UndeterminedError
from chetaev.equations.law.setup import Setup
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, key_name
from portions import examples, some


def test_the_oracle_imports_no_other_room() -> None:
    program = (
        "import sys, importlib, pkgutil, chetaev\n"
        "before = set(sys.modules)\n"
        "room = importlib.import_module('chetaev.compare.oracle')\n"
        "for m in pkgutil.iter_modules(room.__path__): importlib.import_module(f'{room.__name__}.{m.name}')\n"
        "new = set(sys.modules) - before\n"
        "print(*sorted(m for m in new if m.startswith('chetaev.') and '.compare' not in m))\n"
        "print('casadi' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


# --- reader -------------------------------------------------------------------------------------------


def postfix(text: str) -> str:
    words = {"number": lambda s: str(s.value), "name": lambda s: s.value + "'" * s.count}
    words["call"] = lambda s: f"{s.value}/{s.count}"
    return " ".join(words.get(s.what, lambda s: s.what)(s) for s in read(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - b - c", "a b - c -"),
        ("a/b/c*d", "a b / c / d *"),
        ("a^b^c", "a b c ^ ^"),
        ("a**2", "a 2 ^"),
        ("-a^2", "a 2 ^ negate"),
        ("2^-a^b", "2 a b ^ negate ^"),
        ("2^-a*b", "2 a negate ^ b *"),
        ("a*-b", "a b negate *"),
        ("a - -b", "a b negate -"),
        ("+a·b", "a b *"),
        ("x'²^3", "x' 2 ^ 3 ^"),
        ("2^x²", "2 x 2 ^ ^"),
        ("x⁻¹²", "x -12 ^"),
        ("x″ + x''", "x'' x'' +"),
        ("max(a, b + 1, -c)*(d)", "a b 1 + c negate max/3 d *"),
        ("sin((a))(", ""),
        ("atan2(y, x)", "y x atan2/2"),
        ("x' = 2*(y - z)", "x' 2 y z - * ="),
        (".5e-1 + 1.E2 + 0.1", "1/20 100 + 1/10 +"),
        ("µ − λ_1", "μ λ_1 -"),
    ],
)
def test_reader_of_the_oracle(text: str, expected: str) -> None:
    if expected:
        assert postfix(text) == expected
    else:
        with pytest.raises(UnreadableError):
            read(text)


@pytest.mark.parametrize("text", ["", "a b", "a +", "(a", "a)", "a,", "*a", "a $ b", "()", "sin()", "1 2"])
def test_what_is_not_of_the_language_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        read(text)


def test_long_and_deep_texts_are_read_without_recursion() -> None:
    assert len(read("+".join(["x"] * 20_000))) == 39_999
    assert len(read("(" * 5000 + "x" + ")" * 5000)) == 1
    assert len(read("-" * 5000 + "x")) == 5001


@pytest.mark.parametrize("name", probes.NAMES)
def test_every_probe_is_read_from_the_texts_of_the_user(name: str) -> None:
    text = ModelText(probes.probe(name))
    assert text.law
    assert len(text.coordinates) == len(probes.probe(name).coordinates)


def test_parts_without_a_text_are_read_from_what_chetaev_writes() -> None:
    x = sympy.Symbol("x")
    q, v = sympy.symbols("q q_dot")
    system = ch.System(coordinates=["q"], lagrangian=v**2 / 2 - sympy.cos(q) * x, parameters={"x": 0.1})
    answer = Oracle(system).at({"t": 0, ("q", 0): 1, ("q", 1): 2}, 50)
    assert float(answer.accelerations[0]) == pytest.approx(float(sympy.sin(1)) / 10)


def test_other_parameters_are_laid_over_the_texts() -> None:
    system = ch.load("knife-edge")
    assert system.given["dynamics"] is system.with_parameters(m=3).with_initial(x=0.5).given["dynamics"]
    spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"l": 1, "k": "2*l"})
    point = {"t": 0, ("x", 0): 1, ("x", 1): 0}
    for factor in (1, 0.5, "7/3"):
        a = Oracle(spring.with_parameters(l=factor)).at(point, 50).accelerations[0]
        assert abs(a + 2 * jets.ball(Fraction(factor))) < 1e-14


@settings(max_examples=examples(25))
@given(st.data())
def test_texts_mean_the_same_to_both_readers(data: Any) -> None:
    expr = data.draw(strategies.graphs(definitions=False))
    at = data.draw(strategies.values(expr, exact=True))
    assume(strategies.well_conditioned(expr, {k: float(v) for k, v in at.items()}))
    with ctx.workprec(300):
        mine = {s: Jet(jets.ball(at[key_name(*s)])) for s in graph.symbols(expr)}
        constants = {("pi", 0): Jet(arb.pi()), ("e", 0): Jet(arb.const_e())}
        try:
            found = run(read(str(expr)), {**constants, **mine}).value
        except jets.UndefinedError:  # the sign of what may be 0
            reject()
    if found.is_nan():  # x^y is defined for x > 0 only, unless y is an integer as written
        assert any(n.op == "pow" and n.args[1].op != "number" for n in graph.postorder(expr))
        reject()
    (expected,) = evaluate_mp([expr], at, 60)
    assert abs(found - arb(expected)) <= 1e-30 * (1 + abs(arb(expected)))


# --- derivatives --------------------------------------------------------------------------------------


@pytest.mark.few(19)
@pytest.mark.parametrize("name", [*SLOPES, "atan2", "min", "max", "power"])
def test_jets_have_the_derivatives_of_sympy(name: str) -> None:
    x, y = sympy.symbols("x y", positive=True)
    u = {"acosh": 2 + x * y, "asin": x * y / 9, "acos": x * y / 9, "atanh": x * y / 9}.get(name, x * y + x)
    theirs = {
        "atan2": sympy.atan2(u, y - 3), "power": u**y, "min": x + 0 * y, "max": y**2 + y * x, "abs": u,
        "sign": sympy.Integer(1),
    }.get(name)  # fmt: skip
    theirs = getattr(sympy, name)(u) if theirs is None else theirs
    at = {x: sympy.Rational(13, 10), y: sympy.Rational(7, 5)}
    with ctx.workprec(200):
        X, Y = (Jet(jets.ball(Fraction(str(at[s]))), {i: arb(1)}) for i, s in enumerate((x, y)))
        U = {"acosh": rational(Fraction(2)) + X * Y}.get(name, X * Y + X)
        U = X * Y / rational(Fraction(9)) if name in ("asin", "acos", "atanh") else U
        match name:
            case "atan2":
                ours = jets.function("atan2", U, Y + rational(Fraction(-3)))
            case "power":
                ours = U**Y
            case "min":
                ours = jets.function("min", U, X, X + Y)
            case "max":
                ours = jets.function("max", X, Y ** rational(Fraction(2)) + X * Y)
            case _:
                ours = jets.function(name, U)
        pairs = [(ours.value, theirs)]
        pairs += [(ours.first.get(i, arb(0)), theirs.diff(s)) for i, s in enumerate((x, y))]
        pairs += [(ours.second.get((i, j), arb(0)), theirs.diff(s, r)) for i, s in enumerate((x, y))
                  for j, r in enumerate((x, y)) if i <= j]  # fmt: skip
        for mine, exact in pairs:
            assert abs(mine - arb(str(sympy.N(exact.subs(at), 50)))) < 1e-40


def test_powers_of_negative_numbers_and_of_zero() -> None:
    minus, zero = Jet(arb(-2), {0: arb(1)}), Jet(arb(0), {0: arb(1)})
    cube, square = minus ** rational(Fraction(3)), zero ** rational(Fraction(2))
    assert (cube.value, cube.first[0], cube.second[0, 0]) == (-8, 12, -12)
    assert (square.value, square.first[0], square.second[0, 0]) == (0, 0, 2)
    assert (minus ** rational(Fraction(1, 3))).value.is_nan()


def test_a_kink_has_no_side() -> None:
    with pytest.raises(UndefinedError):
        jets.function("abs", Jet(arb(0, 1e-20), {0: arb(1)}))


# --- solution -----------------------------------------------------------------------------------------


def particle(**more: object) -> ch.System:
    return ch.System(coordinates=["x", "y", "z"], lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*z", **more)  # type: ignore[arg-type]


POINT = {"t": 0, **{(c, o): Fraction(i + 2 * o + 1, 2) for i, c in enumerate("xyz") for o in (0, 1)}}


def at(system: ch.System, **changes: Fraction) -> Any:
    point = {**POINT, **{(c, 1): value for c, value in changes.items()}}
    return Oracle(system).at({k: jets.ball(Fraction(x)) if x else 0 for k, x in point.items()}, 50)


def test_redundant_rows_are_left_out_and_contradictory_ones_are_not() -> None:
    once = at(particle(constraints=["z' = y*x'"]), z=Fraction(3, 2))
    twice = at(particle(constraints=["z' = y*x'", "exp(x)*(z' - y*x') = 0"]), z=Fraction(3, 2))
    assert (len(once.rows), len(twice.rows)) == (1, 1)
    assert all(a.overlaps(b) for a, b in zip(once.accelerations, twice.accelerations, strict=True))
    with pytest.raises(UndeterminedError):
        at(particle(constraints=["z' = x'", "2*z' = 2*x' + t"]), z=Fraction(3, 2))


def test_a_point_off_the_constraint_is_seen() -> None:
    system = particle(constraints=["z' = y*x'"])
    assert at(system, z=Fraction(3, 2)).missed == 0
    assert at(system).missed > 0.1


# --- what formulations share ------------------------------------------------------------------------

UNSEEN = itertools.count(11)


def unseen(name: str) -> ch.System:
    """A probe with a potential of its own, so that nothing of it is remembered from other tests."""
    given: dict[str, Any] = dict(probes.SYSTEMS[name])
    potential = f"{next(UNSEEN)}/7*{given['coordinates'][0]}^2"
    return ch.System(**{**given, "lagrangian": f"{given['lagrangian']} - {potential}"})


def test_forces_with_a_wrong_sign_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Setup.__init__

    def negated(self: Setup, *arguments: Any, **more: Any) -> None:
        original(self, *arguments, **more)
        self.F = -self.F

    monkeypatch.setattr(Setup, "__init__", negated)
    table = ch.compare(unseen("forces"), samples=2)
    assert not table.agree
    assert [row.form for row in table.rows if not row.agrees] == ["oracle"]


@pytest.mark.slow
def test_a_lagrangian_at_the_wrong_time_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = property(lambda self: casadi.substitute(self(self.system.lagrangian), self.t, 0))
    monkeypatch.setattr(Setup, "L", wrong)
    table = ch.compare(unseen("time"), samples=2)
    assert [row.form for row in table.rows if not row.agrees] == ["oracle"]


@pytest.mark.slow
def test_a_constraint_read_wrongly_is_seen_from_points_off_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from chetaev.expr.language.parser import Equation

    monkeypatch.setattr(Equation, "residual", property(lambda self: graph.add(self.lhs, self.rhs)))
    assert not ch.compare(unseen("time"), samples=2).agree


def test_accelerations_where_no_formulation_has_any_are_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setup, "L", property(lambda self: 0 * self(self.system.lagrangian)))
    table = ch.compare(unseen("forces"), samples=2)
    assert not table.agree
    assert next((row.form, row.difference) for row in table.rows if row.points) == ("oracle", 1)


@pytest.mark.slow
def test_a_wrong_number_path_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from chetaev.flow.derive.dynamics import DerivedDynamics

    monkeypatch.setattr(
        DerivedDynamics, "inertia", lambda self, a, _old=DerivedDynamics.inertia: 2 * _old(self, a)
    )
    monkeypatch.setenv("CHETAEV_CACHE", "off")
    table = ch.compare(unseen("many"), samples=2)
    assert [row.form for row in table.rows if not row.agrees] == ["compiled"]
    difference = table.to_json()["forms"]["compiled"]["difference"]
    assert difference == 10.0 ** round(math.log10(difference))  # no digits that depend on the processor


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["texts", "many"])
def test_formulations_and_oracle_share_forty_digits(name: str) -> None:
    rows = {row.form: row for row in ch.compare(probes.probe(name), samples=2).rows}
    difference = rows["oracle"].difference
    assert difference is not None
    assert difference < 1e-40
    assert rows["compiled"].difference == 1e-9


@pytest.mark.few(1)
@pytest.mark.parametrize("name", some([n for n in probes.NAMES if not n.startswith("function")], 2))
def test_unmutated_probes_agree(name: str) -> None:
    table = ch.compare(probes.probe(name), samples=2)
    assert table.agree, str(table)
    assert "oracle" in {row.form for row in table.rows if row.points}
