"""Rows of a law in the shortest of their equal forms.

A row  Σ cᵢuᵢ = r  is multiplied by the denominators of its entries and divided by all that these have in
common. Then equal forms are tried, and the length of the text decides:


* functions on Q in the velocities of the chart, or in all velocities as they were derived;
* a constraint used to replace any one of its terms (x' sin φ by y' cos φ, or the other way round), position
  constraints too;
* names of ``[define]`` in the place of what they mean: they stay wherever that is not longer;
* sines and cosines of differences and sums of angles;
* terms of a sum grouped (:mod:`chetaev.expr.exact.readable.rewriting`).

Every form equals every other on Q, exactly. What was divided or multiplied by is zero nowhere on an open part
of Q; a row with one unknown is divided by the functions before it, if they are not zero at the initial state.

>>> import chetaev as ch
>>> print(ch.equations(ch.load("caratheodory-sleigh"), "reduced"))
x'' = phi'*(a*phi'*cos(phi) - y')
(m*a^2 + J)*phi'' = -m*a*x'*phi'/cos(phi)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite
from typing import Any, Protocol

from chetaev.equations.law.law import row_equation
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.functions.radicals import is_positive
from chetaev.expr.exact.polynomials.common_content import over_common_denominator, primitive
from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.expr.exact.readable import rewriting
from chetaev.expr.exact.readable.rewriting import letters, shortest
from chetaev.expr.exact.readable.shorter_sums import shortest_form
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, definitions
from chetaev.expr.language.parser import Equation
from chetaev.model.system import System

Entries = list[Poly]
"""Coefficients, and the right-hand side last, over no denominator."""
Move = Callable[[Poly], Poly | None]

MOST_MOVES = 12
"""So many changes one after the other are tried on a row."""
MOST_TERMS = 400
"""Rows with more terms are not written in this way."""
MANY_TERMS = 150
"""Rows with more are changed by differences of angles alone, and not searched for the best of these."""
TOO_MANY = 1000
"""Rows with more terms are left as they are derived."""
HOPELESS = 4
"""A form so many times as heavy as one that was found is not searched."""
DIVISION, UNASKED = 6, 80
"""What a division costs, in letters, where the law has divisions, and where it has none."""
WRITTEN = 3
"""So many forms of a row, the lightest, are written and their texts compared."""
FEW_TERMS = 24
"""In longer polynomials s² or c² are counted as they are."""
SMALLEST = 1e-9
"""Where a function is below it at the initial state, nothing is divided by it."""


class FunctionsShown(Protocol):
    """Where rows live: a field of functions, and what is known to vanish or to follow there."""

    system: System
    field: Field
    f: list[Expr]
    closed: dict[Expr, Element]


class Readable:
    """Writes rows of laws about one system; with names of velocities in them unless `still`."""

    def __init__(self, on_q: FunctionsShown, symbols: Sequence[Expr], *, still: bool = False) -> None:
        self.on_q = on_q
        self.field = on_q.field
        self.symbols = symbols
        self.setup = Setup(on_q.system)
        self._whole = False
        self._lengths: dict[int, int] = {}
        self._weights: dict[str, int] = {}
        self._texts: dict[str, Expr] = {}
        self._still = still
        self.names = self._rules(self._named)
        self.constraints = self._rules(self._relations)

    # --- what may be used ---------------------------------------------------------------------------

    def _rules(self, relations: Callable[[], Iterator[Poly]]) -> list[rewriting.Rule]:
        found: list[rewriting.Rule] = []

        def look() -> None:
            for relation in relations():
                found.extend(rewriting.rules(self.field, relation))

        ask(look)  # with fewer rules rows are longer, and no less true
        return found

    def _named(self) -> Iterator[Poly]:
        """name − meaning = 0, the root of it squared too."""
        for name, node in self.on_q.system.definitions.items():
            meaning = node.args[0] if node.op == "define" else node
            if self._still and _moves(meaning):
                continue
            element = self.field(meaning)
            if element.is_number or meaning.op == "symbol":
                continue
            own = self.field.symbol(name)
            self.field.named.append((element, graph.define(name, meaning)))
            self.field.shown.clear()
            yield (own - element).numerator
            if meaning.op == "sqrt":
                yield (own**2 - element**2).numerator

    def _relations(self) -> Iterator[Poly]:
        """Functions that vanish on Q."""
        positions = [e.residual for e in self.on_q.system.position_constraints]
        for expr in (*self.on_q.f, *positions):
            relation = self.field(expr).numerator
            yield relation
            for monomial, value in rewriting.rules(self.field, relation):
                root = self.field.generators[monomial[0][0]]
                if len(monomial) == 1 and monomial[0][1] == 1 and root.kind == "root" and root.order == 2:
                    yield (root.args[0] - self.field.polynomial(value) ** 2).numerator

    @cached_property
    def _forces(self) -> set[Expr]:
        """Names in the forces alone: they stay though velocities are in them."""
        dynamics = self.on_q.system.dynamics
        inside = definitions(*(part.expr for part in dynamics.parts))
        return set(definitions(*dynamics.forces.values())).difference(inside)

    # --- one row ------------------------------------------------------------------------------------

    def row(self, coefficients: Sequence[Expr], right: Expr, effort: int) -> Equation | None:
        """The row in its shortest form, within an effort; None if not even a first one can be afforded."""
        budget = self.field.tower.budget
        part = Budget(effort, terms=budget.terms, products=budget.products)
        found: list[Equation] = []

        def look() -> None:
            with self.field.limit(part):
                lightest: int | None = None
                for source in self._sources([*coefficients, right]):
                    if self._size(source) > TOO_MANY:
                        continue
                    if lightest is not None and self._weight(source) > HOPELESS * lightest:
                        continue
                    forms = sorted(self._search(source), key=self._weight)
                    lightest = min(self._weight(forms[0]), lightest or self._weight(forms[0]))
                    for entries in forms[: WRITTEN if self._size(forms[0]) < MANY_TERMS // 2 else 1]:
                        if self._size(entries) <= MOST_TERMS:
                            equation = self._written(entries)
                            found.append(equation)

        ask(look)  # what was found until then is as true
        return min(found, key=self.measure, default=None)

    def shorten(self, rows: list[Equation], raw: list[list[Expr]], order: list[int], effort: int) -> None:
        """Put shorter forms of the raw rows, as far as the effort goes, in the places of longer ones."""
        for i in order:
            before = self.field.tower.budget.spent
            *coefficients, right = raw[i]
            shorter = self.row(coefficients, right, effort)
            effort -= self.field.tower.budget.spent - before
            if shorter is not None and self.measure(shorter) < self.measure(rows[i]):
                rows[i] = shorter

    def function(self, expr: Expr, effort: int) -> Expr:
        """A function in the shortest of its equal forms, within an effort; as it is if that is no longer."""
        budget = self.field.tower.budget
        part = Budget(effort, terms=budget.terms, products=budget.products)
        found = [expr]

        def look() -> None:
            with self.field.limit(part):
                element = self.field(expr)
                self._whole = self._never_zero(element.denominator)
                entries = [self.field.tower.project(p) for p in (element.denominator, element.numerator)]
                for below, above in sorted(self._search(entries), key=self._weight)[:WRITTEN]:
                    over, under = (self.field.polynomial(self.field.tower.project(p)) for p in (above, below))
                    found.append(self._shortest(over / under))

        ask(look)  # what was found until then is as true
        return min(found, key=lambda e: self.measure(Equation(e, graph.ZERO)))

    def measure(self, equation: Equation) -> int:
        """The length of a row; names that stand for velocities count with what they mean."""
        found = definitions(equation.lhs, equation.rhs)
        text = sum(letters(equation.lhs, equation.rhs))
        text += sum(len(str(d.args[0])) for d in found if d not in self._forces and _moves(d))
        nodes = graph.postorder(equation.lhs, equation.rhs, through_definitions=False)
        return text + sum(self._division(e.args[1]) for e in nodes if e.op == "div")

    def _division(self, by: Expr) -> int:
        """What it costs, in letters, to divide: by a function of the state that may be zero somewhere, most
        where nothing had to be divided by.
        """
        if {name for name, _ in graph.symbols(by)} <= set(self.on_q.system.parameters):
            return 0
        if answer(ask(lambda: self._never_zero(self.field(by).numerator))) is True:
            return 0
        return UNASKED if self._whole else DIVISION

    def _never_zero(self, p: Poly) -> bool:
        return any(is_positive(self.field, q, strictly=True) for q in (p, -p))

    def _sources(self, entries: Sequence[Expr]) -> Iterator[Entries]:
        plain = [self.field(e) for e in entries]
        self._whole = all(self._never_zero(e.denominator) for e in plain)
        if self.on_q.closed:
            reduced = [e.subs(self.on_q.closed) for e in plain]
            if not self._whole or all(self._never_zero(e.denominator) for e in reduced):
                yield self._cleared(
                    reduced
                )  # a row that holds everywhere is not multiplied by what may vanish
            if all(g.is_polynomial for g in self.on_q.closed.values()):
                return
        yield self._cleared(plain)

    def _cleared(self, elements: Sequence[Element]) -> Entries:
        entries, _ = over_common_denominator(self.field, elements)
        return self._primitive(entries)

    def _primitive(self, entries: Entries) -> Entries:
        """Without common divisors; a row without unknowns, 0 = r, keeps r, which has to vanish."""
        whole = [self.field.tower.project(p) for p in entries]
        if all(p.is_zero() for p in whole[:-1]):
            return whole
        parts, common = primitive(self.field, entries)
        return parts if self._nonzero(common, self._sample) else whole

    def _search(self, entries: Entries) -> Iterator[Entries]:
        """A row and what it becomes by the best of all moves, again and again."""
        yield entries
        for _ in range(MOST_MOVES):
            weight, best = self._weight(entries), None
            for there, lenient in self._neighbours(entries):
                new = self._weight(there) - lenient
                if new < weight:
                    weight, best = new, there
                    if self._size(entries) > MANY_TERMS and 4 * new < 3 * self._weight(entries):
                        break  # what is long is not searched for the best, if something is good
            if best is None:
                return
            entries = self._primitive(best) if self._size(entries) > MANY_TERMS else best
            yield entries

    def _neighbours(self, entries: Entries) -> Iterator[tuple[Entries, int]]:
        """The row after one move, and how much longer it may be: names may cost nothing, but stay."""
        before = [self.field.tower.project(p) for p in entries]
        for move, lenient in self._moves(before):
            changed = [move(p) for p in before]
            before = [self.field.tower.project(p) for p in before]
            found = [self.field.tower.project(p) for p in changed if p is not None]
            if len(found) < len(before) or found == before:
                continue
            if self._size(before) > MANY_TERMS:
                yield found, lenient
                continue
            if self._size(found) <= 2 * self._size(before):
                yield self._primitive(found), lenient
            better = [
                self._polynomial_weight(q) < self._polynomial_weight(p)
                for p, q in zip(before, found, strict=True)
            ]
            if any(better) and not all(better):  # some entries only
                yield [q if b else p for p, q, b in zip(before, found, better, strict=True)], 0

    def _moves(self, entries: Entries) -> Iterator[tuple[Move, int]]:
        for rule in self.names if self._size(entries) <= MANY_TERMS else ():
            yield self._by(rule), 1
        for first, second in rewriting.together(self.field, entries):
            for total in (False, True):
                for a, b in ((first, second), (second, first)):
                    yield self._turn(a, b, total), 0
        if self._size(entries) <= MANY_TERMS:
            for rule in self.constraints:
                yield self._by(rule), 0

    def _by(self, rule: rewriting.Rule) -> Move:
        return lambda p: rewriting.rewritten(self.field, p, rule)

    def _turn(self, first: tuple[int, int], second: tuple[int, int], total: bool) -> Move:
        return lambda p: rewriting.difference(self.field, p, first, second, total=total)

    def _size(self, entries: Entries) -> int:
        return sum(map(len, entries))

    def _weight(self, entries: Entries) -> int:
        return sum(map(self._polynomial_weight, entries))

    def _polynomial_weight(self, p: Poly) -> int:
        key = str(p)
        if key not in self._weights:
            self._weights[key] = self._count(p)
        return self._weights[key]

    def _count(self, p: Poly) -> int:
        """About the length of the text of a polynomial, written as a sum of terms."""
        terms = shortest_form(self.field, p) if len(p) <= FEW_TERMS else dict(self.field.tower.terms(p))
        self.field.tower.budget.spend(10 * len(terms))
        total = 0
        for monomial, q in terms.items():
            total += 2 + (len(str(q)) if q not in (1, -1) else 0)
            for k, e in monomial:
                total += self._letters(k) + (2 if e > 1 else 0)
        return total

    def _letters(self, k: int) -> int:
        if k not in self._lengths:
            self._lengths[k] = 1 + len(str(self.field.variable(k).to_expr()))
        return self._lengths[k]

    # --- writing ------------------------------------------------------------------------------------

    def _written(self, entries: Entries) -> Equation:
        """The row as an equation, divided by the functions that all its coefficients have."""
        elements = [self.field.polynomial(self.field.tower.project(p)) for p in entries]
        coefficients, right = self._divided(elements[:-1], elements[-1])
        exprs = [graph.ZERO if e.is_blank else self._shortest(e) for e in (*coefficients, right)]
        return row_equation(exprs[:-1], exprs[-1], self.symbols)

    def _shortest(self, element: Element) -> Expr:
        key = f"{element.numerator}/{element.denominator}"
        if key not in self._texts:
            self._texts[key] = shortest(element)
        return self._texts[key]

    def _divided(self, coefficients: list[Element], right: Element) -> tuple[list[Element], Element]:
        """c·u = r as c/F·u = r/F, F the factors that all c have and that depend on more than parameters."""
        tower, one = self.field.tower, self.field.one
        present = [c.numerator for c in coefficients if not c.is_blank]
        if not present or right.is_blank:
            return coefficients, right
        _, common = primitive(self.field, present)
        if common.is_constant() and len(present) > 1:
            return coefficients, right
        known = set(self.on_q.system.parameters)
        scale, factors = self.field.factor(common)
        moved = one
        for f, e in factors:
            element = self.field.polynomial(tower.project(f)) ** e
            if not {name for name, _ in element.symbols} <= known:
                moved = moved * element
        whole = moved * self.field.polynomial(tower.context.constant(scale))
        if moved != one or (len(present) == 1 and whole == self.field.polynomial(common)):
            moved = whole
        if self._whole and not self._never_zero(moved.numerator):
            return coefficients, right
        if moved == one or not self._nonzero(moved.numerator, self._start):
            return coefficients, right
        return [c if c.is_blank else c / moved for c in coefficients], right / moved

    # --- numbers ------------------------------------------------------------------------------------

    @cached_property
    def _sample(self) -> Mapping[Any, Any]:
        try:
            return self.setup.sample
        except ModelError:
            return {}

    @cached_property
    def _start(self) -> Mapping[Any, Any]:
        try:
            return self.setup.start
        except ModelError:
            return self._sample

    def _nonzero(self, p: Poly, at: Mapping[Any, Any]) -> bool:
        """Whether a function is not zero at a point (states that the point does not have count as 1)."""
        if p.is_constant():
            return not p.is_zero()
        expr = self.field.polynomial(self.field.tower.project(p)).to_expr()
        known = {k if isinstance(k, tuple) else (k, 0) for k in at}
        more = {s: 1.0 for s in sorted(graph.symbols(expr)) if s not in known}
        value = float(evaluate([expr], {**{k: float(x) for k, x in at.items()}, **more})[0])
        return isfinite(value) and abs(value) > SMALLEST


def _moves(expr: Expr) -> bool:
    """Whether velocities occur."""
    return any(order for _, order in graph.symbols(expr))
