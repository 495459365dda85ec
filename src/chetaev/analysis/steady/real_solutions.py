"""All real solutions of equations in coordinates and angles, as exact numbers where these are plain.

An angle θ that occurs only inside sines and cosines is a point (s, c) of the circle s² + c² = 1, an unknown
that occurs only inside exponentials is the logarithm of a positive number, and a sign is a number with σ² = 1
that its argument must confirm; everything else must be a polynomial or a quotient of polynomials in the
unknowns, with square roots of such.
Denominators are not to vanish (z·d = 1). Then the solutions are the real zeros of an ideal (:mod:`.ideal`),
all of them.

Where the zeros are not isolated, unknowns that no equation bounds are *free*: they are set to a value, one
after the other, until the rest is isolated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import Ordering, arb, ctx, fmpq_poly, fmpz_mpoly_ctx

from chetaev.analysis.steady.ideal import BITS, Coordinate, InfinitelyManyError, real_zeros
from chetaev.errors import ExhaustedError
from chetaev.expr.exact import BudgetError, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.ideals.groebner_elimination import to_ring, with_relations
from chetaev.expr.graph.node import PI, ZERO, Expr, add, call, constant, div, mul, neg, number, sub

Name = tuple[str, int]
MOST_UNKNOWNS = 14
MOST_BRANCHES = 64
POLE = 100.0
"""Ten thousand times nearer to a pole a function has grown by more than that."""
SLICES = (
    (Fraction(3, 5), Fraction(4, 5), Fraction(1, 3)),
    (Fraction(40, 41), Fraction(-9, 41), Fraction(-1, 20)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(-4, 5), Fraction(-3, 5), Fraction(7, 2)),
)
"""sin and cos of an angle that is free, and the value of another unknown that is, where they occur in the
equations."""


class NotAlgebraicError(ExhaustedError):
    """The equations are no polynomials in the unknowns and in sines and cosines of them."""


@dataclass(frozen=True)
class Value:
    """A number: in doubles, as an exact expression if it has a plain one, and as one of a common number field
    if it or another of its solution has none: so that whatever is formed of them is decided.
    """

    double: float
    exact: Expr | None
    implicit: Expr | None = None

    @property
    def place(self) -> Expr | None:
        """What stands for it in exact algebra."""
        return self.exact if self.implicit is None else self.implicit


@dataclass(frozen=True)
class Solutions:
    """The solutions by unknown; `free` unknowns are bounded by no equation, of these `sliced` do occur in the
    equations and were set to one value.
    """

    found: list[dict[Name, Value]]
    free: tuple[Name, ...]
    sliced: tuple[Name, ...]
    equations: tuple[Element, ...] = ()


def real_solutions(field: Field, equations: Sequence[Element], unknowns: Sequence[Name]) -> list[Solutions]:
    """All real solutions of equations whose only symbols are the unknowns.

    One entry if they are isolated, else one for each way in which factors of the equations vanish.
    """
    branches = _branches(field, [e for e in equations if not e.is_zero], unknowns, MOST_BRANCHES)
    families = [b for b in branches if b.free]
    kept: list[Solutions] = []
    for b in branches:
        others = [f for f in families if f is not b and len(f.free) > len(b.free)]
        found = [z for z in b.found if not any(_lies_on(z, f, unknowns) for f in others)]
        found = [z for z in found if not any(_same(z, y) for k in kept if k.free == b.free for y in k.found)]
        if found or b.sliced:
            kept.append(Solutions(found, b.free, b.sliced, b.equations))
    return kept


def have_kinks(field: Field, equations: Sequence[Element], unknowns: Sequence[Name]) -> bool:
    """Whether signs occur, or roots like √(x² + y²) that come to a point: there nothing is said."""
    used = {k for e in equations for p in (e.numerator, e.denominator) for k in field.tower.used(p)}
    if any(field.generators[k].kind == "sign" for k in used):
        return True
    radicands = [field.generators[k].args[0] for k in sorted(used) if field.generators[k].kind == "root"]
    return any(_comes_to_a_point(e, equations, unknowns) for e in radicands if e.symbols & set(unknowns))


def _comes_to_a_point(radicand: Element, equations: Sequence[Element], unknowns: Sequence[Name]) -> bool:
    """Whether a radicand vanishes with its derivatives somewhere, and the equations have no pole there."""
    inside = [u for u in unknowns if u in radicand.symbols]
    points = ask(lambda: real_solutions(radicand.field, [radicand, *map(radicand.diff, inside)], inside))
    if isinstance(points, GivenUp):
        return True
    symbols = {s for e in equations for s in e.symbols}
    for point in (z for b in points for z in b.found):
        sizes = []
        for distance in (1e-4, 1e-8):
            at = {s: arb(0.3 + 0.1 * i) for i, s in enumerate(sorted(symbols))}
            at |= {u: arb(x.double + distance * (0.6 + 0.3 * i)) for i, (u, x) in enumerate(point.items())}
            values = [abs(float(e.evaluate({s: at[s] for s in e.symbols}, 128).mid())) for e in equations]
            sizes.append(max(values))
        if not sizes[1] > POLE * sizes[0]:
            return True
    return any(b.sliced and not b.found for b in points)


def _same(a: Mapping[Name, Value], b: Mapping[Name, Value]) -> bool:
    return a.keys() == b.keys() and all(abs(a[k].double - b[k].double) < 1e-9 for k in a)


def _lies_on(point: Mapping[Name, Value], family: Solutions, unknowns: Sequence[Name]) -> bool:
    """Whether a solution satisfies the equations of a family of more dimensions."""
    at = {u: arb(point[u].double) if u in point else arb(0) for u in unknowns}
    for e in family.equations:
        values = {u: at[u] for u in e.symbols}
        if not abs(float(e.evaluate(values, 64).mid())) < 1e-9:
            return False
    return True


def _branches(
    field: Field, equations: list[Element], unknowns: Sequence[Name], budget: int
) -> list[Solutions]:
    if any(not e.symbols for e in equations):  # a number that is not zero
        return []
    equations = [math.prod(once(e), start=field.one) for e in equations]
    occurring = {s for e in equations for s in e.symbols}
    free = [u for u in unknowns if u not in occurring]
    problem = _Problem(field, equations, [u for u in unknowns if u in occurring])
    sliced: list[Name] = []
    while True:
        try:
            found = problem.solutions(sliced)
            break
        except InfinitelyManyError as error:
            parts = None if sliced else _factored(equations)
            if parts is not None and len(parts) <= budget:
                return [b for p in parts for b in _branches(field, p, unknowns, budget // len(parts))]
            more = problem.unbounded(error.free, sliced)
            if more is None:
                raise NotAlgebraicError("solutions that are not isolated") from None
            sliced.append(more)
    kept = found or sliced  # a slice that is empty says nothing about the others
    return [Solutions(found, (*free, *sliced), tuple(sliced), tuple(equations))] if kept else []


def _factored(equations: list[Element]) -> list[list[Element]] | None:
    """The equations with one of them replaced by each of its factors; None if none has several."""
    for i, e in enumerate(equations):
        parts = once(e)
        if len(parts) > 1:
            return [[*equations[:i], *equations[i + 1 :], f] for f in parts]
    return None


def once(e: Element) -> list[Element]:
    """The factors one of which vanishes where e does, each once, over what e is divided by.

    >>> x, y = (field := Field()).symbols("x y")
    >>> first, second = once((x - y) ** 3 * x**2 / y)  # signs may be exchanged
    >>> [(first**2 - (x / y) ** 2).is_zero, (second**2 - ((x - y) / y) ** 2).is_zero]
    [True, True]
    """
    below = e.field.polynomial(e.denominator)
    return [f / below for f, _ in factors(e.field, e.numerator)[1] if f.symbols] or [e]


class _Problem:
    """The ideal of some equations, with the generators of a field as unknowns."""

    def __init__(self, field: Field, equations: Sequence[Element], unknowns: Sequence[Name]) -> None:
        self.field, self.unknowns = field, unknowns
        nowhere = [p for e in equations if not (p := e.denominator).is_constant()]
        members = [e.numerator for e in equations]
        pending = {k for p in (*members, *nowhere) for k in field.tower.used(p)}
        partners = [field.generators[k].partner for k in pending if field.generators[k].kind == "sin"]
        circle = [field.tower.relations[k][1] for k in partners if k in field.tower.relations]
        members, used = with_relations(field, members, [*nowhere, *circle])
        members += [r for r in circle if r not in members]
        self.gens = sorted(used)
        self.members, self.nowhere = members, nowhere
        self.angles: dict[Name, tuple[int, int, Fraction]] = {}
        self.plain: dict[Name, int] = {}
        self.logarithms: dict[Name, tuple[int, Fraction]] = {}
        for k in self.gens:
            self._sort(k)
        if set(self.angles) & (set(self.plain) | set(self.logarithms)):
            raise NotAlgebraicError("an angle that occurs outside of sines and cosines, too")
        if set(self.logarithms) & set(self.plain):
            raise NotAlgebraicError("the function exp")
        if len(self.gens) + len(nowhere) > MOST_UNKNOWNS:
            raise BudgetError(f"more than {MOST_UNKNOWNS} unknowns")
        names = [f"z{i}" for i in range(len(nowhere))] + [f"g{k}" for k in self.gens]
        self.ring = fmpz_mpoly_ctx.get(names, Ordering.degrevlex)
        self.place = {k: len(nowhere) + i for i, k in enumerate(self.gens)}

    def _sort(self, k: int) -> None:
        g = self.field.generators[k]
        if g.kind == "symbol":
            if g.name not in self.unknowns:
                raise NotAlgebraicError(f"the symbol {g.name}")
            self.plain[g.name] = k  # type: ignore[index]
        elif g.kind in ("sin", "cos"):
            name, rate = self._multiple(k)
            sine, cosine = (k, g.partner) if g.kind == "sin" else (g.partner, k)
            if self.angles.get(name, (sine, cosine, rate)) != (sine, cosine, rate):
                raise NotAlgebraicError("several multiples of an angle")
            self.angles[name] = (sine, cosine, rate)
        elif g.kind == "exp":
            name, rate = self._multiple(k)
            if name in self.logarithms:
                raise NotAlgebraicError("several exponentials of an unknown")
            self.logarithms[name] = (k, rate)
        elif g.kind not in ("root", "sign"):
            raise NotAlgebraicError(f"the function {g.kind}")

    def _multiple(self, k: int) -> tuple[Name, Fraction]:
        """The unknown of which the argument of a function is a rational multiple."""
        g = self.field.generators[k]
        names = list(g.args[0].symbols)
        rate = g.args[0].diff(names[0]).as_fraction() if len(names) == 1 else None
        if rate is None or not (g.args[0] - rate * self.field.symbol(*names[0])).is_zero:
            raise NotAlgebraicError(f"{g.kind} of {g.args[0]}")
        return names[0], rate

    def solutions(self, sliced: Sequence[Name]) -> list[dict[Name, Value]]:
        """The real solutions, with the free unknowns at the first value at which there are any."""
        found: list[dict[Name, Value]] = []
        for at in SLICES if sliced else SLICES[:1]:
            found = [v for z in self.zeros(sliced, *at) if (v := self.values(z)) is not None]
            if found:
                break
        return found

    def zeros(
        self, sliced: Sequence[Name], sine: Fraction, cosine: Fraction, plain: Fraction
    ) -> list[list[Coordinate]]:
        """The zeros, the first unknowns of the ring being inverses of denominators."""
        ring = self.ring
        gens = ring.gens()
        basis = [to_ring(self.field, p, self.place, ring) for p in self.members]
        basis += [gens[i] * to_ring(self.field, p, self.place, ring) - 1 for i, p in enumerate(self.nowhere)]
        for name in sliced:
            if name in self.angles:
                s, c, _ = self.angles[name]
                for k, x in zip((s, c), (sine, cosine), strict=True):
                    basis.append(gens[self.place[k]] * x.denominator - x.numerator)
            else:
                k = self.logarithms[name][0] if name in self.logarithms else self.plain[name]
                basis.append(gens[self.place[k]] * plain.denominator - plain.numerator)
        return real_zeros(ring, basis)

    def unbounded(self, free: Sequence[int], sliced: Sequence[Name]) -> Name | None:
        """An unknown that no leading monomial bounds, the last one first: it is set to a value next."""
        back = {self.place[k]: k for k in self.gens}
        numbers = {back[i] for i in free if i in back}
        for name in reversed(self.unknowns):
            if name in sliced:
                continue
            own = {self.plain.get(name), *self.angles.get(name, ())[:2], *self.logarithms.get(name, ())[:1]}
            if numbers & own:
                return name
        return None

    def values(self, zero: list[Coordinate]) -> dict[Name, Value] | None:
        """The unknowns at a zero; None where a square root or an exponential would be negative, or a sign
        not that of its argument.
        """
        at = {k: zero[self.place[k]] for k in self.gens}
        for k in self.gens:
            if self.field.generators[k].kind == "root" and at[k].value < 0:
                return None
        found: dict[Name, Value] = {}
        for name, k in self.plain.items():
            exact = _exact(at[k])
            found[name] = Value(0.0 if exact is ZERO else float(at[k].value.mid()), exact)
        for name, (s, c, rate) in self.angles.items():
            found[name] = _angle(at[s], at[c], rate)
        for name, (k, rate) in self.logarithms.items():
            if not at[k].value > 0:
                return None
            found[name] = _logarithm(at[k], rate)
        if not self._confirmed(found, at):
            return None
        return found if all(x.exact is not None for x in found.values()) else self._in_one_field(found, at)

    def _in_one_field(self, found: Mapping[Name, Value], at: Mapping[int, Coordinate]) -> dict[Name, Value]:
        """The same values, with those that are not rational as elements of the field of the solution."""
        of: dict[Name, Expr] = {name: _number(at[k]) for name, k in self.plain.items()}
        for name, (s, c, rate) in self.angles.items():
            of[name] = div(call("atan2", _number(at[s]), _number(at[c])), number(rate))
            if at[s].polynomial.degree() == at[c].polynomial.degree() == 1:
                of[name] = found[name].exact or of[name]
        for name, (k, rate) in self.logarithms.items():
            of[name] = div(call("log", _number(at[k])), number(rate))
        return {name: replace(x, implicit=of[name]) for name, x in found.items()}

    def _confirmed(self, found: Mapping[Name, Value], at: Mapping[int, Coordinate]) -> bool:
        """Whether the signs are those of their arguments."""
        values = {k: arb(x.double) for k, x in found.items()}
        for k in self.gens:
            g = self.field.generators[k]
            if g.kind != "sign":
                continue
            if not values.keys() >= g.args[0].symbols:
                raise NotAlgebraicError(f"a condition on the sign of {g.args[0]} alone")
            value = float(g.args[0].evaluate({u: values[u] for u in g.args[0].symbols}, 64).mid())
            if not value * float(at[k].value.mid()) > 1e-12:
                return False
        return True


def _exact(x: Coordinate) -> Expr | None:
    """A rational number or a quadratic irrationality as an expression, if it is not too long."""
    return answer(ask(_by_radicals, x))


def _by_radicals(x: Coordinate) -> Expr | None:
    p = x.polynomial
    if p.degree() == 1:
        value = -p[0] / p[1]
        return number(Fraction(int(value.p), int(value.q)))
    if p.degree() == 2:
        a, b, c = (Fraction(int(p[i].p), int(p[i].q)) for i in (2, 1, 0))
        root = call("sqrt", number((b * b - 4 * a * c) / (4 * a * a)))
        middle = -b / (2 * a)
        with ctx.workprec(BITS):
            upper = x.value > arb(middle.numerator) / middle.denominator
        part = root if upper else neg(root)
        return part if middle == 0 else add(number(middle), part)
    return None


def _number(x: Coordinate) -> Expr:
    """An algebraic number as a constant, a rational one as such."""
    return (_exact(x) if x.polynomial.degree() == 1 else None) or constant(x.number)


def _angle(sine: Coordinate, cosine: Coordinate, rate: Fraction) -> Value:
    """The angle with this sine and cosine, between −π and π (times 1/rate)."""
    double = math.atan2(float(sine.value.mid()), float(cosine.value.mid()))
    exact: Expr | None = None
    twelfths = round(double * 12 / math.pi)
    if abs(double - twelfths * math.pi / 12) < 1e-12 and _known(twelfths, sine, cosine):
        exact = _of_pi(Fraction(twelfths, 12))
    else:
        c, s = _exact(cosine), _exact(sine)
        if c is not None and (s is None or s.op != "number"):
            arc = call("acos", c)
            exact = arc if sine.value > 0 else neg(arc)
        elif s is not None:
            arc = call("asin", s)
            exact = arc if cosine.value > 0 else sub(PI if sine.value > 0 else neg(PI), arc)
    factor = 1 / rate
    if exact is not None and factor != 1:
        exact = mul(number(factor), exact)
    return Value(double * float(factor), exact)


def _logarithm(power: Coordinate, rate: Fraction) -> Value:
    """The unknown whose multiple by the rate has this exponential."""
    exact = _exact(power)
    if exact is not None:
        exact = number(0) if exact is number(1) else call("log", exact)
        exact = exact if rate == 1 or exact is number(0) else div(exact, number(rate))
    return Value(math.log(float(power.value.mid())) / float(rate), exact)


def _of_pi(part: Fraction) -> Expr:
    """A multiple of π."""
    if not part:
        return number(0)
    size = PI if abs(part.numerator) == 1 else mul(number(abs(part.numerator)), PI)
    size = size if part.denominator == 1 else div(size, number(part.denominator))
    return size if part > 0 else neg(size)


def _known(twelfths: int, sine: Coordinate, cosine: Coordinate) -> bool:
    """Whether sine and cosine are those of so many twelfths of π: squares 0, 1/4, 1/2, 3/4 or 1."""
    fold = abs(twelfths) % 12
    wanted = {0: 0, 2: 1, 3: 2, 4: 3, 6: 4}.get(min(fold, 12 - fold))
    if wanted is None:
        return False
    return _has_square(sine, Fraction(wanted, 4)) and _has_square(cosine, Fraction(4 - wanted, 4))


def _has_square(x: Coordinate, square: Fraction) -> bool:
    """Whether the square of an algebraic number is this one: then its polynomial divides X² − square."""
    return bool((fmpq_poly([_q(-square), 0, 1]) % x.polynomial).is_zero())


def _q(x: Fraction) -> Any:
    from flint import fmpq

    return fmpq(x.numerator, x.denominator)
