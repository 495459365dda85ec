"""Derivatives, substitution and coefficients of elements.

The chain rule through the generators:  ∂f/∂x = Σ_g (∂f/∂g)·(∂g/∂x)  with

    sin' = cos·u'   cos' = −sin·u'   E' = E·u'   (v^{1/d})' = v^{1/d}·v'/(d·v)   (log u)' = u'/u
    asin' = u'/√(1−u²)   atan' = u'/(1+u²)   atan2(y,x)' = (x·y' − y·x')/(x²+y²)   sign' = 0
    asinh' = u'/√(u²+1)   acosh' = u'/√(u²−1)   atanh' = u'/(1−u²).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from chetaev.expr.exact.field.element import Element

if TYPE_CHECKING:
    from chetaev.expr.exact.field.field import Field
    from chetaev.expr.exact.polynomials.tower import Poly


def derivative(element: Element, x: int) -> Element:
    """The partial derivative with respect to the base symbol with generator number x."""
    field = element.field
    if element.domain:
        bare = Element(field, element.numerator, element.denominator)
        return derivative(bare, x) + Element(field, field.tower.zero, field.tower.one, element.domain)
    n = _polynomial_derivative(field, element.numerator, x)
    if element.is_polynomial:
        return n
    d = _polynomial_derivative(field, element.denominator, x)
    if d.is_blank:
        return n / field.polynomial(element.denominator)
    den = field.polynomial(element.denominator)
    return (n * den - field.polynomial(element.numerator) * d) / den**2


def _polynomial_derivative(field: Field, p: Poly, x: int) -> Element:
    result = field.zero
    whole = field.polynomial(p)
    age = field.refinements
    used = field.tower.used(whole.numerator)
    new = [k for k in used if x in field.generators[k].depends and x not in field.generators[k].derivatives]
    for k in closure(field, new):  # inner functions first, so that nesting costs no recursion
        if x in field.generators[k].depends and k != x:
            generator_derivative(field, k, x)
    for k in used:
        generator = field.generators[k]
        if x in generator.depends:
            inner = field.one if k == x else generator_derivative(field, k, x)
            outer = field.polynomial(field.tower.derivative(whole.numerator, k))
            result = result + outer * inner
    if field.refinements != age:  # an atom met on the way has changed the generators
        return derivative(whole, x)
    return result


def closure(field: Field, generators: Iterable[int]) -> list[int]:
    """These generators and all that their arguments contain, oldest first."""
    found: set[int] = set()
    pending = list(generators)
    while pending:
        k = pending.pop()
        if k not in found:
            found.add(k)
            pending.extend(field.generators[k].parents)
    return sorted(found)


def is_free_of(element: Element, bases: Sequence[int]) -> bool:
    """Whether all slopes by these symbols are zero, and none of them stands under a sign."""
    field = element.field
    used = {*field.tower.used(element.numerator), *field.tower.used(element.denominator)} if bases else ()
    steps = (g for k in closure(field, used) if (g := field.generators[k]).kind == "sign")
    return all(g.depends.isdisjoint(bases) for g in steps) and all(
        derivative(element, x).is_zero is True for x in bases
    )


def generator_derivative(field: Field, k: int, x: int) -> Element:
    """∂g_k/∂x, remembered."""
    store = field.generators[k].derivatives
    return field.ledger.recall(field.tower.budget, store, x, lambda: _rule(field, k, x))


def _rule(field: Field, k: int, x: int) -> Element:
    generator = field.generators[k]
    kind, args = generator.kind, generator.args
    if kind in ("sign", "constant", "algebraic", "symbol"):
        return field.zero
    u = args[0]
    du = derivative(u, x)
    if all((du if a is u else derivative(a, x)).is_blank for a in args):
        return field.zero
    g = field.variable(k)
    if kind == "sin":
        return field.variable(generator.partner) * du
    if kind == "cos":
        return -field.variable(generator.partner) * du
    if kind == "exp":
        return g * du
    if kind == "root":
        return g * du / (u * generator.order)
    if kind in ("log", "logabs"):
        return du / u
    if kind == "asin":
        return du / field.sqrt(1 - u**2)
    if kind == "atan":
        return du / (1 + u**2)
    if kind == "atan2":
        y, abscissa = args
        return (abscissa * du - y * derivative(abscissa, x)) / (y**2 + abscissa**2)
    if kind == "asinh":
        return du / field.sqrt(1 + u**2)
    if kind == "acosh":
        return du / field.sqrt(u**2 - 1)
    if kind == "atanh":
        return du / (1 - u**2)
    raise AssertionError(f"no derivative for {kind}")


def replace_generators(field: Field, p: Poly, images: Mapping[int, Element]) -> Element:
    """The polynomial p with generators replaced by elements, all at once."""
    p = field.tower.project(p)
    chosen = tuple(k for k in field.tower.used(p) if k in images)
    if not chosen:
        return field.polynomial(p)
    powers: dict[tuple[int, int], Element] = {}
    result = field.zero
    for exponents, part in field.tower.collect(p, chosen).items():
        term = Element(field, field.tower.project(part), field.tower.one)
        for k, e in zip(chosen, exponents, strict=True):
            if e:
                if (k, e) not in powers:
                    powers[k, e] = images[k] ** e
                term = term * powers[k, e]
        result = result + term
    return result


def substitute(element: Element, values: Mapping[int, Element]) -> Element:
    """Base symbols replaced by elements, also inside functions."""
    return _ElementNow(element).replace(dict(values))


def rebuild(element: Element, change: Callable[[Element], Element]) -> Element:
    """The element with the arguments of all its functions changed."""
    return _ElementNow(element).replace({}, change)


class _ElementNow:
    """An element and its functions as they are now.

    Making the images may refine generators (sin x while x is replaced by x/2), so they are made from what
    was there before.
    """

    def __init__(self, element: Element) -> None:
        self.field = field = element.field
        self.parts = (element.numerator, element.denominator)
        used = {*field.tower.used(self.parts[0]), *field.tower.used(self.parts[1])}
        self.order = closure(field, used)
        self.age = field.refinements
        self.old = {k: field.variable(k) for k in self.order}
        self.functions = {
            k: (g.kind, g.order, g.partner, g.depends, [(a.numerator, a.denominator) for a in g.args])
            for k in self.order
            for g in (field.generators[k],)
        }

    def replace(
        self, images: dict[int, Element], change: Callable[[Element], Element] | None = None
    ) -> Element:
        """Everything with the images in the place of base symbols, arguments changed."""
        symbols = set(images)
        for k in self.order:
            _, _, _, depends, args = self.functions[k]
            if k not in images and args and (change or not depends.isdisjoint(symbols)):
                self._image(k, images, change)
        return self._quotient(*self.parts, images)

    def _quotient(self, n: Poly, d: Poly, images: dict[int, Element]) -> Element:
        if self.field.refinements != self.age:
            images = {**self.old, **images}
        top = replace_generators(self.field, n, images)
        return top if d.is_one() else top / replace_generators(self.field, d, images)

    def _image(self, k: int, images: dict[int, Element], change: Callable[[Element], Element] | None) -> None:
        from chetaev.expr.exact.functions import angles, inverse_functions

        field = self.field
        kind, order, partner, _, raw = self.functions[k]
        args = [self._quotient(n, d, images) for n, d in raw]
        if change:
            args = [change(a) for a in args]
        if kind in ("sin", "cos"):
            pair = angles.sine_cosine(field, args[0])
            first, second = (k, partner) if kind == "sin" else (partner, k)
            images[first], images[second] = pair
        elif kind == "exp":
            images[k] = field.exp(args[0])
        elif kind == "root":
            images[k] = field.power(args[0], Fraction(1, order))
        elif kind == "sign":
            images[k] = field.sign(args[0])
        else:
            images[k] = inverse_functions.apply(field, kind, tuple(args))


def coefficients(element: Element, symbols: list[int]) -> dict[tuple[int, ...], Element] | None:
    """Coefficients as a polynomial in base symbols; None if a function or the denominator holds one."""
    field = element.field
    tower = field.tower
    chosen = set(symbols)
    for k in tower.used(element.numerator):
        if k not in chosen and not field.generators[k].depends.isdisjoint(chosen):
            return None
    for k in tower.used(element.denominator):
        if not field.generators[k].depends.isdisjoint(chosen):
            return None
    parts = tower.collect(element.numerator, tuple(symbols))
    return {e: field.quotient(p, element.denominator) for e, p in parts.items()}
