"""The field of functions: base symbols, and atoms adjoined on demand with their relations.

A :class:`Field` starts as Q. Symbols (coordinates, velocities, accelerations, parameters, time) are
algebraically independent generators; a function such as sin θ is adjoined when it is first met, with
its relation and its derivative. By Ax's theorem (the functional case of Schanuel's conjecture) sines,
cosines and exponentials of arguments that are Q-linearly independent modulo constants are algebraically
independent up to s² + c² = 1, so on them the normal form decides whether a function is zero.

What is proved zero here is zero wherever it is defined and real. What is not zero in normal form is
not thereby proved to be nonzero: only points prove that (:mod:`chetaev.expr.exact.vanishing`).

>>> from chetaev.expr.graph.node import call, symbol
>>> field = Field()
>>> x = symbol("x")
>>> (field(call("sin", x)) ** 2 + field(call("cos", x)) ** 2).is_number
True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field as data
from fractions import Fraction

from flint import fmpq
from flint.utils.flint_exceptions import DomainError

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import Budget, BudgetError
from chetaev.expr.exact.effort.ledger import Ledger, Remembered
from chetaev.expr.exact.field.element import EVERYWHERE, Element, Scalar
from chetaev.expr.exact.field.fraction import lowest_terms
from chetaev.expr.exact.field.graph_to_element import arithmetic, convert
from chetaev.expr.exact.field.implied_signs import Settlement
from chetaev.expr.exact.functions import angles, exponentials, inverse_functions, radicals
from chetaev.expr.exact.polynomials import positive_quadratics as irreducible
from chetaev.expr.exact.polynomials.tower import Key, Poly, Tower
from chetaev.expr.graph.node import Expr, ImplicitNumber

MOST_TERMS = 100_000
"""Products of larger numbers of terms: a common divisor is not looked for."""

SymbolLike = str | tuple[str, int] | Expr | Element


@dataclass(eq=False)
class Generator:
    """One generator of a field: a symbol, a constant, or a function of older generators."""

    index: int
    kind: str
    args: tuple[Element, ...] = ()
    name: tuple[str, int] | str | ImplicitNumber = ""
    order: int = 1
    partner: int = -1
    depends: frozenset[int] = frozenset()
    parents: frozenset[int] = frozenset()
    derivatives: dict[int, Remembered[Element]] = data(default_factory=dict)


class Field:
    """A differential field of functions in normal form, which grows as functions are met.

    Parameters
    ----------
    budget
        Limits; beyond them :class:`~chetaev.expr.exact.effort.budget.BudgetError` is raised.

    Examples
    --------
    >>> field = Field()
    >>> x, v = field.symbols("x x'")
    >>> T = v**2 / 2 + field.cos(2 * x) - 2 * field.cos(x) ** 2
    >>> T.diff("x").is_zero
    True
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.tower = Tower(budget)
        self.generators: list[Generator] = []
        self.ledger = Ledger()
        self.arithmetic = arithmetic(self)
        self.memo: dict[Expr, Remembered[Element]] = {}
        self.angles = angles.Lattice()
        self.exponents = angles.Lattice()
        self.functions: dict[Hashable, Element] = {}
        self.roots: dict[Key, radicals.Root] = {}
        self.settlement = Settlement(self)
        self.shown: dict[int, Expr] = {}
        self.written: dict[Hashable, Remembered[tuple[Fraction, list[Expr]]]] = {}  # see `show`
        self.named: list[tuple[Element, Expr]] = []  # functions that have names where they are shown
        self.combined: dict[
            tuple[int, int, bool], tuple[int, int]
        ] = {}  # differences and sums of base angles
        self.hyperbolic: set[int] = set()  # exponentials that were written as sinh, cosh or tanh
        self._names: dict[tuple[str, int], int] = {}
        self._factors: dict[Hashable, Remembered[tuple[fmpq, list[tuple[Poly, int]]]]] = {}
        self._replaced: list[tuple[int, dict[int, Element]]] = []
        self.version = 0
        self.torn = False  # whether a refinement was not finished
        self.zero = Element(self, self.tower.zero, self.tower.one)
        self.one = Element(self, self.tower.one, self.tower.one)

    # -- making elements -----------------------------------------------------------------------------
    def __call__(self, value: Element | Expr | Scalar) -> Element:
        """The element of an expression or an exact number."""
        if isinstance(value, Element):
            if value.field is not self:
                raise ValueError("an element of another field")
            return value
        if isinstance(value, Expr):
            return convert(self, value)
        if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
            return self.number(Fraction(value))
        raise TypeError(f"expected an expression, an element or an exact number, got {type(value).__name__}")

    def number(self, value: Fraction) -> Element:
        """A rational number."""
        tower = self.tower
        return Element(self, tower.context.constant(fmpq(value.numerator, value.denominator)), tower.one)

    def symbol(self, name: str, order: int = 0) -> Element:
        """A base symbol; order 1 is its velocity, 2 its acceleration."""
        return self.variable(self._symbol_index((name, order)))

    def symbols(self, names: str) -> tuple[Element, ...]:
        """Base symbols from their names with primes, as in ``field.symbols("x y x' y'")``."""
        return tuple(self.symbol(*parse_name(n)) for n in names.replace(",", " ").split())

    def base(self, symbol: SymbolLike) -> int:
        """The generator number of a base symbol given in any way."""
        if isinstance(symbol, str):
            return self._symbol_index(parse_name(symbol))
        if isinstance(symbol, tuple):
            return self._symbol_index(symbol)
        if isinstance(symbol, Expr) and symbol.op == "symbol":
            return self._symbol_index(symbol.value)
        if isinstance(symbol, Element):
            used = self.tower.used(symbol.numerator)
            alone = len(used) == 1 and symbol.is_polynomial
            if alone and symbol.numerator == self.tower.variable(used[0]) and used[0] in self._names.values():
                return used[0]
        raise ValueError(f"expected a symbol, got {symbol!r}")

    def _symbol_index(self, name: tuple[str, int]) -> int:
        index = self._names.get(name)
        if index is None:
            index = self._names[name] = self.adjoin("symbol", name=name).index
        return index

    def variable(self, index: int) -> Element:
        """A generator as an element."""
        return Element(self, self.tower.variable(index), self.tower.one)

    def polynomial(self, numerator: Poly, domain: frozenset[int] = EVERYWHERE) -> Element:
        """The element of a reduced polynomial."""
        self.expect_whole()
        self.tower.budget.spend(cost.ELEMENT)
        result = Element(self, numerator, self.tower.one, domain)
        return self.settlement.settle(result) if self.settlement.delicate else result

    def quotient(self, numerator: Poly, denominator: Poly, domain: frozenset[int] = EVERYWHERE) -> Element:
        """The element numerator/denominator of reduced polynomials, in lower terms."""
        self.expect_whole()
        self.tower.budget.spend(cost.ELEMENT + len(numerator) + len(denominator))
        n, d = lowest_terms(self, numerator, denominator)
        result = Element(self, n, d, domain)
        return self.settlement.settle(result) if self.settlement.delicate else result

    def gcd(self, p: Poly, q: Poly) -> Poly:
        """A common divisor as polynomials; 1 where looking for it does not pay."""
        if p.is_constant() or q.is_constant() or len(p) * len(q) > MOST_TERMS:
            return self.tower.one
        self.tower.budget.spend(cost.common_divisor(len(p), len(q)))
        return p.gcd(q)

    def quotient_by(self, p: Poly, divisor: Poly) -> Poly | None:
        """The quotient if a divisor, found before, divides p; it costs what their common divisor would."""
        if p.is_constant() or divisor.is_constant() or len(p) * len(divisor) > MOST_TERMS:
            return None
        try:
            quotient = p / divisor
        except DomainError:
            return None
        self.tower.budget.spend(cost.common_divisor(len(divisor), len(p)))
        return quotient

    def divide(self, p: Poly, divisor: Poly) -> Poly:
        """The quotient by a polynomial that divides p."""
        self.tower.budget.spend(cost.division(len(p), len(divisor)))
        return p / divisor

    def factor(self, p: Poly) -> tuple[fmpq, list[tuple[Poly, int]]]:
        """p = k·Π pᵢ^{eᵢ} with irreducible pᵢ, as polynomials in generators without relations."""
        key = self.tower.version, self.tower.key(p)
        k, found = self.ledger.recall(self.tower.budget, self._factors, key, lambda: self._factor(p))
        return k, list(found)

    def _factor(self, p: Poly) -> tuple[fmpq, list[tuple[Poly, int]]]:
        self.tower.budget.spend(cost.factorization(p))
        plain = irreducible.split(p)
        if plain is not None:
            return plain[0], [(plain[1], 1)]
        k, found = p.factor()
        return k, [(f, int(e)) for f, e in found]

    # -- growing -------------------------------------------------------------------------------------
    def adjoin(
        self,
        kind: str,
        args: tuple[Element, ...] = (),
        name: tuple[str, int] | str | ImplicitNumber = "",
        order: int = 1,
    ) -> Generator:
        """One more generator."""
        before = self.tower.version
        index = self.tower.append()
        self.version += self.tower.version - before
        parents: set[int] = set()
        for a in args:
            parents.update(self.tower.used(a.numerator), self.tower.used(a.denominator))
        depends = (
            frozenset({index})
            if kind == "symbol"
            else frozenset(b for p in parents for b in self.generators[p].depends)
        )
        generator = Generator(index, kind, args, name, order, -1, depends, frozenset(parents))
        self.generators.append(generator)
        return generator

    @property
    def refinements(self) -> int:
        """How often generators have been expressed by newer ones."""
        return len(self._replaced)

    @contextmanager
    def refining(self) -> Iterator[None]:
        """What is done in one piece: the effort counts, but stops only afterwards.

        Should it break off all the same (a polynomial too large), old and new generators stand side by side
        without their relation, and the field can no longer be used.
        """
        try:
            with self.tower.budget.uninterrupted():
                yield
        except BaseException:
            self.torn = True
            raise
        self.tower.budget.spend(0)

    def expect_whole(self) -> None:
        """Stop if a refinement was not finished."""
        if self.torn:
            raise BudgetError("the functions of an exact computation grew beyond its budget")

    def replace(self, images: dict[int, Element]) -> None:
        """Express generators by newer ones, and everything that depends on them.

        Used when a base angle θ is refined to θ/n: sin θ and cos θ become polynomials in the new pair. It
        must be done within :meth:`refining`, together with what makes the new generators.
        """
        self.version += 1
        self._replaced.append((self.version, images))
        for k in images:
            self.tower.forget(k)
        self.shown.clear()
        for generator in self.generators:
            generator.derivatives.clear()
        for generator in list(self.generators):
            if not generator.parents.isdisjoint(images) and generator.kind != "dead":
                self._rebuild(generator)

    def _rebuild(self, generator: Generator) -> None:
        kind, index = generator.kind, generator.index
        if kind == "cos":
            return
        partner = generator.partner
        generator.kind = "dead"
        self.angles.drop(index)
        self.exponents.drop(index)
        self.functions = {k: e for k, e in self.functions.items() if not uses(e, index)}
        self.roots = {k: r for k, r in self.roots.items() if r.generator.index != index}
        self.settlement.drop(index)
        images: dict[int, Element] = {}
        if kind == "sin":
            self.generators[partner].kind = "dead"
            sine, cosine = angles.sine_cosine(self, generator.args[0])
            images = {index: sine, partner: cosine}
        elif kind == "exp":
            images = {index: exponentials.exp(self, generator.args[0])}
        elif kind == "root":
            images = {index: radicals.power(self, generator.args[0], Fraction(1, generator.order))}
        elif kind == "sign":
            images = {index: radicals.sign(self, generator.args[0])}
        else:
            images = {index: inverse_functions.apply(self, kind, generator.args)}
        self.replace(images)

    def follow(self, numerator: Poly, denominator: Poly, version: int) -> tuple[Poly, Poly]:
        """Polynomials of an earlier version in the present one."""
        self.expect_whole()
        n, d = self.tower.project(numerator), self.tower.project(denominator)
        for since, images in self._replaced:
            if since > version:
                used = set(self.tower.used(n)) | set(self.tower.used(d))
                hit = {k: images[k] for k in images if k in used}
                if hit:
                    from chetaev.expr.exact.field.differentiation import replace_generators

                    e = replace_generators(self, n, hit) / replace_generators(self, d, hit)
                    n, d = e.numerator, e.denominator
        return n, d

    @contextmanager
    def limit(self, budget: Budget) -> Iterator[None]:
        """Another budget for a while; what it spends is spent by the one before, too."""
        old, self.tower.budget = self.tower.budget, budget
        if old.effort is not None:  # a part of the same question
            budget.charged = old.charged
        try:
            yield
        finally:
            self.tower.budget = old
            old.spent += budget.spent

    # -- questions -----------------------------------------------------------------------------------
    def symbols_of(self, element: Element) -> frozenset[tuple[str, int]]:
        """All base symbols an element depends on."""
        used = [*self.tower.used(element.numerator), *self.tower.used(element.denominator)]
        bases = frozenset().union(*(self.generators[k].depends for k in used)) if used else frozenset()
        return frozenset(self.generators[k].name for k in bases)  # type: ignore[misc]

    # -- functions -----------------------------------------------------------------------------------
    def sin(self, u: Element) -> Element:
        """The sine."""
        return angles.sine_cosine(self, u)[0]

    def cos(self, u: Element) -> Element:
        """The cosine."""
        return angles.sine_cosine(self, u)[1]

    def exp(self, u: Element) -> Element:
        """The exponential."""
        return exponentials.exp(self, u)

    def log(self, u: Element) -> Element:
        """The logarithm."""
        return inverse_functions.log(self, u)

    def sqrt(self, u: Element) -> Element:
        """The square root, where u ≥ 0."""
        return radicals.power(self, u, Fraction(1, 2))

    def power(self, u: Element, exponent: Fraction) -> Element:
        """A rational power; for exponents that are no integers where u > 0."""
        return radicals.power(self, u, exponent)

    def sign(self, u: Element) -> Element:
        """The sign, ±1 where u ≠ 0."""
        return radicals.sign(self, u)

    def abs(self, u: Element) -> Element:
        """The absolute value u·sign(u)."""
        return u * radicals.sign(self, u)

    def __repr__(self) -> str:
        return f"Field({self.tower.count} generators)"


def uses(element: Element, index: int) -> bool:
    """Whether a generator occurs in an element, without carrying the element along."""
    for p in (element._numerator, element._denominator):
        nvars = p.context().nvars()
        if index < nvars and p.degrees()[nvars - 1 - index] > 0:
            return True
    return False


def parse_name(text: str) -> tuple[str, int]:
    """A name with primes as ``(name, order)``.

    >>> parse_name("x''")
    ('x', 2)
    """
    name = text.rstrip("'")
    return name, len(text) - len(name)
