"""Which solutions of the coefficients' equations have names: one coefficient, or two coupled ones.

The first kind that gives as many solutions as there are coefficients is taken: elementary functions,
hypergeometric ones, Bessel functions. Signs that decide between real forms are those at the model's values
of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from flint import arb, ctx

from chetaev.expr.exact import Budget, Element, Field, GivenUp, answer, ask
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.exact.numbers.balls import BallProgram
from chetaev.expr.graph.node import ONE, Expr, add, mul, symbol
from chetaev.laws.coefficient.coefficient_solution import CoefficientSolution, Special, solved
from chetaev.laws.coefficient.named_equations import bessel, elementary, elementary_solution, first_order
from chetaev.laws.coefficient.riemann import hypergeometric
from chetaev.laws.coefficient.second_order_equation import Rational, rational, scalars
from chetaev.laws.parameter_signs import BITS, Sign, signs
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

COST = 400_000
"""What looking for names may cost."""
PLACES = ("0.7", "0.3", "1.3", "-0.7", "2.2", "0.1")
"""Values of s at which two solutions are compared."""


def solutions(
    system: System, s: Expr, w: Sequence[Expr], matrix: Sequence[Sequence[Expr]], cost: int = COST
) -> tuple[CoefficientSolution, ...]:
    """Solutions with names, each with its proof: as many as there are coefficients, or those of smaller
    systems that are left where some coefficients are 0.
    """
    field = Field(Budget(cost))
    found: list[CoefficientSolution] = []

    def look() -> None:
        A = [[field(e) for e in row] for row in matrix]
        for part in _closed_parts(A):
            if len(part) == 1 and w[part[0]] is ONE:
                continue
            inner = [[A[j][k] for k in part] for j in part]
            found.extend(
                _embedded(solution, part, len(w))
                for solution in _solved(system, inner, [w[j] for j in part], s)
            )
        for core, sink, g in _fed(A, s):
            inner = [[A[j][k] for k in core] for j in core]
            joined = [add(w[j], mul(e.to_expr(), w[sink])) for j, e in zip(core, g, strict=True)]
            found.extend(
                _with_sink(_embedded(solution, core, len(w)), core, sink, g)
                for solution in _solved(system, inner, joined, s)
            )

    ask(look)  # what was found until then is as true
    return tuple(found)


def _closed_parts(A: Sequence[Sequence[Element]]) -> list[list[int]]:
    """The smallest sets of one or two coefficients that can be other than 0 alone: no other one is fed by
    them.
    """
    found: list[list[int]] = []
    for start in range(len(A)):
        part, pending = {start}, [start]
        while pending:
            j = pending.pop()
            fed = {k for k, a in enumerate(A[j]) if not a.is_blank} - part
            part |= fed
            pending += fed
        if len(part) <= 2 and sorted(part) not in found:
            found.append(sorted(part))
    return [p for p in found if not any(set(q) < set(p) for q in found) or len(p) == len(A)]


def _fed(A: Sequence[Sequence[Element]], s: Expr) -> Iterator[tuple[list[int], int, list[Element]]]:
    """One or two coefficients that feed a third one, which feeds none, so that it is Σ g_j c_j with
    constants g.
    """
    for sink in range(len(A)):
        feeding = [j for j in range(len(A)) if not A[j][sink].is_blank]
        if not feeding or any(not a.is_blank for a in A[sink]):
            continue
        core = sorted(
            {k for j in feeding for k, a in enumerate(A[j]) if not a.is_blank} - {sink} | set(feeding)
        )
        others = {k for j in core for k, a in enumerate(A[j]) if not a.is_blank} - {*core, sink}
        if len(core) > 2 or others:
            continue
        g = ask(solve, [[A[i][j] for j in core] for i in core], [A[i][sink] for i in core])
        if isinstance(g, GivenUp):
            continue
        if all(e.diff(s).is_zero is True for e in g):
            yield core, sink, g


def _with_sink(
    solution: CoefficientSolution, core: Sequence[int], sink: int, g: Sequence[Element]
) -> CoefficientSolution:
    """A solution with c = Σ g_j c_j in the place of a coefficient that the others feed."""
    terms, texts = list(solution.terms), list(solution.coefficients)
    zero = g[0].field.zero
    parts = [
        (sum((e * terms[j][0] for j, e in zip(core, g, strict=True)), zero)),
        (sum((e * terms[j][1] for j, e in zip(core, g, strict=True)), zero)),
    ]
    terms[sink] = (parts[0], parts[1])
    named = [mul(e.to_expr(), symbol(f"c{j + 1}")) for j, e in zip(core, g, strict=True) if not e.is_blank]
    texts[sink] = str(add(*named))
    return replace(solution, coefficients=tuple(texts), terms=tuple(terms))


def _embedded(solution: CoefficientSolution, part: Sequence[int], size: int) -> CoefficientSolution:
    """A solution of a part, the other coefficients being 0."""
    if len(part) == size:
        return solution
    texts, terms = ["0"] * size, list[tuple[Element, Element]]()
    zero = solution.terms[0][0].field.zero
    for k in range(size):
        inside = k in part
        terms.append(solution.terms[part.index(k)] if inside else (zero, zero))
        texts[k] = solution.coefficients[part.index(k)] if inside else "0"
    return replace(solution, coefficients=tuple(texts), terms=tuple(terms))


def _solved(
    system: System, A: Sequence[Sequence[Element]], w: Sequence[Expr], s: Expr
) -> list[CoefficientSolution]:
    """Independent solutions of one or two equations, as many as have names."""
    field = A[0][0].field
    if len(w) == 1:
        u = answer(ask(first_order, A[0][0], s))
        found = [] if u is None else [solved(elementary_solution(u), [(field.one, field.zero)], A, w, s)]
    else:
        found = _second_order(system, A, w, s)
    return [solution for solution in found if solution.proved]


def ball_at(system: System, s: Expr, value: arb) -> Callable[[Element], arb]:
    """The balls of functions of s and the parameters at one s, at the model's values."""
    last = standpoints(system)[-1]

    def ball(e: Element) -> arb:
        return BallProgram(last.apply([e.to_expr()])).run({s.value: value})[0]

    return ball


