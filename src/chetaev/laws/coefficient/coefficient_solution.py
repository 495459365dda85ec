"""A solution of the equations of the coefficients, and its proof by substitution.

A solution is c_k = π (a_k f + b_k g), where f, g is a pair of functions with a known differential equation

    f' = n₁₁ f + n₁₂ g,      g' = n₂₁ f + n₂₂ g,      π' = L π,

and a_k, b_k, n, L are elements of a field of functions of s. It is proved by putting it into dc_k/ds =
−Σ_j c_j A_jk: the coefficients of πf and πg must vanish,

    a_k' + L a_k + n₁₁ a_k + n₂₁ b_k + Σ_j a_j A_jk = 0,      b_k' + L b_k + n₁₂ a_k + n₂₂ b_k + Σ_j b_j
    A_jk = 0 .
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flint import arb

from chetaev.expr.exact import Element
from chetaev.expr.graph.node import ZERO, Expr, add, mul, neg, symbol
from chetaev.results import PlainData

Pair = tuple[tuple[Element, Element], tuple[Element, Element]]
Values = Callable[[Callable[[Element], arb]], tuple[arb, arb, arb]]
"""π, f, g at a point: called with what gives the ball of an element there."""


@dataclass(frozen=True)
class Special:
    """u = π f with the pair f, g."""

    name: str
    """Such as ``hypergeometric``."""
    text: str
    """u in words people use."""
    growth: Element
    """L = π'/π."""
    pair: Pair
    """((n₁₁, n₁₂), (n₂₁, n₂₂))."""
    values: Values | None = None
    """π, f and g in balls."""
    where: str = ""
    """Where it is real and regular, in words."""
    closed: Element | None = None
    """u as an elementary function, if it is one."""


@dataclass(frozen=True)
class CoefficientSolution(PlainData):
    """Coefficients c_k(s) that make F = Σ c_k w_k constant.

    Attributes
    ----------
    name
        The kind of functions: ``elementary``, ``hypergeometric``, ``Bessel``.
    function
        u as text.
    coefficients
        c_k by u and du/ds as text; for elementary functions the functions themselves.
    where
        Where the functions are real and regular, in words; empty if everywhere.
    proved
        Whether putting them into the equations gave 0 exactly.
    expression
        F itself, for elementary functions.
    """

    name: str
    function: str
    coefficients: tuple[str, ...]
    where: str
    proved: bool
    expression: Expr | None = None
    terms: tuple[tuple[Element, Element], ...] = field(default=(), repr=False, compare=False)
    special: Special | None = field(default=None, repr=False, compare=False)

    facts = "name function coefficients where proved expression"

    def __str__(self) -> str:
        known = "proved by substitution" if self.proved else "not proved"
        where = f"; {self.where}" if self.where else ""
        c = ", ".join(f"c{k + 1} = {text}" for k, text in enumerate(self.coefficients))
        u = "" if self.expression is not None else f" with u = {self.function}"
        return f"{c}{u} ({known}{where})"

    def at(self, ball: Callable[[Element], arb]) -> list[arb]:
        """c_k at a point in balls; `ball` gives that of an element there."""
        assert self.special is not None
        if self.special.values is None:
            assert self.special.closed is not None
            return [ball(a) for a, _ in self.terms]
        prefactor, f, g = self.special.values(ball)
        return [prefactor * (ball(a) * f + ball(b) * g) for a, b in self.terms]


def solved(
    special: Special,
    parts: Sequence[tuple[Element, Element]],
    A: Sequence[Sequence[Element]],
    w: Sequence[Expr],
    s: Expr,
) -> CoefficientSolution:
    """The solution with c_k = p_k u + q_k u', judged by substitution."""
    (n11, n12), (n21, n22) = special.pair
    if special.closed is not None:
        u = special.closed
        slope = u.diff(s)
        zero = u.field.zero
        terms = [(p * u + q * slope, zero) for p, q in parts]
        proved = all((a.diff(s) + _sum(terms, A, k, 0)).is_zero is True for k, (a, _) in enumerate(terms))
        texts = tuple(str(a.to_expr()) for a, _ in terms)
        F = add(*(mul(a.to_expr(), v) for (a, _), v in zip(terms, w, strict=True)))
        return CoefficientSolution(
            special.name, special.text, texts, special.where, proved, F, tuple(terms), special
        )
    L = special.growth
    terms = [(p + q * (L + n11), q * n12) for p, q in parts]
    defects = []
    for k, (a, b) in enumerate(terms):
        defects.append(a.diff(s) + (L + n11) * a + n21 * b + _sum(terms, A, k, 0))
        defects.append(b.diff(s) + (L + n22) * b + n12 * a + _sum(terms, A, k, 1))
    proved = all(e.is_zero is True for e in defects)
    texts = tuple(_by_u(p, q, s) for p, q in parts)
    return CoefficientSolution(
        special.name, special.text, texts, special.where, proved, None, tuple(terms), special
    )


def _sum(
    terms: Sequence[tuple[Element, Element]], A: Sequence[Sequence[Element]], k: int, part: int
) -> Element:
    return sum((pair[part] * A[j][k] for j, pair in enumerate(terms)), terms[0][0].field.zero)


def _by_u(p: Element, q: Element, s: Expr) -> str:
    """p u + q du/ds as text."""
    u, slope = symbol("u"), symbol("slope_")
    terms = [
        x if e == 1 else neg(x) if e == -1 else mul(e.to_expr(), x)
        for e, x in ((p, u), (q, slope))
        if not e.is_blank
    ]
    text = str(add(*terms)) if terms else str(ZERO)
    return text.replace("slope_", f"du/d{s}")
