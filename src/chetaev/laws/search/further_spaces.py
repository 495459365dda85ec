"""Further spaces, in which longer coefficients have room: fewer variables, or momenta instead of velocities.

- Where the accelerations of the independent velocities depend on a few coordinates only (the inclination
  of a body that rolls), coefficients of these alone.
- In a system without constraints, the momenta p = ∂L/∂v: the square of the angular momentum of a rigid body
  in Euler's angles is short in p, and long in v.
- In a system of first order, as reduction leaves it, quadratic functions of the coordinates that stand in no
  sine, exponential or root: these are velocities and momenta of the full system, its energy is one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chetaev.expr.exact import Element, answer, ask
from chetaev.laws.search.atoms import functions_of, independent_velocities, inner_symbols, moving
from chetaev.laws.search.function_space import Atom, Monomial, Space, makes_sense
from chetaev.laws.search.motion_modulo_prime import Motion
from chetaev.laws.search.suited_space import Searched, powers, suited
from chetaev.remedy_words import listed

MOST_FUNCTIONS = 3
"""Functions in a coefficient of a system of first order."""
LONG_MOMENTUM = 40
"""Momenta with more terms are not tried."""


def further(
    motion: Motion, degree: int, functions: Sequence[Element], limit: int
) -> Iterator[tuple[str, Space]]:
    """Spaces beside the first one, with the words for them, made as they are asked for."""
    inner = inner_symbols(motion)
    if inner is not None and degree:
        space, searched = suited(motion, degree, functions, limit, rarely=False, inner=inner)
        yield f"{_size(space)} with coefficients of {_atoms(searched)}", space
    p = momenta(motion)
    if p and degree:
        space, searched = suited(motion, degree, functions, limit, rarely=False, momenta=p)
        yield f"{_size(space)} in the momenta with coefficients of {_atoms(searched)}", space

    found = in_quasi_velocities(motion, limit) if degree > 1 else None
    if found is not None:
        names, space = found
        yield f"{_size(space)}, quadratic in {listed(names)}", space


def in_quasi_velocities(motion: Motion, limit: int) -> tuple[list[str], Space] | None:
    """Quadratic functions of the coordinates outside functions, their coefficients products of functions."""
    if not motion.f or independent_velocities(motion):
        return None
    field, functions = motion.field, functions_of(motion)
    inside = {field.base(x) for a in functions for x in a.function.symbols}
    outside = [k for k in motion.positions if k not in inside]
    if not outside or not functions:
        return None
    atoms = [*functions, *(Atom(field.variable(k), 99, 0, "position") for k in outside)]
    speeds = range(len(functions), len(atoms))
    products = [m for d in range(3) for m in powers(speeds, d)]
    members: list[Monomial] = []
    for weight in range(MOST_FUNCTIONS + 1):
        coefficients = [m for m in powers(range(len(functions)), weight) if makes_sense(atoms, m)]
        more = [(*c, *v) for v in products for c in coefficients]
        if len(members) + len(more) > limit:
            break
        members += more
    names = [
        name for name, k in zip(motion.system.coordinates, motion.positions, strict=True) if k in outside
    ]
    return names, Space.of(motion, atoms, members)


def _size(space: Space) -> str:
    return f"{len(space)} functions"


def _atoms(searched: Searched) -> str:
    factors = f"at most {listed(map(str, searched.weights))} factors"
    return (
        f"{factors} from {listed(dict.fromkeys(map(str, searched.atoms)))}" if searched.atoms else "numbers"
    )


def momenta(motion: Motion) -> list[Element]:
    """∂L/∂v without constraints, where it is short and not linear in v with constant coefficients."""
    lagrangian = motion.system.dynamics.lagrangian
    if lagrangian is None or motion.f or motion.levels:
        return []
    field = motion.field
    (given,) = motion.standpoint.apply([lagrangian])
    found = answer(ask(lambda: [field(given).diff(field.variable(v)) for v in motion.velocities])) or []
    here = moving(motion)
    slopes = [p.diff(field.variable(v)) for p in found for v in motion.velocities]
    plain = not any({field.base(x) for e in slopes for x in e.symbols} & here)
    long = any(p.terms > LONG_MOMENTUM for p in found)
    return [] if plain or long or any(p.is_blank for p in found) else found
