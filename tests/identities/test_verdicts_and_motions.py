"""Verdicts against motions, in families that hypothesis makes: what is stable stays, what is unstable leaves,
what is conserved is constant, what is not changes; and more effort takes no verdict back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.integrals import judged
from portions import examples

XYZ = ("x", "y", "z")
small = st.integers(-3, 3)


# --- stability ------------------------------------------------------------------------------------


@st.composite
def wells(draw: Any) -> ch.System:
    """Two coordinates at rest in the origin: quadratic and quartic potential, damping, a magnetic force."""
    a, b, c, p, q, w = (draw(small) for _ in range(6))
    k = draw(st.integers(0, 2))
    V = f"({a})*x^2/2 + ({b})*y^2/2 + ({c})*x*y/2 + ({p})*x^4 + ({q})*y^4"
    return ch.System(
        coordinates=["x", "y"],
        lagrangian=f"(x'^2 + 2*y'^2)/2 + ({w})*x*y' - ({V})",
        forces={"x": f"-{k}*x'"} if k else {},
    )


def farthest(system: ch.System, start: np.ndarray[Any, Any], until: float) -> float:
    """How far a motion gets from the origin of the state space."""
    names = ["x", "y", "x_dot", "y_dot"]
    motion = ch.simulate(system, until=until, initial=dict(zip(names, map(float, start), strict=True)))
    return float(np.sqrt(sum(motion[n].values ** 2 for n in names)).max())


@given(wells(), st.integers(0, 10**6))
@settings(max_examples=examples(8))
def test_M6_what_is_stable_stays_and_what_is_unstable_leaves(system: ch.System, seed: int) -> None:
    rest = next(one for one in ch.equilibria(system) if all(abs(x) < 1e-12 for x in one.state.values()))
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(4, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if rest.stable:
        assert all(farthest(system, 1e-4 * d, 30.0) < 1e-2 for d in directions), rest.reason
    elif rest.stable is False:  # a slow one, such as that of −x⁴, starts farther away
        fast = bool(len(rest.eigenvalues)) and float(np.max(rest.eigenvalues.real)) > 0.1
        size = 1e-2 if fast else 0.1
        assert any(farthest(system, size * d, 100.0) > 5 * size for d in directions), rest.reason


# --- conserved quantities -------------------------------------------------------------------------


@st.composite
def constrained(draw: Any) -> ch.System:
    """A particle with a potential of some coordinates, perhaps a force, time and a constraint."""
    among = draw(st.sampled_from([("x",), ("y",), ("x", "y"), ("z",)]))
    V = " + ".join(f"{draw(st.integers(1, 3))}*sin({n})" for n in among)
    constraint = draw(
        st.sampled_from(["", "z' = y*x'", "z' = cos(x)*y'", "z' = x*y' + 1", "z' = 2*x'", "z' = y*x' + t"])
    )
    force = draw(st.sampled_from([{}, {}, {"y": "-y'"}, {"x": "1"}]))
    mass = draw(st.sampled_from(["1", "1", "(2 + sin(t))"]))
    return ch.System(
        coordinates=XYZ,
        lagrangian=f"{mass}*(x'^2 + 2*y'^2 + 3*z'^2)/2 - ({V})",
        forces=force,
        constraints=[constraint] if constraint else [],
    )


@given(constrained(), st.integers(0, 10**6))
@settings(max_examples=examples(8))
def test_K22_conserved_quantities_are_constant_along_motions_and_others_change(
    system: ch.System, seed: int
) -> None:
    (start,) = system.random_states(1, seed=seed)
    at = np.linspace(start["t"], start["t"] + 2.0, 9)
    motion = ch.simulate(system, until=at[-1], at=at, initial=start, tolerance=1e-12)
    names = [f"{n}{dot}" for n in XYZ for dot in ("", "_dot")]
    along = {n: motion[n].values for n in names} | {"t": motion["time"].values}
    given_too = {"angular": "x*y' - y*x'", "product": "x'*z'"}
    for law in judged(system, given_too):
        value = np.broadcast_to(np.asarray(evaluate([law.expression], along)[0], dtype=float), at.shape)
        drift = float(np.abs(value - value[0]).max()) / (1 + float(np.abs(value).max()))
        if law.conserved:
            assert drift < 1e-9, law
        elif law.conserved is False:
            assert drift > 1e-7, law


# --- effort ---------------------------------------------------------------------------------------


@given(constrained())
@settings(max_examples=examples(4))
def test_more_effort_takes_no_verdict_back(system: ch.System) -> None:
    given_too = {"angular": "x*y' - y*x'", "energy of z": "3*z'^2/2 + sin(z)"}
    known: dict[str, tuple[bool | None, bool]] = {}
    for effort in (100, 3_000, 30_000, 300_000, 10**6):
        for law in judged(system, given_too, effort=effort):
            before, proved = known.get(law.name, (None, False))
            if before is not None:
                assert law.conserved is before, (law, effort)
                assert law.proof.proved or not proved, (law, effort)
            known[law.name] = law.conserved, law.proof.proved
    assert None not in {answer for answer, _ in known.values()}
