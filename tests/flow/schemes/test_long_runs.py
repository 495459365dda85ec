"""Long runs: test problems in the manner of Modin and Verdier (2020) and of McLachlan and Perlmutter (2006).

No scheme but the one that is made for it keeps the energy of all of them: the leapfrog drifts where others
do not, and the others where it does not.
"""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.flow.schemes import find
from flow.schemes.test_rotations import RATES, UNIT
from portions import parts

STEP = 0.1


def contact(gauge: float) -> ch.System:
    """The contact oscillator with −c d(cos z)/dt in L: another momentum, the same motion."""
    return ch.System(
        coordinates=["x", "y", "z"],
        parameters={"c": gauge},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2 + c*sin(z)*z'",
        constraints=["x' + y*z' = 0"],
        initial={"x": 1, "y": 1.5, "z": 0.2, "y'": 0, "z'": 0.5},
    )


def drift(system: ch.System, method: str, steps: int, step: float = STEP) -> tuple[float, float]:
    """What the energy is off by in the first and in the last tenth of a run."""
    run = ch.simulate(system, until=steps * step, at=2001, method=method, step=step)
    assert run.attrs["status"] == "done"
    assert run.attrs["steps"] == steps
    off = abs(run.energy - run.energy[0]).values
    return float(off[:200].max()), float(off[-200:].max())


def test_a_derivative_in_L_changes_no_motion() -> None:
    plain, other = (ch.simulate(contact(c), until=20.0, at=[20.0], tolerance=1e-12) for c in (0.0, 1.0))
    for name in ("x", "y_dot", "z_dot", "energy"):
        assert plain[name].item() == pytest.approx(other[name].item(), abs=1e-10)


@pytest.mark.slow
def test_nor_does_it_change_collocation_but_it_ruins_the_leapfrog() -> None:
    """Gauss's steps see accelerations only; the leapfrog's are no longer their own mirror image."""
    one, two = (
        ch.simulate(contact(c), until=50.0, at=[50.0], method="gauss4", step=STEP) for c in (0.0, 1.0)
    )
    assert one.x.item() == pytest.approx(two.x.item(), abs=1e-11)
    first, last = drift(contact(1.0), "gauss2", 20_000)
    assert last < 1.5 * first < 0.02
    first, last = drift(contact(1.0), "leapfrog", 20_000)
    assert last > 3 * first
    assert max(drift(contact(1.0), "discrete-gradient", 20_000)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dla-midpoint", "leapfrog", "gauss4", "discrete-gradient"])
@pytest.mark.parametrize("name", ["knife-edge", "nonholonomic-particle"])
def test_the_standard_test_problems_are_kept_by_every_reversible_scheme(name: str, method: str) -> None:
    """A knife edge on an incline, and the particle z' = y x' in a harmonic well: foliated and reversible."""
    system = ch.load(name)
    if name == "nonholonomic-particle":
        system = ch.System(
            coordinates=["x", "y", "z"],
            lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)/2",
            constraints=["z' = y*x'"],
            initial={"x": 1, "y": 0.7, "x'": 0.2, "y'": 0.3},
        )
    first, last = drift(system, method, 20_000, 0.05)
    assert last < 1.5 * max(first, 1e-10)
    assert first < 0.05


@pytest.mark.slow
def test_where_the_motion_is_not_reversible_reversible_schemes_drift() -> None:
    for method, drifts in (("dla-midpoint", True), ("gauss2", True), ("discrete-gradient", False)):
        last = {}
        for epsilon in (0.0, 0.1):
            run = ch.simulate(
                ch.load("variable-transmission").with_parameters(epsilon=epsilon),
                until=4000.0,
                at=2001,
                method=method,
                step=0.2,
            )
            off = abs(run.energy - run.energy[0]).values
            last[epsilon] = off[-200:].max() / max(off[:200].max(), 1e-10)
        assert last[0.0] < 1.5
        assert (last[0.1] > 3) == drifts, (method, last)


@pytest.mark.slow
def test_the_leapfrog_is_not_protected_either() -> None:
    """It keeps the energy of the transmission above, but not of one with anharmonic springs."""
    system = ch.System(
        coordinates=["x", "y", "z"],
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + cos(x) - sin(2*x)/10 - (y^2 + z^2)/2 - y*z/3 - y^4/10",
        constraints=["y' = -(sin(x) + cos(2*x)/2)*z'"],
        initial={"x": 0, "y": 1, "z": 0, "x'": 2.5, "z'": 1},
    )
    for method, drifts in (("leapfrog", True), ("discrete-gradient", False)):
        run = ch.simulate(system, until=4000.0, at=2001, method=method, step=0.2)
        off = abs(run.energy - run.energy[0]).values
        assert (off[-200:].max() > 3 * max(off[:200].max(), 1e-10)) == drifts


FIRST = ["gauss4", "discrete-gradient", "leapfrog", "dla-midpoint"]
MILLION = [*FIRST, *(s.name for s in ch.schemes() if s.fixed and s.reversible and s.name not in FIRST)]
ALLOWED = {2: 1e-2, 4: 1e-5, 6: 1e-8}
"""What the energy may be off by, by order."""
TOP = ch.System(
    coordinates=["a", "b", "c", "d"],
    define=RATES,
    lagrangian="(O1^2 + O2^2 + O3^2/2)/2 - (a^2 - b^2 - c^2 + d^2)/4",
    constraints={"position": [UNIT]},
    initial={"a": 1, "b": 0, "c": 0, "d": 0, "b'": 0.1, "c'": 0.2, "d'": 1},
)


@pytest.mark.parametrize("method", parts(MILLION, len(FIRST)))
def test_energies_do_not_drift_in_a_million_steps(method: str) -> None:
    """Every reversible scheme on the contact oscillator; steps on the group on a heavy top."""
    system = TOP if method == "lie-midpoint" else ch.load("contact-oscillator")
    first, last = drift(system, method, 1_000_000)
    assert last < 1.5 * max(first, 1e-12)
    assert first < (1e-12 if method == "discrete-gradient" else ALLOWED[find(method).order])
