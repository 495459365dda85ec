"""Closed normal forms v_D = g(t, q, v_S), each on a stated branch, where they can be found (SCOPE K13; (47)).

Tried in this order, one constraint after the other, each solution put into the rest:

    affine in the velocities      g = A + B v, always
    affine in one velocity        g = −c₀/c₁
    quadratic in one velocity     both roots, where the discriminant ≥ 0
    a velocity that occurs once   by undoing operations

>>> from chetaev.constraint.submanifold.submanifold import Constraint
>>> cone = Constraint.of(["b^2*(x'^2 + y'^2) = z'^2"], ["x", "y", "z"], parameters={"b": 1})
>>> for form in cone.normal_forms():
...     print(form)
z' = b*sqrt(x'^2 + y'^2)
z' = -b*sqrt(x'^2 + y'^2)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.isolate import InverseBranch, isolate
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.expr.exact import BudgetError, Element
from chetaev.expr.exact.functions.angles import single
from chetaev.expr.exact.functions.radicals import is_positive
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.node import Expr, symbol, symbols

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.submanifold import Constraint

MAX_FORMS = 8
MAX_TERMS = 400


READABLE = 1000
"""Letters of a form that people read."""


@dataclass(frozen=True)
class NormalForm:
    """v_D = g on one branch."""

    velocities: Mapping[str, Expr]
    """g^a by coordinate name."""
    nonnegative: tuple[Expr, ...] = ()
    nonzero: tuple[Expr, ...] = ()
    """The form holds where these are ≥ 0, and these not 0."""
    notes: tuple[InverseBranch, ...] = ()
    """What else is to be known about the branch."""
    at_start: bool | None = None
    """Whether the initial state lies on this branch; None without initial state."""

    @property
    def domain(self) -> str:
        """Where the form holds, in words; empty if everywhere."""
        parts = [f"{e} {sign} 0" for e, sign in self.conditions]
        return ", ".join(dict.fromkeys([*parts, *map(str, self.notes)]))

    @property
    def conditions(self) -> list[tuple[Expr, str]]:
        """What must be ``>=`` 0 and what ``!=`` 0, each once."""
        found = [(e, ">=") for e in self.nonnegative] + [(e, "!=") for e in self.nonzero]
        return list(dict.fromkeys(found))

    @property
    def seen(self) -> bool:
        """Whether the form itself shows where it holds, as √x does."""
        return not self.nonzero and not self.notes

    @property
    def brief(self) -> str:
        """The form as text; without its functions where nobody would read them."""
        text = str(self)
        if len(text) <= READABLE:
            return text
        solved = ", ".join(f"{q}'" for q in self.velocities)
        return f"{solved} as functions of the other velocities, too long to be shown ({len(text):,} letters)"

    def __str__(self) -> str:
        text = ", ".join(f"{q}' = {e}" for q, e in self.velocities.items())
        return text if self.seen else f"{text}   {'where ' if self.conditions else ''}{self.domain}"


@dataclass(frozen=True)
class _Partial:
    pending: tuple[Element, ...]
    solved: tuple[tuple[str, Element], ...] = ()
    nonnegative: tuple[Element, ...] = ()
    nonzero: tuple[Element, ...] = ()
    notes: tuple[InverseBranch, ...] = field(default=())


def normal_forms(constraint: Constraint, allowance: Allowance | None = None) -> list[NormalForm]:
    """All closed normal forms found; empty if there is none in closed form."""
    if not constraint.exact:
        return []
    allowance = Allowance(constraint.effort) if allowance is None else allowance
    if constraint.is_affine_as_written and constraint.coefficients(allowance) is None:
        return []
    found = allowance.attempt(constraint.field, lambda: _forms(constraint), times=2)
    return [_mark(constraint, form) for form in found or []]


def _forms(constraint: Constraint) -> list[NormalForm]:
    if constraint.is_affine_as_written:
        return [_affine(constraint)]
    states = [_Partial(constraint.functions)]
    for _ in constraint.functions:
        states = [t for s in states for t in _step(constraint, s)]
        if not states or len(states) > MAX_FORMS:
            return []
    return [_finished(s) for s in states]


def _affine(constraint: Constraint) -> NormalForm:
    chart = constraint.adapted
    if sum(e.terms for row in (chart.A, *chart.B) for e in row) > MAX_TERMS:
        raise BudgetError("too long to be read")
    free = [constraint.chart.field.symbol(p, 1) for p in chart.free]
    forms: dict[str, Expr] = {}
    for q, constant, row in zip(chart.dependent, chart.A, chart.B, strict=True):
        forms[q] = sum((b * v for b, v in zip(row, free, strict=True)), constant).to_expr()
    det = determinant(chart._CD) if chart.D else constraint.chart.field.one
    return NormalForm(forms, nonzero=_not_zero([det]))


def _step(constraint: Constraint, state: _Partial) -> list[_Partial]:
    """Solve one more constraint for one more velocity, in the simplest way there is."""
    taken = {q for q, _ in state.solved}
    names = [q for q in reversed(constraint.coordinates) if q not in taken]
    best: tuple[tuple[int, int, int], Element, str, dict[int, Element]] | None = None
    for f in state.pending:
        for order, q in enumerate(names):
            if (q, 1) not in f.symbols:
                continue
            top = Element(f.field, f.numerator, f.field.tower.one)
            parts = top.coefficients((q, 1))
            if parts is None:
                continue
            degree = max(e for (e,) in parts)
            if degree in (1, 2):
                lead = parts[degree,]
                score = (degree, sum(o > 0 for _, o in lead.symbols) + lead.terms - 1, order)
                if best is None or score < best[0]:
                    best = (score, f, q, {e: c for (e,), c in parts.items()})
    if best is not None:
        _, f, q, parts_ = best
        return [_put(state, f, q, *root) for root in _roots(parts_)]
    for f in state.pending:
        for q in names:
            solutions = isolate(_as_given(constraint, f), symbol(q, 1))
            if solutions:
                F = f.field
                found = []
                for s in solutions:
                    nonnegative, nonzero = tuple(map(F, s.nonnegative)), tuple(map(F, s.nonzero))
                    found.append(_put(state, f, q, F(s.value), nonnegative, nonzero, s.notes))
                return found
    return []


def _as_given(constraint: Constraint, f: Element) -> Expr:
    """The function as it was written, if it still is one of those: a normal form may repeat a velocity."""
    for a, g in zip(constraint.survey.rows, constraint.functions, strict=True):
        if g is f and a >= len(constraint.given.position):
            return constraint.given.functions[a]
    return f.to_expr()


Root = tuple[Element, tuple[Element, ...], tuple[Element, ...], tuple[InverseBranch, ...]]


def _roots(parts: dict[int, Element]) -> list[Root]:
    zero = next(iter(parts.values())).field.zero
    if max(parts) == 1:
        lead = parts[1]
        return [(-parts.get(0, zero) / lead, (), () if lead.is_number else (lead,), ())]
    a, b, c = parts[2], parts.get(1, zero), parts.get(0, zero)
    discriminant = b * b - 4 * a * c
    root = _without_signs(a.field.sqrt(discriminant))
    half = Fraction(1, 2)
    nonzero = () if a.is_number else (a,)
    inside = () if discriminant.is_number else (discriminant,)
    return [((-b - root) * half / a, inside, nonzero, ()), ((-b + root) * half / a, inside, nonzero, ())]


def _without_signs(root: Element) -> Element:
    """A root without overall factors sign(…): both signs are taken anyway."""
    field = root.field
    for k in field.tower.used(root.numerator):
        if field.generators[k].kind == "sign":
            parts = field.tower.collect(root.numerator, (k,))
            if set(parts) == {(1,)}:
                root = field.polynomial(parts[1,]) / field.polynomial(root.denominator)
    return root


def _put(
    state: _Partial,
    f: Element,
    q: str,
    value: Element,
    nonnegative: tuple[Element, ...],
    nonzero: tuple[Element, ...],
    notes: tuple[InverseBranch, ...],
) -> _Partial:
    rest = tuple(g.subs({(q, 1): value}) for g in state.pending if g is not f)
    solved = tuple((p, e.subs({(q, 1): value})) for p, e in state.solved)
    if any(e.terms > MAX_TERMS for e in (*rest, value)):
        raise BudgetError("too long to be read")
    return _Partial(
        rest,
        (*solved, (q, value)),
        (*state.nonnegative, *nonnegative),
        (*state.nonzero, *nonzero),
        (*state.notes, *notes),
    )


def _finished(state: _Partial) -> NormalForm:
    def shown(elements: tuple[Element, ...]) -> tuple[Expr, ...]:
        return tuple({str(e): e.to_expr() for e in elements if not e.is_number}.values())

    return NormalForm(
        {q: e.to_expr() for q, e in state.solved},
        shown(tuple(e for e in state.nonnegative if not _never_negative(e))),
        _not_zero(state.nonzero),
        state.notes,
    )


def _never_negative(e: Element) -> bool:
    """Whether a quotient is seen to be ≥ 0 wherever it is defined: it need not be said."""
    return all(is_positive(e.field, part) for part in (e.numerator, e.denominator))


def _not_zero(elements: Iterable[Element]) -> tuple[Expr, ...]:
    """The factors that must not vanish, without numbers, signs and powers: x and y for −2x²y."""
    found: dict[str, Expr] = {}
    for e in elements:
        for p, _ in e.field.factor(e.numerator)[1]:
            factor = Element(e.field, p, e.field.tower.one)
            if factor.symbols and not positive(_inside(factor)):
                shown = factor.to_expr()
                shown = shown.args[0] if shown.op == "neg" else shown
                found[str(shown)] = shown
    return tuple(found.values())


def _inside(factor: Element) -> Element:
    """u for √u, which vanishes where u does."""
    generator = single(factor.field, factor)
    if generator is not None and factor.field.generators[generator].kind == "root":
        return factor.field.generators[generator].args[0]
    return factor


def _mark(constraint: Constraint, form: NormalForm) -> NormalForm:
    """Say whether the initial state lies on the branch; of parameters, only what is not so is a condition."""
    from chetaev.expr.graph.evaluate import evaluate

    state = constraint.given.state
    given = {(n, 0): float(evaluate([e], {})[0]) for n, e in constraint.given.values.items()}
    fixed = [e for e in form.nonzero if symbols(e) <= set(given) and evaluate([e], given)[0] != 0]
    form = replace(form, nonzero=tuple(e for e in form.nonzero if e not in fixed))
    if state is None:
        return form
    values = {**state, **given}
    expected = [state[q, 1] for q in form.velocities]
    found = evaluate(list(form.velocities.values()), values)
    close = all(abs(a - b) <= 1e-7 * (1 + abs(b)) for a, b in zip(found, expected, strict=True))
    return replace(form, at_start=close)
