"""Verdicts against motions, in families that hypothesis makes: what is stable stays, what is unstable leaves,
what is conserved is constant, what is not changes; and more effort takes no verdict back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate
from chetaev.laws.integrals import judged
from portions import examples

XYZ = ("x", "y", "z")
small = st.integers(-3, 3)


# --- stability ------------------------------------------------------------------------------------


def well(V: str, *, w: int = 0, k: int = 0, constraint: str = "") -> ch.System:
    """At rest in the origin: a potential, perhaps a magnetic force, damping, a constraint."""
    T = "x'^2 + 2*y'^2" + (" + z'^2" if constraint else "")
    return ch.System(
        coordinates=XYZ if constraint else XYZ[:2],
        lagrangian=f"({T})/2 + ({w})*x*y' - ({V})",
        forces={"x": f"-{k}*x'"} if k else {},
        constraints=[constraint] if constraint else [],
    )


@st.composite
def wells(draw: Any) -> ch.System:
    a, b, c, p, q, w = (draw(small) for _ in range(6))
    if draw(st.booleans()):  # linear theory decides nothing along y
        b = c = w = 0
    return well(
        f"({a})*x^2/2 + ({b})*y^2/2 + ({c})*x*y/2 + ({p})*x^4 + ({q})*y^4",
        w=w,
        k=draw(st.integers(0, 2)),
        constraint=draw(st.sampled_from(["", "", "z' = 2*x'", "z' = y*x'", "z' = (1 + x)*y'"])),
    )


def farthest(
    system: ch.System, start: np.ndarray[Any, Any], until: float, free: tuple[str, ...] = ()
) -> float:
    """How far a motion gets from rest in the origin; z and the coordinates that are free do not count."""
    names = ["x", "y", "x_dot", "y_dot"]
    motion = ch.simulate(system, until=until, initial=dict(zip(names, map(float, start), strict=True)))
    return float(np.sqrt(sum(motion[n].values ** 2 for n in names if n not in free)).max())


@pytest.mark.slow
@given(wells(), st.integers(0, 10**6))
@example(well("x^2/2 - y^4"), 0)
@example(well("x^2/2 - y^4", k=1, constraint="z' = y*x'"), 0)
@example(well("x^2/2 + y^4", k=1, constraint="z' = y*x'"), 0)
@example(well("-(x^2 + y^2)/2", w=3), 0)
@settings(max_examples=examples(20))
def test_M6_what_is_stable_stays_and_what_is_unstable_leaves(system: ch.System, seed: int) -> None:
    rest = next(one for one in ch.equilibria(system) if all(abs(x) < 1e-12 for x in one.state.values()))
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(4, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if rest.stable:
        free = rest.linearization.relative_to if rest.linearization else ()
        assert all(farthest(system, 1e-2 * d, 100.0, free) < 0.3 for d in directions), rest.reason
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


@pytest.mark.slow
@given(constrained(), st.integers(0, 10**6))
@settings(max_examples=examples(20))
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


EFFORTS = (100, 1_000, 3_000, 30_000, 300_000, 10**6)


@pytest.mark.slow
@given(constrained())
@settings(max_examples=examples(10))
def test_more_effort_takes_no_verdict_on_a_law_back(system: ch.System) -> None:
    given_too = {"angular": "x*y' - y*x'", "energy of z": "3*z'^2/2 + sin(z)"}
    known: dict[str, tuple[bool | None, bool]] = {}
    for effort in EFFORTS:
        for law in judged(system, given_too, effort=effort):
            before, proved = known.get(law.name, (None, False))
            if before is not None:
                assert law.conserved is before, (law, effort)
                assert law.proof.proved or not proved, (law, effort)
            known[law.name] = law.conserved, law.proof.proved
    assert None not in {answer for answer, _ in known.values()}


QUESTIONS: dict[str, Callable[[ch.System, int], Any]] = {
    **{
        word: lambda system, effort, word=word: getattr(ch.classify(system, effort=effort), word)
        for word in ("holonomy", "time", "homogeneous", "projectable", "regular", "degrees_of_freedom")
    },
    "measure": lambda system, effort: ch.measure(system, effort=effort).preserved,
    "helmholtz": lambda system, effort: ch.helmholtz(system, effort=effort).variational,
    "momenta": lambda system, effort: ch.hamilton(system, effort=effort).exists,
    "jacobi": lambda system, effort: ch.bracket(system, effort=effort).jacobi,
    "dirac": lambda system, effort: ch.dirac(system, effort=effort).outcome,
    "equilibria": lambda system, effort: (
        len(found) if (found := ch.equilibria(system, effort=effort)).complete else None
    ),
    "killing": lambda system, effort: (
        len(found) if (found := ch.killing(system, effort=effort)).complete else None
    ),
}
"""Each has a value, or None where it was not decided."""


@pytest.mark.slow
@given(constrained())
@settings(max_examples=examples(5))
def test_more_effort_takes_no_answer_back(system: ch.System) -> None:
    known: dict[str, Any] = {}
    for effort in (1, 300, 30_000, 10**6):
        for name, question in QUESTIONS.items():
            try:
                answer = question(system, effort)
            except ch.ModelError:
                answer = None
            before = known.setdefault(name, answer)
            if before in (None, "undecided"):
                known[name] = answer
            else:
                assert answer == before, (name, effort)
