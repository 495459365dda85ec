"""The almost-Poisson bracket on Q (SCOPE M5, B9): its rules, the motion, Jacobi's identity."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

import chetaev as ch
from chetaev.equations.law.normal_law import constraint_functions
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, add, mul, sub
from chetaev.expr.language.parser import parse
from chetaev.hamilton.nonholonomic_bracket import Bracket
from formulas import formulas
from portions import some

COORDINATES = ["x", "y", "z"]


def coefficient(rng: random.Random) -> str:
    return rng.choice(["x", "y", "z", "x*y", "y^2", "cos(x)", "sin(y)", "1", "2", "exp(z)", "x - z"])


INTEGRABLE = ["z' = y*x' + x*y'", "exp(z)*z' = 2*x*x' - cos(y)*y'", "y*z' = z*y' + y^2*x'"]


def random_system(seed: int, kind: str, metric: bool) -> ch.System:
    """One homogeneous constraint, linear, integrable, or a cone; a metric that is constant or random."""
    rng = random.Random(seed)
    a, b, c = (coefficient(rng) for _ in range(3))
    constraint = {
        "linear": f"z' = ({a})*x' + ({b})*y'",
        "integrable": rng.choice(INTEGRABLE),
        "cone": f"z'^2 = 2*x'^2 + (1 + ({c})^2)*y'^2",
    }[kind]
    lagrangian = f"(x'^2 + 2*y'^2 + z'^2)/2 - ({a})*y"
    if metric:
        g = rng.choice(["x^2", "y^2", "cos(z)"])
        lagrangian = f"(x'^2 + (2 + {g})*y'^2 + z'^2)/2 + x'*y'/3 - ({a})*y"
    return ch.System(coordinates=COORDINATES, lagrangian=lagrangian, constraints=[constraint])


def check(system: ch.System) -> Bracket:
    b = ch.bracket(system)
    on, scope = constraint_functions(system), system.scope
    F, G, H = "x*y' + z", "sin(y)*z'", "z^2"
    zero = [
        add(b(F, G), b(G, F)),
        sub(b(F, f"({G})*({H})"), add(mul(b(F, G), parse(H, scope)), mul(parse(G, scope), b(F, H)))),
    ]
    assert all(zero_test(e, on).is_zero for e in zero)
    point = system.random_states(1, seed=3)[0]
    q, v = [point[c] for c in COORDINATES], [point[f"{c}_dot"] for c in COORDINATES]
    a = ch.field(system, "chetaev")(0.0, q, v)
    here = {"t": 0.0, **dict(zip(COORDINATES, q, strict=True))}
    here |= {(c, 1): x for c, x in zip(COORDINATES, v, strict=True)}
    energy = b.hamiltonian
    for i, name in enumerate(COORDINATES):  # Ḟ = {F, E}: homogeneous constraints, no time
        rates = evaluate([b(name, energy), b(f"{name}'", energy)], here)
        assert [float(r) for r in rates] == pytest.approx([v[i], a[i]], rel=1e-8, abs=1e-8), (i, system.text)
    return b


def judged(system: ch.System) -> None:
    b = check(system)
    assert b.jacobi == (ch.classify(system).holonomy != "nonholonomic"), b.evidence


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "integrable", "cone"])
def test_M5_B9_rules_motion_and_jacobi(kind: str) -> None:
    judged(random_system(1, kind, metric=False))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "integrable", "cone"])
@pytest.mark.parametrize("seed", [2, 3])
def test_M5_B9_with_a_random_metric(kind: str, seed: int) -> None:
    judged(random_system(seed, kind, metric=True))


def test_M5_the_jacobiator_is_the_cyclic_sum_of_brackets() -> None:
    """In formulas, from the tensor and its slopes, and by the brackets themselves."""
    system = ch.load("heisenberg")
    b, on = ch.bracket(system), constraint_functions(system)
    F, G, H = "x*y'", "x'*z", "y'^2"
    cyclic = add(b(F, b(G, H)), b(G, b(H, F)), b(H, b(F, G)))
    assert zero_test(sub(b.jacobiator(F, G, H), cyclic), on).is_zero
    assert zero_test(cyclic, on).is_zero is False
    places, found = b._program.jacobiators
    differ = [
        sub(e, b.jacobiator(*(b.coordinates[i] for i in triple)))
        for triple, e in zip(places, found, strict=True)
    ]
    assert all(zero_test(e, on).is_zero for e in differ)
    assert any(zero_test(e, on).is_zero is False for e in found)


def test_M5_canonical_without_constraints() -> None:
    b = ch.bracket(
        ch.System(coordinates=["x", "y"], lagrangian="m*x'^2/2 + y'^2 + x*y'", parameters={"m": 3})
    )
    assert [list(row) for row in b.tensor] == formulas([
        ["0", "0", "1/m", "0"], ["0", "0", "0", "1/2"], ["-1/m", "0", "0", "1/(2*m)"],
        ["0", "-1/2", "-1/(2*m)", "0"],
    ])  # fmt: skip
    assert b.jacobi is True


def test_M5_a_prescribed_motion_has_no_bracket_but_zero() -> None:
    prescribed = ch.System(coordinates=["x", "y"], lagrangian="x'^2 + y'^2", constraints=["x' = 1", "y' = x"])
    b = ch.bracket(prescribed)
    assert (b("x", "y"), b.jacobi) == formulas(("0", True))


def test_M5_position_constraints_are_respected() -> None:
    text = """
