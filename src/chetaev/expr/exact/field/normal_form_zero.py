"""Is a function in normal form zero? Yes with a proof, no with a reason or a witness, or not known.

The normal form 0 proves zero. A normal form other than 0 proves that a function is *not* zero only where
every generator in it is a symbol, a sine, a cosine or an exponential (Ax's theorem, see
:mod:`chetaev.expr.exact.field.field`). With roots, logarithms, inverse functions, signs or constants such as
π the same function can have several forms; then

- a point at which a ball excludes 0 shows that the function is not zero (the witness), and
- the same function written by few functions, in a field that has seen nothing else, may show that it is:

    asinh u = log(u + √(u² + 1)),   acosh u = log(u + √(u² − 1)),   atanh u = ½ log((1 + u)/(1 − u)),
    asin u = atan(u/√(1 − u²)),     acos u = π/2 − asin u.

>>> from chetaev.expr.exact import Field
>>> from chetaev.expr.graph.node import call, symbol
>>> field, x = Field(), symbol("x")
>>> field(call("asinh", x) - call("log", x + call("sqrt", x**2 + 1))).is_zero
True
>>> field(call("asin", call("sin", x)) - x).is_zero  # false beyond π/2, and a point shows it
False
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.differentiation import closure
from chetaev.expr.graph.node import Expr, ImplicitNumber, call, constant, make, number, postorder

if TYPE_CHECKING:
    from chetaev.expr.exact.field.element import Element

DECIDED = frozenset({"symbol", "sin", "cos", "exp", "algebraic"})
"""Functions on which the normal form decides; one algebraic number, of which all others are polynomials."""

SCALES = (3, 1, -3, 30, -30)
PRECISIONS = (64, 64, 64, 256, 1024)
MOST_NODES = 4_000
"""Larger expressions are not written anew."""
EFFORT = 500_000
"""For each new form; the answer does not depend on what else the question may cost."""


def is_decided(element: Element) -> bool:
    """Whether a normal form other than 0 proves that the function is not zero."""
    field = element.field
    used = (*field.tower.used(element.numerator), *field.tower.used(element.denominator))
    kinds = [field.generators[k].kind for k in closure(field, used)]
    return all(kind in DECIDED for kind in kinds) and kinds.count("algebraic") < 2


def witness(element: Element) -> dict[tuple[str, int], Fraction] | None:
    """A point where the element is certainly not zero; None if none was found among a fixed number.

    >>> from chetaev.expr.exact import Field
    >>> field = Field()
    >>> (x,) = field.symbols("x")
    >>> witness(field.sqrt(x**2) - x)[("x", 0)] < 0
    True
    """
    for point, bits in _points(sorted(element.symbols)):
        value = element.evaluate(point, bits)
        if value.is_finite() and not value.contains(0):
            return point
    return None


def _points(names: list[tuple[str, int]]) -> Iterator[tuple[dict[tuple[str, int], Fraction], int]]:
    """The same points for the same names: small and large, positive and of both signs."""
    for attempt, bits in enumerate(PRECISIONS):
        for scale in SCALES:
            draw = random.Random(f"{attempt} {scale} {len(names)}")
            point = {}
            for n in names:
                value = Fraction(draw.randint(1, 997), 998) * abs(scale)
                point[n] = value if scale > 0 else value * draw.choice((-1, 1))
            yield point, bits


def is_zero(element: Element) -> bool | None:
    """True if proved, False if the normal form decides or a point shows it, else None."""
    if element.numerator.is_zero():
        return True
    if is_decided(element) or witness(element) is not None:
        return False
    if any(isinstance(g.name, ImplicitNumber) for g in element.field.generators):
        return None
    return True if _shown_anew(element) else None


class Question(Protocol):
    """What may be zero or not: an element, a form, a field, a tensor, a verdict."""

    @property
    def is_zero(self) -> bool | None:
        """True, False or None."""


def negated(answer: bool | None) -> bool | None:
    """The opposite answer; what is not known stays so."""
    return None if answer is None else not answer


def all_zero(things: Iterable[Question]) -> bool | None:
    """Whether all are zero: False as soon as one certainly is not, None if that stays open."""
    answer: bool | None = True
    for thing in things:
        found = thing.is_zero
        if found is False:
            return False
        answer = None if found is None else answer
    return answer


def _shown_anew(element: Element) -> bool:
    from chetaev.expr.exact.field.field import Field

    expression = element.to_expr()
    if sum(1 for _ in postorder(expression)) > MOST_NODES:
        return False
    for form in (expression, in_few_functions(expression)):
        fresh = Field(Budget(EFFORT, terms=3_000, products=300_000))
        found = ask(fresh, form)
        element.field.tower.budget.count(fresh.tower.budget.spent)
        if not isinstance(found, GivenUp) and found.numerator.is_zero():
            return True
    return False


def in_few_functions(root: Expr) -> Expr:
    """The expression with inverse hyperbolic functions as logarithms and inverse sines as arctangents.

    >>> from chetaev.expr.graph.node import symbol
    >>> print(in_few_functions(call("atanh", symbol("x"))))
    log((1 + x)/(1 - x))/2
    """
    new: dict[int, Expr] = {}
    for node in postorder(root):
        args = [new[id(a)] for a in node.args]
        new[id(node)] = _rewritten(node, args)
    return new[id(root)]


def _rewritten(node: Expr, args: list[Expr]) -> Expr:
    match node.op:
        case "asinh":
            return call("log", args[0] + call("sqrt", args[0] ** 2 + 1))
        case "acosh":
            return call("log", args[0] + call("sqrt", args[0] ** 2 - 1))
        case "atanh":
            return call("log", (1 + args[0]) / (1 - args[0])) / number(2)
        case "asin":
            return call("atan", args[0] / call("sqrt", 1 - args[0] ** 2))
        case "acos":
            return constant("pi") / 2 - call("atan", args[0] / call("sqrt", 1 - args[0] ** 2))
        case "define":
            return args[0]
        case _:
            return make(node.op, args, node.value)
