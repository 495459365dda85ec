"""Field equations from a fundamental form with several parameters (SCOPE D8; Delphenich (3.11)).

With r parameters t^a and fields x^μ, φ = F_μ dx^μ + Π_μ^a dx^μ_a gives

    F_μ − ∂Π_μ^a/∂t^a = 0,        ∂/∂t^a total: ∂/∂t^a + x^μ_a ∂/∂x^μ + x^μ_ab ∂/∂x^μ_b.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement

from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.calculus import Calculus
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.expr.language.scope import Scope, check_name

Second = Callable[[str, str, str], Expr]


def field_equations(
    parameters: Sequence[str],
    fields: Sequence[str],
    F: Mapping[str, str],
    Pi: Mapping[tuple[str, str], str],
    constants: Sequence[str] = (),
) -> list[Expr]:
    """F_μ − ∂Π_μ^a/∂t^a for r parameters (D8; Delphenich (3.11)), one expression a field.

    Derivatives of a field u by t, x are written ``u_t``, ``u_x``; the answer contains ``u_tt``, ``u_tx``, …,
    indices in the order of `parameters`; ``u_t_t``, ``u_t_x``, … where the short names have another meaning.

    >>> field_equations(["t", "x"], ["u"], {"u": "-sin(u)"}, {("u", "t"): "u_t", ("u", "x"): "-u_x"})
    [Expr('-sin(u) - u_tt + u_xx')]
    >>> field_equations(["x", "xx"], ["u"], {}, {("u", "x"): "-u_x", ("u", "xx"): "-u_xx"})
    [Expr('u_x_x + u_xx_xx')]
    """
    first = {(u, a): f"{u}_{a}" for u in fields for a in parameters}
    names = [*parameters, *fields, *constants, *first.values()]
    for name in names:
        check_name(name, "name")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ModelError(
            f"the name {twice[0]!r} has two meanings among the parameters, fields, constants and derivatives",
            remedy="rename a parameter, a field or a constant",
        )
    wrong = [*(u for u in F if u not in fields), *(k for k in Pi if k not in first)]
    if wrong:
        raise ModelError(
            f"φ has a component for {wrong[0]!r}",
            expected=f"fields {', '.join(fields)} and parameters {', '.join(parameters)}",
        )
    scope = Scope.of((), names, None)
    second = _second_derivatives(parameters, fields, names)
    answer = []
    for u in fields:
        terms = [parse(F.get(u, "0"), scope)]
        for a in parameters:
            minus = graph.neg(parse(Pi.get((u, a), "0"), scope))
            terms.append(_total_derivative(minus, a, parameters, fields, second))
        answer.append(graph.add(*(e for e in terms if e is not graph.ZERO)))
    return answer


def _second_derivatives(parameters: Sequence[str], fields: Sequence[str], taken: Sequence[str]) -> Second:
    """Symbols of x^μ_ab; the shortest spelling in which every name has one meaning."""
    keys = [(u, a, b) for u in fields for a, b in combinations_with_replacement(parameters, 2)]
    between, spelled = "", {}
    while True:
        spelled = {(u, a, b): f"{u}{'_' * max(1, len(between))}{a}{between}{b}" for u, a, b in keys}
        if len({*spelled.values(), *taken}) == len(spelled) + len(taken):
            break
        between += "_"
    order = {a: i for i, a in enumerate(parameters)}

    def second(u: str, a: str, b: str) -> Expr:
        return graph.symbol(spelled[(u, *sorted((a, b), key=order.__getitem__))])  # type: ignore[index]

    return second


def _total_derivative(
    f: Expr, a: str, parameters: Sequence[str], fields: Sequence[str], second: Second
) -> Expr:
    """∂f/∂t^a + x^μ_a ∂f/∂x^μ + x^μ_ab ∂f/∂x^μ_b."""
    calculus = Calculus()
    wrt = [graph.symbol(a), *(graph.symbol(u) for u in fields)]
    along = [graph.ONE, *(graph.symbol(f"{u}_{a}") for u in fields)]
    for u in fields:
        for b in parameters:
            wrt.append(graph.symbol(f"{u}_{b}"))
            along.append(second(u, a, b))
    return calculus.graphs(calculus.directional([f], wrt, calculus.column(along)))[0]
