"""Casimir functions of the nonholonomic bracket: found, proved, counted (SCOPE M5, B9).

{F, G} = 0 for all G exactly if dF vanishes on H (:mod:`chetaev.hamilton.horizontal`). H contains all vertical
directions that are tangent to Q, so F is a function of t and q alone, and

    W(F) = w^i ∂F/∂q^i = 0      for all virtual displacements w, C(t, q, v) w = 0, at all v on Q.

For constraints linear in the velocities these are the integrals of the constraint at fixed time: the exact
part of the constraint forms. There are at most m − r of them, r being the rank of the smallest set of fields
on q-space that contains the w, is closed under brackets and derivatives by v, and the position constraints
are not counted. Two sources propose, one zero test for each w decides:

- combinations of products of coordinates and of the functions that occur, by their null space at points of
  Q modulo a prime (as for first integrals);
- integrals of integrable parts in closed form, logarithms and angles among them.

>>> import chetaev as ch
>>> L, row = "(x'^2 + y'^2 + z'^2)/2", "z' = x*y' + y*x'"
>>> b = ch.bracket(ch.System(coordinates=["x", "y", "z"], lagrangian=L, constraints=[row]))
>>> [str(c.expression) for c in b.casimirs], b.casimirs.complete
(['z - x*y'], True)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import nmod_mat

from chetaev.constraint.integrability.constants_of_the_constraint import find as integrals_of_constraint
from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.exact.numbers.number_echelon import NumberEchelon
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, add, mul, symbol, symbols
from chetaev.expr.print import to_latex, to_text
from chetaev.hamilton.horizontal import Horizontal, Vector
from chetaev.laws.search.first_integrals import Differentials
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors, rank
from chetaev.laws.search.written_integral import shaped
from chetaev.laws.standpoint import VALUES_GIVEN, decisive, judge, standpoints
from chetaev.laws.symmetry.field_space import field_space
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.results import PlainData, TextResult, plain

LIMIT = 260
"""Functions in one search."""
DEGREE = 3
MOST_FIELDS = 60
"""Fields whose brackets are made, to bound the number of Casimirs."""


@dataclass(frozen=True)
class Casimir(PlainData):
    """A function whose bracket with every function vanishes.

    Attributes
    ----------
    expression
        The function of t and q.
    proof
        The verdict on w(F) = 0 on Q for all virtual displacements w.
    parameters
        For which parameters, in words.
    """

    expression: Expr
    proof: Verdict
    parameters: str = ""

    facts = "expression proof.proved parameters"


class Casimirs(TextResult, tuple[Casimir, ...]):
    """The independent Casimirs found.

    Attributes
    ----------
    most
        There are no more than these; None if that was not found out.
    searched
        The space that was searched, in words.
    """

    most: int | None
    searched: str

    facts = "most complete searched"

    def __new__(cls, found: Iterable[Casimir], most: int | None, searched: str) -> Casimirs:
        """The Casimirs, how many there can be, and what was searched."""
        made = super().__new__(cls, found)
        made.most, made.searched = most, searched
        return made

    @property
    def complete(self) -> bool | None:
        """Whether every Casimir is a function of these (and of t); None where that is not known."""
        if self.most is None:
            return None
        return True if len(self) >= self.most else None

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"casimirs": plain(list(self))} | super().to_json()

    def __str__(self) -> str:
        return f"Casimirs: {self.words}"

    @property
    def words(self) -> str:
        """Which there are, and whether these are all."""
        listed = ", ".join(
            to_text(c.expression) + (f" {VALUES_GIVEN}" if c.parameters == VALUES_GIVEN else "") for c in self
        )
        if self.complete:
            return f"{listed} (all)" if self else "none, since there can be none"
        most = "" if self.most is None else f"there can be {self.most}; "
        return f"{listed or 'none found'} ({most}searched: {self.searched})"

    def _repr_html_(self) -> str:
        formulas = "".join(f"<p>$\\displaystyle {to_latex(c.expression)}$</p>" for c in self)
        return f"{super()._repr_html_()}{formulas}"


def casimirs(at: Horizontal) -> Casimirs:
    """The Casimirs of the bracket on Q."""
    system = at.system
    try:
        motions = ask(lambda: [Motion(system, view) for view in standpoints(system)])
    except ModelError as error:
        return Casimirs((), None, f"nothing: {error.message}")
    if isinstance(motions, GivenUp):
        return Casimirs((), None, f"nothing: {motions.reason}")
    most = answer(ask(_most, at, motions[-1]))  # for the values given: there may be more than for others
    if most == 0:
        return Casimirs((), 0, "nothing: there can be none")
    found: list[Casimir] = []
    words = "nothing: no points of Q modulo a prime were found"
    for motion in motions:
        proposed = ask(_in_a_space, motion, at.effort)
        if isinstance(proposed, GivenUp):
            continue
        words = proposed[1]
        _keep(at, motions[-1], proposed[0], most, found)
        if most is not None and len(found) >= most:
            return Casimirs(found, most, words)
    _keep(at, motions[-1], _integrable_part(at, most), most, found)
    return Casimirs(found, most, words + "; integrals of the constraint in closed form")


def _keep(
    at: Horizontal, motion: Motion, proposed: Sequence[Expr], most: int | None, found: list[Casimir]
) -> None:
    """Add those that are Casimirs, real, and independent of what is found."""
    for given in proposed:
        if most is not None and len(found) >= most:
            return
        real = _is_real(at, given)
        expression = given if real else (at.field(given) ** 2).to_expr()  # an imaginary root drops out
        verdict, parameters = _judged(at, expression)
        if verdict.is_zero and _is_new(motion, [c.expression for c in found], expression):
            found.append(Casimir(expression, verdict, parameters))


# -- how many can there be -------------------------------------------------------------------------------
def _most(at: Horizontal, motion: Motion) -> int:
    """m less the rank of the closure of the virtual displacements, less the position constraints.

    Ranks are taken at a point of Q modulo a prime; they are never too large.
    """
    m = at.m
    fields: list[Vector] = [w[:m] for w in at.W]
    positions = [[motion.function(e).diff((c, 0)) for c in at.system.coordinates] for e in motion.levels]

    def rank_of(vectors: Sequence[Vector]) -> int:
        listed = [[motion.function(e.to_expr()) for e in x] for x in vectors]
        points = motion.points(seed=11)
        point = points.draw()
        return rank([[point.value(e) for e in x] for x in listed], points.p)

    known = rank_of(fields) if fields else 0
    done = 0
    while done < len(fields) < MOST_FIELDS and known < m:
        X, done = fields[done], done + 1
        candidates = [[dot([at.on_q(e.diff(x)) for x in at.v], w) for e in X] for w in at.W]  # ∂X/∂v^s on Q
        candidates += [_lie(at, X, Y) for Y in fields[:done]]
        for Z in candidates:
            if all(e.is_zero for e in Z):
                continue
            more = rank_of([*fields, Z])
            if more > known:
                known = more
                fields.append(Z)
    levels = 0
    if positions:
        points = motion.points(seed=12)
        point = points.draw()
        levels = rank([[point.value(e) for e in row] for row in positions], points.p)
    return m - known - levels


def _lie(at: Horizontal, X: Vector, Y: Vector) -> Vector:
    """[X, Y] of fields on q-space, the independent velocities being parameters."""
    lifted_X, lifted_Y = at.tangent([X, Y])

    def along(e: Element, Z: Vector) -> Element:
        return dot([at.on_q(e.diff(x)) for x in (*at.q, *at.v)], Z)

    return [along(y, lifted_X) - along(x, lifted_Y) for x, y in zip(X, Y, strict=True)]


# -- candidates ------------------------------------------------------------------------------------------
def _in_a_space(motion: Motion, effort: int) -> tuple[list[Expr], str]:
    """Combinations of products of what occurs that virtual displacements leave alone."""
    timely = (motion.system.time, 0) in symbols(*motion.jacobian)
    kinds = ["position", "function", *(["time"] if timely else [])]
    space, reached = field_space(motion, DEGREE, 1, LIMIT, kinds)
    motion.function("0")
    atoms = ", ".join(to_text(a.function.to_expr()) for a in space.atoms)
    words = f"{len(space)} products of at most {reached} of {atoms}"

    def rows(point: PointOnQ) -> list[list[int]]:
        found = point.residues.program(motion.jacobian)(point.values)
        directions = _displacements(motion, found, point.residues.p)
        if not directions:
            return [[0] * len(space)]
        return [space.values_and_slopes(point, point.along(d))[1] for d in directions]

    budget = Budget(20 * effort)
    found = null_vectors(motion.points(), len(space), rows, budget)
    points = motion.points(seed=5)
    stack = Differentials(motion, points.draw(), [motion.field.variable(motion.time)])
    result = []
    for vector in found.vectors:
        slopes = (sum(c * g[j] for j, c in vector.items()) for g in space.gradients(stack.point))
        if not stack.grows([x % stack.p for x in slopes]):
            continue
        solved = exact(motion, rows, vector, budget=budget)
        if solved is not None:
            result.append(shaped(motion, space.combination(solved)))
    return result, words


def _displacements(motion: Motion, C: Sequence[int], p: int) -> list[dict[int, int]]:
    """A basis of ker C at a point modulo p, as directions of the positions."""
    m, k = len(motion.positions), len(motion.f)
    if not k:
        return [{q: 1} for q in motion.positions]
    rows = NumberEchelon(nmod_mat(k, m, list(C), p))
    return [{motion.positions[j]: int(x) for j, x in rows.null_vector(free).items()} for free in rows.free]


def _integrable_part(at: Horizontal, most: int | None) -> list[Expr]:
    """Integrals of the constraint's part linear in the velocities, the time being fixed."""
    system = at.system
    if not at.C or any(order for row in at.C for e in row for _, order in e.symbols):
        return []

    def look() -> Sequence[Element]:
        Q = Constraint(ConstraintData.from_system(_at_fixed_time(at)))
        return integrals_of_constraint(Q, at.m if most is None else most)

    found = answer(ask(look)) or ()
    known = {*system.names, system.time}
    return [e.to_expr() for e in found if all(name in known and not order for name, order in e.symbols)]


