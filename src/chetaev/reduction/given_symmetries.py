"""Symmetries as people give them, examined before anything is reduced (SCOPE B11, M6).

Fields X = ξ^σ ∂_σ must take motions to motions. Where one does not, what it does to L and to the constraint
is shown: X^(1)(L) and X^(1)(f) on Q, with X^(1) = X + ξ̇^σ ∂/∂v^σ. Brackets of fields must be combinations of
them. Linear maps g of a finite group act on velocities as on positions and must take motions to motions too:
a(t, gq, gv) = g a(t, q, v) and f(t, gq, gv) = 0 on Q.

>>> import chetaev as ch
>>> plane = ch.System(coordinates=["x", "y"], lagrangian="(x'^2 + y'^2)/2 - k*x^2*y", parameters={"k": 2})
>>> from chetaev.laws.symmetry.given_fields import read_field
>>> str(change(plane, read_field(plane, {"x": "-y", "y": "x"}, "point"), plane.dynamics.lagrangian))
'k*x*(2*y^2 - x^2)'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import fmpq, fmpq_mat

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Field, GivenUp, answer, ask
from chetaev.expr.graph.node import ZERO, Expr, add, mul, neg, number, sub, substitute, symbol
from chetaev.expr.print import to_text
from chetaev.laws.rate import solved_accelerations
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.standpoint import EVERY_VALUE, VALUES_GIVEN, Standpoint, standpoints
from chetaev.laws.symmetry.algebra import algebra, bracket
from chetaev.laws.symmetry.examine import evolutionary, examine, on_q
from chetaev.laws.symmetry.given_fields import Components, combination, read_fields
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.symmetry import Answer, Symmetry
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System
from chetaev.reduction.expressed import TIDY, cut_text, tidy

LONG = 300
"""Characters of a term in an error."""


@dataclass(frozen=True)
class Examined:
    """Fields that take motions to motions, for which parameters each is proved to (None where it is not), and
    what else there is to say.
    """

    fields: tuple[Components, ...]
    proofs: tuple[str | None, ...]
    notes: tuple[str, ...]

    def proved(self, view: Standpoint) -> bool:
        """Whether that is proved of all of them for these parameters."""
        too_few = VALUES_GIVEN if view.words == EVERY_VALUE else None
        return all(proof not in (None, too_few) for proof in self.proofs)


def examined(system: System, given: Any, effort: int) -> Examined:
    """Symmetries of the motion; a sentence with the term that is not invariant otherwise."""
    fields = read_fields(system, given, "point")
    if not fields:
        raise ModelError("no symmetry was given", expected='a list of fields, such as [{"x": 1}]')
    lin = Linearized(system)
    notes, proofs = [], []
    for field in fields:
        if field.time is not ZERO:
            raise ModelError(f"the symmetry {field} moves time", expected="fields along coordinates alone")
        found = examine(system, field, effort, lin)
        broken = [
            f"{what} {_change_of(system, field, what)}, {answer.evidence}"
            for what, answer in (("the Lagrangian", found.lagrangian), ("the constraint", found.constraint))
            if answer is not None and answer.holds is False
        ]
        if found.dynamics.holds:
            proofs.append(_proof(system, field, found, effort))
            if broken:
                notes.append(f"{field} is a symmetry of the motion, though {'; '.join(broken)}")
            continue
        if found.dynamics.holds is False and not broken:
            broken = [t for t in (answer(ask(_otherwise, system, field, lin, effort)),) if t]
            broken = [f"{t}, {found.dynamics.evidence}" for t in broken]
        why = "; ".join(broken) or str(found.dynamics)
        word = "is no symmetry" if found.dynamics.holds is False else "is not known to be a symmetry"
        raise ModelError(
            f"{field} {word} of the motion: {why}",
            remedy="chetaev symmetries MODEL finds those that there are",
        )
    return Examined(tuple(fields), tuple(proofs), tuple(notes))


def _proof(system: System, field: Components, found: Symmetry, effort: int) -> str | None:
    """For which parameters it is proved that motions go to motions: at once, or because L, constraint and
    forces stay; None if it is not.
    """
    if found.dynamics.proved:
        return found.dynamics.parameters
    every = [found.lagrangian, found.constraint, _of_forces(system, field, effort)]
    if not all(answer.holds and answer.proved for answer in every):
        return None
    return VALUES_GIVEN if any(a.parameters == VALUES_GIVEN for a in every) else EVERY_VALUE


def _of_forces(system: System, field: Components, effort: int) -> Answer:
    """Whether the 1-form F_σ dq^σ of applied forces is kept on Q."""
    found = ask(lambda: on_q(system, list(_changes_of_forces(system, field).values()), effort))
    return Answer(None, "not decided") if isinstance(found, GivenUp) else found


def _changes_of_forces(system: System, field: Components) -> dict[str, Expr]:
    """X^(1)(F_σ) + F_ρ ∂ξ^ρ/∂q^σ by coordinate."""
    ring = Field(Budget(TIDY))
    defects = {}
    for c in system.coordinates:
        total = ring(change(system, field, system.forces.get(c, ZERO)))
        for n, e in field.along:
            total = total + ring(system.forces.get(n, ZERO)) * ring(e).diff(c)
        defects[c] = total.to_expr()
    return defects


def _otherwise(system: System, field: Components, lin: Linearized, effort: int) -> str:
    """What is not invariant where Lagrangian and constraint are: a force, or else the law of motion."""
    view = standpoints(system)[-1]
    for c, e in _changes_of_forces(system, field).items() if system.forces else ():
        if vanish(system, [e], view, effort)[0].is_zero is False:
            return f"the force along {c} is not invariant: (L_X F)_{c} = {cut_text(e, LONG)}"
    defects = lin.symmetry_defects(evolutionary(field))
    laws = [f"{system.coordinates[i]}'" for i in lin.dependent]
    laws += [f"{system.coordinates[i]}''" for i in lin.independent]
    for name, e in zip(laws, defects, strict=False):
        if vanish(system, [e], view, effort)[0].is_zero is False:
            return f"the law of {name} is not invariant, it changes by {cut_text(tidy(e), LONG)}"
    return ""


def _change_of(system: System, field: Components, what: str) -> str:
    """What a field does to L, or to the first constraint that it changes, in words."""
    if what == "the Lagrangian":
        moved = answer(ask(change, system, field, system.dynamics.expect_lagrangian()))
        return "is not invariant" + ("" if moved is None else f": X(L) = {cut_text(moved, LONG)}")
    residuals = [e.residual for e in (*system.position_constraints, *system.velocity_constraints)]
    view = standpoints(system)[-1]
    for i, residual in enumerate(residuals, start=1):
        moved = answer(ask(change, system, field, residual))
        if moved is None:
            continue
        if vanish(system, [moved], view)[0].is_zero is False:
            which = "is not invariant:" if len(residuals) == 1 else f"{i} is not invariant:"
            return f"{which} X(f) = {cut_text(moved, LONG)} does not vanish with f"
    return "is not invariant"


def change(system: System, field: Components, function: Expr) -> Expr:
    """X^(1)(F) = ξ^σ ∂F/∂q^σ + ξ̇^σ ∂F/∂v^σ."""
    ring = Field(Budget(TIDY))
    if function is ZERO:
        return ZERO
    F = ring(function)
    total = ring.zero
    for c, e in field.along:
        xi = ring(e)
        speed = sum((xi.diff(n) * ring.symbol(n, 1) for n in system.coordinates), xi.diff(system.time))
        total = total + F.diff(c) * xi + F.diff((c, 1)) * speed
    return total.to_expr()


def expect_algebra(motion: Motion, fields: Sequence[Components], effort: int) -> None:
    """A sentence with the bracket that leaves the span of the fields."""
    names = motion.system.coordinates
    listed = [{n: motion.function(e) for n, e in f.along if e is not ZERO} for f in fields]
    found = algebra(motion, names, listed, effort)
    if found.closed is not False:
        return
    for i, j in combinations(range(len(fields)), 2):
        if any((i, j) == key[:2] for key in found.constants):
            continue
        outside = bracket(names, listed[i], listed[j], motion.field.zero)
        if any(e.is_zero is False for e in outside.values()):
            words = combination({n: e.to_expr() for n, e in outside.items()}, "∂/∂")
            raise ModelError(
                f"the fields do not form an algebra: the bracket of {fields[i]} and {fields[j]} is {words}, "
                "no combination of the fields",
                remedy="add it to the list",
            )
    raise ModelError(f"the fields do not form an algebra: {found}", remedy="add their brackets to the list")


def read_maps(system: System, given: Any) -> list[fmpq_mat]:
    """Linear maps of the coordinates: by components, ``{"x": "-x"}``, or as matrices of numbers."""
    if isinstance(given, Mapping | str | bytes) or not isinstance(given, Sequence) or not given:
        raise ModelError(
            f"the group is {shown(given)}",
            expected='a list of linear maps, such as [{"x": "-x", "y": "-y"}], or of matrices',
        )
    return [
        _map_by_components(system, one) if isinstance(one, Mapping) else _map_by_rows(system, one)
        for one in given
    ]


def _map_by_components(system: System, given: Mapping[Any, Any]) -> fmpq_mat:
    names = system.coordinates
    unknown = next((n for n in given if n not in names), None)
    if unknown is not None:
        raise ModelError(
            f"a map has the component {shown(unknown)}, which is no coordinate",
            expected="one of " + ", ".join(names),
        )
    rows = []
    for c in names:
        value = function_on(system, given.get(c, c), f"the component {c!r} of a map", 0)
        row = linear_row(system, value)
        if row is None:
            raise ModelError(
                f"the component {c!r} of a map is {shown(to_text(value))}",
                expected="a linear function of the coordinates with rational coefficients",
            )
        rows.append(row)
    return _expect_invertible(fmpq_mat(rows), given)


def _map_by_rows(system: System, given: Any) -> fmpq_mat:
    n = len(system.coordinates)
    iterable = isinstance(given, Iterable) and all(isinstance(row, Iterable) for row in given)
    listed = [list(row) for row in given] if iterable else []
    rows = [[function_on(system, x, "an entry", 0) for x in row] for row in listed]
    values = answer(ask(lambda: [[Field()(x).as_fraction() for x in row] for row in rows])) or []
    if len(values) != n or any(len(row) != n or None in row for row in values):
        raise ModelError(
            f"a map is {shown(given)}",
            expected=f"components by name, or {n} rows of {n} rational numbers (coordinates: "
            + ", ".join(system.coordinates)
            + ")",
        )
    exact = [[fmpq(x.numerator, x.denominator) for x in row if x is not None] for row in values]
    return _expect_invertible(fmpq_mat(exact), given)


def _expect_invertible(matrix: fmpq_mat, given: Any) -> fmpq_mat:
    if matrix.det() == 0:
        raise ModelError(f"the map {shown(given)} is not invertible", expected="elements of a group")
    return matrix


def linear_row(system: System, function: Expr) -> list[fmpq] | None:
    """Coefficients of a function that is linear in the coordinates with rational numbers; None otherwise."""
    row = affine_row(system, function)
    return None if row is None or row[-1] else row[:-1]


def affine_row(system: System, function: Expr) -> list[fmpq] | None:
    """The same with a constant, which stands last."""
    names = [(c, 0) for c in system.coordinates]
    found = answer(ask(lambda: Field(Budget(TIDY))(function).coefficients(*names)))
    if found is None:
        return None
    row = [fmpq(0)] * (len(names) + 1)
    for exponents, coefficient in found.items():
        value = coefficient.as_fraction()
        if value is None or (value and sum(exponents) > 1):
            return None
        if value:
            place = exponents.index(1) if sum(exponents) else -1
            row[place] = fmpq(value.numerator, value.denominator)
    return row


def expect_maps_of_motions(system: System, maps: Sequence[fmpq_mat], effort: int) -> None:
    """A sentence with the term that is not invariant, unless every map takes motions to motions."""
    accelerations = solved_accelerations(system)
    names = system.coordinates
    residuals = [e.residual for e in (*system.position_constraints, *system.velocity_constraints)]
    for g in maps:
        images = {
            symbol(c, k): _combination([symbol(n, k) for n in names], [g[i, j] for j in range(len(names))])
            for k in (0, 1)
            for i, c in enumerate(names)
        }
        moved = substitute([*residuals, *accelerations], images)
        turned = [
            _combination(accelerations, [g[i, j] for j in range(len(names))]) for i in range(len(names))
        ]
        defects = [sub(a, b) for a, b in zip(moved[len(residuals) :], turned, strict=True)]
        answer = on_q(system, [*moved[: len(residuals)], *defects], effort)
        if answer.holds:
            continue
        words = {n: to_text(images[symbol(n)]) for n in names if images[symbol(n)] is not symbol(n)}
        shown_map = ", ".join(f"{n} → {e}" for n, e in words.items()) or "the identity"
        why = str(answer)
        if system.dynamics.lagrangian is not None:
            L = system.dynamics.lagrangian
            difference = tidy(sub(substitute([L], images)[0], L))
            if difference is not ZERO:
                why = f"the Lagrangian changes by {cut_text(difference, LONG)}; {answer.evidence}"
        word = "does not take" if answer.holds is False else "is not known to take"
        raise ModelError(f"the map {shown_map} {word} motions to motions: {why}")


def _combination(terms: Sequence[Expr], coefficients: Sequence[fmpq]) -> Expr:
    parts = [
        e if c == 1 else neg(e) if c == -1 else mul(number(Fraction(int(c.p), int(c.q))), e)
        for e, c in zip(terms, coefficients, strict=True)
        if c
    ]
    return add(*parts) if parts else ZERO
