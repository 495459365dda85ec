"""Quasi-velocities given by the user: the table ``[quasi]``, and what it must satisfy (SCOPE D1, L6).

    [quasi]
    u     = "x'*cos(phi) + y'*sin(phi)"
    omega = "phi'"

Each is affine in the velocities, there are as many as degrees of freedom, and together with the constraints
they determine all velocities: ∂(u, f)/∂v is invertible at a generic point of Q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.affine_forms import affine_forms
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.scope import Scope
from chetaev.model.reading.text_places import Source
from chetaev.model.states.kinematics import Kinematics
from chetaev.numeric import numerical_rank, unit_rows

if TYPE_CHECKING:
    from chetaev.model.reading.model_reader import Reader
    from chetaev.model.system import System

EXAMPLE = "u = \"x'*cos(phi) + y'*sin(phi)\""


def read_quasi(reader: Reader, scope: Scope, coordinates: tuple[str, ...]) -> dict[str, Expr]:
    """The quasi-velocities of a model by name, each affine in the velocities."""
    table = reader.table(("quasi",))
    found: dict[str, Expr] = {}
    for written in table:
        path = ("quasi", written)
        name = reader.claim(written, "quasi-velocity", path)
        expr = reader.expression(path, scope.but(purpose="a quasi-velocity"))
        moving = sorted(s for s in reader.symbols(expr) if s[1] == 1)
        if not moving:
            reader.fail(
                f"the quasi-velocity {name!r} contains no velocity",
                path,
                expected=f"an expression affine in the velocities, e.g. {EXAMPLE}",
                remedy=f"did you forget the prime in {coordinates[0]}'?",
            )
        if not _is_affine(expr, coordinates):
            reader.fail(
                f"the quasi-velocity {name!r} is not affine in the velocities",
                path,
                expected="coefficients of t and q times velocities, plus a term without them",
                remedy="a function such as a speed sqrt(x'^2 + y'^2) can be watched with laws={…} instead",
            )
        found[name] = expr
    return found


def check_quasi(system: System, source: Source) -> None:
    """Raise a ModelError unless there are as many as degrees of freedom, independent on Q."""
    n, given = system.degrees_of_freedom, len(system.quasi)
    if given != n:
        few = "quasi-velocity is" if given == 1 else "quasi-velocities are"
        raise ModelError(
            f"{given} {few} given, and the system has {n} degree{'' if n == 1 else 's'} of freedom",
            source.key_place(("quasi",)),
            expected=f"{n}: as many as degrees of freedom",
            remedy="remove some" if given > n else "add the missing ones, e.g. the velocity of a coordinate",
        )
    from chetaev.model.states.redundancy import rough_point

    parameters = system.parameter_values
    point = rough_point(system, parameters)
    if point is None:  # no point of Q is found: an error of the motion
        return
    t, q, _ = point
    values = {(name, 0): x for name, x in parameters.items()} | {(system.time, 0): t}
    values |= {(c, 0): x for c, x in zip(system.coordinates, q, strict=True)}
    forms = affine_forms(list(system.quasi.values()), system.coordinates, values)
    if forms is None:
        return
    with np.errstate(all="ignore"):
        matrix = unit_rows(np.vstack([forms[0], Kinematics(system, parameters).rows(*point)]))
    if np.isfinite(matrix).all() and numerical_rank(matrix) < len(system.coordinates):
        raise ModelError(
            f"the quasi-velocities {', '.join(system.quasi)} are not independent of each other and of the "
            "constraints",
            source.key_place(("quasi",)),
            expected="functions that determine all velocities together with the constraints",
            remedy="choose others, or leave [quasi] out: form='quasi' then finds natural ones",
        )


def _is_affine(expr: Expr, coordinates: tuple[str, ...]) -> bool:
    """Whether an expression is affine in the velocities by its structure."""
    values = {s: 0.3 + 0.07 * i for i, s in enumerate(sorted(graph.symbols(expr))) if not s[1]}
    if affine_forms([expr], coordinates, values) is not None:
        return True
    from chetaev.expr.graph.engine import Engine  # where these numbers have no finite value

    moving = [graph.symbol(*s) for s in sorted(graph.symbols(expr)) if s[1]]
    return Engine().is_linear(expr, moving)
