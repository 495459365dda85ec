"""Neither the unit of mass nor factors of constraints change a kind, a motion, equilibria or a spectrum."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
import tomli_w

import chetaev as ch

FEW = ["pursuit", "appell-hamel", "pendulum-cartesian"]
MORE = [
    "decelerated-particle", "disc-on-incline", "dog-pursues-man", "implicit-constraint", "particle-on-cone",
]  # fmt: skip
UNITS = [("1", "1e-20"), ("1e-20", "1"), ("1e20", "1e-20"), ("1e-20", "1e20")]


def in_units(system: ch.System, mass: str, factor: str) -> ch.System:
    """The same system with its Lagrangian and forces multiplied, and its constraints."""
    data = tomllib.loads(system.to_toml())
    dynamics: dict[str, Any] = data["dynamics"]
    for key in {"lagrangian", "kinetic", "potential"} & dynamics.keys():
        dynamics[key] = f"{mass}*({dynamics[key]})"
    data["forces"] = {key: f"{mass}*({force})" for key, force in data.get("forces", {}).items()}
    for rows in data["constraints"].values():
        for i, (left, right) in enumerate(row.split("=") for row in rows):
            rows[i] = f"{factor}*({left}) = {factor}*({right})"
    kept = ("coordinates", "parameters", "define", "dynamics", "forces", "constraints", "initial", "time")
    return ch.loads(tomli_w.dumps({key: data[key] for key in kept if data.get(key)}))


def kind(system: ch.System) -> list[Any]:
    """What is said of the constraint."""
    c = ch.classify(system)
    return [c.kind, c.growth_vector, c.degrees_of_freedom, c.regular, c.projectable, c.homogeneous]


def end(system: ch.System) -> list[float]:
    """The state at t = 1."""
    run = ch.simulate(system, at=[1.0], tolerance=1e-10)
    return [float(run[name][-1]) for c in system.coordinates for name in (c, c + "_dot")]


def spectrum(system: ch.System) -> Any:
    """The eigenvalues at the initial state, and how many equilibria there are, or why not."""
    try:
        states: int | str = len(ch.equilibria(system))
    except ch.ModelError as error:
        states = error.message
    values = [complex(z) for z in ch.linearize(system).eigenvalues]
    return states, sorted((round(z.real, 5) + 0.0, round(z.imag, 5) + 0.0) for z in values)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FEW, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_units_do_not_matter(name: str) -> None:
    system = ch.load(name)
    known = kind(system), spectrum(system)
    for mass, factor in UNITS:
        other = in_units(system, mass, factor)
        assert (kind(other), spectrum(other)) == known
        assert np.allclose(end(other), end(system), rtol=1e-6, atol=1e-7)
