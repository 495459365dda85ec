"""Expressions evaluated at a point modulo a prime, with derivatives along any direction.

Sums, products and quotients are carried out on residues as they stand in the graph; nothing is expanded.
Functions become elements of a :class:`~chetaev.expr.exact.field.field.Field`, which knows their relations
(sin² + cos² = 1, sin(x + y) by sines of x and y, r² = u), and a point is a residue for every generator of
that field that satisfies them.

A tangent is a residue for every generator too: ġ by the chain rule from those of the symbols, so that the
derivative of anything along any direction costs one more pass over the same numbers.

>>> from chetaev.expr.graph.node import call, symbol
>>> residues = Residues(2147483579)
>>> x = symbol("x")
>>> program = residues.program([call("sin", x) ** 2 + call("cos", x) ** 2, call("cos", x)])
>>> values = residues.free_values(random.Random(1), {})
>>> one, _ = program(values)
>>> one
1
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod
from typing import Any

from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.effort.budget import NotRealError
from chetaev.expr.exact.field.differentiation import generator_derivative
from chetaev.expr.exact.field.field import Generator
from chetaev.expr.exact.numbers.residues import (
    ResidueArithmetic,
    Terms,
    UnluckyError,
    free_values,
    inverse,
    residue,
    root,
    terms,
    value,
)
from chetaev.expr.graph.node import Expr, postorder
from chetaev.expr.graph.program import GraphProgram, whole
from chetaev.laws.search.primes import drawn

Values = dict[int, int]
"""A residue for every generator of a field."""

_ARITHMETIC = ("number", "symbol", "define", "add", "mul", "neg", "div")
_BY_FIELD = ("asin", "acos", "asinh", "acosh")
"""Functions whose derivatives are new roots: asked of the field."""

PROGRAMS = 32
"""So many programs are kept."""
DRAWS = 1 << 14
"""So often one generator is drawn again."""

Order = list[tuple[int, list[Generator]]]
"""Roots, and which generator is drawn again where one does not exist; -1 for none."""


class Residues:
    """A field of functions, evaluated modulo a prime.

    All functions that are to be evaluated must be made (:meth:`program`, :meth:`element`) before points are
    drawn: the field may refine its generators when it meets a new one (sin θ by sin θ/2).
    """

    def __init__(self, p: int, field: Field | None = None) -> None:
        self.p = p
        self.field = field or Field()
        self._elements: dict[int, tuple[Element, Terms, Terms]] = {}
        self._version = -1
        self._slopes: dict[int, list[tuple[int, Element]]] = {}
        self._programs: dict[tuple[Expr, ...], ResidueProgram] = {}

    # -- what is evaluated ---------------------------------------------------------------------------
    def element(self, function: Expr | Element) -> Element:
        """A function as an element of the field."""
        return self.field(function)

    def program(self, roots: Sequence[Expr]) -> ResidueProgram:
        """Graphs as a program on residues; made once: whoever evaluates may ask at every point."""
        key = tuple(roots)
        found = self._programs.get(key)
        if found is None:
            if len(self._programs) >= PROGRAMS:
                self._programs.clear()
            found = self._programs[key] = ResidueProgram(self, roots)
        return found

    def value(self, element: Element, values: Values) -> int:
        """The residue of an element at a point."""
        numerator, denominator = self._terms(element)
        n = value(numerator, values, self.p)
        if not denominator:
            return n
        return n * inverse(value(denominator, values, self.p), self.p) % self.p

    def slope(self, element: Element, values: Values, tangent: Values) -> int:
        """The derivative of an element along a tangent at a point."""
        p = self.p
        numerator, denominator = self._terms(element)
        n, dn = _sum_and_slope(numerator, values, tangent, p)
        if not denominator:
            return dn
        d, dd = _sum_and_slope(denominator, values, tangent, p)
        over = inverse(d, p)
        return (dn - n * over * dd) * over % p

    def differential(self, element: Element, values: Values) -> dict[int, int]:
        """The derivatives of an element by the generators at a point: by all of them in one pass."""
        p = self.p
        numerator, denominator = self._terms(element)
        n, dn = _sum_and_differential(numerator, values, p)
        if not denominator:
            return dn
        d, dd = _sum_and_differential(denominator, values, p)
        over = inverse(d, p)
        return {k: (dn.get(k, 0) - n * over * dd.get(k, 0)) * over % p for k in dn.keys() | dd.keys()}

    def _terms(self, element: Element) -> tuple[Terms, Terms]:
        if self._version != self.field.version:
            self._elements.clear()
            self._slopes.clear()
            self._version = self.field.version
        found = self._elements.get(id(element))
        if found is None:
            n = terms(self.field.tower, element.numerator, self.p)
            d = [] if element.is_polynomial else terms(self.field.tower, element.denominator, self.p)
            found = self._elements[id(element)] = (element, n, d)
        return found[1], found[2]

    # -- points --------------------------------------------------------------------------------------
    def free_values(self, rng: random.Random, fixed: Mapping[int, int]) -> Values:
        """Random residues for all generators but roots, those in `fixed` kept."""
        return free_values(self.field.generators, rng, fixed, self.p)

    def take_roots(self, values: Values, only: Iterable[int] | None = None) -> None:
        """Residues for the roots that have none yet, from those of their radicands."""
        wanted = None if only is None else set(only)
        for g in self.field.generators:
            if g.kind == "root" and g.index not in values and (wanted is None or g.index in wanted):
                values[g.index] = root(self.value(g.args[0], values), g.order, self.p)

    def order_of_roots(self, roots: Iterable[int], free: Collection[int]) -> Order:
        """The roots by the last free generator, a symbol or a sine, that their radicands contain."""
        found: dict[int, list[Generator]] = {}
        for k in sorted(roots):
            g = self.field.generators[k]
            found.setdefault(max((x for x in self._inside(g) if x in free), default=-1), []).append(g)
        return sorted(found.items(), key=lambda pair: pair[0])

    def _inside(self, g: Generator) -> set[int]:
        """The generators of a radicand: symbols, sines for cosines too, and those of roots in it."""
        tower, found = self.field.tower, set[int]()
        for a in g.args:
            for k in {*tower.used(a.numerator), *tower.used(a.denominator)}:
                inner = self.field.generators[k]
                found |= self._inside(inner) if inner.kind == "root" else {k}
                found |= {inner.partner} if inner.kind == "cos" else set()
        return found

    def draw_roots(self, values: Values, order: Order, rng: random.Random) -> None:
        """Residues for roots. Half of all numbers have none: what a radicand contains last is drawn until all
        that end with it have roots, so that the distances of n points need 2ⁿ draws, not 2^(n(n−1)/2).
        """
        for last, group in order:
            drawn_before = False

            def draw(last: int = last, group: list[Generator] = group) -> None:
                nonlocal drawn_before
                if drawn_before:
                    for g in group:
                        values.pop(g.index, None)
                    values.update(free_values([self.field.generators[last]], rng, {}, self.p))
                drawn_before = True
                for g in group:
                    if g.index not in values:
                        values[g.index] = root(self.value(g.args[0], values), g.order, self.p)

            drawn(draw, 1 if last < 0 else 1 + min(DRAWS, 16 << len(group)))

    def prepare(self) -> None:
        """Make what tangents need: derivatives of inverse functions, which bring new roots."""
        for _ in range(8):
            version = self.field.version, len(self.field.generators)
            self._slopes = {
                g.index: [(x, generator_derivative(self.field, g.index, x)) for x in sorted(g.depends)]
                for g in list(self.field.generators)
                if g.kind in _BY_FIELD
            }
            if version == (self.field.version, len(self.field.generators)):
                break
        self._version = self.field.version

    def tangent(self, values: Values, direction: Mapping[int, int]) -> Values:
        """ġ for every generator g, where the symbols move by `direction` (generator number → residue)."""
        p = self.p
        moved: Values = {}
        for g in self.field.generators:
            k, kind = g.index, g.kind
            if k in moved or kind == "dead":
                continue
            if kind == "symbol":
                moved[k] = direction.get(k, 0)
            elif not any(b in direction for b in g.depends) or kind in ("sign", "constant"):
                moved[k] = 0
                if kind == "sin":
                    moved[g.partner] = 0
            elif kind in _BY_FIELD:
                moved[k] = sum(direction.get(x, 0) * self.value(e, values) for x, e in self._slopes[k]) % p
            else:
                self._move(k, values, moved)
        return moved

    def _move(self, k: int, values: Values, moved: Values) -> None:
        p, g = self.p, self.field.generators[k]
        if g.kind == "cos":
            return  # with its sine
        inner = [self.slope(a, values, moved) for a in g.args]
        match g.kind:
            case "sin":
                moved[k] = values[g.partner] * inner[0] % p
                moved[g.partner] = -values[k] * inner[0] % p
            case "exp":
                moved[k] = values[k] * inner[0] % p
            case "root":
                u = self.value(g.args[0], values)
                moved[k] = values[k] * inner[0] * inverse(g.order * u, p) % p
            case "log" | "logabs":
                moved[k] = inner[0] * inverse(self.value(g.args[0], values), p) % p
            case "atan" | "atanh":
                u = self.value(g.args[0], values)
                sign = 1 if g.kind == "atan" else -1
                moved[k] = inner[0] * inverse(1 + sign * u * u, p) % p
            case "atan2":
                y, x = (self.value(a, values) for a in g.args)
                moved[k] = (x * inner[0] - y * inner[1]) * inverse(x * x + y * y, p) % p
            case other:
                raise NotRealError(f"no derivative of {other} modulo a prime")


class ResidueProgram(GraphProgram):
    """Graphs as instructions on residues; called with the values of a point it gives those of the roots."""

    def __init__(self, residues: Residues, roots: Sequence[Expr]) -> None:
        super().__init__(roots)
        self.residues, p = residues, residues.p
        self.nodes = list(postorder(*roots))  # kept: the field knows elements by them
        for k, (node, (op, args, given)) in enumerate(zip(self.nodes, self.steps, strict=True)):
            if op == "number":
                given = residue(node.value, p)
            elif op == "symbol":
                residues.field.symbol(*node.value)
                given = residues.field.base(node)
            elif op not in _ARITHMETIC and not (op == "pow" and _is_short(given)):
                op, args, given = "element", (), residues.element(node)
            self.steps[k] = (op, args, given)

        self.arithmetic = _AtPoint(residues)

    def __call__(self, values: Values) -> list[int]:
        """The residues of the roots."""
        self.arithmetic.at = values
        return self.values(self.arithmetic, {})


class _AtPoint(ResidueArithmetic):
    """Residues at a point; functions by the elements of a field."""

    def __init__(self, residues: Residues) -> None:
        super().__init__(residues.p)
        self.residues = residues
        self.at: Values = {}
        self.operations |= {
            "symbol": lambda _, k: self.at[k],
            "number": lambda _, value: value,
            "element": lambda _, e: self.residues.value(e, self.at),
        }


def _is_short(exponent: Any) -> bool:
    """Whether a power is a product of not too many factors."""
    return whole(exponent) is not None and abs(exponent) < 10**6


def _sum_and_slope(terms: Terms, values: Values, tangent: Values, p: int) -> tuple[int, int]:
    total = slope = 0
    for c, monomial in terms:
        d = 0
        for k, e in monomial:
            x = values[k]
            below = 1 if e == 1 else pow(x, e - 1, p)
            d = (d * below * x + c * e * below * tangent[k]) % p
            c = c * below * x % p
        total += c
        slope += d
    return total % p, slope % p


def _sum_and_differential(terms: Terms, values: Values, p: int) -> tuple[int, dict[int, int]]:
    """A polynomial, and its derivative by every generator in it: each term over the generator, or, where that
    is 0, by the product of the others.
    """
    over = {k: pow(x, -1, p) if x % p else 0 for k, x in values.items()}
    total, slopes = 0, dict[int, int]()
    for c, monomial in terms:
        whole = c
        for k, e in monomial:
            whole = whole * (values[k] if e == 1 else pow(values[k], e, p)) % p
        total += whole
        for n, (k, e) in enumerate(monomial):
            part = whole * e * over[k]
            if not over[k] and e == 1:
                part = c * prod(pow(values[j], f, p) for i, (j, f) in enumerate(monomial) if i != n)
            slopes[k] = (slopes.get(k, 0) + part) % p
    return total % p, slopes


__all__ = ["ResidueProgram", "Residues", "UnluckyError", "Values"]
