"""The surface on which constraints hold, as symbols solved for one after the other.

A constraint is factored; each factor that can vanish is a branch of its own. On a branch it is solved for a
momentum or a coordinate in which it is of degree one (a coefficient that vanishes nowhere first), or two (one
sheet of the root: what is asked here is the same on both). Functions are restricted by substitution, so that
ranks and zeros on the surface are decided by the normal form of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, permutations

from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.constraint.submanifold.positive_functions import positive, squares_of
from chetaev.errors import DivisionByZeroError, ExhaustedError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.effort.budget import NotRealError
from chetaev.expr.exact.field.differentiation import replace_generators
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.hamilton.phase_space import PhaseSpace

Parts = dict[tuple[int, ...], Element]
MOST_ORDERS = 24
"""In which equations are solved one after the other."""


@dataclass(frozen=True)
class Surface:
    """Symbols with their values on the surface, in the order in which they are put in; words on the way."""

    space: PhaseSpace
    solved: tuple[tuple[Element, Element], ...] = ()
    notes: tuple[str, ...] = ()
    sheets: tuple[tuple[Element, Element], ...] = ()
    """Roots that were taken, and what they are on every sheet: √(b² − 4ac) is 2ax + b."""
    positive: tuple[Element, ...] = ()
    """Functions c > 0: √u = c was solved as u = c²."""

    def restrict(self, function: Element) -> Element:
        """The function on the surface."""
        for symbol, value in self.solved:
            function = function.subs({symbol: value})
        return self._with_signs(function) if self.positive else function

    def _with_signs(self, function: Element) -> Element:
        """The function with sign(c) = 1 for every c that is positive."""
        field = function.field
        above = [replace(self, positive=()).restrict(c) for c in self.positive]
        signs: dict[int, Element] = {}
        for k in {*field.tower.used(function.numerator), *field.tower.used(function.denominator)}:
            generator = field.generators[k]
            if generator.kind != "sign":
                continue
            ratios = [generator.args[0] / c for c in above if not c.is_zero]
            for ratio in ratios:
                if positive(ratio) or positive(-ratio):
                    signs[k] = field.number(Fraction(1 if positive(ratio) else -1))
        if not signs:
            return function
        return replace_generators(field, function.numerator, signs) / replace_generators(
            field, function.denominator, signs
        )

    def lifted(self, function: Element) -> Element:
        """A function with roots of sheets replaced by what they are on all sheets."""
        field = function.field
        for root, value in reversed(self.sheets):
            kinds = [k for k in field.tower.used(root.numerator) if field.generators[k].kind == "root"]
            if len(kinds) != 1:
                continue
            factor = root / field.variable(kinds[0])
            images = {kinds[0]: value / factor}
            function = replace_generators(field, function.numerator, images) / replace_generators(
                field, function.denominator, images
            )
        return function

    def tidy(self, function: Element) -> Element:
        """The function without symbols that are 0 here and without denominator; primitive, as it is shown."""
        gone = {symbol: value for symbol, value in self.solved if value.is_zero}
        shown = function.subs(gone) if gone else function
        shown = function if shown.is_zero else shown
        return primitive(shown.field.polynomial(shown.numerator))

    @property
    def codimension(self) -> int:
        """How many independent constraints hold."""
        return len(self.solved)

    def where(self, function: Element) -> Iterator[tuple[Surface, tuple[Element, ...]]]:
        """The parts of the surface where a function vanishes, each with the equations that say so; none if
        it vanishes nowhere on it.
        """
        here = self.restrict(function)
        if here.is_zero:
            yield self, ()
            return
        found = [(f, e) for f, e in factors(here.field, here.numerator)[1] if not self.never_zero(f)]
        for factor, exponent in found:
            surface = self
            if exponent > 1:
                words = f"({factor})^{exponent} = 0 is not regular: {factor} = 0 is used"
                surface = replace(surface, notes=(*surface.notes, words))
            names = squares_of(factor) or squares_of(-factor)
            equations: tuple[Element, ...] = (
                self.tidy(function) if len(found) == 1 and exponent == 1 else primitive(factor),
            )
            if names:
                equations = tuple(here.field.symbol(*name) for name in sorted(names))
            if not surface._choices(surface.restrict(equations[0])):
                undone = [_undone(surface.restrict(e), surface._roots_of_sheets) for e in equations]
                equations = tuple(primitive(e) for e, _ in undone)
                above = tuple(c for _, c in undone if c is not None)
                notes = (*surface.notes, *(f"this holds where {_above(c)}" for c in above))
                surface = replace(surface, positive=(*surface.positive, *above), notes=notes)
            parts = [surface]
            for equation in equations:
                parts = [s for part in parts for s in part.solve(part.restrict(equation))]
            for part in parts:
                if (kept := part._defined(equations)) is not None:
                    yield kept, equations

    def _defined(self, last: tuple[Element, ...]) -> Surface | None:
        """The surface with values that are defined on it: where a denominator of one vanishes here, the last
        equations are solved first. None where a function vanishes that is excluded.
        """
        try:
            if any(self.restrict(e).is_zero for e in self.space.excluded) or not self._is_real():
                return None
            return self._checked()
        except DivisionByZeroError:
            pass
        equations = [*last, *(primitive(symbol - value) for symbol, value in self.solved[: -len(last)])]
        found = replace(self, solved=(), sheets=())
        for equation in equations:
            polynomial = equation.field.polynomial(equation.numerator)
            try:
                here = found.restrict(polynomial)
                if here.is_zero or self.sheets:  # no longer independent, or a root whose sheets meet
                    raise UnsolvedError(polynomial)
                (found,) = found.solve(here)
            except DivisionByZeroError:
                raise UnsolvedError(polynomial) from None
        return None if any(found.restrict(e).is_zero for e in self.space.excluded) else found

    @property
    def _roots_of_sheets(self) -> set[int]:
        """The generators that are roots of sheets."""
        return {
            k
            for root, _ in self.sheets
            for k in root.field.tower.used(root.numerator)
            if root.field.generators[k].kind == "root"
        }

    def _is_real(self) -> bool:
        """Whether no function is seen to be without real values here, such as log 0 or √(−1 − x²)."""
        try:
            for function in self.space.real:
                self.restrict(function)
        except NotRealError:
            return False
        except DivisionByZeroError:
            pass
        return True

    def anew(self, equations: Sequence[Element]) -> Surface | None:
        """The surface of some equations, in an order in which each can be solved; None if there is none."""
        for order in islice(permutations(equations), MOST_ORDERS):
            found = ask(self._in_order, order)
            if not isinstance(found, GivenUp):
                return found
        return None

    def _in_order(self, equations: Sequence[Element]) -> Surface:
        found = replace(self, solved=(), sheets=())
        for equation in equations:
            here = primitive(found.restrict(equation))
            if not here.is_zero:
                (found,) = found.solve(here)
        if any(found.restrict(e).is_zero for e in self.space.excluded):
            raise UnsolvedError(self.space.excluded[0])
        return found._checked()

    def _checked(self) -> Surface:
        """The surface itself; a DivisionByZeroError where a value is not defined on it."""
        for symbol, _ in self.solved:
            self.restrict(symbol)
        return self

    def never_zero(self, function: Element) -> bool:
        """Whether a function is seen to vanish nowhere, or, one of time alone, at single times only; one of
        parameters alone vanishes for no generic values of them (those of the model are asked about by
        themselves).
        """
        if function.is_number or self.space.is_constant(function) or self._single_times(function):
            return True
        if any((function / other).is_number for other in self.space.excluded):
            return True
        return positive(function) or positive(-function)

    def _single_times(self, function: Element) -> bool:
        """Whether a function contains time and no state, and no sign(…): no motion keeps its zeros."""
        field, others = function.field, {*self.space.system.coordinates, *self.space.momenta}
        smooth = all(field.generators[k].kind != "sign" for k in field.tower.used(function.numerator))
        return smooth and not any(order or name in others for name, order in function.symbols)

    def _choices(self, equation: Element) -> list[tuple[int, bool, int, int, str, Parts]]:
        """Momenta and coordinates in which an equation has degree one or two, each with its coefficients."""
        found = []
        for place, name in enumerate([*self.space.momenta, *self.space.system.coordinates]):
            parts = equation.coefficients(name)
            degree = max((k[0] for k in parts), default=0) if parts else 0
            if parts is not None and 1 <= degree <= 2:
                leading = parts[(degree,)]
                found.append((degree, not self.never_zero(leading), leading.terms, place, name, parts))
        return found

    def solve(self, equation: Element) -> list[Surface]:
        """The surface with one more symbol solved for; empty where this cannot be."""
        if equation.is_zero:
            return [self]
        found = self._choices(equation)
        if not found:
            raise UnsolvedError(equation)
        degree, _, _, _, name, parts = min(found, key=lambda c: c[:4])
        zero = equation.field.zero
        a, b, c = (parts.get((i,), zero) for i in (2, 1, 0))
        symbol = equation.field.symbol(name)
        if degree == 1:
            return [replace(self, solved=(*self.solved, (symbol, -c / b)))]
        root = equation.field.sqrt(b**2 - 4 * a * c)
        value = (-b + root) / (2 * a)
        sheets = (*self.sheets, (root, 2 * a * symbol + b))
        return [replace(self, solved=(*self.solved, (symbol, value)), sheets=sheets)]


def _undone(equation: Element, two_sheets: Collection[int]) -> tuple[Element, Element | None]:
    """An equation f(u) = c, of degree one in a function, as one for u: log u = c is u = eᶜ; and c where it
    is to be positive: √u = c is u = c². Roots that were taken for two sheets are no functions of the model.
    """
    field = equation.field
    used = field.tower.used(equation.numerator)
    for k in sorted(used, reverse=True):  # functions of others come after them
        generator = field.generators[k]
        if generator.kind not in INVERSES or any(k in field.generators[j].parents for j in used):
            continue
        parts = field.tower.collect(equation.numerator, (k,))
        if max(e for (e,) in parts) != 1:
            continue
        b, a = (field.polynomial(parts[e,]) if (e,) in parts else field.zero for e in (0, 1))
        c = -b / a
        value = None if k in two_sheets else INVERSES[generator.kind](c, generator.order)
        if value is None:
            continue
        left = field.polynomial((generator.args[0] - value).numerator)
        plain = [f for f, _ in factors(field, left.numerator)[1] if not _is_sign(f) and not positive(f)]
        if generator.kind == "root" and generator.order % 2 == 0 and not c.is_zero:
            if positive(-c) or squares_of(-c):  # where both vanish, H has no derivatives
                continue
            return plain[0] if len(plain) == 1 else left, c
        return plain[0] if len(plain) == 1 else left, None
    return equation, None


def _above(c: Element) -> str:
    """c > 0 in words, without factors that are numbers."""
    plain = primitive(c)
    return f"{plain} {'>' if positive(c / plain) else '<'} 0"


def _is_sign(function: Element) -> bool:
    """Whether a function is sign(…), which is 1 or −1."""
    used = function.field.tower.used(function.numerator)
    return len(used) == 1 and all(function.field.generators[k].kind == "sign" for k in used)


INVERSES: Mapping[str, Callable[[Element, int], Element | None]] = {
    "root": lambda c, order: c**order,
    "log": lambda c, _: c.field.exp(c),
    "exp": lambda c, _: None if c.is_zero else c.field.log(c),
    "asinh": lambda c, _: (c.field.exp(c) - c.field.exp(-c)) / 2,
    "sign": lambda c, _: c if c.is_zero else None,
}
"""u of f(u) = c, by the kind of f and the order of a root; None where there is none, or no equation."""


class UnsolvedError(ExhaustedError):
    """A constraint that is solved for no coordinate and no momentum in closed form."""

    def __init__(self, equation: Element) -> None:
        super().__init__(str(equation))
        self.equation = equation
