"""Constraints that factor: f = f₁^n₁ f₂^n₂ … means a union of branches, each classified alone (SCOPE K13).

    x'^2 − y'^2 = 0   is   x' = y'  or  x' = −y';     (x' + z z')^3 = 0   is   x' + z z' = 0

Factors without velocities are left out (the constraint is considered where they are not 0), and so are
factors that vanish nowhere. A constraint under a root is made rational: √u = w implies u = w². Constraints
with signs of velocities (abs, min, max) are unions of their pieces (:mod:`chetaev.constraint.pieces`).

>>> from chetaev.constraint.given import Given
>>> len(branches(Given.of(["x'^2 - y'^2"], ["x", "y"])).choices)
2
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from chetaev.constraint.evidence import Clock
from chetaev.constraint.given import Given
from chetaev.constraint.pieces import pieces, reached
from chetaev.expr.evaluate import evaluate
from chetaev.expr.exact import Element, Field
from chetaev.expr.graph import Expr, symbols

MAX_TERMS = 300
MAX_DEGREE = 40
MAX_BRANCHES = 8
SAMPLES = 4000


@dataclass(frozen=True)
class Branches:
    """The branches of a constraint, with what was done to find them.

    Attributes
    ----------
    choices
        One constraint for each branch; a single one if it does not factor.
    dropped
        Factors without velocities, and factors of one sign: the branches are meant where these are not 0.
    powers
        Factors that occurred with a power.
    signs_of
        Functions of the velocities whose signs tell branches apart.
    """

    choices: tuple[Given, ...]
    dropped: tuple[Expr, ...] = ()
    powers: tuple[Expr, ...] = ()
    signs_of: tuple[Expr, ...] = ()

    @property
    def evidence(self) -> str:
        """How the branches were found."""
        if not self.signs_of:
            return "proved: factorization"
        return "proved: the signs of " + ", ".join(dict.fromkeys(map(str, self.signs_of)))


def branches(given: Given, seconds: float = 0.5) -> Branches:
    """The branches of a constraint with numbers for its parameters."""
    given = given.at_values()
    field = Field()
    clock = Clock(seconds, seconds)
    options: list[list[Expr]] = []
    dropped: list[Expr] = []
    powers: list[Expr] = []
    signs_of: list[Expr] = []
    names = set(given.coordinates)
    for f in given.velocity:
        cut = clock.attempt(field, lambda f=f: _pieces(field, given, f, names))  # type: ignore[misc]
        if cut is not None and cut[0]:
            options.append(cut[0])
            signs_of += cut[1]
            continue
        found = clock.attempt(field, lambda f=f: _factors(field, f, names))  # type: ignore[misc]
        if found is None or not (found[0] or found[1]):
            options.append([f])
            continue
        if not found[0]:  # no velocities at all: a relation between positions, without its powers
            options.append(found[1])
            continue
        moving, still, repeated = found
        simple = len(moving) == 1 and not still and not repeated
        if len(moving) > 1:
            real = [e for e in moving if changes_sign(e)]
            dropped += [e for e in moving if e not in real] if real else []
            moving = real or moving
        options.append([f] if simple else moving)
        dropped += still
        powers += repeated
    count = 1
    for o in options:
        count *= len(o)
    if count > MAX_BRANCHES:
        return Branches((given,))
    return Branches(
        tuple(replace(given, velocity=choice, labels=()) for choice in product(*options)),
        tuple(dropped),
        tuple(powers),
        tuple(signs_of),
    )


def _pieces(field: Field, given: Given, f: Expr, names: set[str]) -> tuple[list[Expr], list[Expr]]:
    """The pieces of a constraint with signs of velocities, factored; empty without such signs."""
    cut = pieces(field, field(f), names)
    found: dict[frozenset[str], Expr] = {}
    for element in cut.elements if cut.signs_of else ():
        if element.is_zero:
            return [], []
        parts = _factors(field, element.to_expr(), names)
        for e in (parts[0] if parts is not None else None) or [element.to_expr()]:
            either_sign = frozenset((str(field(e)), str(-field(e))))
            if either_sign not in found and reached(given, f, e):
                found[either_sign] = e.args[0] if e.op == "neg" else e
    return list(found.values()), [u.to_expr() for u in cut.signs_of]


def changes_sign(f: Expr) -> bool:
    """Whether a function takes both signs at random points: else it has no regular real zeros."""
    rng = np.random.default_rng(7)
    values = {}
    for name in sorted(symbols(f)):
        values[name] = rng.normal(size=SAMPLES) * 10.0 ** rng.uniform(-2, 3, SAMPLES)
    found = np.asarray(evaluate([f], values)[0])
    found = found[np.isfinite(found)]
    return bool(np.any(found > 0) and np.any(found < 0)) or found.size < 10


def _factors(field: Field, f: Expr, names: set[str]) -> tuple[list[Expr], list[Expr], list[Expr]] | None:
    element = field(f)
    if len(element.numerator) > MAX_TERMS or element.numerator.total_degree() > MAX_DEGREE:
        return None
    _, found = element.numerator.factor()
    if len(found) == 1 and found[0][1] == 1:
        return None
    moving: list[Expr] = []
    still: list[Expr] = []
    repeated: list[Expr] = []
    for p, multiplicity in found:
        factor = field.polynomial(field.tower.reduce(p))
        if any(order and name in names for name, order in factor.symbols):
            moving.append(factor.to_expr())
            if multiplicity > 1:
                repeated.append(factor.to_expr())
        elif any(name in names for name, _ in factor.symbols):
            still.append(factor.to_expr())
    return moving, still, repeated


def degree_in_velocities(f: Element, names: tuple[str, ...]) -> int | None:
    """The degree in the velocities after clearing denominators and roots; None if there is none."""
    top = Element(f.field, f.numerator, f.field.tower.one)
    velocities = [(q, 1) for q in names if (q, 1) in top.symbols]
    if not velocities:
        return 0
    for _ in range(3):
        parts = top.coefficients(*velocities)
        if parts is not None:
            return max(sum(e) for e in parts)
        squared = _without_root(top, {f.field.base(v) for v in velocities})
        if squared is None:
            return None
        top = squared
    return None


def _without_root(f: Element, velocities: set[int]) -> Element | None:
    """a + b√u = 0 implies a² − b²u = 0."""
    field, tower = f.field, f.field.tower
    for k in reversed(tower.used(f.numerator)):
        generator = field.generators[k]
        if generator.kind == "root" and generator.order == 2 and not generator.depends.isdisjoint(velocities):
            parts = tower.collect(f.numerator, (k,))
            if set(parts) <= {(0,), (1,)}:
                a = field.polynomial(parts.get((0,), tower.zero))
                b = field.polynomial(parts.get((1,), tower.zero))
                norm = a * a - b * b * generator.args[0]
                return Element(field, norm.numerator, tower.one)
    return None
