"""Charges of planted symmetries where L is not quadratic in the velocities (K10): none may be missed."""

from __future__ import annotations

import random
from functools import cache

import pytest

import chetaev as ch
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.laws.search.independence import is_new
from chetaev.laws.symmetry.affine_symmetries import affine_symmetries
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


def _bodies(n: int, axes: str, relativistic: bool) -> ch.System:
    """Bodies of different masses that attract each other like 1/r."""
    names = [f"{c}{i}" for i in range(n) for c in axes]
    kinetic, potential = [], []
    for i in range(n):
        speed = " + ".join(f"{c}{i}'^2" for c in axes)
        kinetic.append(f"-{i + 2}*sqrt(1 - ({speed}))" if relativistic else f"{i + 2}/2*({speed})")
        for j in range(i):
            square = " + ".join(f"({c}{i} - {c}{j})^2" for c in axes)
            potential.append(f"{(i + 2) * (j + 2)}/sqrt({square})")
    return ch.System(coordinates=names, lagrangian=" + ".join((*kinetic, *potential)))


BODIES = [(n, axes, fast) for axes in ("xy", "xyz") for n in range(2, 7) for fast in (False, True)]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("n", "axes", "relativistic"), sorted(BODIES, key=lambda c: c[0] * len(c[1]) * (c[0] > 2))
)
def test_K10_momenta_of_n_bodies_are_proved(n: int, axes: str, relativistic: bool) -> None:
    """Momentum, angular momentum, and the motion of the centre of mass by Galilei's boosts: by L alone."""
    system = _bodies(n, axes, relativistic)
    found = affine_symmetries(system, 2_000_000)
    assert all(one.verdict.is_zero and one.verdict.proved for one in found)
    rotations = len(axes) * (len(axes) - 1) // 2
    internal = 0 if relativistic else rotations  # rotations about the centre of mass that mix the bodies
    boosts = 0 if relativistic else len(axes)
    assert len(found) == 1 + len(axes) + rotations + internal + boosts


@pytest.mark.parametrize(("n", "axes", "relativistic"), [(4, "xy", True), (4, "xyz", False)])
@pytest.mark.slow
def test_K10_laws_of_n_bodies_are_found_where_accelerations_are_long(
    n: int, axes: str, relativistic: bool
) -> None:
    laws = ch.integrals(_bodies(n, axes, relativistic))[1:]
    assert len(laws) == (3 if relativistic else 9)
    assert all(law.proof.proved and law.reasons[0].theorem == "Noether" for law in laws)
