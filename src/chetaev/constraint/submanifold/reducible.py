"""Constraints that factor: f = f₁^n₁ f₂^n₂ … means a union of branches, each classified alone (SCOPE K13).

    x'^2 − y'^2 = 0   is   x' = y'  or  x' = −y';     (x' + z z')^3 = 0   is   x' + z z' = 0

What stands under functions, denominators and sums of squares is taken out first
(:mod:`chetaev.constraint.submanifold.plainer_equations`).

An equation may also touch the affine ones beside it, as x'² + y'² = z'² touches x' = z': with these put in, a
sum of squares is left, here y'² = 0, and ∂f/∂v depends on theirs wherever all hold.

Factors without velocities are left out (the constraint is considered where they are not 0), and so are
factors that vanish nowhere. A constraint under a root is made rational: √u = w implies u = w². Constraints
with signs of velocities (abs, min, max) are unions of their pieces
(:mod:`chetaev.constraint.submanifold.affine_in_disguise`).

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> len(branches(ConstraintData.of(["x'^2 - y'^2"], ["x", "y"])).choices)
2
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.evidence import EFFORT, FACTORED, Allowance, Evidence
from chetaev.constraint.submanifold.piecewise import Pieces, pieces, reached
from chetaev.constraint.submanifold.plainer_equations import Shape, bare, plain
from chetaev.constraint.submanifold.positive_functions import positive, squares
from chetaev.expr.exact import Element, Field
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import ONE, Expr, symbols

MAX_TERMS = 300
MAX_DEGREE = 40
MAX_BRANCHES = 8
SAMPLES = 4000
ON_BRANCH = 1e-7
"""How far the initial state may miss the equations of the branch that it is on."""

Way = tuple[Expr, ...]
"""Functions that vanish together."""


@dataclass(frozen=True)
class Branches:
    """The branches of a constraint, with what was done to find them."""

    choices: tuple[ConstraintData, ...]
    """One constraint for each branch; a single one if it does not factor."""
    dropped: tuple[Expr, ...] = ()
    """Factors without velocities, and factors of one sign, unless they vanish nowhere: the branches are meant
    where these are not 0.
    """
    powers: tuple[Expr, ...] = ()
    """Factors that occurred with a power."""
    signs_of: tuple[Expr, ...] = ()
    """Functions of the velocities whose signs tell branches apart."""
    blunt: tuple[tuple[Expr, tuple[Way, ...]], ...] = ()
    """Equations whose differential vanishes wherever they hold, and what they mean."""
    touching: tuple[tuple[Expr, tuple[Way, ...]], ...] = ()
    """Equations whose differential depends on those of affine ones wherever all hold, and what they mean."""
    none: str = ""
    """The reason why there is no branch: no real velocities satisfy the constraint, or it is an inequality.
    """
    given_up: bool = False
    """Whether the search was given up because its effort was spent."""

    @property
    def evidence(self) -> Evidence:
        """How the branches were found."""
        if not self.signs_of:
            return FACTORED
        return Evidence(True, "the signs of " + ", ".join(dict.fromkeys(map(str, self.signs_of))))


def branches(given: ConstraintData, effort: int = EFFORT // 4) -> Branches:
    """The branches of a constraint with numbers for its parameters."""
    given = given.at_values()
    split = _Split(given, Allowance(effort, effort))
    options = [split.ways(f) for f in given.velocity]
    if split.inequality:
        return Branches((), none=split.inequality)
    if any(not o for o in options):
        which = next(str(f) for f, o in zip(given.velocity, options, strict=True) if not o)
        return Branches((), none=f"no real velocities satisfy {which} = 0")
    split.touch(given.velocity, options)
    count = 1
    for o in options:
        count *= len(o)
    if count > MAX_BRANCHES:
        return Branches((given,))
    choices = [tuple(dict.fromkeys(e for way in choice for e in way)) for choice in product(*options)]
    return Branches(
        tuple(_branch(given, choice) for choice in choices),
        tuple(e for e in dict.fromkeys(split.dropped) if not split.never_zero(e)),
        tuple(split.powers),
        tuple(split.signs_of),
        tuple(split.blunt),
        tuple(split.touching),
        given_up=split.allowance.exhausted,
    )


def _branch(given: ConstraintData, velocity: Way) -> ConstraintData:
    """One branch; the initial state belongs to it only if it is on it."""
    branch = replace(given, velocity=velocity, labels=())
    if branch.state is None:
        return branch
    values = evaluate(branch.with_values(*velocity), branch.state)
    return branch if all(abs(x) <= ON_BRANCH for x in values) else replace(branch, state=None)


class _Split:
    """The search for the branches of one constraint, with what was done."""

    def __init__(self, given: ConstraintData, allowance: Allowance) -> None:
        self.given, self.allowance, self.field = given, allowance, Field()
        self.names = set(given.coordinates)
        self.dropped: list[Expr] = []
        self.powers: list[Expr] = []
        self.signs_of: list[Expr] = []
        self.blunt: list[tuple[Expr, tuple[Way, ...]]] = []
        self.touching: list[tuple[Expr, tuple[Way, ...]]] = []
        self.inequality = ""

    def ways(self, f: Expr) -> list[Way]:
        """f = 0 as a union of systems of equations; empty if no real velocities satisfy it."""
        shape = plain(f)
        if shape == Shape(((bare(f),),)):  # nothing was taken off: the equation as it is written
            shape = Shape(((f,),))
        self.dropped += shape.nonzero
        found: list[Way] = []
        blunt = shape.blunt
        for way in shape.ways:
            parts = [self.factors(e) for e in way]
            for choice in product(*(ways for ways, _ in parts)):
                joined = tuple(dict.fromkeys(e for small in choice for e in small))
                if joined not in found:
                    found.append(joined)
            blunt = blunt or any(b for _, b in parts)
        if blunt and found:
            self.blunt.append((f, tuple(found)))
        return found

    def touch(self, functions: tuple[Expr, ...], options: list[list[Way]]) -> None:
        """Replace the ways of equations that touch the affine ones by what they mean there."""
        certain = [e for ways in options if len(ways) == 1 for e in ways[0]]
        names = self.given.coordinates
        found = self.allowance.attempt(self.field, lambda: _solved(self.field, certain, names)) or {}
        for i, f in enumerate(functions if found else ()):
            left = self.allowance.attempt(self.field, lambda f=f: self.field(f).subs(found))  # type: ignore[misc]
            if left is None or left.is_zero or any(f is g for g, _ in self.blunt):
                continue
            inside = _Split(self.given, self.allowance)
            ways = inside.ways(left.to_expr())
            if ways and inside.blunt:
                options[i] = ways
                self.touching.append((f, tuple(ways)))

    def factors(self, f: Expr) -> tuple[list[Way], bool]:
        """The pieces and factors of one equation; whether all of it is a sum of squares."""
        names = self.names
        cut = self.allowance.attempt(self.field, lambda: pieces(self.field, self.field(f), names))
        if cut is not None and cut.signs_of:
            where = cut.holds_by_itself()
            if where:
                self.inequality = (
                    f"{f} = 0 is an inequality: it holds by itself where {where}, "
                    "and no reaction force belongs to it"
                )
            found_pieces = self.allowance.attempt(
                self.field, lambda: _reached(self.field, self.given, f, cut, names)
            )
            if found_pieces:
                self.signs_of += [u.to_expr() for u in cut.signs_of]
                return [(e,) for e in found_pieces], False
        found = self.allowance.attempt(self.field, lambda: _factors(self.field, f, names))
        if found is None or not (found[0] or found[1]):
            whole = self.squares(f)
            return ([(f,)], False) if whole is None else (whole, True)
        if not found[0]:  # no velocities at all: a relation between positions, without its powers
            return [(e,) for e in found[1]], False
        moving, still, repeated = found
        if len(moving) == 1 and not still and not repeated and len(symbols(moving[0])) == len(symbols(f)):
            return [(f,)], False
        if len(moving) > 1:
            real = [e for e in moving if changes_sign(e)]
            self.dropped += [e for e in moving if e not in real] if real else []
            moving = real or moving
        self.dropped += still
        self.powers += repeated
        lines = [self.squares(e) for e in moving]
        ways = [w for e, s in zip(moving, lines, strict=True) for w in ([(e,)] if s is None else s)]
        return ways, all(s is not None or e in repeated for e, s in zip(moving, lines, strict=True))

    def never_zero(self, f: Expr) -> bool:
        """Whether a function is seen to vanish nowhere: then nothing is left out with it."""
        return bool(
            self.allowance.attempt(
                self.field,
                lambda: any(u.is_polynomial and positive(u) for u in (self.field(f), -self.field(f))),
            )
        )

    def squares(self, f: Expr) -> list[Way] | None:
        """What a definite quadratic equation means; None for other ones."""
        lines = self.allowance.attempt(self.field, lambda: squares(self.field(f), self.given.coordinates))
        if lines is None:
            return None
        return [tuple(e.to_expr() for e in lines)] if lines else []


def _solved(field: Field, functions: list[Expr], names: tuple[str, ...]) -> dict[tuple[str, int], Element]:
    """Velocities that affine equations give, where their coefficient vanishes nowhere."""
    found: dict[tuple[str, int], Element] = {}
    for e in functions:
        f = field(e).subs(found)
        f = Element(field, f.numerator, field.tower.one)
        moving = [(q, 1) for q in names if (q, 1) in f.symbols]
        parts = f.coefficients(*moving) if moving else None
        if parts is None or max(map(sum, parts)) != 1:
            continue
        for i, v in enumerate(moving):
            c = parts.get(tuple(int(i == j) for j in range(len(moving))), field.zero)
            if not c.is_zero and (c.is_number or positive(c) or positive(-c)):
                value = field.symbol(*v) - f / c
                found = {u: g.subs({v: value}) for u, g in found.items()} | {v: value}
                break
    return found


def _reached(field: Field, given: ConstraintData, f: Expr, cut: Pieces, names: set[str]) -> list[Expr]:
    """The equations of the pieces of f = 0, factored, up to their signs, as far as points have the signs."""
    found: dict[frozenset[str], Expr] = {}
    for element in cut.elements:
        if element.is_zero:
            continue
        parts = _factors(field, element.to_expr(), names)
        for e in (parts[0] if parts is not None else None) or [element.to_expr()]:
            either_sign = frozenset((str(field(e)), str(-field(e))))
            if either_sign not in found and reached(given, f, e):
                found[either_sign] = e.args[0] if e.op == "neg" else e
    return list(found.values())


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
    _, found = field.factor(element.numerator)
    below = _denominators(field, element, names)
    if len(found) == 1 and found[0][1] == 1 and not below:
        return None
    moving: list[Expr] = []
    still: list[Expr] = [e for e in below if e is not ONE]
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


def _denominators(field: Field, element: Element, names: set[str]) -> list[Expr]:
    """The factors of a denominator with velocities that may vanish; 1 stands for those that do not.

    Only quotients of polynomials in the velocities are looked at: a tangent says more than its numerator.
    """
    found = []
    moving = [(name, order) for name, order in sorted(element.symbols) if order and name in names]
    top = Element(field, element.numerator, field.tower.one)
    rational = not element.is_polynomial and top.coefficients(*moving) is not None
    for p, _ in field.factor(element.denominator)[1] if rational else []:
        factor = field.polynomial(field.tower.reduce(p))
        if any(order and name in names for name, order in factor.symbols):
            found.append(ONE if positive(factor) or positive(-factor) else factor.to_expr())
    return found


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