Kind = Callable[[Rational, Sign], Iterator[Special]]


def _second_order(
    system: System, A: Sequence[Sequence[Element]], w: Sequence[Expr], s: Expr
) -> list[CoefficientSolution]:
    sign = signs(system)
    forms = [form for scalar in scalars(A, s) for form in rational(scalar)]
    plain = sorted(forms, key=lambda form: form.root is not None)
    tried: list[tuple[Kind, list[Rational]]] = [(elementary, plain), (hypergeometric, forms), (bessel, plain)]
    best: list[CoefficientSolution] = []
    for kind, some in tried:
        for form in some:
            named = answer(ask(lambda kind=kind, form=form: list(kind(form, sign)))) or []  # type: ignore[misc]
            found = [solved(special, form.scalar.parts, A, w, s) for special in named]
            found = [solution for solution in found if solution.proved]
            if found and not _are_independent(system, found, s):
                found = found[:1]
            if (-len(found), _written(found)) < (-len(best), _written(best)):
                best = found
        if len(best) == 2:
            return best
    return best


def _are_independent(system: System, found: Sequence[CoefficientSolution], s: Expr) -> bool:
    """Whether the determinant of two solutions is certainly not 0 at some s."""
    if len(found) < 2:
        return True
    with ctx.workprec(BITS):
        for place in PLACES:
            wronskian = ask(_wronskian, system, found, s, arb(place))
            if isinstance(wronskian, GivenUp):
                continue
            if wronskian.is_finite() and not wronskian.contains(0):
                return True
    return False


def _wronskian(system: System, found: Sequence[CoefficientSolution], s: Expr, place: arb) -> arb:
    ball = ball_at(system, s, place)
    (a, b), (c, d) = (solution.at(ball) for solution in found)
    return a * d - b * c


def _written(found: Sequence[CoefficientSolution]) -> int:
    """How long solutions are on paper, those without special functions and conditions first."""
    if not found:
        return 1 << 30
    return sum(
        len(x.function) + sum(map(len, x.coefficients)) + 40 * bool(x.where) + 200 * (x.name != "elementary")
        for x in found
    )
