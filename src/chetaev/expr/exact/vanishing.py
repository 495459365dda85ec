"""Is a function zero? Random points find every "no", normal forms prove "yes".

Stage 1 evaluates at random rational points (on Q = {f = 0} if constraints are given) in ball arithmetic:
a ball that excludes 0 *proves* that the function is not zero. Stage 2 brings the function to normal form
(:mod:`chetaev.expr.exact`), modulo the constraints: normal form 0 *proves* that it is zero wherever it is
defined and real. If the normal form costs too much, the function is tested as an identity modulo
primes (:mod:`~chetaev.expr.exact.numbers.identity_testing`): zero there is *certain*, with an error below
2⁻¹²⁸. If nothing succeeds, the answer says how many points it vanishes at, and to how many digits, and that
this is no proof.

>>> from chetaev.expr.graph.node import call, number, symbol
>>> x, y = symbol("x"), symbol("y")
>>> print(zero_test(call("sin", x) ** 2 + call("cos", x) ** 2 - 1))
zero (proved: normal form)
>>> verdict = zero_test(call("sqrt", x**2) - x)
>>> verdict.answer, verdict.proved
('nonzero', True)
>>> v, w = symbol("x", 1), symbol("y", 1)
>>> print(zero_test(v**4 - (1 - w**2) ** 2, on=[v**2 + w**2 - 1]))
zero (proved: normal form and pseudo-division by the constraints)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from flint import arb, ctx

from chetaev.effort import EFFORT, beyond, expect_effort, unproved
from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.effort.ledger import Remembered
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field, parse_name
from chetaev.expr.exact.ideals.modulo import Modulo
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.exact.numbers.certified_points import Point, Sampler
from chetaev.expr.exact.numbers.identity_testing import identically_zero
from chetaev.expr.graph.node import Expr, number, substitute
from chetaev.expr.graph.node import symbol as graph_symbol
from chetaev.expr.graph.program import Name

Function = Expr | Element | int | Fraction
Answer = Literal["zero", "nonzero", "undecided"]

QUICK_BITS = 128
HIGH_BITS = (256, 768, 2400, 7000)


@dataclass(frozen=True)
class Verdict:
    """The answer of a zero test, and what it rests on.

    Attributes
    ----------
    answer
        ``"zero"``, ``"nonzero"`` or ``"undecided"``.
    proved
        Whether the answer is proved. "zero" without proof means: at all points tested.
    certain
        Whether "zero" without proof is shown modulo primes, with an error below 2⁻¹²⁸.
    points
        How many points were tested.
    digits
        To how many digits the function vanishes at all of them (0 if it does not).
    method
        How the answer was found.
    witness
        A point where the function is not zero; symbols as written, exact where chosen.
    limit
        The effort within which there was no proof, where more of it might help; else 0.
    spent
        What the answer cost.
    value
        The value at the witness, to three digits.
    """

    answer: Answer
    proved: bool
    points: int = 0
    digits: int = 0
    method: str = ""
    witness: dict[str, Fraction | float] | None = None
    limit: int = 0
    spent: int = field(default=0, compare=False, repr=False)
    value: str = field(default="", compare=False, repr=False)
    certain: bool = False

    @property
    def is_zero(self) -> bool | None:
        """True, False, or None for undecided."""
        return {"zero": True, "nonzero": False, "undecided": None}[self.answer]

    @property
    def evidence(self) -> str:
        """How it is known."""
        if self.certain:
            return f"certain: {self.method}"
        return f"proved: {self.method}" if self.proved else f"{self.method}; not proved"

    @property
    def sure(self) -> bool:
        """Whether the answer is proved or certain."""
        return self.proved or self.certain

    @property
    def how(self) -> str:
        """In a word or two: proved, certain, tested at so many points; "not proved" of what is not zero."""
        if self.sure:
            return "proved" if self.proved else "certain"
        return f"tested at {self.points} random points" if self.answer == "zero" else "not proved"

    def __str__(self) -> str:
        if self.answer == "undecided":
            return f"undecided ({self.method}{'; ' + beyond(self.limit) if self.limit else ''})"
        if self.sure or self.answer == "nonzero":
            return f"{self.answer} ({self.evidence})"
        limit = unproved(self.limit) if self.limit else "not proved"
        many = "point" if self.points == 1 else "points"
        return f"zero at {self.points} random {many} to {self.digits} digits ({limit})"


def zero_test(
    function: Function,
    on: Iterable[Function] = (),
    *,
    values: Mapping[str | Name | Expr, int | Fraction] | None = None,
    points: int = 24,
    digits: int = 60,
    effort: int = EFFORT,
    seed: int = 0,
) -> Verdict:
    """Whether a function is zero, everywhere or on Q = {f = 0 for f in `on`}.

    Parameters
    ----------
    function
        An expression or an element of a field.
    on
        Functions that vanish on Q; the question is then asked on Q only.
    values
        Values of some symbols; all others are generic.
    points, digits
        How many points are tested, and to how many digits, if there is no proof.
    effort
        What points and proof may cost (:mod:`~chetaev.expr.exact.effort.cost`); the verdict says when it is
        spent.
    seed
        Of the random points; the same seed gives the same verdict.
    """
    return zero_tests([function], on, values=values, points=points, digits=digits, effort=effort, seed=seed)[
        0
    ]


def zero_tests(
    functions: Sequence[Function],
    on: Iterable[Function] = (),
    *,
    values: Mapping[str | Name | Expr, int | Fraction] | None = None,
    points: int = 24,
    digits: int = 60,
    effort: int = EFFORT,
    seed: int = 0,
) -> list[Verdict]:
    """One verdict for each function; points, normal forms and solved constraints are shared.

    `effort` is that of each function; it pays for what is shared, too, as if it were alone.
    """
    given = {_name(s): Fraction(v) for s, v in (values or {}).items()}
    replaced = {graph_symbol(*n): number(v) for n, v in given.items()}
    expressions = [_expression(f) for f in functions]
    constraints = [_expression(f) for f in on]
    if replaced:
        changed = substitute([*expressions, *constraints], replaced)
        expressions, constraints = changed[: len(expressions)], changed[len(expressions) :]
    test = _Test(expressions, constraints, seed, points, digits)
    return [test.run(e, expect_effort(effort)) for e in expressions]


def _name(symbol: str | Name | Expr) -> Name:
    if isinstance(symbol, Expr):
        name: Name = symbol.value
        return name
    return parse_name(symbol) if isinstance(symbol, str) else symbol


def _expression(f: Function) -> Expr:
    if isinstance(f, Element):
        return f.to_expr()
    return f if isinstance(f, Expr) else number(f)


def written(name: Name) -> str:
    """A symbol as it is written, with primes."""
    return name[0] + "'" * name[1]


class _Test:
    """What several zero tests on one Q share."""

    def __init__(
        self, functions: list[Expr], constraints: list[Expr], seed: int, points: int, digits: int
    ) -> None:
        self.programs = {f: BallProgram([f]) for f in functions}
        names = {n for p in self.programs.values() for n in p.names}
        numbers = {q for p in self.programs.values() for q in p.numbers}
        self.constraints = constraints
        self.sampler = Sampler(sorted(names), constraints, {}, sorted(numbers), seed)
        self.samples: list[Point] = []
        self.field = Field()
        self.modulo: dict[str, Remembered[Modulo]] = {}
        self.wanted = points
        self.digits = digits

    def run(self, function: Expr, effort: int) -> Verdict:
        """The verdict on one function."""
        budget, late = Budget.of(effort), Budget(effort)
        verdict = self._run(function, budget, late)
        return replace(verdict, spent=budget.spent + late.spent)

    def _run(self, function: Expr, budget: Budget, late: Budget) -> Verdict:
        effort = budget.effort or 0
        program = self.programs[function]
        quick = 8 if self.constraints else 3
        state = _State()
        verdict = self._points(program, quick, QUICK_BITS, budget, state)
        if verdict is not None:
            return verdict
        proof, suspicious, limit = self._prove(function, budget)
        if proof is not None and state.points:
            return Verdict("zero", True, state.points, max(0, state.digits), proof)
        bits = int(self.digits * 3.33) + 64
        late.effort = max(effort - budget.spent, effort // 2)
        if state.points:
            identity = answer(ask(identically_zero, function, self.constraints, late))
            if identity is not None:
                digits = max(0, state.digits)
                return Verdict("zero", False, state.points, digits, str(identity), limit=limit, certain=True)
        verdict = self._points(program, self.wanted, bits, late, state)
        for _ in range(3):  # large values need more precision for as many digits
            if verdict is None and state.points and state.digits < self.digits and bits < HIGH_BITS[-1]:
                bits = min(bits + int((self.digits - state.digits) * 3.4) + 32, HIGH_BITS[-1])
                verdict = self._points(program, self.wanted, bits, late, state)
        for high in HIGH_BITS if suspicious else ():
            verdict = verdict or self._points(program, 3, high, late, _State())
        if verdict is not None:
            return verdict
        if proof is not None and state.points:
            return Verdict("zero", True, state.points, max(0, state.digits), proof)
        if not state.points:
            where = "point of Q" if self.constraints and not self.samples else "point where it is real"
            words = f"no {where} was found in {self.sampler.tries} tries"
            return Verdict("undecided", False, 0, 0, words, limit=effort if late.over else 0)
        if state.digits < min(15, self.digits):
            return Verdict(
                "undecided", False, state.points, 0, "the precision does not settle it", limit=limit
            )
        return Verdict("zero", False, state.points, state.digits, "points", limit=limit)

    # -- stage 1 -------------------------------------------------------------------------------------
    def _points(
        self, program: BallProgram, count: int, bits: int, budget: Budget, state: _State
    ) -> Verdict | None:
        """Evaluate at points until one shows that the function is not zero."""
        points, digits = 0, 10**6
        index = outside = 0
        while points < count and outside < 25 * count and not budget.over:
            if index == len(self.samples):
                point = self.sampler.draw(budget)
                if point is None:
                    break
                self.samples.append(point)
                state.paid = index + 1
            point = self.samples[index]
            index += 1
            if index > state.paid:  # found for another function: it costs as much for this one
                budget.count(point.cost)
                state.paid = index
            value = self._value(program, point, bits)
            budget.count(point.prices.get(bits, 0) + cost.values(len(program.steps), bits))
            if value is None:
                outside += 1
                continue
            points += 1
            if not value.contains(0):
                return self._nonzero(value, point, points)
            digits = min(digits, _digits(value))
        if points:  # else what was seen at points before still stands
            state.points, state.digits = points, digits
        return None

    def _value(self, program: BallProgram, point: Point, bits: int) -> arb | None:
        balls = self.sampler.box(point, bits)
        if balls is None:
            return None
        try:
            with ctx.workprec(bits + 20):
                return program.run(balls)[0]
        except (OutsideDomainError, OverflowError):  # an exponent beyond machine words
            return None

    def _nonzero(self, value: arb, point: Point, points: int) -> Verdict:
        witness = {written(n): v for n, v in sorted(point.describe().items())}
        where = ", ".join(f"{n} = {float(v):.4g}" for n, v in list(witness.items())[:6])
        where += ", …" if len(witness) > 6 else ""
        certain = not self.sampler.dropped
        digits = value.mid().str(3, radius=False)
        text = f"value {digits}" + (f" at {where}" if where else "")
        return Verdict("nonzero", certain, points, 0, text, witness, value=digits)

    # -- stage 2 -------------------------------------------------------------------------------------
    def _prove(self, function: Expr, budget: Budget) -> tuple[str | None, bool, int]:
        """The proof in words, or None; whether the normal form suggests that it is not zero; the effort if it
        was spent.
        """
        with self.field.limit(budget):
            found = ask(self._normal_form, function, budget)
        if isinstance(found, GivenUp):
            return None, False, (budget.effort or 0) if found.limit else 0
        return *found, 0

    def _normal_form(self, function: Expr, budget: Budget) -> tuple[str | None, bool]:
        element = self.field(function)
        if element.is_zero:
            return "normal form", False
        return (self._on_q(budget).vanishes(element) if self.constraints else None), True

    def _on_q(self, budget: Budget) -> Modulo:
        """The constraints solved, once for all functions."""
        return self.field.ledger.recall(
            budget, self.modulo, "", lambda: Modulo(self.field, [self.field(f) for f in self.constraints])
        )


@dataclass
class _State:
    points: int = 0
    digits: int = 0
    paid: int = 0


def _digits(value: arb) -> int:
    """−log₁₀ of the largest size the value can have."""
    size = value.abs_upper()
    if size.is_zero():
        return 10**6
    return math.floor(-float(size.log()) / math.log(10))