def _at_fixed_time(at: Horizontal) -> System:
    """A system with the same coordinates and the constraints C v = 0, the time being a parameter."""
    system = at.system
    rows = [
        add(*(mul(e.to_expr(), symbol(c, 1)) for e, c in zip(row, system.coordinates, strict=True)))
        for row in at.C
    ]
    other = system.time
    while other in (*system.names, system.time):
        other += "_"
    return System(
        coordinates=list(system.coordinates),
        lagrangian=add(*(mul(symbol(c, 1), symbol(c, 1)) for c in system.coordinates)),
        constraints=[f"{to_text(row)} = 0" for row in rows],
        parameters={name: to_text(value) for name, value in system.parameters.items()} | {system.time: "1/3"},
        time=other,
    )


# -- judging ---------------------------------------------------------------------------------------------
def _judged(at: Horizontal, expression: Expr) -> tuple[Verdict, str]:
    """Whether w(F) = 0 on Q for all virtual displacements."""
    F = at.field(expression)
    gradient = [F.diff(x) for x in at.q]
    rates = [dot(gradient, w).to_expr() for w in at.W]
    if not rates:
        return Verdict("zero", True, method="no virtual displacements"), standpoints(at.system)[0].words
    verdict, view = judge(at.system, lambda view: decisive(vanish(at.system, rates, view, at.effort)))
    return verdict, view.words


def _is_real(at: Horizontal, expression: Expr) -> bool:
    """Whether it has a value at some points of Q: roots modulo a prime know no sign."""
    for point in at.system.random_states(4, seed=2):
        here: dict[Any, float] = {
            **at.system.parameter_values,
            at.system.time: point.get(at.system.time, 0.0),
        }
        here |= {c: point[c] for c in at.system.coordinates}
        if math.isfinite(evaluate([expression], here)[0]):
            return True
    return False


def _is_new(motion: Motion, known: Sequence[Expr], expression: Expr) -> bool:
    """Whether dF is independent, on Q, of those before it."""
    time = symbol(motion.system.time)  # at fixed time every function of it is one
    elements = [motion.function(e) for e in (time, *known, expression)]
    grown = answer(ask(_grows, motion, elements))
    return not known if grown is None else grown


def _grows(motion: Motion, elements: Sequence[Element]) -> bool:
    stack = Differentials(motion, motion.points(seed=9).draw(), elements[:-1])
    return stack.grows(stack.of(elements[-1]))
