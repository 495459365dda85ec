"""A function on Q written through invariants, G = P(σ): at points modulo a prime, then exact (SCOPE B11).

Letters of the reduced space are the invariants σ, time if the rates contain it, and those functions in the
rates whose arguments are functions of the invariants (sin θ, √r², …). With monomials b_i in
the letters that are independent on Q,

    Σ_k d_k b_k(σ) G = Σ_i n_i b_i(σ)

is a linear condition on (n, d). The solution with the fewest factors in the denominator gives P = N/D; that
it holds is then proved, not concluded from points.

>>> import chetaev as ch
>>> from chetaev.expr.language.parser import parse
>>> from chetaev.laws.search.motion_modulo_prime import Motion
>>> from chetaev.reduction.given_invariants import read_invariants
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - (x^2 + y^2)/2")
>>> sigma = read_invariants(plane, {"a": "x^2 + y^2", "b": "x*x' + y*y'", "c": "x'^2 + y'^2"})
>>> motion = Motion(plane)
>>> l2 = parse("(x*y' - y*x')^2", plane.scope)
>>> str(tidy(expressed(motion, letters(motion, sigma), l2)))
'a*c - b^2'

A function that does not depend on some coordinates, written without them (SCOPE M4).

A normal form need not be unique: what is constant along coordinates may still contain them. It is evaluated
at one place, where that is regular.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, y = field.symbols("x y")
>>> str(at_one_place(x * y / y, ["y"]))
'x'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.effort import cost
from chetaev.expr.graph.node import (
    ONE,
    Expr,
    add,
    call,
    constant,
    div,
    make,
    mul,
    neg,
    number,
    postorder,
    power,
    substitute,
    symbol,
    symbols,
)
from chetaev.laws.search.function_space import Atom, Monomial, Space, longer
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import SPARE, exact, independent, of_table
from chetaev.laws.search.primes import SHORT_PRIME
from chetaev.reduction.closure import is_function_of
from chetaev.reduction.given_invariants import Invariant

LIMIT = 800
"""Monomials of an ansatz."""
MOST_WEIGHT = 8
"""Factors of a monomial."""
MOST_BELOW = 3
"""Factors of a monomial in the denominator."""
TURNS = ("sin", "cos", "tan")
HYPERBOLIC = ("sinh", "cosh", "tanh")
OTHERS = ("exp", "sqrt", "log", "atan", "asin", "acos")
TIDY = 400_000
"""What the normal form of a result may cost."""


@dataclass(frozen=True)
class Letter:
    """A function of the invariants: on Q, and as it is written on the reduced space."""

    atom: Atom
    shown: Expr


def letters(
    motion: Motion, invariants: Sequence[Invariant], rates: Sequence[Expr] = (), with_time: bool = False
) -> list[Letter]:
    """What rates may be made of: invariants, time, and the functions of them that occur in the rates."""
    found = [Letter(Atom(motion.function(s.function), kind="given"), s.letter) for s in invariants]
    if with_time:
        clock = Atom(motion.field.variable(motion.time), kind="time")
        found.append(Letter(clock, symbol(motion.system.time)))
    plain, seen = list(found), set[Expr]()
    for function, argument in _functions(motion, rates):
        if function in seen:
            continue
        seen.add(function)
        if is_function_of(motion, invariants, argument):
            inner = answer(ask(expressed, motion, plain, argument))
            if inner is not None:
                new = _letters_of(motion, function, argument, tidy(inner))
                known = {x.atom.function for x in found}
                found += [x for x in new if x.atom.function not in known]
    return found


def _functions(motion: Motion, graphs: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Functions of the state in graphs, by one representative each, with their arguments."""
    moving = {motion.system.time, *motion.system.coordinates}
    for node in postorder(*graphs):
        if node.op in TURNS:
            node = call("sin", node.args[0])
        elif node.op in HYPERBOLIC:
            node = call("sinh", node.args[0])
        elif node.op == "pow" and node.args[1].op == "number" and node.args[1].value.denominator > 1:
            node = power(node.args[0], number(Fraction(1, node.args[1].value.denominator)))
        elif node.op not in OTHERS:
            continue
        if any(n in moving for n, _ in symbols(node)):
            yield node, node.args[0]


def _letters_of(motion: Motion, function: Expr, argument: Expr, inner: Expr) -> list[Letter]:
    """A function that occurs, with those that occur in its derivatives."""

    def letter(f: Expr, g: Expr, most: int = 99, family: int = 0) -> Letter:
        return Letter(Atom(motion.function(f), most, family), g)

    if function.op == "sin":
        return [
            letter(function, call("sin", inner)),
            letter(call("cos", argument), call("cos", inner), most=1),
        ]
    if function.op == "sinh":
        return [
            letter(call("exp", f), call("exp", g))
            for f, g in ((argument, inner), (neg(argument), neg(inner)))
        ]
    if function.op == "pow":
        root = function.args[1].value.denominator
        return [letter(function, power(inner, function.args[1]), most=root - 1)]
    if function.op == "sqrt":
        return [letter(function, call("sqrt", inner), most=1)]
    return [letter(function, make(function.op, [inner]))]


