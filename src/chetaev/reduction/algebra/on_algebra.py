"""`ch.on_algebra`: left-invariant systems written on the Lie algebra (SCOPE M1, M4).

The result is a model of first order for the independent velocities on the algebra and for advected
quantities. Where the group is one of matrices the motion is taken back to it by ġ = g ξ^i E_i, in a
frame of a model by q̇ = ξ^i E_i(q).

>>> import chetaev as ch
>>> suslov = ch.on_algebra(
...     "so3",
...     inertia=[["I11", 0, "I13"], [0, "I22", "I23"], ["I13", "I23", "I33"]],
...     constraints=["w3 = 0"],
...     parameters={"I11": 2, "I22": 1.5, "I33": 1, "I13": 0.3, "I23": 0.2},
... )
>>> print(suslov)
[w1, w2] = w3; [w1, w3] = -w2; [w2, w3] = w1
  l = (I11*w1^2 + I22*w2^2 + I33*w3^2 + 2*I13*w1*w3 + 2*I23*w2*w3)/2
  constraint: w3 = 0
  w1' = -w2*(I13*w1 + I23*w2)/I11
  w2' = w1*(I13*w1 + I23*w2)/I22
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, ask
from chetaev.model.system import System
from chetaev.reduction.algebra.algebra_system import AlgebraSystem
from chetaev.reduction.algebra.given_algebra import of_model, of_structure


def on_algebra(
    structure: Any,
    *,
    inertia: Any = None,
    lagrangian: Any = None,
    constraints: Any = (),
    advected: Mapping[str, Any] | None = None,
    forces: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
    frame: Mapping[str, Mapping[str, Any]] | None = None,
    parameters: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    until: Any = None,
    name: str | None = None,
) -> AlgebraSystem:
    """A left-invariant system on a Lie algebra: its Euler–Poincaré–Suslov equations.

    Parameters
    ----------
    structure
        The algebra: ``"so3"``, ``"se2"``, ``"se3"``, ``"heisenberg"``; brackets ``{"a, b": "c"}``, what is
        left out being 0; or a system, with `frame`.
    inertia, lagrangian
        l as a symmetric matrix I of l = ξ·Iξ/2, or as a function of the names of the basis.
    constraints
        Equations linear in the names.
    advected
        Rates of quantities that the group turns, linear in the names: ``{"g1": "g2*w3 - g3*w2", …}``; l
        and the constraints may contain them.
    forces
        Covectors by name.
    names
        Names of the basis, if others are wanted; for brackets, their order.
    frame
        For a system: a left-invariant frame of its coordinates, by name and components. Structure constants,
        l and constraints are computed from it.
    parameters, initial, until, name
        As for `ch.System`.

    Examples
    --------
    >>> import chetaev as ch
    >>> sleigh = ch.on_algebra(
    ...     "se2",
    ...     lagrangian="m/2*(u^2 + (v + a*w)^2) + J/2*w^2",
    ...     constraints=["v = 0"],
    ...     parameters={"m": 1, "J": 0.5, "a": 0.4},
    ... )
    >>> {n: str(e) for n, e in sleigh.rates.items()}
    {'w': '-m*a*w*u/(m*a^2 + J)', 'u': 'a*w^2'}
    """
    if isinstance(structure, System):
        own = (inertia, lagrangian, advected, forces, names, parameters, initial)
        if any(x is not None for x in own) or not isinstance(constraints, tuple) or constraints:
            raise ModelError(
                "a system has a Lagrangian, constraints and parameters of its own",
                expected="ch.on_algebra(system, frame={…})",
            )
        found = ask(of_model, structure, frame, until, name)
    elif frame is not None:
        raise ModelError("a frame is given, but no system", expected="ch.on_algebra(system, frame={…})")
    else:
        found = ask(
            of_structure,
            structure,
            inertia,
            lagrangian,
            constraints,
            advected,
            forces,
            names,
            parameters,
            initial,
            until,
            name,
        )
    if isinstance(found, GivenUp):
        raise ModelError(f"the equations were not finished: {found.reason}")
    return found
