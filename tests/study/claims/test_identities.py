"""Claims of general theory: identities between free functions, and what cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chetaev as ch
from chetaev.study.claims.judgement import Judgement

TWO = {"coordinates": ["q1", "q2"], "lagrangian": "(q1'^2 + q2'^2)/2"}
L = {"functions": {"L": "t q1 q2 q1' q2'"}}
Q = {"put": {"q2'": "g", "q2''": "g_Dt"}}
CHAIN = {"functions": {"L": "t q1 q2 q1' q2'", "g": "t q1 q2 q1'"}, **Q}


def judge(**claim: object) -> Judgement:
    (judged,) = ch.claims(ch.System(**TWO, claims=[claim]))
    return judged


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ({**L, "identity": "L_q1_q2 = L_q2_q1"}, True),
        ({**L, "identity": "L_q1_dot = L_q1"}, False),
        ({**L, "identity": "L_Dt = L_t + q1'*L_q1 + q2'*L_q2 + q1''*L_q1_dot + q2''*L_q2_dot"}, True),
        ({**L, "identity": "L_Dt = L_t + q1'*L_q1 + q2'*L_q2"}, False),
        ({**CHAIN, "identity": "L_on_q1 = L_q1_on + L_q2_dot_on*g_q1"}, True),
        ({**CHAIN, "identity": "L_on_q1 = L_q1_on"}, False),
        ({**CHAIN, "identity": "L_on_q2_dot = 0"}, True),
        ({**CHAIN, "define": {"K": "L_on"}, "identity": "L_Dt_on = K_Dt_on"}, True),
        ({**CHAIN, "define": {"K": "L_on"}, "identity": "K_q1_dot_q1_dot = L_q1_dot_q1_dot_on"}, False),
        ({"variables": ["u"], "define": {"F": "sin(u)^2"}, "identity": "F_u = sin(2*u)"}, True),
        ({"given": "q1' = q2", "identity": "q1'^2 = q2^2"}, True),
        ({"identity": "q1'^2 = q2^2"}, False),
        ({"indices": {"i": "1 2"}, **L, "identity": "L_q{i}_t = L_t_q{i}"}, True),
        ({"indices": {"i": "1 2", "j": "1 2"}, **L, "identity": "L_q{i}_q{j} = delta[{i},{j}]"}, False),
        ({"indices": {"i": "1 2"}, "identity": "sum{i}[q{i}^2] = q1^2 + q2^2"}, True),
        ({"indices": {"i": "1 2", "j": "1 2"}, "identity": "sum{i}[sum{j}[q{i}*q{j}]] = (q1 + q2)^2"}, True),
        ({"indices": {"i": "1 2"}, "identity": "sum{i}[q{i}^2] = q1^2"}, False),
        ({"indices": {"i": "1 2"}, "identity": "sum{i}[q{i}] - q{i} = q1 + q2 - q{i}"}, True),
    ],
)
def test_identities(claim: dict[str, object], holds: bool) -> None:
    judged = judge(**claim)
    assert judged.holds is holds, str(judged)
    assert judged.proved


@pytest.mark.slow
@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6), st.integers(-2, 2), st.integers(-2, 2))
def test_a_free_function_is_every_polynomial(c: list[int], a: int, b: int) -> None:
    """What is proved for all functions holds for those that are written out."""
    text = f"({c[0]}) + ({c[1]})*q1 + ({c[2]})*q2' + ({c[3]})*q1*q2' + ({c[4]})*q2'^2 + ({c[5]})*t*q1^2"
    put = {"put": {"q2'": f"({a})*q1^2 + ({b})*q1*q2"}}
    claim = {
        **put,
        "define": {"L": text},
        "identity": f"L_on_q1 = L_q1_on + L_q2_dot_on*(2*({a})*q1 + ({b})*q2)",
    }
    assert judge(**claim).proved
    assert judge(**claim).holds


def test_a_claim_like_another() -> None:
    first = {"equation": "(1)", **CHAIN, "identity": "L_on_q1 = L_q1_on + L_q2_dot_on*g_q1"}
    like = {"like": "(1)", "define": {"K": "L_on"}, "identity": "K_q2 = L_q2_on + L_q2_dot_on*g_q2"}
    system = ch.System(**TWO, claims=[first, like])
    assert [one.holds for one in ch.claims(system)] == [True, True]


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"identity": "M_q1 = 0"}, "M_q1"),
        ({**L, "identity": "L_q3 = 0"}, "L_q3"),
        ({"functions": {"g": "t z"}, "identity": "g = 0"}, "'z'"),
        ({"functions": {"g": 3}, "identity": "g = 0"}, "3"),
        ({"put": {"z'": "0"}, "identity": "q1 = 0"}, "z'"),
        ({"identity": "sum{i}[q{i}] = 0"}, "index 'i'"),
        ({"identity": "q{i} = 0"}, "index 'i'"),
        ({"like": "(9)", "identity": "q1 = 0"}, "(9)"),
        ({"variables": ["sin"], "identity": "q1 = 0"}, "sin"),
        ({"identity": "q1 = 0", "dependent": ["q1"]}, "dependent"),
        ({"jacobian": {"of": "q1'"}}, "rank"),
        ({"jacobian": {"of": "q1'", "rows": [[1]]}}, "2 entries"),
        ({"jacobian": {"of": "q1'", "rank": -1}}, "-1"),
    ],
)
def test_what_cannot_be_read(claim: dict[str, object], message: str) -> None:
    with pytest.raises(ch.ModelError) as error:
        judge(**claim)
    assert message in str(error.value)


SKATE = {
    "coordinates": ["x", "y", "phi"],
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*phi'^2/2 + m*g*x",
    "parameters": {"m": 2, "J": 3, "g": 9},
    "constraints": ["y'*cos(phi) = x'*sin(phi)"],
}


@pytest.mark.parametrize(
    ("claim", "repaired"),
    [
        (
            {"equations": "x''*cos(phi) - y''*sin(phi) = g*cos(phi)"},
            "x''*cos(phi) + y''*sin(phi) = g*cos(phi)",
        ),
        ({"equations": "y'*cos(phi) = x''*sin(phi)"}, "y'*cos(phi) = x'*sin(phi)"),
        ({"conserved": "m*(x'^2 + y'^2)/2 + m*g*x"}, "m*(x'^2 + y'^2)/2 - m*g*x"),
    ],
)
def test_the_usual_repairs(claim: dict[str, object], repaired: str) -> None:
    system = ch.System(**SKATE, claims=[claim])
    (plain,) = ch.claims(system)
    assert plain.correction is None
    (found,) = ch.claims(system, repairs=True)
    assert found.surprising
    assert found.correction is not None
    assert found.correction.proved
    assert repaired.replace(" ", "") in found.correction.statement.replace(" ", "")


def test_no_repair_is_made_up() -> None:
    (judged,) = ch.claims(ch.System(**TWO, claims=[{"equations": "q1'' = 7"}]), repairs=True)
    assert judged.holds is False
    assert judged.correction is None


def test_a_repair_holds_for_other_values_of_the_parameters_too() -> None:
    """With m = k a sign would do here."""
    spring = {"coordinates": ["x"], "lagrangian": "m*x'^2/2 - k*x^2/2", "parameters": {"m": 2, "k": 2}}
    (judged,) = ch.claims(ch.System(**spring, claims=[{"equations": "k*x'' = m*x"}]), repairs=True)
    assert judged.correction is None
    (right,) = ch.claims(ch.System(**spring, claims=[{"equations": "m*x'' = k*x"}]), repairs=True)
    assert right.correction is not None
    assert right.correction.proved
