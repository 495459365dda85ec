"""What the presence of a root or a logarithm says about signs, used inside one element only.

Where √v or log v occurs, v > 0. So inside an element that contains them

    sign(v) = 1,     √v·√b = |w| if v·b = w²,     log|p| = log p  if log p occurs too.

With v = ±Π pᵢ (odd factors) these are linear equations over GF(2) for the signs σ(pᵢ) = (−1)^{xᵢ}.
Nothing is concluded from a root that occurs elsewhere in the field: √(xy)·√(yz) = y·√(xz) is not used,
because it is false where x, y, z < 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint.utils.flint_exceptions import DomainError

from chetaev.expr.exact.field.element import Element

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Key


class Settlement:
    """The rules for each set of roots, signs and logarithms that occur together."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.delicate: set[int] = set()
        self._rules: dict[tuple[frozenset[int], frozenset[int]], dict[int, Element]] = {}

    def add(self, index: int) -> None:
        """One more generator to watch."""
        self.delicate.add(index)

    def drop(self, index: int) -> None:
        """A generator that is no longer used."""
        self.delicate.discard(index)
        self._rules.clear()

    def settle(self, element: Element) -> Element:
        """The element with everything that its own roots and logarithms imply."""
        tower = self.field.tower
        used = self.delicate.intersection(tower.used(element.numerator))
        if not element.is_polynomial:
            used |= self.delicate.intersection(tower.used(element.denominator))
        if not used:
            return element
        kinds = ("root", "log")  # their presence says that something is positive
        facts = frozenset(k for k in used | element.domain if self.field.generators[k].kind in kinds)
        element.domain = facts
        if len(used | facts) < 2:
            return element
        key = (frozenset(used), facts)
        rules = self._rules.get(key)
        if rules is None:
            self._rules[key] = {}  # while the rules are made, none apply
            rules = self._rules[key] = self._make(*key)
        if not rules:
            return element
        from chetaev.expr.exact.field.differentiation import replace_generators

        n = replace_generators(self.field, element.numerator, rules)
        d = replace_generators(self.field, element.denominator, rules)
        result = n / d
        domain = facts | result.domain
        return self.settle(Element(self.field, result.numerator, result.denominator, domain))

    def _make(self, used: frozenset[int], facts: frozenset[int]) -> dict[int, Element]:
        """One rule for a generator that occurs, from what is positive here."""
        return self._signs(used, facts) or self._roots(used, facts) or self._logarithms(used, facts)

    def _positive(self, used: frozenset[int]) -> list[tuple[frozenset[Key], bool]]:
        """The odd factors of everything that is positive here, and whether a minus goes with them."""
        facts = []
        for root in self.field.roots.values():
            if root.generator.index in used:
                facts.append((root.odd, root.negative))
        for k in used:
            generator = self.field.generators[k]
            if generator.kind == "log":
                p = generator.args[0].numerator
                negative = bool(p.leading_coefficient() < 0)
                facts.append((frozenset({self.field.tower.key(-p if negative else p)}), negative))
        return facts

    def _signs(self, used: frozenset[int], facts: frozenset[int]) -> dict[int, Element]:
        signs = {}
        for k in used:
            if self.field.generators[k].kind == "sign":
                signs[self.field.tower.key(self.field.generators[k].args[0].numerator)] = k
        if not signs:
            return {}
        rows = self._positive(facts)
        others = sorted({p for row, _ in rows for p in row if p not in signs})
        order = [*others, *sorted(signs, key=lambda p: -signs[p])]
        for p in order:
            pivot = next((r for r in rows if p in r[0]), None)
            if pivot is None:
                continue
            rows.remove(pivot)
            rows = [(r[0] ^ pivot[0], r[1] ^ pivot[1]) if p in r[0] else r for r in rows]
            if p in signs:
                image = self.field.one if not pivot[1] else -self.field.one
                for other in pivot[0] - {p}:
                    image = image * self.field.variable(signs[other])
                return {signs[p]: image}
        return {}

    def _roots(self, used: frozenset[int], facts: frozenset[int]) -> dict[int, Element]:
        field = self.field
        roots = sorted(  # square roots last: they are expressed by the others, √v = r^{d/2}
            (r for r in field.roots.values() if r.generator.index in facts and r.generator.order % 2 == 0),
            key=lambda r: (r.generator.order == 2, r.generator.index),
        )
        basis: list[tuple[frozenset[Key], bool, frozenset[int]]] = []
        for i, r in enumerate(roots):
            odd, negative, members = r.odd, r.negative, frozenset({i})
            for b_odd, b_negative, b_members in basis:
                pivot = min(b_odd) if b_odd else None
                if (pivot in odd) if pivot is not None else negative:
                    odd, negative, members = odd ^ b_odd, negative ^ b_negative, members ^ b_members
            if odd or negative:
                basis.append((odd, negative, members))
                continue
            if r.generator.index not in used or r.generator.order != 2:
                continue
            product, square = field.one, r.radicand
            for j in sorted(members - {i}):
                half = roots[j].generator.order // 2
                product = product * field.variable(roots[j].generator.index) ** half
                square = square * roots[j].radicand
            try:
                w = field.polynomial(square.numerator.sqrt())
            except DomainError:
                continue
            if w * w == square:
                return {r.generator.index: field.abs(w) / product}
        return {}

    def _logarithms(self, used: frozenset[int], facts: frozenset[int]) -> dict[int, Element]:
        field = self.field
        literal = {}
        for k in facts:
            if field.generators[k].kind == "log":
                p = field.generators[k].args[0].numerator
                literal[field.tower.key(p)] = literal[field.tower.key(-p)] = k
        for k in used:
            if field.generators[k].kind == "logabs":
                match = literal.get(field.tower.key(field.generators[k].args[0].numerator))
                if match is not None:
                    return {k: field.variable(match)}
        return {}
