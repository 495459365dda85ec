"""Values that follow the parameters: from a solution for the model's values to one for all of them.

An equation in one unknown is factored; a factor of the first or second degree in x, in cos θ or in sin θ
gives it in closed form, first with all other unknowns at numbers that do not depend on the parameters. Else
one unknown after the other is eliminated: a factor that vanishes at the solution and is of the first degree
in an unknown gives it by the others, and what is left is solved as above. What is found is put into all
equations, which must vanish identically, and must have the right value for the model's parameters.

>>> field = Field()
>>> x, y, z, r = field.symbols("x y z r")  # the steady states of Lorenz
>>> rows = [y - x, x * (r - z) - y, x * y - 2 * z]
>>> at = {("x", 0): 2.0, ("y", 0): 2.0, ("z", 0): 2.0}
>>> {n: str(e) for (n, _), e in followed(field, rows, {}, at, {"r": 3.0}).items()}
{'x': 'sqrt(2)*sqrt(r - 1)', 'y': 'sqrt(2*(r - 1))', 'z': 'r - 1'}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from flint import arb, arb_mat

from chetaev.expr.exact import Element, Field, answer, ask
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import PI, Expr, add, call, neg, number, sub

Name = tuple[str, int]
ROUNDED = 1e-12
"""Relative error of the doubles of a solution."""


def followed(
    field: Field, equations: Sequence[Element], exact: Mapping[Name, Expr], doubles: Mapping[Name, float],
    parameters: Mapping[Any, float],
) -> dict[Name, Expr] | None:  # fmt: skip
    """The solution as functions of the parameters, or None where it cannot be followed."""
    if _vanish(field, equations, exact):
        return dict(exact)
    for name in doubles:
        known = {k: e for k, e in exact.items() if k != name}
        if set(known) | {name} != set(doubles):
            continue
        rest = [e.subs({k: field(x) for k, x in known.items()}) for e in equations]
        for e in rest:
            if e.is_zero:
                continue
            for candidate in _candidates(field, e, name):
                near = _near(candidate, doubles[name], parameters)
                if near and _vanish(field, equations, {**known, name: candidate}):
                    return {**known, name: candidate}
            break
    return _eliminated(field, equations, doubles, parameters)


def continues(
    equations: Sequence[Element], solution: Mapping[Name, float], family: Mapping[Name, float]
) -> bool:
    """Whether the solution is one of a family over all values near those given: implicit function theorem.

    >>> field = Field()
    >>> x, p = field.symbols("x p")
    >>> [continues([e], {("x", 0): 1.0}, {("p", 0): 1.0}) for e in (x**3 - p, (x - 1) ** 2 + p - 1)]
    [True, False]
    """
    rows = [e for e in equations if not e.is_zero]
    if len(rows) > len(solution):
        return False
    at = {k: arb(x, ROUNDED * max(1.0, abs(x))) for k, x in {**solution, **family}.items()}
    slopes = answer(ask(lambda: [[e.diff(k).evaluate(at, 64) for k in solution] for e in rows]))
    if slopes is None:
        return False
    return any(
        not arb_mat([[row[j] for j in columns] for row in slopes]).det().contains(0)
        for columns in combinations(range(len(solution)), len(rows))
    )


def _eliminated(
    field: Field, equations: Sequence[Element], doubles: Mapping[Name, float], parameters: Mapping[Any, float]
) -> dict[Name, Expr] | None:
    """One unknown after the other; every choice by numbers at the solution, the result proved."""
    at: dict[Any, arb] = {k: arb(x) for k, x in {**parameters, **doubles}.items()}
    rows, left = [e for e in equations if not e.is_zero], list(doubles)
    solved: dict[Name, Element] = {}
    closed: dict[Name, Expr] = {}
    while left:
        step = _step(field, rows, left, doubles, parameters, at)
        if step is None:
            return None
        name, given = step
        value = field(given)
        if isinstance(given, Expr):
            closed[name] = given
        left.remove(name)
        rows = [e for e in (row.subs({name: value}) for row in rows) if not e.is_zero]
        solved = {k: e.subs({name: value}) for k, e in solved.items()} | {name: value}
    found = {k: closed[k] if k in closed else solved[k].to_expr() for k in doubles}
    near = all(_near(found[k], x, parameters) for k, x in doubles.items())
    return found if near and _vanish(field, equations, found) else None


def _step(
    field: Field, rows: Sequence[Element], left: Sequence[Name], doubles: Mapping[Name, float],
    parameters: Mapping[Any, float], at: Mapping[Any, arb],
) -> tuple[Name, Element | Expr] | None:  # fmt: skip
    """An unknown and its value, by the other unknowns or in closed form, the simplest equation first."""
    parts = [f for e in rows for f, _ in factors(field, e.numerator)[1] if f.symbols & set(left)]
    parts = [f for f in parts if _small(f, at)]
    parts.sort(key=lambda f: (len(f.symbols & set(left)), len(f.numerator)))
    for f in parts:
        among = [n for n in left if n in f.symbols]
        for name in among:
            slope = f.diff(name)
            if name in slope.symbols or _small(slope, at):
                continue
            value = -f.subs({name: field.zero}) / slope
            if name not in value.symbols:
                return name, value
        if len(among) > 1:
            continue
        for candidate in _candidates(field, f, among[0]):
            if _near(candidate, doubles[among[0]], parameters):
                return among[0], candidate
    return None


def _small(e: Element, at: Mapping[Any, arb]) -> bool:
    """Whether a function vanishes at the solution, as far as doubles tell."""
    values = {k: at[n] for k in e.symbols for n in (k, k[0]) if n in at}
    if len(values) < len(e.symbols):
        return False
    return bool(abs(e.evaluate(values, 64).mid()) < 1e-9)


def _near(candidate: Expr, value: float, parameters: Mapping[Any, float]) -> bool:
    return abs(float(evaluate([candidate], dict(parameters))[0]) - value) < 1e-9


def _vanish(field: Field, equations: Sequence[Element], values: Mapping[Name, Expr]) -> bool:
    at = {k: field(e) for k, e in values.items()}
    return all(e.subs(at).is_zero for e in equations)


def _candidates(field: Field, e: Element, name: Name) -> Iterator[Expr]:
    x = field.symbol(*name)
    zero, half = field.zero, field(PI / 2)
    for f, _ in factors(field, e.numerator)[1]:
        if name not in f.symbols:
            continue
        ends: list[tuple[Element, Element, Element, Callable[[Expr], list[Expr]]]] = []
        at_0, at_half, at_pi = (f.subs({name: y}) for y in (zero, half, half * 2))
        ends.append(((at_0 - at_pi) / 2, (at_0 + at_pi) / 2, field.cos(x), _of_cosine))
        ends.append((at_half - at_0, at_0, field.sin(x), _of_sine))
        ends.append((f.diff(name), at_0, x, lambda u: [u]))
        ends.append((f.diff(name, name) / 2, at_0, x**2, _of_square))
        for alpha, beta, shape, solve in ends:
            if alpha.is_zero is not False or name in alpha.symbols or not (alpha * shape + beta - f).is_zero:
                continue
            yield from solve((-beta / alpha).to_expr())
        at_minus = f.subs({name: -half})
        squares: list[tuple[Element, Element, Element, Element, Callable[[Expr], list[Expr]]]] = [
            ((at_0 + at_pi) / 2 - at_half, (at_0 - at_pi) / 2, at_half, field.cos(x), _of_cosine),
            ((at_half + at_minus) / 2 - at_0, (at_half - at_minus) / 2, at_0, field.sin(x), _of_sine),
            (f.diff(name, name) / 2, f.diff(name).subs({name: zero}), at_0, x, lambda u: [u]),
        ]
        for alpha, beta, gamma, shape, solve in squares:
            if alpha.is_zero is not False or beta.is_zero is not False or name in alpha.symbols:
                continue
            if (alpha * shape**2 + beta * shape + gamma - f).is_zero:
                for u in _of_square(((beta**2 - 4 * alpha * gamma) / (4 * alpha**2)).to_expr()):
                    yield from solve(add((-beta / (2 * alpha)).to_expr(), u))


def _of_cosine(u: Expr) -> list[Expr]:
    return [call("acos", u), neg(call("acos", u))]


def _of_sine(u: Expr) -> list[Expr]:
    arc = call("asin", u)
    return [arc, sub(PI, arc), sub(neg(PI), arc)]


def _of_square(u: Expr) -> list[Expr]:
    if u is number(0):
        return [u]
    return [call("sqrt", u), neg(call("sqrt", u))]
