"""Functions on a submanifold Q = {f¹ = … = f^k = 0}: is g zero there?

1. Each constraint is factored; Q is the union of the branches, and g must vanish on every one.
2. On a branch, constraints affine in a symbol (highest order first) are solved and substituted.
3. What remains is made triangular by pseudo-division, and the pseudo-remainder of g is taken:
   lc^e·g = Σ qₐ fᵃ + remainder, so remainder 0 proves g = 0 on Q (where the leading coefficients do not
   vanish, hence on the closure of that part).
4. Otherwise radical membership is tried: 1 ∈ (f¹, …, f^k, relations, 1 − z·g) by a Gröbner basis,
   within limits.

Each step proves zeros; none proves that g is not zero on Q: points do that.

>>> from chetaev.expr.exact import Field
>>> field = Field()
>>> x, v, w = field.symbols("x x' y'")
>>> q = Modulo(field, [v**2 + w**2 - 1])
>>> q.vanishes(v**4 - (1 - w**2) ** 2), q.vanishes(v - 1)
('normal form and pseudo-division by the constraints', None)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as data
from itertools import product
from math import lcm

from flint import Ordering, fmpz_mpoly_ctx

from chetaev.expr.exact.effort import cost
from chetaev.expr.exact.effort.budget import BudgetError
from chetaev.expr.exact.field.differentiation import rebuild
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.field.field import Field
from chetaev.expr.exact.functions.radicals import factors, is_positive
from chetaev.expr.exact.ideals.groebner_elimination import groebner
from chetaev.expr.exact.polynomials.tower import Poly
from chetaev.expr.graph.node import Expr

MAX_BRANCHES = 16
PLAIN = "normal form"
GROEBNER_LIMITS = (50, 150, 400)


@dataclass
class BranchOfQ:
    """One branch of Q: symbols solved for, in order, and polynomials that still have to vanish."""

    solved: list[tuple[tuple[str, int], Element]] = data(default_factory=list)
    chain: list[tuple[int, Element]] = data(default_factory=list)
    open: list[Element] = data(default_factory=list)
    empty: bool = False


class Modulo:
    """The functions on Q = {f = 0}.

    `field`: the field of the constraints; `constraints`: functions that vanish on Q.
    """

    def __init__(self, field: Field, constraints: Sequence[Element | Expr]) -> None:
        self.field = field
        self.constraints = [field(f) for f in constraints]
        self.branches = list(self._branches())

    def _branches(self) -> list[BranchOfQ]:
        choices: list[list[Element]] = []
        for f in self.constraints:
            if f.is_blank:
                continue
            _, found = factors(self.field, f.numerator)
            choices.append([p for p, _ in found if not self._never_zero(p.numerator)])
        count = 1
        for c in choices:
            count *= len(c)
        if count > MAX_BRANCHES:
            raise BudgetError(f"the constraints have {count} branches")
        pending = [list(c) for c in product(*choices)]
        branches: list[BranchOfQ] = []
        while pending:
            if len(branches) + len(pending) > MAX_BRANCHES:
                raise BudgetError("the constraints have too many branches")
            branch, hidden = self._solve(pending.pop())
            branches.append(branch)
            pending.extend(hidden)
        return branches

    def _never_zero(self, p: Poly) -> bool:
        """Whether a factor has no real zeros, so that it makes no branch."""
        used = self.field.tower.used(p)
        if len(p) == 1 and all(self.field.generators[k].kind in ("exp", "constant") for k in used):
            return True
        return is_positive(self.field, p, strictly=True) or is_positive(self.field, -p, strictly=True)

    # -- affine constraints --------------------------------------------------------------------------
    def _solve(self, constraints: list[Element]) -> tuple[BranchOfQ, list[list[Element]]]:
        """Solve what is affine; also return branches on which a leading coefficient vanishes."""
        branch = BranchOfQ()
        hidden: list[list[Element]] = []
        nonzero: list[Poly] = []
        rest = list(constraints)
        while True:
            rest = [f for f in rest if not f.is_blank]
            if any(f.is_number for f in rest):
                branch.empty = True
                return branch, hidden
            found = self._affine(rest)
            if found is None:
                break
            f, name, a, b = found
            solution = -b / a
            common = a / self.field.polynomial(solution.denominator)
            if not common.numerator.is_constant():
                others = [g for g in constraints if g is not f]
                hidden.append([self.field.polynomial(common.numerator), *others])
            branch.solved.append((name, solution))
            nonzero.append(a.numerator)
            left = [g.subs({name: solution}).numerator for g in rest if g is not f]
            rest = [self.field.polynomial(self._without(p, nonzero)) for p in left]
        self._triangulate(branch, rest)
        return branch, hidden

    def _without(self, p: Poly, nonzero: list[Poly]) -> Poly:
        """p without the factors it shares with what does not vanish on the branch: they make no branches."""
        for divisor in nonzero:
            while not p.is_zero() and not (common := self.field.gcd(p, divisor)).is_constant():
                p = self.field.divide(p, common)
        return p

    def _affine(self, rest: list[Element]) -> tuple[Element, tuple[str, int], Element, Element] | None:
        best = None
        for f in rest:
            for name in f.symbols:
                parts = f.coefficients(name)
                if parts is None or max(e for (e,) in parts) != 1:
                    continue
                a = parts[(1,)]
                if self._vanishes_somewhere(a.numerator) or self._shares_factor(a, rest, f):
                    continue
                score = (-name[1], not a.is_number, a.terms, f.terms, name)
                if best is None or score < best[0]:
                    best = (score, (f, name, a, parts.get((0,), self.field.zero)))
        return None if best is None else best[1]

    def _shares_factor(self, a: Element, rest: list[Element], f: Element) -> bool:
        """Whether a vanishes where another of the constraints does, so that nothing can be divided by it."""
        others = () if a.is_number else (g for g in rest if g is not f)
        return any(not self.field.gcd(a.numerator, g.numerator).is_constant() for g in others)

    # -- the others ----------------------------------------------------------------------------------
    def _triangulate(self, branch: BranchOfQ, rest: list[Element]) -> None:
        branch.open = list(rest)
        try:
            while rest:
                k = self._main_variable(rest)
                if k is None:
                    return
                # a chain element is divided by only where its leading coefficient is not zero
                holders = [f for f in rest if self._degree(f, k)]
                rest = [f for f in rest if not self._degree(f, k)]
                while len(holders) > 1:
                    holders.sort(key=lambda f: (self._degree(f, k), f.terms))
                    r = self._remainder(holders[-1], holders[0], k)
                    holders.pop()
                    if self._degree(r, k):
                        holders.append(r)
                    elif not r.is_blank:
                        rest.append(r)
                branch.chain.append((k, holders[0]))
        except BudgetError:
            branch.chain = []

    def _main_variable(self, rest: list[Element]) -> int | None:
        used = {k for f in rest for k in self.field.tower.used(f.numerator)}
        inside = {b for k in used for b in self.field.generators[k].depends if b != k}

        def score(k: int) -> tuple[object, ...]:
            g = self.field.generators[k]
            order = g.name[1] if isinstance(g.name, tuple) else -1
            degree = max(self._degree(f, k) for f in rest)
            return (g.kind != "symbol", k in inside, -order, degree, k)

        return min(used, key=score) if used else None

    def _degree(self, f: Element, k: int) -> int:
        return self.field.tower.degree(f.numerator, k)

    def _remainder(self, g: Element, f: Element, k: int) -> Element:
        """The pseudo-remainder of g by f in the generator k."""
        tower = self.field.tower
        p, q = g.numerator, f.numerator
        n = tower.degree(q, k)
        lead = tower.collect(q, (k,))[(n,)]
        if self._vanishes_somewhere(lead):
            raise BudgetError("a leading coefficient may be zero on a part of Q")
        while not p.is_zero() and tower.degree(p, k) >= n:
            m = tower.degree(p, k)
            top = tower.collect(p, (k,))[(m,)]
            common = self.field.gcd(top, lead)
            left, right = self.field.divide(lead, common), self.field.divide(top, common)
            p = tower.multiply(left, p) - tower.multiply(right * tower.variable(k) ** (m - n), q)
            p = tower.reduce(p)
            if not p.is_zero() and tower.degree(p, k) >= m:
                raise BudgetError("pseudo-division does not end")
        return self.field.polynomial(p)

    # -- the question --------------------------------------------------------------------------------
    def reduce(self, g: Element) -> list[Element]:
        """The normal form of g on each branch (its solved symbols eliminated)."""
        return [self._substitute(g, b) for b in self.branches if not b.empty]

    def _substitute(self, g: Element, branch: BranchOfQ) -> Element:
        for name, value in branch.solved:
            g = g.subs({name: value})
        return g

    def vanishes(self, g: Element) -> str | None:
        """How g = 0 on Q was proved, in words, or None."""
        how, solved = "", False
        if g.is_blank:
            return PLAIN
        for branch in self.branches:
            if branch.empty:
                continue
            h = self._substitute(g, branch)
            solved |= bool(branch.solved)
            if h.is_blank:
                continue
            if not branch.open:
                return None
            h = self._inside(h, branch)
            if self._chain_remainder(h, branch).is_blank:
                how = f"{PLAIN} and pseudo-division by the constraints"
            elif self._radical(branch.open, h):
                how = "radical membership by a Gröbner basis"
            else:
                return None
        return how or (f"{PLAIN} after solving the constraints" if solved else PLAIN)

    def _chain_remainder(self, h: Element, branch: BranchOfQ) -> Element:
        r = self.field.polynomial(h.numerator)
        try:
            for k, f in branch.chain:
                r = self._remainder(r, f, k)
        except BudgetError:
            return h
        return r

    def _inside(self, g: Element, branch: BranchOfQ) -> Element:
        """Arguments of functions brought to normal form on the branch, by constraints with leading number."""
        monic = [(k, f) for k, f in branch.chain if self._lead(f, k).is_constant()]
        if not monic:
            return g

        def shorter(argument: Element) -> Element:
            p, q = self.field.polynomial(argument.numerator), self.field.polynomial(argument.denominator)
            for k, f in monic:
                p, q = self._exact_remainder(p, f, k), self._exact_remainder(q, f, k)
            return p / q

        return rebuild(g, shorter)

    def _vanishes_somewhere(self, p: Poly) -> bool:
        """Whether p may be zero on an open set without being zero, as 1 − sign(x) is."""
        return any(self.field.generators[k].kind == "sign" for k in self.field.tower.used(p))

    def _lead(self, f: Element, k: int) -> Poly:
        return self.field.tower.collect(f.numerator, (k,))[(self._degree(f, k),)]

    def _exact_remainder(self, g: Element, f: Element, k: int) -> Element:
        """The remainder of g by f in the generator k, where the leading coefficient of f is a number."""
        n = self._degree(f, k)
        f = f / self.field.polynomial(self._lead(f, k))
        while not g.is_blank and self._degree(g, k) >= n:
            top = self.field.polynomial(self._lead(g, k))
            g = g - top * self.field.variable(k) ** (self._degree(g, k) - n) * f
        return g

    def _radical(self, constraints: list[Element], g: Element) -> bool:
        tower = self.field.tower
        polynomials = [f.numerator for f in constraints]
        needed = {k for p in (*polynomials, g.numerator) for k in tower.used(p)}
        for k in range(tower.count - 1, -1, -1):
            if k in needed and k in tower.relations:
                polynomials.append(tower.relations[k][1])
                needed.update(tower.used(tower.relations[k][1]))
        used = sorted(needed)
        if len(used) > 14:
            return False
        names = ["z", *(f"g{k}" for k in reversed(used))]
        context = fmpz_mpoly_ctx.get(names, Ordering.degrevlex)
        place = {k: i for i, k in enumerate(reversed(used), start=1)}

        def integral(p: Poly) -> dict[tuple[int, ...], int]:
            scale = lcm(1, *(int(c.q) for c in p.coeffs()))
            terms = {}
            for monomial, c in tower.terms(p):
                exponents = [0] * len(names)
                for k, e in monomial:
                    exponents[place[k]] = e
                terms[tuple(exponents)] = int(c.p) * (scale // int(c.q))
            return terms

        ideal = [context.from_dict(integral(p)) for p in polynomials]
        ideal.append(1 - context.gen(0) * context.from_dict(integral(g.numerator)))
        tower.budget.spend(cost.GROEBNER * len(ideal))
        return any(p.is_constant() for p in groebner(context, ideal, GROEBNER_LIMITS)[0])
