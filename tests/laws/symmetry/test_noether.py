"""Charges of planted symmetries where L is not quadratic in the velocities (K10): none may be missed."""

from __future__ import annotations

import random
from functools import cache

import pytest

import chetaev as ch
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.laws.search.independence import is_new
from portions import some

COUNT = 40
SHAPES = (
    "({v})^2/4",
    "-sqrt(1 - ({v}))",
    "exp({v})",
    "({v})^2/3 + ({v})",
    "log(1 + {v})",
    "-sqrt(4 - ({v}))",
)
WELLS = ("-({r})^2", "1/({r} + 1)", "-({r})", "-exp({r})")


@cache
def _models() -> list[tuple[ch.System, list[dict[str, str]]]]:
    """Lagrangians that are functions of invariants, with the fields that leave these as they are."""
    draw, cases = random.Random(11), []
    for n in range(COUNT):
        shape, well = SHAPES[n % len(SHAPES)], WELLS[n // len(SHAPES) % len(WELLS)]
        kind = ("rotation", "translation", "screw", "two bodies", "free")[n % 5]
        a, b = draw.randint(2, 4), draw.randint(1, 3)
        if kind == "rotation":  # ellipses x²/a² + y² are the orbits
            v, r = f"x'^2 + {a * a}*y'^2", f"x^2 + {a * a}*y^2"
            fields = [{"x": f"-{a}*y", "y": f"x/{a}"}]
        elif kind == "translation":
            v, r = f"x'^2 + {b}*y'^2", f"(x - {a}*y)^2"
            fields = [{"x": f"{a}", "y": "1"}]
        elif kind == "screw":
            v, r = f"x'^2 + y'^2 + {b}*z'^2", f"(x^2 + y^2) + (x^2 + y^2)*{a}"
            fields = [{"x": "-y", "y": "x"}, {"z": "1"}]
        elif kind == "two bodies":
            v, r = f"x'^2 + {b}*z'^2", "(x - z)^2"
            fields = [{"x": "1", "z": "1"}]
        else:
            v, r, fields = "x'^2", "0", [{"x": "1"}]
        names = [c for c in "xyz" if c in v]
        L = shape.format(v=v) + (" + " + well.format(r=r) if r != "0" else "")
        cases.append((ch.System(coordinates=names, lagrangian=L), fields))
    return cases


def _charge(system: ch.System, field: dict[str, str]) -> Expr:
    """p·ξ by the model language: ∂L/∂v is that of `ch.hamilton`."""
    p = ch.hamilton(system).momenta
    return parse(" + ".join(f"({p[f'p_{name}']})*({x})" for name, x in field.items()), system.scope)


@pytest.mark.parametrize("case", some(range(COUNT), 8))
def test_K10_planted_symmetries_have_their_charges(case: int) -> None:
    system, fields = _models()[case]
    laws = ch.integrals(system)
    known = [law.expression for law in laws if law.conserved]
    for field in fields:
        assert not is_new(system, _charge(system, field), known), (system.lagrangian, field)


def test_K10_a_boost_gives_the_motion_of_the_centre_of_energy() -> None:
    free = ch.System(coordinates=["x", "y"], lagrangian="-sqrt(1 - x'^2 - y'^2)")
    known = [law.expression for law in ch.integrals(free)]
    boost = parse("(x - t*x')/sqrt(1 - x'^2 - y'^2)", free.scope)
    assert not is_new(free, boost, known)


@pytest.mark.parametrize("n", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_K22_n_bodies_in_the_plane(n: int) -> None:
    """The n(n − 1)/2 distances are roots, which have to exist together at points modulo a prime."""
    names = [f"{c}{i}" for i in range(n) for c in "xy"]
    kinetic = " + ".join(f"{i + 1}/2*(x{i}'^2 + y{i}'^2)" for i in range(n))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    potential = " + ".join(f"{(i + 1) * (j + 1)}/sqrt((x{i} - x{j})^2 + (y{i} - y{j})^2)" for i, j in pairs)
    system = ch.System(coordinates=names, lagrangian=f"{kinetic} + {potential}")
    known = [law.expression for law in ch.integrals(system) if law.name != "energy"]  # it is long
    momentum = " + ".join(f"{i + 1}*x{i}'" for i in range(n))
    area = " + ".join(f"{i + 1}*(x{i}*y{i}' - y{i}*x{i}')" for i in range(n))
    for text in (momentum, area):
        assert not is_new(system, parse(text, system.scope), known)
