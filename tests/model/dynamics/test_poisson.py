"""[poisson]: phase spaces given by a bracket as text (SCOPE B13): reading, mistakes, reactions."""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.expr.graph.node import Expr
from formulas import formula, formulas

SO3 = {"S1, S2": "S3", "S2, S3": "S1", "S3, S1": "S2"}


def phase(coordinates: str, hamiltonian: str, bracket: object, **more: object) -> ch.System:
    inside = {k: more.pop(k) for k in ("forces", "constraints", "momenta", "reactions") if k in more}
    return ch.System(
        coordinates=coordinates.split(),
        poisson={"hamiltonian": hamiltonian, "bracket": bracket, **inside},
        **more,
    )


def rates(system: ch.System) -> dict[str, Expr]:
    return {str(e.lhs): e.rhs for e in system.velocity_constraints}


def test_B13_canonical_bracket_gives_canonical_equations() -> None:
    system = phase("x p", "p^2/(2*m) + k*x^4/4", {("x", "p"): 1}, parameters={"m": 2, "k": 3})
    assert rates(system) == formulas({"x'": "p/m", "p'": "-k*x^3"})
    assert ch.loads(system.to_toml()) == system
    assert system.with_parameters(m=5).dynamics.kind == "poisson"


def test_B13_a_matrix_is_a_table() -> None:
    table = phase("S1 S2 S3", "S1^2 + 2*S2^2", SO3)
    matrix = phase("S1 S2 S3", "S1^2 + 2*S2^2", [["0", "S3", "-S2"], ["-S3", 0, "S1"], ["S2", "-S1", 0]])
    assert rates(table) == rates(matrix)


def test_B13_both_orders_of_a_pair_may_be_given_if_they_agree() -> None:
    both = phase("x p", "p^2", {"x, p": 1, "p, x": -1, "x, x": 0})
    assert rates(both) == formulas({"x'": "2*p", "p'": "0"})


