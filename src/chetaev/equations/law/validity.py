r"""Where equations hold as they are printed (SCOPE K16, K19).

A law in a chart is a law where the chart is one; what is printed also needs what it divides by. So printed
rows hold, and with the constraints determine the motion as the law does, where none of these functions is 0:

* what the printed rows, and the meanings of names in them, divide by;
* the denominators of a = R x + r, by which all accelerations follow from the unknowns x: a minor of ∂f/∂v
  for the chart of a reduced form; for quasi-velocities what makes their frame one;
* denominators of the law that were multiplied away, unless the printed rows are regular without it;
* the arguments of abs and sign, and the differences of those of min and max, in what the law differentiates:
  L or the fundamental form, and the constraints. At a kink they have no derivative.

Factors that vanish nowhere on Q, at the values of the parameters, are left out: by
:mod:`chetaev.constraint.submanifold.empty_set`. If nothing is left, the equations hold everywhere on Q.

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
from chetaev.expr.exact.readable.element_to_graph import without_cosines
from chetaev.expr.graph.node import ZERO, Expr, call, define, postorder, sub, substitute, symbols
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
    """

    conditions: tuple[Expr, ...]
    complete: bool = True
    independent: bool = False

    @property
    def everywhere(self) -> bool | None:
        """True if it is proved that the equations hold on all of Q; None where that is not known."""
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
        return "valid where " + " and ".join([*(f"{e} != 0" for e in self.conditions), *self.words])

    def latex(self) -> str:
        """As LaTeX, for a line in mathematics; empty if it holds everywhere."""
        if self.everywhere:
            return ""
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
    search = _ValiditySearch(law, on_q)
    frame = law.objects.get("quasi_frame")
    search.look([b for row in rows for b in _below(row.lhs, row.rhs)])
    search.look(_kinks(law.system))
    if frame is None or not (frame.regular or frame.vanishing):
        search.denominators([e for row in law.recover for e in row] + list(law.offset))
    elif not frame.regular:
        search.look(frame.vanishing)
    if frame is not None:
        search.ask_for_rank()
    own = dict(search.found)
    search.denominators([e for row in law.matrix for e in row] + list(law.right))
    if len(search.found) > len(own) and search.is_regular(rows):
        search.found = own
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
            key = str(factor.numerator)
            if key not in self._seen:
                self._seen[key] = self._meaning(factor)
            found |= self._seen[key]
        return found

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

    def _nowhere(self, expr: Expr) -> bool:
        """Whether it is proved that a function vanishes nowhere on Q."""
        own = {*self.law.system.coordinates, self.law.system.time, *self.parameters}
        if any(name not in own or order > 1 for name, order in symbols(expr)):
            return False
        try:
            return self._zeros.nowhere([expr])
        except (ModelError, *TOO_MUCH):
            return False

    @cached_property
    def _zeros(self) -> NamedZeros:
        """Whom to ask where functions vanish on Q."""
        given = ConstraintData.from_system(self.law.system)
        Q = Constraint(given, symbolic=False, effort=SHARE)
        return NamedZeros(Q, given, Allowance(SHARE, SHARE // 4))

    def ask_for_rank(self) -> None:
        """Take note whether the rank of ∂f/∂v may drop somewhere on Q."""
        try:
            condition = Constraint(self._zeros.given, effort=SHARE).rank_condition
            full = condition.everywhere or (
                not condition.failures and condition.vanishing and self._zeros.nowhere(condition.vanishing)
            )
            self.independent = not full and bool(every_constraint(self.law.system))
        except (ModelError, *TOO_MUCH):
            self.independent = True

    def is_regular(self, rows: Sequence[Equation]) -> bool:
        """Whether the matrix of the printed rows is proved to be regular on all of Q."""
        unknowns = [unknown(n) for n in self.law.unknowns]
        chosen = [row for row in rows if set(unknowns) & set(postorder(row.lhs, row.rhs))]
        if not unknowns or len(chosen) != len(unknowns):
            return False
        try:
            zero = dict.fromkeys(unknowns, ZERO)
            matrix = []
            for row in chosen:
                f = self.field(row.residual)
                matrix.append([f.diff(u) for u in unknowns])
                if any(not e.diff(u).is_zero for e in matrix[-1] for u in unknowns):
                    return False
            det = linear.determinant(matrix)
            plain = substitute([det.to_expr()], zero)[0]
            return not det.is_zero and (self._never_zero(det) or self._nowhere(plain))
        except TOO_MUCH:
            return False

    def result(self) -> Validity:
        """What was found."""
        short = tuple(e for e in self.found.values() if e is not None)
        return Validity(short, self.complete and len(short) == len(self.found), self.independent)
