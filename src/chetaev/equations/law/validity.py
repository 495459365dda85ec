r"""Where equations hold as they are printed (SCOPE K16, K19).

A law in a chart is a law where the chart is one; what is printed also needs what it divides by. So printed
rows hold, and with the constraints determine the motion as the law does, where none of these functions is 0:

* what the printed rows, and the meanings of names in them, divide by;
* the denominators of a = R x + r, by which all accelerations follow from the unknowns x: a minor of ∂f/∂v
  for the chart of a reduced form; for quasi-velocities what makes their frame one;
* what all entries of a row of ∂f/∂v have in common: where it vanishes, the constraint has no reaction;
* what rows of the law were multiplied or divided by, unless law and printed rows both determine the motion
  where it vanishes: r²θ'' = r s says nothing at r = 0, and r θ'' = s does;
* the arguments of abs and sign, and the differences of those of min and max, in what the law differentiates:
  L or the fundamental form, and the constraints. At a kink they have no derivative.

The law determines the motion where Δ = det(C_D)² det B̄ ≠ 0 (:mod:`chetaev.constraint.kind.regularity`).
Factors that vanish nowhere on Q, at the values of the parameters, are left out: by
:mod:`chetaev.constraint.submanifold.empty_set`; and so are those that vanish only where others do. If nothing
is left, the equations hold everywhere on Q.

>>> import chetaev as ch
>>> print(ch.equations(ch.load("caratheodory-sleigh"), "reduced").valid)
valid where cos(phi) != 0
>>> print(ch.equations(ch.load("caratheodory-sleigh"), "chetaev").valid)
holds everywhere on Q (proved)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from chetaev.constraint.kind.regularity import determinants, is_definite
from chetaev.constraint.kind.zeros import NamedZeros
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.law_row import unknown
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.budget import BudgetError, EffortError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors, is_positive
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.polynomials.common_content import over_common_denominator, primitive
from chetaev.expr.exact.readable.element_to_graph import without_cosines
from chetaev.expr.graph.node import ONE, ZERO, Expr, call, define, postorder, sub, symbol, symbols
from chetaev.expr.language.parser import Equation
from chetaev.expr.print import latex, relation
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.equations.law.law import Equations
    from chetaev.equations.law.normal_law import OnConstraint

TOO_MUCH = (BudgetError, EffortError, ArithmeticError, ValueError)
LONGEST = 120
"""Letters of a condition that is written down."""
SHARE = 400_000
"""The effort for the question whether a function vanishes somewhere on Q."""


@dataclass(frozen=True)
class Validity:
    """Where printed equations hold.

    Attributes
    ----------
    conditions
        Functions, none of which may vanish.
    complete
        Whether these are all; else what the equations divide by was not looked through, or is too long.
    independent
        Whether they also ask for constraints that are independent: a frame of admissible velocities misses
        some of them where the rank of ∂f/∂v drops, which is not proved to be nowhere.
    impossible
        Whether a row says 0 = 1: no motion satisfies the equations.
    """

    conditions: tuple[Expr, ...]
    complete: bool = True
    independent: bool = False
    impossible: bool = False

    @property
    def everywhere(self) -> bool | None:
        """True if it is proved that the equations hold on all of Q, False if they hold nowhere; None where
        that is not known.
        """
        if self.impossible:
            return False
        return True if self.complete and not self.conditions and not self.independent else None

    @property
    def words(self) -> list[str]:
        """What else is asked for, in words."""
        told = ["the constraints are independent"] if self.independent else []
        return told if self.complete else [*told, "nothing that is divided by vanishes"]

    @property
    def relations(self) -> list[Any]:
        """The conditions as layouts."""
        return [relation(e, ZERO, "!=") for e in self.conditions]

    def __str__(self) -> str:
        if self.everywhere:
            return "holds everywhere on Q (proved)"
        if self.impossible:
            return "holds nowhere: no motion satisfies these equations (proved)"
        return "valid where " + " and ".join([*(f"{e} != 0" for e in self.conditions), *self.words])

    def latex(self) -> str:
        """As LaTeX, for a line in mathematics; empty if it holds everywhere."""
        if self.everywhere:
            return ""
        if self.impossible:
            return r"\text{no motion satisfies these equations}"
        told = [*(latex(r) for r in self.relations), *(rf"\text{{{words}}}" for words in self.words)]
        return r"\text{valid where } " + r" \text{ and } ".join(told)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "everywhere": self.everywhere,
            "conditions": [f"{e} != 0" for e in self.conditions],
            "conditions_latex": [latex(r) for r in self.relations],
            "words": str(self),
        }


def validity(law: Equations, rows: Sequence[Equation], on_q: OnConstraint) -> Validity:
    """Where rows, as they are printed, say what the law says; `on_q` is what they were made with."""
    if any(row.lhs.op == row.rhs.op == "number" and row.lhs is not row.rhs for row in rows):
        return Validity((), impossible=True)
    search = _ValiditySearch(law, on_q)
    frame = law.objects.get("quasi_frame")
    search.look([b for row in rows for b in _below(row.lhs, row.rhs)])
    search.look(_kinks(law.system))
    if frame is None or not (frame.regular or frame.vanishing):
        search.denominators([e for row in law.recover for e in row] + list(law.offset))
    elif not frame.regular:
        search.look(frame.vanishing)
    search.constraints()
    if frame is not None:
        search.ask_for_rank()
    own = dict(search.found)
    search.denominators([e for row in law.matrix for e in row] + list(law.right))
    search.contents([[*row, right] for row, right in zip(law.matrix, law.right, strict=True)], rows)
    scaled = {text: e for text, e in search.found.items() if text not in own}
    search.found = own | search.harmful(scaled, rows)
    return search.result()


def _below(*exprs: Expr) -> Iterator[Expr]:
    """What expressions divide by."""
    for node in postorder(*exprs):
        if node.op == "div" and node.args[1].op != "number":
            yield node.args[1]
        elif node.op == "pow" and (node.args[1].op != "number" or node.args[1].value < 0):
            yield node.args[0]
        elif node.op == "tan":
            yield call("cos", node.args[0])


def _kinks(system: System) -> Iterator[Expr]:
    """What vanishes where a function that is differentiated has a kink."""
    functions = [e.residual for e in every_constraint(system)]
    if system.dynamics.constraints_react:
        functions += [part.expr for part in system.dynamics.parts]
    for node in postorder(*functions):
        if node.op in ("abs", "sign"):
            yield node.args[0]
        elif node.op in ("min", "max"):
            yield from (sub(a, b) for a, b in combinations(node.args, 2))


def _parts(expr: Expr) -> Iterator[Expr]:
    """The factors of an expression, as it is written."""
    if expr.op in ("mul", "div", "neg"):
        for part in expr.args:
            yield from _parts(part)
    elif expr.op == "sqrt" or (expr.op == "pow" and expr.args[1].op == "number"):
        yield from _parts(expr.args[0])
    else:
        yield expr


class _ValiditySearch:
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
            try:
                self.found |= self._factors(self.field(expr))
            except TOO_MUCH:
                self.found |= self._where(expr)

    def denominators(self, exprs: Iterable[Expr]) -> None:
        """Take note of the denominators of functions on Q."""
        for expr in dict.fromkeys(exprs):
            if all(n.op not in ("div", "pow", "tan", "sqrt", "log") for n in postorder(expr)):
                continue
            try:
                below = [self._denominator(self.field(expr))]
                if not below[0].is_number and self.on_q.closed:
                    below.append(self._denominator(self.on_q.element(expr)))
                # both are the same function on Q: that which needs less
                needed = [self._factors(e) for e in below]
                self.found |= min(needed, key=lambda more: len(more.keys() - self.found.keys()))
            except TOO_MUCH:
                self.complete = False

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
            return self._zeros.nowhere(exprs)
        except (ModelError, *TOO_MUCH):
            return False

    @cached_property
    def _zeros(self) -> NamedZeros:
        """Whom to ask where functions vanish on Q."""
        given = ConstraintData.from_system(self.law.system)
        Q = Constraint(given, symbolic=False, effort=SHARE)
        return NamedZeros(Q, given, Allowance(SHARE, SHARE // 4))

    def ask_for_rank(self) -> None:
        """Take note whether the rank of ∂f/∂v may drop on Q where no condition that was found says so."""
        try:
            condition = Constraint(self._zeros.given, effort=SHARE).rank_condition
            full = condition.everywhere or (
                not condition.failures and condition.vanishing and self._zeros.nowhere(condition.vanishing)
            )
            named = len(condition.vanishing or ()) == 1  # by `constraints`
            self.independent = not full and not named and bool(every_constraint(self.law.system))
        except (ModelError, *TOO_MUCH):
            self.independent = True

    def constraints(self) -> None:
        """Take note of what all minors of ∂f/∂v, or all entries of a row, have in common: where that
        vanishes, the rank is lost. Equations with multipliers hold there, too, and leave more open.
        """
        if any(name.startswith("mu_") for name in self.law.unknowns):
            return
        velocities = [symbol(q, 1) for q in self.law.system.coordinates]
        try:
            C = [[f.diff(v) for v in velocities] for f in map(self.field, self.on_q.f)]
            for row in C:
                for factor in self._content(row):
                    self.found |= self._meaning_of(factor)
            minor = [[row[velocities.index(v)] for v in self.on_q.closed] for row in C]
            if len(C) > 1 and not (minor[0] and linear.determinant(minor).is_number):
                fails = self._zeros.Q.rank_condition.vanishing or ()
                self.found |= self._factors(self.field(fails[0])) if len(fails) == 1 else {}
        except (ModelError, *TOO_MUCH):
            self.complete = False

    def contents(self, table: Iterable[Sequence[Expr]], printed: Sequence[Equation]) -> None:
        """Take note of what all entries of a row have in common, unless a printed row still has it."""
        try:
            rows = [[self.field(e) for e in dict.fromkeys(entries)] for entries in table]
            common = {str(f.numerator): f for row in rows for f in self._content(row)}
            kept = {str(f.numerator) for row in printed if common for f in self._content(self._entries(row))}
            for key, factor in common.items():
                self.found |= self._meaning_of(factor) if key not in kept else {}
        except TOO_MUCH:
            self.complete = False

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
        try:
            matrix = [self._entries(row)[:-1] for row in chosen]
            if any(not e.diff(u).is_zero for row in matrix for e in row for u in unknowns):
                return None
            det = linear.determinant(matrix)
            return ONE if self._never_zero(det) else det.to_expr()
        except TOO_MUCH:
            return None

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

    def result(self) -> Validity:
        """What was found, without conditions that follow from the others; the longest are tried first."""
        short = [e for e in self.found.values() if e is not None]
        complete = self.complete and len(short) == len(self.found)
        for e in sorted(short, key=lambda e: len(str(e)), reverse=True):
            rest = [other for other in short if other is not e]
            if rest and self._zeros.implied(e, rest):
                short = rest
        return Validity(tuple(short), complete, self.independent)
