"""Values that follow the parameters: from a solution for the model's values to one for all of them.

With all other unknowns at numbers that do not depend on the parameters, an equation in one unknown is
factored; a factor α cos θ + β, α sin θ + β, α x + β or α x² + β gives it in closed form. What is found is
put into all equations, which must vanish identically, and must have the right value for the model's
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.radicals import factors
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import PI, Expr, call, neg, number, sub

Name = tuple[str, int]


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
    return None


def _near(candidate: Expr, value: float, parameters: Mapping[Any, float]) -> bool:
    try:
        return abs(float(evaluate([candidate], dict(parameters))[0]) - value) < 1e-9
    except (ModelError, ArithmeticError, ValueError, KeyError):
        return False


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


def _of_cosine(u: Expr) -> list[Expr]:
    return [call("acos", u), neg(call("acos", u))]


def _of_sine(u: Expr) -> list[Expr]:
    arc = call("asin", u)
    return [arc, sub(PI, arc), sub(neg(PI), arc)]


def _of_square(u: Expr) -> list[Expr]:
    if u is number(0):
        return [u]
    return [call("sqrt", u), neg(call("sqrt", u))]
