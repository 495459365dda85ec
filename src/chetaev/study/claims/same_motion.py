"""Claims that a model is another one: the same constraints, the same accelerations, in the same coordinates.

    same_as = "rolling-disc"         # a model of the gallery

A printed model is judged against one that is known to be true. Names of parameters that both have mean the
same; others have the values of their own model. The two agree where the constraints of each hold for the
other and the accelerations are equal on Q; what does not is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.node import Expr, sub, substitute, symbol
from chetaev.laws.rate import solved_accelerations
from chetaev.model import gallery
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.file.loader import load
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.domain import Domain
from chetaev.study.claims.judgement import Judge, Statement


def same_as(given: ClaimData) -> Judge:
    """Whether the motions are those of another model."""
    name, system = given.words("same_as"), given.system
    if name not in gallery.names():
        near = did_you_mean(name, gallery.names())
        remedy = near or "'chetaev list' shows the gallery"
        given.fail(f"there is no model {name!r} in the gallery", "same_as", remedy=remedy)
    other = load(name)
    if set(other.coordinates) != set(system.coordinates) or other.time != system.time:
        ours, theirs = ", ".join(system.coordinates), ", ".join(other.coordinates)
        given.fail(
            f"{name!r} has the coordinates {theirs}", "same_as", expected=f"those of this model: {ours}"
        )
    if any(isinstance(one.dynamics, Poisson) for one in (system, other)):
        given.fail(
            "a motion on phase space has no accelerations", "same_as", expected="motions of second order"
        )
    return lambda effort: tuple(_compared(system, other, name, effort))


def _compared(system: System, other: System, name: str, effort: int) -> Iterator[Statement]:
    """Constraints of either on the other's Q, then accelerations."""
    here, there = Domain(system), Domain(other)
    for equation in every_constraint(other):
        (residual,) = _in_parameters_of(system, other, [equation.residual])
        yield Statement.of(f"{equation}, as in {name}", *here.zero_on_q(residual, effort))
    for equation in every_constraint(system):
        (residual,) = _in_parameters_of(other, system, [equation.residual])
        yield Statement.of(f"{equation} holds in {name}", *there.zero_on_q(residual, effort))
    try:
        solved = dict(zip(system.coordinates, solved_accelerations(system), strict=True))
        theirs = _in_parameters_of(system, other, solved_accelerations(other))
        known = dict(zip(other.coordinates, theirs, strict=True))
    except ModelError as error:
        yield Statement(f"the accelerations of {name}", None, error.message)
        return
    for c, a in solved.items():
        verdict, parameters = here.zero_on_q(sub(a, known[c]), effort)
        yield Statement.of(f"{c}'' is that of {name}", verdict, parameters)


def _in_parameters_of(system: System, other: System, functions: Sequence[Expr]) -> list[Expr]:
    """Functions of another model, with those of its parameters replaced that this one does not have."""
    put: dict[Expr, Expr] = {}
    for name, value in other.parameters.items():
        if name not in system.parameters:
            put[symbol(name)] = substitute([value], put)[0]
    return substitute(functions, put)
