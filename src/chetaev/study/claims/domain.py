"""Where a claim is made: inequalities, each as an equation with one more unknown.

    domain = ["x' < 0", "0 < t < T"]

g > 0 where g s² = 1 for some real s. The exact zero test knows equations: with these it speaks of the points
of Q in the domain alone, where roots have the sign that they have there, and every witness lies in it.

>>> import chetaev as ch
>>> lagrangian, constraint = "(x'^2 + y'^2)/2", "y' = sqrt(x'^2)"
>>> backwards = {"equations": "y' = -x'", "domain": "x' < 0"}
>>> system = ch.System(
...     coordinates=["x", "y"],
...     lagrangian=lagrangian,
...     constraints=[constraint],
...     claims=[backwards, {**backwards, "domain": "x' > 0"}],
... )
>>> [judged.holds for judged in ch.claims(system)]
[True, False]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from chetaev.expr.exact.vanishing import Verdict, zero_test
from chetaev.expr.graph.node import (
    ONE,
    Expr,
    add,
    call,
    div,
    mul,
    postorder,
    sub,
    substitute,
    symbol,
    symbols,
)
from chetaev.expr.language.scope import Scope
from chetaev.laws.standpoint import Standpoint, judge, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData

EXAMPLE = '"x\' < 0"'


@dataclass(frozen=True)
class Domain:
    """The part of Q of which a claim speaks: all of it, or where g s² = 1 for every function g."""

    system: System
    text: str = ""
    positive: tuple[Expr, ...] = ()
    relations: tuple[Expr, ...] = ()
    unknowns: tuple[Expr, ...] = ()

    @classmethod
    def of(cls, given: ClaimData, scope: Scope) -> Domain:
        """The domain of a claim, its inequalities read in a scope."""
        system = given.system
        if "domain" not in given.data:
            return cls(system)
        texts = given.texts("domain", EXAMPLE)
        read = scope.but(purpose="the domain of a claim")
        positive = tuple(g for text in texts for g in _positive(given, text, read))
        stem = "s_"
        while any(name.startswith(stem) for name in scope.values):
            stem += "_"
        unknowns = tuple(symbol(f"{stem}{i + 1}") for i in range(len(positive)))
        relations = tuple(sub(mul(g, s, s), ONE) for g, s in zip(positive, unknowns, strict=True))
        return cls(system, " and ".join(texts), positive, relations, unknowns)

    @property
    def reaches(self) -> Expr:
        """1 + Σ s², which is seen not to be zero only at a point of the domain."""
        return add(ONE, *(mul(s, s) for s in self.unknowns))

    @property
    def unreached(self) -> Verdict:
        """What is said where no point of the domain is known: a statement about no point says nothing."""
        return Verdict("undecided", False, method=f"no state with {self.text} was found")

    def zero_on_q(self, function: Expr, effort: int) -> tuple[Verdict, str]:
        """Whether a function is zero where motions are, in this domain, and for which parameters; on a phase
        space, where its constraints hold.
        """
        own = standpoints(self.system)[-1]
        if self.relations and self._on(self.reaches, own, effort).is_zero is not False:
            return self.unreached, ""
        verdict, standpoint = judge(self.system, lambda view: self._asked(function, view, effort))
        words = f"where {self.text}" if self.text else ""
        return verdict, " ".join(filter(None, (words, standpoint.words)))

    def _asked(self, function: Expr, standpoint: Standpoint, effort: int) -> Verdict:
        """The verdict on the function, or on what is left of it without roots of squares on Q."""
        verdict = self._on(function, standpoint, effort)
        if not self.positive or verdict.is_zero is False or verdict.proved:
            return verdict
        plain = self._without_roots(function, standpoint, effort)
        again = verdict if plain is function else self._on(plain, standpoint, effort)
        return again if again.proved else verdict

    def _without_roots(self, function: Expr, standpoint: Standpoint, effort: int) -> Expr:
        """The function with w in the place of √u where u = w² is proved on Q and w > 0 in the domain: one of
        the functions that are positive there, a product or a quotient of two.
        """
        pairs = list(permutations(self.positive, 2))
        products = (mul(a, b) for a, b in combinations(self.positive, 2))
        roots = [*self.positive, *products, *(div(a, b) for a, b in pairs)]
        for node in postorder(function):
            if node.op != "sqrt":
                continue
            squares = ((w, self._on(sub(node.args[0], mul(w, w)), standpoint, effort)) for w in roots)
            w = next((w for w, found in squares if found.is_zero and found.proved), None)
            if w is not None:
                return self._without_roots(substitute([function], {node: w})[0], standpoint, effort)
        return function

    def _on(self, function: Expr, standpoint: Standpoint, effort: int) -> Verdict:
        beside = standpoint.apply(self.relations)
        if not isinstance(self.system.dynamics, Poisson):
            return vanish(self.system, [function], standpoint, effort, beside)[0]
        asked, *held = standpoint.apply([function, *(e.residual for e in self.system.position_constraints)])
        return zero_test(asked, [*held, *beside], effort=effort)


def _positive(given: ClaimData, text: str, scope: Scope) -> Iterator[Expr]:
    """The functions that an inequality, or a chain of them, says to be positive."""
    pieces = re.split(r"([<>])", text)
    if len(pieces) < 3 or any(mark in text for mark in ("=", "≤", "≥")):
        given.fail(f"{text!r} is no strict inequality", "domain", expected=f"< or >, as in {EXAMPLE}")
    sides: list[Expr] = []
    at = 0
    for piece in pieces:
        if piece not in ("<", ">"):
            sides.append(given.expression("domain", " " * at + piece, scope, text))
        at += len(piece)
    for sign, left, right in zip(pieces[1::2], sides[:-1], sides[1:], strict=True):
        g = sub(left, right) if sign == ">" else sub(right, left)
        if not symbols(g) and zero_test(sub(g, call("abs", g))).is_zero is not True:
            given.fail(f"{text!r} holds nowhere", "domain", remedy="exchange < and >")
        yield g
