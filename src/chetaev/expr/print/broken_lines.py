r"""Long formulas over several lines: broken before the signs of sums, before factors, and at relations.

Widths are counted in letters. A sum is broken between its terms; a term that is itself too wide is opened at
its widest bracket or fraction, (a + b)/2 as ½ (a + b), and as (a + b) / (c + d) where what is below is wide,
too; a product without either is broken between its factors.

>>> from chetaev.expr.graph.node import symbol
>>> from chetaev.expr.print.layout_of_graph import page
>>> from chetaev.expr.print.latex import latex
>>> [left, right] = page(symbol("x", 2) + symbol("a") / symbol("b"), symbol("c"))
>>> [latex(line) for line in lines(left, right, 6)]
['\\ddot{x} + \\frac{a}{b}', '= c']
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from chetaev.expr.print import layout as tree
from chetaev.expr.print.layout import Layout, Row, Sign, fold
from chetaev.expr.print.layout_of_graph import product
from chetaev.expr.print.names import FUNCTIONS, is_word, parted

WIDTH = 92
"""Letters in a line of the report."""
DEEPEST = 40
"""Brackets within brackets that are opened."""
_ONE = tree.Number(Fraction(1))


def lines(left: Layout, right: Layout, width: int = WIDTH) -> list[Layout]:
    """An equation as lines that are about as wide as asked; one line if it fits."""
    return _Breaker(width).equation(left, right)


def pieces(formula: Layout, width: int = WIDTH) -> list[Layout]:
    """A formula as lines that are about as wide as asked; one line if it fits."""
    breaker = _Breaker(width)
    return [formula] if breaker.measure(formula) <= width else breaker.filled(breaker.pieces(formula))


def measure(layout: Layout) -> int:
    """About how many letters wide a formula is."""
    return fold([layout], _width)[0]


def _width(layout: Layout, parts: list[int]) -> int:
    match layout:
        case tree.Name(name):
            stem, indices = parted(name)
            return (len(stem) if is_word(stem) else 1) + sum(map(len, indices)) + max(0, len(indices) - 1)
        case tree.Number(value):
            both = [len(str(value.numerator))] + [len(str(value.denominator))] * (value.denominator != 1)
            return max(both)
        case tree.Word(text):
            return len(text)
        case tree.Sign(sign):
            return 1 if sign in "()∂·" else 3
        case tree.Sum(members):
            later = sum(not isinstance(m, tree.Minus) for m in members[1:])
            return sum(parts) + 3 * later
        case tree.Minus():
            return parts[0] + 3
        case tree.Relation():
            return sum(parts) + 3
        case tree.Over():
            return max(parts)
        case tree.Bracketed() | tree.Bars():
            return parts[0] + 2
        case tree.Radical():
            return parts[0] + 1
        case tree.Call():
            name = FUNCTIONS.get(layout.function, layout.function)
            return len(name) + 1 + sum(parts) + (2 if layout.brackets else 0)
    return sum(parts)


class _Breaker:
    """Breaks formulas; every part is measured once."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.widths: dict[Layout, int] = {}

    def measure(self, *layouts: Layout) -> int:
        """The width of layouts one after the other."""
        return sum(fold(layouts, _width, self.widths))

    def equation(self, left: Layout, right: Layout) -> list[Layout]:
        """left = right."""
        if self.measure(left, right) + 3 <= self.width:
            return [tree.Relation(left, right)]
        first, *rest = self.pieces(right)
        return self.filled([*self.pieces(left), _row(Sign("="), first), *rest])

    def filled(self, parts: Sequence[Layout]) -> list[Layout]:
        """Parts put together to lines."""
        made: list[list[Layout]] = [[parts[0]]]
        for part in parts[1:]:
            if self.measure(*made[-1], part) + 1 <= self.width:
                made[-1].append(part)
            else:
                made.append([part])
        return [_row(*line) for line in made]

    def pieces(self, formula: Layout, depth: int = 0) -> list[Layout]:
        """The parts between which a formula may be broken."""
        found: list[Layout] = []
        for term in _terms(formula):
            narrow = depth > DEEPEST or self.measure(*term) <= self.width
            found += [_row(*term)] if narrow else self._opened(term, depth)
        return found

    def _opened(self, term: Sequence[Layout], depth: int) -> list[Layout]:
        """A wide term, a sign and a formula, opened at its widest bracket or fraction; or between factors."""
        *sign, body = term
        if isinstance(body, tree.Minus):
            sign, body = [*sign, Sign("-")], body.inside
        factors = list(body.members) if isinstance(body, tree.Product) else [body]
        best, at = self.width // 3, -1
        for i, factor in enumerate(factors):
            wide = self._openable(factor)
            if wide > best:
                best, at = wide, i
        if at < 0:
            return self._between_factors(sign, factors)
        before, opened, after = factors[:at], factors[at], factors[at + 1 :]
        head = [*sign, *([product(before)] if before else [])]
        if isinstance(opened, tree.Bracketed):
            return self._grouped(head, opened.inside, after, depth)
        assert isinstance(opened, tree.Over)
        above, below = opened.above, opened.below
        if self.measure(below) > self.width - 6:
            return [*self._grouped(head, above, (), depth), *self._grouped([Sign("/")], below, after, depth)]
        rest = [*before, tree.Over(_ONE, below)]
        if len(_terms(above)) == 1:
            sign = [*sign, Sign("-")] if isinstance(above, tree.Minus) else sign
            inner = above.inside if isinstance(above, tree.Minus) else above
            whole = product([*rest, *(inner.members if isinstance(inner, tree.Product) else [inner]), *after])
            return self._opened([*sign, whole], depth + 1)
        return self._grouped([*sign, product(rest)], above, after, depth)

    def _openable(self, factor: Layout) -> int:
        """How wide what a factor opens to is; 0 if it cannot be opened."""
        if isinstance(factor, tree.Bracketed):
            return self.measure(factor.inside) if len(_terms(factor.inside)) > 1 else 0
        if not isinstance(factor, tree.Over):
            return 0
        below = self.measure(factor.below)
        if factor.above is _ONE and below <= self.width - 6:
            return 0  # opened already
        return max(self.measure(factor.above), below)

    def _between_factors(self, sign: Sequence[Layout], factors: Sequence[Layout]) -> list[Layout]:
        """A product as pieces that are narrow enough, as far as its factors are."""
        groups: list[list[Layout]] = [[factors[0]]]
        for factor in factors[1:]:
            if self.measure(*groups[-1], factor) <= self.width:
                groups[-1].append(factor)
            else:
                groups.append([factor])
        first, *rest = map(product, groups)
        return [_row(*sign, first), *(_row(Sign("·"), group) for group in rest)]

    def _grouped(
        self, opening: Sequence[Layout], body: Layout, closing: Sequence[Layout], depth: int
    ) -> list[Layout]:
        """The pieces of a body in brackets, between what stands before and after it."""
        inner = self.pieces(body, depth + 1)
        if len(inner) == 1 and len(_terms(body)) == 1 and not closing:
            return [_row(*opening, inner[0])]
        inner[0] = _row(*opening, Sign("("), inner[0])
        tail = [product(closing)] if closing else []
        inner[-1] = _row(inner[-1], Sign(")"), *tail)
        return inner


def _terms(formula: Layout) -> list[list[Layout]]:
    """The terms of a sum, the later ones with their sign before them."""
    first, *later = formula.members if isinstance(formula, tree.Sum) else (formula,)
    signed = [[Sign("-"), m.inside] if isinstance(m, tree.Minus) else [Sign("+"), m] for m in later]
    return [[first], *signed]


def _row(*parts: Layout) -> Layout:
    flat = [q for p in parts for q in (p.members if isinstance(p, Row) else (p,))]
    return flat[0] if len(flat) == 1 else Row(tuple(flat))
