"""Stability of rest where the potential has a minimum, degenerate ones too, and what is known where not (M6).

E = v·∂L/∂v − L has ∂E/∂v = M v, so that E(q, v) ≥ V(q) + c |v|² near (q₀, 0), V(q) = −L(q, 0), where M is
positive definite: E has a strict minimum there if V has one at q₀. If besides dE/dt ≤ 0 the state is stable
(Lagrange, Dirichlet, Lyapunov). The power F·v of the forces is never positive near the state if it begins
with a negative definite form in v, or is a semidefinite quadratic form with constant coefficients, or a sum
of even powers with negative coefficients, or can be seen to be so, as −|v| v² can. Minima are decided in
:mod:`chetaev.analysis.steady.strict_minimum`.

Conversely let L = ½ v·M(q) v − V(q) be analytic, without forces and constraints, and the lowest form G_k, k ≥
3, of V on the kernel of its Hessian V_2 ≥ 0 take negative values. Then there is a motion that tends to the
equilibrium as t → −∞, which is unstable (Kozlov and Palamodov, Dokl. Akad. Nauk SSSR 263, 1982). With one
degree of freedom that is elementary: started at rest on the lower side, a motion goes away. Where forces take
energy from every motion, −F·v ≥ c |v|² with c > 0, it is enough that V takes lower values near q₀: motions
that stay near tend to states of rest (LaSalle), and near q₀ an analytic V has all its critical points on the
level of V(q₀) (Łojasiewicz), so that a motion from rest at a lower level does not stay.

>>> import chetaev as ch
>>> def well(V):
...     found = ch.equilibria(ch.System(coordinates=["x"], lagrangian=f"x'^2/2 - ({V})"))
...     return next(e.stable for e in found if e.state["x"] == 0)
>>> well("x^4"), well("x^3"), well("x^6 - x^4*cos(x)"), well("cosh(x) - x^2/2")
(True, False, False, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import casadi
import numpy as np

from chetaev.analysis.linear.exact_state import exact_state, modest
from chetaev.analysis.steady.real_number import RealNumber
from chetaev.analysis.steady.second_variation import positive
from chetaev.analysis.steady.sign_by_shape import sign_by_shape
from chetaev.analysis.steady.strict_minimum import Lowest, Number, Polynomial, diagonal, lowest
from chetaev.equations.law.fundamental import EVERYWHERE
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import Element, answer, ask
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ZERO, Expr, add, postorder, substitute, symbol, symbols
from chetaev.laws.energy import terms_of_the_balance
from chetaev.laws.standpoint import standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System

ORDERS = (4, 6, 8, 12)
MOST_TERMS = 500
"""Of a Taylor polynomial."""
AWAY = 1e-6
"""Roots, logarithms and quotients are analytic where their arguments are farther from 0 than that."""
ANALYTIC = frozenset((*EVERYWHERE, "symbol", "tan"))


def by_the_potential(system: System, aside: Sequence[str], effort: int) -> tuple[bool, str] | None:
    """Whether a system is stable at its state, which is at rest, and why; `aside` are cyclic coordinates."""
    if system.dynamics.lagrangian is None or any(system.state.velocity.values()):
        return None
    s = Setup(system)
    view = standpoints(system)[-1]
    (gradient,) = s.matrices(casadi.vertcat(-s.L, casadi.gradient(s.L, s.v)))
    still = {symbol(c, 1): ZERO for c in system.coordinates}
    V, *momenta = substitute(view.apply([row[0] for row in gradient]), still)
    names = [c for c in system.coordinates if c not in aside]
    law = [part.expr for part in system.dynamics.parts]
    if {n for n, _ in symbols(V)} - set(names) or not _is_analytic(system, law):
        return None
    field = modest(effort)

    def by_its_terms() -> tuple[bool, str] | None:
        state = exact_state(system, view, field)
        moved = {symbol(c): add(symbol(c), state[c, 0]) for c in names}
        potential = field(substitute([V], moved)[0])
        mass = view.apply([e for row in s.matrices(s.inertia[0])[0] for e in row])
        here = still | {symbol(*k): e for k, e in state.items() if not k[1]}
        size = len(system.coordinates)
        M = np.array([float(field(e).evaluate({}, 64).mid()) for e in substitute(mass, here)])
        if not positive(M.reshape(size, size)):
            return None
        found = _lowest(potential, names)
        if found is None:
            return None
        if found.kind == "minimum":
            return _stable(system, found, {symbol(*k): e for k, e in state.items() if not k[1]}, effort)
        natural = all(field(e).is_zero for e in momenta) and _is_quadratic(s, system)
        bare = not (s.k or s.phi.numel() or s.alpha.numel())
        forced = any(e is not ZERO for e in system.forces.values())
        if not (natural and bare and len(names) == size):
            return None
        if forced and not _dissipates(system, {symbol(*k): e for k, e in state.items() if not k[1]}, effort):
            return None
        along = ", ".join(f"{c}: {x}" for c, x in zip(names, found.direction, strict=True) if x)
        lost = ", and every motion loses energy" if forced else ""
        return False, (
            f"the potential has no minimum there, since its terms of degree {found.degree} on the kernel of "
            f"its Hessian are negative along ({along}){lost}"
        )

    return answer(ask(by_its_terms))


def _stable(
    system: System, found: Lowest, position: dict[Expr, Expr], effort: int
) -> tuple[bool, str] | None:
    _, time, force, *reactions = terms_of_the_balance(system)
    view = standpoints(system)[-1]
    verdicts = vanish(system, [time, force, *reactions], view, max(1, effort // 2))
    kept = [v.is_zero and v.proved for v in verdicts]
    if not all(kept[:1] + kept[2:]):
        return None
    how = "" if found.degree == 2 else f", by terms up to degree {found.degree} of the potential"
    if kept[1]:
        return True, f"the energy, which is conserved, has a strict minimum there{how}"
    if _never_positive(system, view.apply([force])[0], position, effort):
        return True, f"the energy, which forces never raise, has a strict minimum there{how}"
    return None


def _never_positive(system: System, power: Expr, position: dict[Expr, Expr], effort: int) -> bool:
    """Whether the power of the forces is at most 0 near the state: by its shape, or its terms in v."""
    if sign_by_shape(power) in (-1, 0):
        return True
    terms = _terms(system, power, position, effort)
    if terms is None:
        return False
    if all(there < 0 and not any(k % 2 for k in m) for m, (_, there) in terms.items()):
        return True
    squares = _squares(system, terms)
    if squares is None or any(x < 0 for x in squares):
        return False
    return all(sum(m) == 2 and not e.symbols for m, (e, _) in terms.items()) or all(x > 0 for x in squares)


def _dissipates(system: System, position: dict[Expr, Expr], effort: int) -> bool:
    """Whether the power of the forces begins with a negative definite form in v."""
    power = standpoints(system)[-1].apply([terms_of_the_balance(system)[2]])[0]
    terms = _terms(system, power, position, effort)
    squares = None if terms is None else _squares(system, terms)
    return squares is not None and all(x > 0 for x in squares)


Terms = dict[tuple[int, ...], tuple[Element, Number]]
"""Coefficients of a polynomial in v by exponents, and what they are at the state."""


def _terms(system: System, power: Expr, position: dict[Expr, Expr], effort: int) -> Terms | None:
    """The power of the forces, if it is a polynomial in v that begins with squares."""
    field = modest(effort)
    found = field(power).coefficients(*((c, 1) for c in system.coordinates))
    if found is None or any(sum(m) < 2 for m, e in found.items() if not e.is_blank):
        return None
    there = {m: e.subs({k: field(x) for k, x in position.items()}) for m, e in found.items()}
    if any(e.symbols for e in there.values()):
        return None
    return {m: (e, _number(there[m])) for m, e in found.items()}


def _squares(system: System, terms: Terms) -> list[Number] | None:
    """d_i with −Σ d_i w_i² the terms of degree 2 at the state; None where they show both signs."""
    n = len(system.coordinates)
    form: list[list[Number]] = [[Fraction(0)] * n for _ in range(n)]
    for m, (_, x) in terms.items():
        if sum(m) == 2:
            i, *j = [k for k, e in enumerate(m) if e]
            form[i][j[0] if j else i] = form[j[0] if j else i][i] = -x if not j else -x / 2
    split = diagonal(form)
    return None if split is None else split[1]


def _is_quadratic(s: Setup, system: System) -> bool:
    """Whether ∂²L/∂v∂v has no velocities, nor time."""
    (mass,) = s.matrices(s.inertia[0])
    return not any(order or n == system.time for row in mass for e in row for n, order in symbols(e))


def _is_analytic(system: System, functions: Sequence[Expr]) -> bool:
    """Whether the law is seen to be analytic near the state."""
    state = system.state
    at = system.values_of(replace(state, velocity=dict.fromkeys(system.coordinates, 0.0)))
    moving = {*system.coordinates, system.time}
    for node in postorder(*functions):
        if node.op in ANALYTIC or not {n for n, _ in symbols(node)} & moving:
            continue
        if node.op == "pow" and node.args[1].op == "number" and node.args[1].value.denominator == 1:
            if node.args[1].value >= 0:
                continue
        elif node.op not in ("div", "pow", "sqrt", "log", "abs", "sign"):
            return False
        if node.op == "pow" and {n for n, _ in symbols(node.args[1])} & moving:
            return False
        (value,) = evaluate([node.args[1] if node.op == "div" else node.args[0]], at)
        if not abs(float(value)) > AWAY:
            return False
    return True


def _lowest(V: Element, names: Sequence[str]) -> Lowest | None:
    for order in ORDERS:
        if comb(len(names) + order, order) > MOST_TERMS:
            return None
        series = _taylor(V, names, order)
        if series is None:
            return None
        found = lowest(series, len(names), order)
        if found is not None:
            return found
    return None


def _taylor(V: Element, names: Sequence[str], order: int) -> Polynomial | None:
    """The Taylor polynomial at 0, if no symbols are left in its coefficients."""
    keys = [(c, 0) for c in names]
    plain = V.coefficients(*keys)
    if plain is not None:
        found = {m: e for m, e in plain.items() if sum(m) <= order}
    else:
        at = dict.fromkeys(keys, V.field.zero)
        found = {m: e.subs(at) / prod(factorial(k) for k in m) for m, e in _derivatives(V, keys, order)}
    if any(e.symbols for m, e in found.items() if any(m)):
        return None
    return {m: _number(e) for m, e in found.items() if any(m)}


def _number(e: Element) -> Number:
    value = e.as_fraction()
    return RealNumber(e) if value is None else value


def _derivatives(
    V: Element, keys: Sequence[tuple[str, int]], order: int
) -> Iterator[tuple[tuple[int, ...], Element]]:
    """All derivatives up to an order, each from one before it."""
    known: dict[tuple[int, ...], Element] = {(): V}
    for size in range(order + 1):
        for chosen in combinations_with_replacement(range(len(keys)), size):
            if chosen:
                known[chosen] = known[chosen[:-1]].diff(keys[chosen[-1]])
            yield tuple(chosen.count(i) for i in range(len(keys))), known[chosen]
