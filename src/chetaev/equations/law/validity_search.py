"""The functions on Q that printed equations need not to vanish (SCOPE K16, K19); what for, says
:mod:`chetaev.equations.law.validity`.

Each is a factor of a denominator, of what the entries of a row have in common, or of a minor of ∂f/∂v; those
that vanish nowhere on Q, or only where others do, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from chetaev.constraint.kind.regularity import NamedZeros, determinants, is_definite
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.law import unknown
from chetaev.errors import ModelError
from chetaev.expr.exact import GivenUp, answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors, is_positive
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.polynomials.common_content import over_common_denominator, primitive
from chetaev.expr.exact.readable.element_to_graph import without_cosines
from chetaev.expr.graph.node import ONE, Expr, define, postorder, symbol, symbols
from chetaev.expr.language.parser import Equation
from chetaev.model.states.stack_of_constraints import every_constraint

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.equations.law.normal_law import OnConstraint

LONGEST = 120
"""Letters of a condition that is written down."""
SHARE = 400_000
"""The effort for the question whether a function vanishes somewhere on Q."""


def _parts(expr: Expr) -> Iterator[Expr]:
    """The factors of an expression, as it is written."""
    if expr.op in ("mul", "div", "neg"):
        for part in expr.args:
            yield from _parts(part)
    elif expr.op == "sqrt" or (expr.op == "pow" and expr.args[1].op == "number"):
        yield from _parts(expr.args[0])
    else:
        yield expr


class ValiditySearch:
    """Factors of denominators that may vanish on Q."""

    def __init__(self, law: Equations, on_q: OnConstraint) -> None:
        self.law, self.on_q, self.field = law, on_q, on_q.field
        self.parameters = set(law.system.parameters)
        self.found: dict[str, Expr | None] = {}
        self.complete = True
        self.independent = False
        self._seen: dict[str, dict[str, Expr | None]] = {}

    def look(self, exprs: Iterable[Expr]) -> None:
        """Take note of functions that must not vanish."""
        for expr in dict.fromkeys(part for e in exprs for part in _parts(e)):
            factors_of = ask(self._factors_of, expr)
            self.found |= self._where(expr) if isinstance(factors_of, GivenUp) else factors_of

    def _factors_of(self, expr: Expr) -> dict[str, Expr | None]:
        return self._factors(self.field(expr))

    def denominators(self, exprs: Iterable[Expr]) -> None:
        """Take note of the denominators of functions on Q."""
        for expr in dict.fromkeys(exprs):
            if all(n.op not in ("div", "pow", "tan", "sqrt", "log") for n in postorder(expr)):
                continue
            needed = ask(self._needed, expr)
            if isinstance(needed, GivenUp):
                self.complete = False
            else:  # all are the same function on Q: that which needs less
                self.found |= min(needed, key=lambda more: len(more.keys() - self.found.keys()))

    def _needed(self, expr: Expr) -> list[dict[str, Expr | None]]:
        """What must not vanish in the denominator of a function on Q, on J¹Y and with closed forms."""
        below = [self._denominator(self.field(expr))]
        if not below[0].is_number and self.on_q.closed:
            below.append(self._denominator(self.on_q.element(expr)))
        return [self._factors(e) for e in below]

    def _denominator(self, element: Element) -> Element:
        return self.field.polynomial(without_cosines(self.field, element.numerator, element.denominator)[1])

    def _factors(self, element: Element) -> dict[str, Expr | None]:
        """The factors of numerator and denominator that may vanish on Q, by their texts."""
        found: dict[str, Expr | None] = {}
        parts = (factors(self.field, p)[1] for p in (element.numerator, element.denominator))
        for factor, _ in chain(*parts):
            found |= self._meaning_of(factor)
        return found

    def _meaning_of(self, factor: Element) -> dict[str, Expr | None]:
        key = str(factor.numerator)
        if key not in self._seen:
            self._seen[key] = self._meaning(factor)
        return self._seen[key]

    def _meaning(self, factor: Element) -> dict[str, Expr | None]:
        if {name for name, _ in factor.symbols} <= self.parameters or self._never_zero(factor):
            return {}
        for element, name in self._names:
            if factor in (element, -element, element**2):
                return self._where(name)
        used = [self.field.generators[k] for k in self.field.tower.used(factor.numerator)]
        if len(factor.numerator) == 1 and len(used) == 1 and used[0].kind == "root":
            return self._factors(used[0].args[0])  # √u vanishes where u does
        return self._where(factor.to_expr())

    @cached_property
    def _names(self) -> list[tuple[Element, Expr]]:
        """The names of the model whose meanings move."""
        found = []
        for name, node in self.law.system.definitions.items():
            meaning = node.args[0] if node.op == "define" else node
            if any(name not in self.parameters for name, _ in symbols(meaning)):
                found.append((self.field(meaning), define(name, meaning)))
        return found

    def _never_zero(self, factor: Element) -> bool:
        p = factor.numerator
        return any(is_positive(self.field, q, strictly=True) for q in (p, -p))

    def _where(self, expr: Expr) -> dict[str, Expr | None]:
        """A function that must not vanish, by its text; nothing if it does not, None for it if it is long."""
        text = str(expr)
        if self._nowhere(expr):
            return {}
        return {text: expr if len(text) <= LONGEST else None}

    def _nowhere(self, *exprs: Expr) -> bool:
        """Whether it is proved that functions vanish together nowhere on Q."""
        own = {*self.law.system.coordinates, self.law.system.time, *self.parameters}
        if any(name not in own or order > 1 for name, order in symbols(*exprs)):
            return False
        try:
            return answer(ask(lambda: self._zeros.nowhere(exprs))) is True
        except ModelError:  # constraints that have no submanifold
            return False

    @cached_property
    def _zeros(self) -> NamedZeros:
        """Whom to ask where functions vanish on Q."""
        return NamedZeros.of(self.law.system, SHARE)

    def ask_for_rank(self) -> None:
        """Take note whether the rank of ∂f/∂v may drop on Q where no condition that was found says so."""

        def may_drop() -> bool:
            condition = Constraint(self._zeros.given, effort=SHARE).rank_condition
            full = condition.everywhere or (
                not condition.failures and condition.vanishing and self._zeros.nowhere(condition.vanishing)
            )
            named = len(condition.vanishing or ()) == 1  # by `constraints`
            return not full and not named and bool(every_constraint(self.law.system))

        try:
            self.independent = answer(ask(may_drop)) is not False
        except ModelError:  # constraints that have no submanifold
            self.independent = True

    def constraints(self) -> None:
        """Take note of what all minors of ∂f/∂v, or all entries of a row, have in common: where that
        vanishes, the rank is lost. Equations with multipliers hold there, too, and leave more open.
        """
        if any(name.startswith("mu_") for name in self.law.unknowns):
            return
        velocities = [symbol(q, 1) for q in self.law.system.coordinates]

        def look() -> None:
            C = [[f.diff(v) for v in velocities] for f in map(self.field, self.on_q.f)]
            for row in C:
                for factor in self._content(row):
                    self.found |= self._meaning_of(factor)
            minor = [[row[velocities.index(v)] for v in self.on_q.closed] for row in C]
            if len(C) > 1 and not (minor[0] and linear.determinant(minor).is_number):
                fails = self._zeros.Q.rank_condition.vanishing or ()
                self.found |= self._factors(self.field(fails[0])) if len(fails) == 1 else {}

        try:
            self.complete &= not isinstance(ask(look), GivenUp)
        except ModelError:  # constraints that have no submanifold
            self.complete = False

    def contents(self, table: Iterable[Sequence[Expr]], printed: Sequence[Equation]) -> None:
        """Take note of what all entries of a row have in common, unless a printed row still has it."""

        def look() -> None:
            rows = [[self.field(e) for e in dict.fromkeys(entries)] for entries in table]
            common = {str(f.numerator): f for row in rows for f in self._content(row)}
            kept = {str(f.numerator) for row in printed if common for f in self._content(self._entries(row))}
            for key, factor in common.items():
                self.found |= self._meaning_of(factor) if key not in kept else {}

        self.complete &= not isinstance(ask(look), GivenUp)

    def _content(self, entries: Sequence[Element]) -> Iterator[Element]:
        """The factors that the entries of a row have in common, on J¹Y and on Q, if these may vanish."""
        present = sorted((e for e in entries if not e.is_zero), key=lambda e: e.terms)
        for closed in ({}, self.on_q.closed) if self.on_q.closed else ({},):
            if not present or not self._factors(present[0].subs(closed)):
                continue  # the shortest entry has no factor that may vanish
            polynomials, _ = over_common_denominator(self.field, [e.subs(closed) for e in present])
            common = primitive(self.field, polynomials)[1]
            yield from (f for f, _ in factors(self.field, common)[1] if self._meaning_of(f))

    def _entries(self, row: Equation) -> list[Element]:
        """The coefficients of the unknowns in a printed row, and what is left without them."""
        unknowns = [unknown(n) for n in self.law.unknowns]
        f = self.field(row.residual)
        return [*(f.diff(u) for u in unknowns), f.subs(dict.fromkeys(unknowns, self.field.zero))]

    def harmful(self, scaled: dict[str, Expr | None], rows: Sequence[Equation]) -> dict[str, Expr | None]:
        """Those among the functions that rows were multiplied or divided by where law and printed rows are
        not proved to determine the same motion.
        """
        if not scaled:
            return {}
        printed, law = self._printed_determinant(rows), self._law_determinant

        def harmless(e: Expr | None) -> bool:
            parts = (printed, law)
            return e is not None and all(d is not None and (d is ONE or self._nowhere(e, d)) for d in parts)

        return {text: e for text, e in scaled.items() if not harmless(e)}

    def _printed_determinant(self, rows: Sequence[Equation]) -> Expr | None:
        """The determinant of the printed rows; None if it is not found."""
        unknowns = [unknown(n) for n in self.law.unknowns]
        chosen = [row for row in rows if set(unknowns) & set(postorder(row.lhs, row.rhs))]
        if not unknowns or len(chosen) != len(unknowns):
            return None

        def determinant() -> Expr | None:
            matrix = [self._entries(row)[:-1] for row in chosen]
            if any(not e.diff(u).is_zero for row in matrix for e in row for u in unknowns):
                return None
            det = linear.determinant(matrix)
            return ONE if self._never_zero(det) else det.to_expr()

        return answer(ask(determinant))

    @cached_property
    def _law_determinant(self) -> Expr | None:
        """Δ, 1 where it vanishes nowhere; None if it is not found."""
        system, zeros = self.law.system, self._zeros
        Q, allowance = zeros.Q, Allowance(SHARE, SHARE)
        if system.acceleration_constraints:  # its rows have no other determinant than the printed ones
            return ONE
        condition = Q.rank_condition
        full_rank = condition.everywhere or (condition.vanishing and zeros.nowhere(condition.vanishing))
        if full_rank and allowance.attempt(Q.field, lambda: is_definite(system, Q)):
            return ONE
        return allowance.attempt(Q.field, lambda: determinants(system, Q)[1].to_expr())

    def result(self) -> tuple[tuple[Expr, ...], bool, bool]:
        """The conditions, whether these are all, and whether constraints have to be independent.

        Conditions that follow from the others are left out; the longest are tried first.
        """
        short = [e for e in self.found.values() if e is not None]
        complete = self.complete and len(short) == len(self.found)
        for e in sorted(short, key=lambda e: len(str(e)), reverse=True):
            rest = [other for other in short if other is not e]
            if rest and self._zeros.implied(e, rest):
                short = rest
        return tuple(short), complete, self.independent