def ansatz(alphabet: Sequence[Letter], most: int = MOST_WEIGHT) -> Iterator[list[Monomial]]:
    """Monomials up to a weight, the weight raised while there are not too many."""
    atoms = [x.atom for x in alphabet]
    members: list[Monomial] = [()]
    new = members
    for _ in range(most):
        new = longer(atoms, new)
        if not new or len(members) + len(new) > LIMIT:
            return
        members = members + new
        yield members


def expressed(
    motion: Motion, alphabet: Sequence[Letter], function: Expr, effort: int = 10_000_000
) -> Expr | None:
    """P with function = P(σ) on Q, proposed, not proved; None if none was found in the space."""
    target = motion.function(function)
    if target.is_blank:
        return number(0)
    budget = Budget(effort)
    for members in ansatz(alphabet):
        space = Space.of(motion, [x.atom for x in alphabet], members)
        found = _quotient(motion, space, target, budget)
        if found is not None:
            above, below = found
            return div(written(space, alphabet, above), written(space, alphabet, below))
    return None


def renamed(motion: Motion, invariants: Sequence[Invariant], function: Expr) -> Expr | None:
    """The function in other letters, if it contains no coordinate and no velocity that is not one of them."""
    found = {s.function: s.letter for s in invariants if s.function.op == "symbol"}
    moving = {symbol(n, k) for n, k in symbols(function) if n in motion.system.coordinates}
    return substitute([function], found)[0] if moving <= set(found) else None


def sampled(
    motion: Motion, space: Space, extra: int, budget: Budget
) -> tuple[list[PointOnQ], list[list[int]], list[int]]:
    """Points, the values of all members there, and the members that are independent on Q."""
    points = motion.points(motion.primes(1, SHORT_PRIME)[0])
    sample: list[PointOnQ] = []
    while len(sample) < len(space) + extra + SPARE:
        before = points.spent
        sample.append(points.draw())
        budget.spend(points.spent - before + len(space))
    budget.spend(cost.elimination(len(sample), len(space)))
    values = space.tables(sample)[0].tolist()
    return sample, values, independent(values, len(space), points.p)


Terms = dict[int, Element]


def _quotient(motion: Motion, space: Space, target: Element, budget: Budget) -> tuple[Terms, Terms] | None:
    """Numerator and denominator by member of the space."""
    weight = [sum(e for _, e in m) for m in space.members]
    most = min(MOST_BELOW, max(weight))
    sample, values, chosen = sampled(motion, space, sum(w <= most for w in weight), budget)
    below = [i for i in chosen if weight[i] <= most]
    p, count = sample[0].residues.p, len(chosen)
    here = [point.value(target) for point in sample]
    table = [
        [*(row[i] for i in chosen), *(g * row[i] % p for i in below)]
        for g, row in zip(here, values, strict=True)
    ]
    found = of_table(table, count + len(below), p, budget)
    vector = next((v for j, v in zip(found.free, found.vectors, strict=True) if j >= count), None)
    if vector is None:
        return None

    def rows(point: PointOnQ) -> list[list[int]]:
        b, g = space.values(point), point.value(target)
        return [[*(b[i] for i in chosen), *(g * b[i] % point.residues.p for i in below)]]

    solved = exact(motion, rows, vector, budget=budget)
    if solved is None:
        return None
    above = {chosen[j]: -c for j, c in solved.items() if j < count}
    return above, {below[j - count]: c for j, c in solved.items() if j >= count}


def written(space: Space, alphabet: Sequence[Letter], terms: Terms) -> Expr:
    """Σ c_i b_i in the letters of the reduced space."""
    parts = []
    for i, c in terms.items():
        factors = [c.to_expr()]
        for atom, exponent in space.members[i]:
            shown = alphabet[atom].shown
            factors.append(shown if exponent == 1 else power(shown, number(exponent)))
        parts.append(mul(*(f for f in factors if f is not ONE)) if len(factors) > 1 else factors[0])
    return add(*parts) if parts else number(0)


def cut_text(e: Expr, longest: int) -> str:
    """A function as text; of a long one the beginning, and how long it is."""
    text = str(e)
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text)} characters)"


def tidy(e: Expr, order: Sequence[Expr] = ()) -> Expr:
    """The function in lower terms, its denominators cancelled, its symbols in an order."""
    field = Field(Budget(TIDY))
    for one in order:
        field.base(one)

    def forms() -> tuple[Expr, Expr]:
        found = field(e)
        return found.to_expr(), neg((-found).to_expr())

    return min(answer(ask(forms)) or (e,), key=lambda x: len(str(x)))


PLACES = (number(0), div(constant("pi"), number(2)), call("atan", div(number(3), number(4))))
"""Angles whose sines and cosines are rational; 0 is singular for some charts of rotations."""


def at_one_place(e: Element, names: Sequence[str]) -> Element:
    """The function at one value of the coordinates, which it is known not to depend on."""
    used = [(c, 0) for c in names if (c, 0) in e.symbols]
    if not used:
        return e
    for place in PLACES:
        there = ask(e.subs, dict.fromkeys(used, place))
        if not isinstance(there, GivenUp):
            return there
    return e