MISTAKES = {
    "antisymmetry": ({"x, p": 1, "p, x": 1}, {}, ["not antisymmetric", "{p, x} = 1 and {x, p} = 1"]),
    "diagonal": ({"x, x": "p"}, {}, ["not antisymmetric", "{x, x} = p"]),
    "matrix": ([[0, 1], [1, 0]], {}, ["not antisymmetric", "{p, x} = 1 and {x, p} = 1"]),
    "shape": ([[0, 1]], {}, ["no square matrix", "2 rows of 2"]),
    "pair": ({"x": 1}, {}, ["no pair of variables"]),
    "name": ({"x, px": 1}, {}, ["'px' is no coordinate", "did you mean"]),
    "twice": ({"x, p": 1, " x,p ": 1}, {}, ["given twice"]),
    "velocity": ({"x, p": "x'"}, {}, ["x'"]),
    "no reaction": ({"x, p": 1}, {"constraints": ["p = x"]}, ["p = x", "name the momenta"]),
    "no metric": ({"x, p": 1}, {"constraints": ["x = 1"], "momenta": ["x"]}, ["no kinetic metric"]),
    "momenta": ({"x, p": 1}, {"constraints": ["p = x"], "momenta": ["q"]}, ["'q' is no coordinate"]),
    "both": (
        {"x, p": 1},
        {"constraints": ["p = x"], "momenta": ["p"], "reactions": [{"p": 1}]},
        ["both momenta and reactions"],
    ),
    "count": ({"x, p": 1}, {"constraints": ["p = x"], "reactions": [{"p": 1}] * 2}, ["2 reactions and 1"]),
    "idle": ({"x, p": 1}, {"constraints": ["p = x"], "reactions": [{"x": 0}]}, ["no reaction changes it"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_B13_mistakes_are_sentences(name: str) -> None:
    bracket, more, words = MISTAKES[name]
    with pytest.raises(ch.ModelError) as error:
        phase("x p", "p^2/2 + x", bracket, **more)
    for word in words:
        assert word in str(error.value)


def test_B13_jacobi_fails_with_its_term() -> None:
    """A magnetic field with sources: {px, py} = Bz and so on needs div B = 0."""
    canonical = {f"{q}, p{q}": 1 for q in "xyz"}
    field = {"px, py": "x*z", "py, pz": "x", "pz, px": 0}
    with pytest.raises(ch.ModelError) as error:
        phase("x y z px py pz", "px^2", canonical | field)
    assert "{px, {py, pz}} + {py, {pz, px}} + {pz, {px, py}} = -(x + 1)" in str(error.value)


def test_B13_jacobi_may_hold_for_the_values_given() -> None:
    bracket = {"x, y": "z", "y, z": "x", "z, x": "a*x*y + y"}
    assert phase("x y z", "x", bracket, parameters={"a": 0})
    with pytest.raises(ch.ModelError, match="Jacobi"):
        phase("x y z", "x", bracket, parameters={"a": 1})


def test_B13_what_contradicts_it_is_refused() -> None:
    for more, words in (
        ({"lagrangian": "x'^2"}, "both a Poisson bracket and 'lagrangian'"),
        ({"constraints": ["x' = p"]}, "velocity constraint on a phase space"),
        ({"constraints": {"position": ["x = 1"]}}, "the motion does not keep x = 1"),
    ):
        with pytest.raises(ch.ModelError) as error:
            ch.System(
                coordinates=["x", "p"], poisson={"bracket": {"x, p": 1}, "hamiltonian": "p^2/2"}, **more
            )
        assert words in str(error.value)


def test_B13_integrals_may_be_imposed_without_momenta() -> None:
    """Bates and Nester 3.3: a constraint that the motion keeps is no constraint: λ = 0."""
    system = phase(
        "S1 S2 S3", "-S3 + S1^2", SO3, constraints=["S1^2 + S2^2 + S3^2 = 1"], initial={"S1": 0.6, "S3": 0.8}
    )
    assert system.dynamics.multipliers == ()
    with pytest.raises(ch.ModelError, match="misses the constraint"):
        system.with_initial(S1=1, S2=1, S3=1)


def test_B13_on_a_cotangent_bundle_d_alembert_is_the_lagrangian_one() -> None:
    """The knife edge by [poisson], with p_x sin φ = p_y cos φ, moves as by its Lagrangian."""
    other = ch.load("knife-edge")
    system = phase(
        "x y phi px py pphi", "(px^2 + py^2)/(2*m) + pphi^2/(2*J) - m*g*x*sin(alpha)",
        {"x, px": 1, "y, py": 1, "phi, pphi": 1}, constraints=["px*sin(phi) = py*cos(phi)"],
        momenta=["px", "py", "pphi"], parameters={n: str(e) for n, e in other.parameters.items()},
    )  # fmt: skip
    state, values = other.state, other.parameter_values
    m, J = values["m"], values["J"]
    v = state.velocity
    start = {**state.position, "px": m * v["x"], "py": m * v["y"], "pphi": J * v["phi"]}
    motions = [ch.simulate(s, until=2.0, at=[2.0]) for s in (system.with_initial(start), other)]
    found, expected = ([float(x[n][-1]) for n in ("x", "y", "phi", "x_dot", "y_dot")] for x in motions)
    assert found == pytest.approx(expected, abs=1e-7)


def test_B13_a_constraint_without_momenta_acts_through_its_rate() -> None:
    """The pendulum: x² + y² = 1 and x p_x + y p_y = 0; ṗ gets λ (x, y)."""
    system = phase(
        "x y p_x p_y", "(p_x^2 + p_y^2)/2 + g*y", {"x, p_x": 1, "y, p_y": 1}, constraints=["x^2 + y^2 = 1"],
        momenta=["p_x", "p_y"], parameters={"g": 10}, initial={"x": 1, "y": 0, "p_x": 0, "p_y": 0},
    )  # fmt: skip
    assert list(system.position_constraints) == formulas(["x^2 + y^2 = 1", "2*(x*p_x + y*p_y) = 0"])
    pendulum = ch.System(coordinates=["a"], lagrangian="a'^2/2 - 10*sin(a)", initial={"a": 0, "a_dot": 0})
    angle = float(ch.simulate(pendulum, until=1.0, at=[1.0]).a[-1])
    motion = ch.simulate(system, until=1.0, at=[1.0])
    from math import cos, sin

    assert [float(motion[n][-1]) for n in "xy"] == pytest.approx([cos(angle), sin(angle)], abs=1e-7)


def test_B13_reactions_may_be_given() -> None:
    """c = p_x with the reaction along another direction: p_x' = −V_x + λ, p_y' = −V_y + λ."""
    system = phase(
        "x y p_x p_y", "(p_x^2 + p_y^2)/2 + x + 2*y", {"x, p_x": 1, "y, p_y": 1}, constraints=["p_x = 0"],
        reactions=[{"p_x": 1, "p_y": 1}],
    )  # fmt: skip
    assert rates(system) == formulas({"x'": "p_x", "y'": "p_y", "p_x'": "0", "p_y'": "-1"})


def test_B13_forces_and_time() -> None:
    system = phase("x p", "p^2/2 + x*cos(t)", {"x, p": 1}, forces={"p": "-c*p"}, parameters={"c": 2})
    assert rates(system) == formulas({"x'": "p", "p'": "-(c*p + cos(t))"})
    laws = {law.name: law for law in ch.integrals(system, {"H": "p^2/2 + x*cos(t)"})}
    assert "energy" not in laws


def test_B13_the_oracle_reads_it_by_itself() -> None:
    """Without constraints, with those of d'Alembert's principle, with reactions, and through rates."""
    canonical = {"x, p": 1, "y, q": "2 + y^2", "x, q": "0"}
    cases = [
        phase("x y p q", "p^2/2 + exp(x/5)*q^2/3 + x*y*t", canonical, forces={"q": "-q*x/4"}),
        phase(
            "x y p q", "p^2/2 + (2 + x^2)*q^2/3 + p*q/5 + x*y", canonical, constraints=["q = x*p + t"],
            momenta=["p", "q"], initial={"x": 1, "y": 0.5, "p": 1, "q": 1},
        ),
        phase(
            "x y p q", "p^2/2 + q^2/3 + x*y", canonical, constraints=["p^2 + q^2 = 1 + x*t"],
            reactions=[{"p": "p + x", "q": "2*q"}], initial={"x": 1, "y": 0.5, "p": 1, "q": 0},
        ),
        phase(
            "x y p q", "(1 + x^2)*p^2/2 + q^2/3 + x*y", {"x, p": 1, "y, q": 1}, constraints=["y = x^2 + t*x"],
            momenta=["p", "q"], forces={"p": "-x*p"}, initial={"x": 1, "y": 1, "p": 0.5},
        ),
    ]  # fmt: skip
    for system in cases:
        table = ch.compare(system, samples=6)
        assert table.agree, str(table)
        assert {"oracle", "compiled"} <= {row.form for row in table.rows if row.points}


def test_B13_casimirs_and_brackets() -> None:
    e3 = {**{k.replace("S", "M"): v.replace("S", "M") for k, v in SO3.items()}}
    e3 |= {"M1, G2": "G3", "M2, G3": "G1", "M3, G1": "G2", "G1, M2": "G3", "G2, M3": "G1", "G3, M1": "G2"}
    top = ch.poisson(phase("M1 M2 M3 G1 G2 G3", "(M1^2 + M2^2 + 2*M3^2)/2 + G3", e3))
    assert top.rank == 4
    assert list(top.casimirs) == formulas(["M1*G1 + M2*G2 + M3*G3", "G1^2 + G2^2 + G3^2"])
    assert top("M3", top.hamiltonian) == formula("0")
    assert top.to_json()["rank"] == 4
    with pytest.raises(ch.ModelError, match="may not contain a velocity"):
        top("M1'", "M2")
    with pytest.raises(ch.ModelError, match="M4"):
        top("M4", "M2")
    with pytest.raises(ch.ModelError, match="no Poisson bracket of its own"):
        ch.poisson(ch.load("knife-edge"))


def test_B13_laws_have_their_reasons() -> None:
    spin = phase("S1 S2 S3", "-g*S3", SO3, parameters={"g": 2})
    laws = ch.integrals(spin, {"length": "S1^2 + S2^2 + S3^2", "wrong": "S1"})
    found = [(law.expression, [r.theorem for r in law.reasons]) for law in laws]
    assert (formula("S1^2 + S2^2 + S3^2", factor=True), ["Casimir function"]) in found
    assert (formula("-g*S3", factor=True), ["energy"]) in found
    assert "S1" not in found
