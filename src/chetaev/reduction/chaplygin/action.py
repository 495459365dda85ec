"""A group that acts on the configurations, by its generators (SCOPE M4).

Generators are fields ξ_i on the configurations, given by components. Each must leave L and the constraint as
they are, and brackets of them must be combinations of them with constant coefficients.

>>> import chetaev as ch
>>> found = read_action(ch.load("knife-edge"), [{"y": 1}])
>>> [str(f) for f in found.fields]
['∂/∂y']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.effort import EFFORT
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, ask
from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.algebra import Algebra, algebra, bracket
from chetaev.laws.symmetry.examine import of_constraint, of_lagrangian
from chetaev.laws.symmetry.given_fields import Components, read_fields
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.model.system import System

Vector = list[Element]


@dataclass(frozen=True)
class ActionOnModel:
    """A system whose constraints are linear in the velocities, and generators of its symmetries."""

    system: System
    view: Standpoint
    """For which parameters: every value of them."""
    fields: tuple[Components, ...]
    algebra: Algebra
    """The generators as given, and their brackets."""
    field: Field
    """The field of functions; `rows` are ∂f/∂v there, `generators` the components of the fields."""
    rows: list[Vector]
    generators: list[Vector]
    lagrangian: Element
    forces: Vector
    """L and the forces by coordinate, as functions there."""

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates."""
        return self.system.coordinates

    def bracket(self, a: Vector, b: Vector) -> Vector:
        """[a, b]."""
        first, second = ({n: e for n, e in zip(self.names, x, strict=True) if not e.is_blank} for x in (a, b))
        found = bracket(self.names, first, second, self.field.zero)
        return [found.get(n, self.field.zero) for n in self.names]


def read_action(system: System, given: Any, effort: int = EFFORT) -> ActionOnModel:
    """The action, examined; a sentence for what is no symmetry, no algebra, or no system of this kind."""
    expect_kind(system)
    fields = read_fields(system, given, "point")
    if not fields:
        raise ModelError("no symmetry was given", expected='a list of fields, such as [{"x": 1}]')
    view = standpoints(system)[0]
    field = Field(Budget(400 * effort, terms=max(200_000, effort // 5), products=20 * max(EFFORT, effort)))
    for name in (*system.parameters, system.time, *system.coordinates):
        field.symbol(name)

    def elements(functions: Sequence[Expr]) -> Vector:
        return [field(e) for e in view.apply(functions)]

    def read() -> tuple[list[Vector], list[Vector], Element, Vector]:
        rows = _linear(system, elements(constraint_functions(system)))
        generators = [elements([e for _, e in one.along]) for one in fields]
        (lagrangian,) = elements([system.lagrangian])
        return (
            rows,
            generators,
            lagrangian,
            elements([system.forces.get(c, ZERO) for c in system.coordinates]),
        )

    found = ask(read)
    if isinstance(found, GivenUp):
        raise ModelError(
            f"the functions of this system have no normal form: {found.reason}",
            remedy="ch.reduce with invariants needs less",
        )
    _expect_symmetries(system, fields, effort)
    brackets = _algebra(system, fields, effort)
    return ActionOnModel(system, view, tuple(fields), brackets, field, *found)


def expect_kind(system: System) -> None:
    """A sentence if there is no Lagrangian, or if there are constraints on other things than velocities."""
    if system.dynamics.lagrangian is None:
        raise ModelError(system.dynamics.lacks("Lagrangian"), remedy="ch.reduce does not need one")
    if system.acceleration_constraints or system.position_constraints:
        kind = "accelerations" if system.acceleration_constraints else "positions"
        raise ModelError(
            f"there are constraints on {kind}; reduction with a Lagrangian is for those on velocities",
            remedy="ch.reduce with invariants takes them",
        )


def _linear(system: System, f: Sequence[Element]) -> list[Vector]:
    """∂f/∂v, where f is linear and homogeneous in the velocities."""
    rows = []
    for e in f:
        row = [e.diff((c, 1)) for c in system.coordinates]
        rest = e
        for x, c in zip(row, system.coordinates, strict=True):
            if any((n, 1) in x.symbols for n in system.coordinates):
                raise ModelError(
                    f"the constraint {str(e.to_expr())[:100]} = 0 is not linear in the velocities",
                    remedy="ch.reduce with invariants takes it",
                )
            rest = rest - x * e.field.symbol(c, 1)
        if rest.is_zero is not True:
            raise ModelError(
                f"the constraint {str(e.to_expr())[:100]} = 0 is not homogeneous in the velocities",
                remedy="ch.reduce with invariants takes it",
            )
        if any((system.time, 0) in x.symbols for x in row):
            raise ModelError(
                f"the constraint {str(e.to_expr())[:100]} = 0 contains time",
                expected="a distribution D on the configurations",
            )
        rows.append(row)
    return rows


def _expect_symmetries(system: System, fields: Sequence[Components], effort: int) -> None:
    lin = Linearized(system)
    for field in fields:
        if field.time is not ZERO or any((system.time, 0) in symbols(e) for _, e in field.along):
            raise ModelError(
                f"the symmetry {field} moves time or depends on it", expected="fields on the configurations"
            )
        if all(e is ZERO for _, e in field.along):
            raise ModelError("a symmetry is 0", expected="fields with components")
        lagrangian, _ = of_lagrangian(system, lin, field, effort)
        checked = {"the Lagrangian": lagrangian, "the constraint": of_constraint(system, lin, field, effort)}
        for what, answer in checked.items():
            if not answer.holds:
                word = "is no symmetry" if answer.holds is False else "is not known to be a symmetry"
                raise ModelError(
                    f"{field} {word} of {what}: {answer.evidence}",
                    remedy="chetaev symmetries MODEL finds those that there are",
                )
        if not lagrangian.strict:
            raise ModelError(
                f"{field} changes the Lagrangian by a total derivative", expected="L itself to be invariant"
            )


def _algebra(system: System, fields: Sequence[Components], effort: int) -> Algebra:
    def brackets() -> Algebra:
        motion = Motion(system, standpoints(system)[0], Budget(40 * effort))
        listed = [{n: motion.function(e) for n, e in f.along if e is not ZERO} for f in fields]
        return algebra(motion, system.coordinates, listed, effort)

    found = ask(brackets)
    if isinstance(found, GivenUp):
        raise ModelError(f"the brackets of the symmetries were not decided: {found.reason}")
    if not found.closed:
        raise ModelError(
            f"the fields do not form an algebra: {found}", remedy="add their brackets to the list"
        )
    return found
