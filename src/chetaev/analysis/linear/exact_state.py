"""The state at which something is asked, exactly: texts, fractions and multiples of π stay what they are.

A double as near to a multiple of π/12 as doubles can be is taken for that multiple: ``math.pi`` is meant so.
Velocities that the data leave to the constraints are solved for exactly where the constraints are affine in
them. Where no exact state is seen, there is none, and numbers have to do.
"""

from __future__ import annotations

import math
from fractions import Fraction

from chetaev.errors import ExhaustedError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import PI, ZERO, Expr, is_implicit, mul, number, substitute, symbol
from chetaev.laws.standpoint import Standpoint
from chetaev.model.states.points import exact_levels
from chetaev.model.system import System

Name = tuple[str, int]
LONG = 10**12
"""A decimal with a larger denominator may be a double that stands for something else."""
PLAIN = 1000
"""Largest denominator of a number that is recognised."""


class NoExactStateError(ExhaustedError):
    """No exact state is seen at the place that is meant."""


def exact_state(system: System, view: Standpoint, field: Field) -> dict[Name, Expr]:
    """The initial state of a system, on its constraints, as expressions in its parameters."""
    initial, state = system.initial, system.state
    assert initial is not None
    meant = {(system.time, 0): _meant(initial.t)}
    for c in system.coordinates:
        given = initial.position.get(c)
        meant[c, 0] = _meant(given) if given is not None else _recognised(state.position[c])
    meant = {k: view.apply([e])[0] for k, e in meant.items()}
    (phi, _), (f, _) = exact_levels(system)
    at_q = {symbol(*k): e for k, e in meant.items()}
    # a zero that was enclosed is one although that is not seen
    found = any(map(is_implicit, meant.values())) or any(map(is_implicit, initial.velocity.values()))
    kept = (True, None) if found else (True,)
    if any(field(e).is_zero not in kept for e in substitute(view.apply(phi), at_q)):
        raise NoExactStateError("the position")
    known = {c: view.apply([_meant(e)])[0] for c, e in initial.velocity.items()}
    rest = [c for c in system.coordinates if c not in known]
    at_q |= {symbol(c, 1): e for c, e in known.items()}
    rows = [field(e) for e in substitute(view.apply(f), at_q)]
    if rest:
        known |= _solved(system, field, rows, rest)
    if any(e.subs({(c, 1): known[c] for c in rest}).is_zero not in kept for e in rows):
        raise NoExactStateError("the velocity")
    return meant | {(c, 1): known[c] for c in system.coordinates}


def _meant(e: Expr) -> Expr:
    """A value as it is meant."""
    if e.op != "number" or e.value.denominator < LONG:
        return e
    twelfths = round(float(e.value) * 12 / math.pi)
    near = math.isclose(float(e.value), twelfths * math.pi / 12, rel_tol=4e-16)
    return mul(number(Fraction(twelfths, 12)), PI) if twelfths and near else e


def _recognised(x: float) -> Expr:
    """A number that was solved for, if it is plain."""
    if x == 0:
        return ZERO
    plain = Fraction(x).limit_denominator(PLAIN)
    if abs(float(plain) - x) < 1e-12 * abs(x):
        return number(plain)
    raise NoExactStateError("the position")


def _solved(system: System, field: Field, rows: list[Element], rest: list[str]) -> dict[str, Expr]:
    """The velocities left out, from constraints affine in them; else what is recognised, as rest is."""
    velocities = [(c, 1) for c in rest]
    slopes = [[e.diff(v) for v in velocities] for e in rows]
    rests = all(system.state.velocity[c] == 0 for c in system.coordinates)
    if rests or any(d.symbols & set(velocities) for row in slopes for d in row):
        return {c: _recognised(system.state.velocity[c]) for c in rest}
    still = dict.fromkeys(velocities, field.zero)
    right = [-e.subs(still) for e in rows]
    return {c: e.to_expr() for c, e in zip(rest, linear.solve(slopes, right), strict=True)}


def modest(effort: int) -> Field:
    """A field for matrices of constants: what is not plain soon is left to doubles."""
    return Field(Budget(max(1, effort // 4), terms=4000, products=400_000))