coordinates = ["x", "y"]
[dynamics]
lagrangian = "(x'^2 + y'^2)/2"
[constraints]
position = ["x^2 + y^2 = 1"]
"""
    system = ch.loads(text)
    assert ch.bracket(system).jacobi is True


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: ch.bracket("disc"), "ch.bracket"),
        (lambda: ch.bracket(ch.load("knife-edge"))("x", "nothing"), "nothing"),
        (lambda: ch.bracket(ch.load("knife-edge"), effort=0), "effort"),
        (
            lambda: ch.bracket(
                ch.System(coordinates=["x", "y"], dynamics={"lagrangian": "(x' - y)^2/2", "degenerate": True})
            )("x", "y"),
            "ch.dirac",
        ),
        (
            lambda: ch.bracket(ch.System(coordinates=["x"], dynamics={"accelerations": {"x": "-x"}})),
            "no Lagrangian",
        ),
    ],
)
def test_M5_what_cannot_be_done_is_a_sentence(ask, words: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        ask()
    assert words in str(error.value)


# -- Casimirs --------------------------------------------------------------------------------------------
CASIMIRS = [
    (["z' = x*y' + y*x'", "w' = y*x'"], 1),
    (["exp(z)*z' = 2*x*x' - cos(y)*y'"], 1),
    (["y*z' = z*y' + y^2*x'", "w' = t*x' + z'"], 2),  # at fixed time
    (["z' = x*y' + y*x' + 5*t", "w' = z"], 2),  # drifts do not matter
    (["(x^2 + y^2)*z' = x*y' - y*x'"], 1),
    (["z' = k*x' + y*w'", "y' = k*w'"], 2),
    (["z' = y*x'", "w' = x*z'"], 0),
    (["z'^2 = x'^2 + (1 + y^2)*w'^2"], 0),
    (["sin(z') = y*x' + x'^3"], 0),
    ([], 0),
    (["z' = (k - 2)*y*x'"], 1),  # for the value given, k = 2
]


@pytest.mark.slow
@pytest.mark.parametrize(("constraints", "count"), some(CASIMIRS, every=3))
def test_M5_casimirs_are_found_proved_and_counted(constraints: list[str], count: int) -> None:
    system = ch.System(
        coordinates=["x", "y", "z", "w"],
        lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2 - x*w",
        constraints=constraints,
        parameters={"k": 2},
    )
    b = ch.bracket(system)
    found = b.casimirs
    assert (len(found), found.most, found.complete) == (count, count, True)
    for casimir in found:
        assert casimir.proof.proved
        for name in b.coordinates:  # another way: by the bracket itself
            found_zero = zero_test(b(casimir.expression, name), constraint_functions(system), values={"k": 2})
            assert found_zero.is_zero


@pytest.mark.slow
def test_M5_casimirs_of_the_gallery() -> None:
    def casimirs(name: str) -> list[Expr]:
        return [c.expression for c in ch.bracket(ch.load(name)).casimirs]

    assert casimirs("semiholonomic-disc") == formulas(["psi*R - x"], factor=True)
    assert casimirs("differential-drive") == formulas(["2*theta*s - right*R + left*R"], factor=True)
    assert casimirs("heisenberg") == casimirs("pendulum-cartesian") == []
    assert ch.bracket(ch.load("heisenberg")).casimirs.complete is True


def _with_sines(seed: int) -> tuple[ch.System, bool]:
    """A metric with sines on four or five coordinates, with one or two constraints; whether these are
    differentials of functions.
    """
    draw = random.Random(seed)
    n = draw.choice([4, 5])
    names = ["x", "y", "z", "u", "w"][:n]

    def wave() -> str:
        a, b = draw.sample(names, 2)
        return f"{draw.choice(['sin', 'cos'])}({a}{draw.choice(['', f' + {b}', f' - {b}'])})"

    metric = " + ".join(f"(3 + {wave()})*{c}'^2" for c in names)
    metric += " + " + " + ".join(f"{wave()}*{a}'*{b}'/2" for a, b in pairwise(names))
    count, integrable = draw.choice([1, 2]), draw.random() < 0.4
    rows = []
    for k in range(count):
        lead, others = names[k], names[count:]
        if integrable:  # dF of F = lead − sin(Σ …)
            a, b = draw.sample(others, 2)
            rows.append(f"{lead}' = cos({a} + 2*{b})*({a}' + 2*{b}')")
        else:
            a, b = draw.sample(others, 2)
            rows.append(f"{lead}' = sin({a})*{b}' + {wave()}*{a}'/3")
    system = ch.System(coordinates=names, lagrangian=f"({metric})/2", constraints=rows)
    return system, integrable


@pytest.mark.parametrize("seed", some(range(32), 8))
def test_B9_jacobi_of_metrics_with_sines(seed: int) -> None:
    system, integrable = _with_sines(seed)
    b = ch.bracket(system)
    assert b.jacobi is integrable, b.evidence
    assert ch.classify(system).holonomy == ("semiholonomic" if integrable else "nonholonomic")
    assert "proved" in b.evidence
    assert len(str(b)) < 60_000
