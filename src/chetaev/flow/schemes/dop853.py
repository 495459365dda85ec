"""DOP853: Dormand and Prince's explicit method of order 8 with errors of orders 5 and 3 and dense output of
order 7.

    k_s = f(t + c_s h, y + h Σ_{j<s} a_sj k_j)      y₁ = y + h Σ_j b_j k_j

Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.10, and their code DOP853. Twelve
stages make the step, number 12 is the derivative at its end, three more are for the dense output.
"""

from __future__ import annotations

from math import sqrt

from chetaev.flow.kernels.arrays import Floats, Uniforms
from chetaev.flow.kernels.field import evaluate
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import combine
from chetaev.flow.schemes.scheme import Scheme

# fmt: off
NODES = (
    0.0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726,
    0.3333333333333333, 0.25, 0.3076923076923077, 0.6512820512820513, 0.6, 0.8571428571428571, 1.0, 1.0,
    0.1, 0.2, 0.7777777777777778,
)
"""c_s: of the step, of its end (number 12), of the dense output (13 to 15)."""
STAGES: tuple[tuple[float, ...], ...] = (
    (),
    (0.05260015195876773,),
    (0.0197250569845379, 0.0591751709536137,),
    (0.02958758547680685, 0.0, 0.08876275643042054,),
    (0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792,),
    (0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242,),
    (0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125,),
    (
        0.03709200011850479, 0.0, 0.0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
        0.008273789163814023,
    ),
    (
        0.6241109587160757, 0.0, 0.0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
        20.154067550477894, -43.48988418106996,
    ),
    (
        0.47766253643826434, 0.0, 0.0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
        15.279233632882423, -33.28821096898486, -0.020331201708508627,
    ),
    (
        -0.9371424300859873, 0.0, 0.0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
        -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196,
    ),
    (
        2.273310147516538, 0.0, 0.0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
        27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303, 0.6433927460157636,
    ),
    (
        0.054293734116568765, 0.0, 0.0, 0.0, 0.0, 4.450312892752409, 1.8915178993145003,
        -5.801203960010585, 0.3111643669578199, -0.1521609496625161, 0.20136540080403034,
        0.04471061572777259,
    ),
    (
        0.056167502283047954, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25350021021662483, -0.2462390374708025,
        -0.12419142326381637, 0.15329179827876568, 0.00820105229563469, 0.007567897660545699, -0.008298,
    ),
    (
        0.03183464816350214, 0.0, 0.0, 0.0, 0.0, 0.028300909672366776, 0.053541988307438566,
        -0.05492374857139099, 0.0, 0.0, -0.00010834732869724932, 0.0003825710908356584,
        -0.00034046500868740456, 0.1413124436746325,
    ),
    (
        -0.42889630158379194, 0.0, 0.0, 0.0, 0.0, -4.697621415361164, 7.683421196062599, 4.06898981839711,
        0.3567271874552811, 0.0, 0.0, 0.0, -0.0013990241651590145, 2.9475147891527724, -9.15095847217987,
    ),
)
"""a_sj; row 12 has the weights b_j of the step."""
ERROR3 = (
    -0.18980075407240762, 0.0, 0.0, 0.0, 0.0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
    -0.4226823213237919, -0.1521609496625161, 0.20136540080403034, 0.02265179219836082,
)
"""Weights of the error estimate of order 3."""
ERROR5 = (
    0.01312004499419488, 0.0, 0.0, 0.0, 0.0, -1.2251564463762044, -0.4957589496572502, 1.6643771824549864,
    -0.35032884874997366, 0.3341791187130175, 0.08192320648511571, -0.022355307863886294,
)
"""Weights of that of order 5."""
DENSE = (
    (
        -8.428938276109013, 0.0, 0.0, 0.0, 0.0, 0.5667149535193777, -3.0689499459498917, 2.38466765651207,
        2.117034582445028, -0.871391583777973, 2.2404374302607883, 0.6315787787694688,
        -0.08899033645133331, 18.148505520854727, -9.194632392478356, -4.436036387594894,
    ),
    (
        10.427508642579134, 0.0, 0.0, 0.0, 0.0, 242.28349177525817, 165.20045171727028, -374.5467547226902,
        -22.113666853125306, 7.733432668472264, -30.674084731089398, -9.332130526430229,
        15.697238121770845, -31.139403219565178, -9.35292435884448, 35.81684148639408,
    ),
    (
        19.985053242002433, 0.0, 0.0, 0.0, 0.0, -387.0373087493518, -189.17813819516758, 527.8081592054236,
        -11.57390253995963, 6.8812326946963, -1.0006050966910838, 0.7777137798053443, -2.778205752353508,
        -60.19669523126412, 84.32040550667716, 11.99229113618279,
    ),
    (
        -25.69393346270375, 0.0, 0.0, 0.0, 0.0, -154.18974869023643, -231.5293791760455, 357.6391179106141,
        93.40532418362432, -37.45832313645163, 104.0996495089623, 29.8402934266605, -43.53345659001114,
        96.32455395918828, -39.17726167561544, -149.72683625798564,
    ),
)
"""Weights of the last four vectors of the dense output."""
# fmt: on

SCHEME = Scheme(
    name="dop853",
    module=__name__,
    summary="explicit Runge–Kutta, for what is not stiff",
    order=8,
    dense_order=7,
    estimate=8,
    stages=16,
    end_stage=12,
    vectors=7,
    in_lanes=True,
    coefficients=(*STAGES, NODES, ERROR3, ERROR5, *DENSE),
)

STABLE = 4.8
"""|h| |λ| beyond which stability is taken to limit the step: four fifths of the method's interval on the
negative axis, 6.1. Where accuracy limits it, |h| |λ| is 3.5 at a tolerance of 0.01, and less at smaller ones;
where a stiff law bends, the slope between two stages is flatter than that at either."""

# rows of the table
ROW_C = 16
ROW_ERROR3 = 17
ROW_ERROR5 = 18
ROW_DENSE = 19


def weights(run: Integration, row: int) -> Uniforms:
    """A row of the table: a_s for s < 12, b for 12, a_s again for the dense output."""
    return run.table[16 * row :]


def stage(run: Integration, s: int) -> int:
    """k_s = f(t + c_s h, y + h Σ_{j<s} a_sj k_j); returns 0 or why not."""
    combine(run.d, s, weights(run, s), run.k, run.y, run.h, run.trial)
    run.t_stage = run.t + run.table[16 * ROW_C + s] * run.h
    return evaluate(run, run.t_stage, run.trial, run.k[s * run.d :], 0)


def step(run: Integration) -> int:
    """y₁ = y + h Σ_j b_j k_j and its error; k₀ is known."""
    for s in range(1, 12):
        code = stage(run, s)
        if code != 0:
            return code
    combine(run.d, 12, weights(run, 12), run.k, run.y, run.h, run.new)
    run.error = estimated_error(run)
    return 0


def estimated_error(run: Integration) -> float:
    """h |e₅|² / √(d (|e₅|² + |e₃|²/100)) with e = Σ_j w_j k_j, each entry in units of the tolerance."""
    d = run.d
    e5 = run.k[13 * d :]  # the stages of the dense output are not needed yet
    e3 = run.k[14 * d :]
    combine(d, 12, weights(run, ROW_ERROR5), run.k, run.zero, 1.0, e5)
    combine(d, 12, weights(run, ROW_ERROR3), run.k, run.zero, 1.0, e3)
    fifth = 0.0
    third = 0.0
    for i in range(d):
        inverse = 1.0 / (run.atol + run.rtol * max(abs(run.y[i]), abs(run.new[i])))
        fifth = fifth + e5[i] * inverse * e5[i] * inverse
        third = third + e3[i] * inverse * e3[i] * inverse
    bottom = fifth + 0.01 * third
    if not bottom > 0.0:
        return 0.0
    return abs(run.h) * fifth / sqrt(bottom * d)


def misfit(run: Integration) -> float:
    """Positive where the step is limited by stability: |h| |λ| > `STABLE`, |λ| from two stages at its end.

    λ ≈ |f(y₁) − k₁₁| / |y₁ − Y₁₁| is the test of the authors' code; `run.trial` still is Y₁₁.
    """
    d = run.d
    last = run.k[11 * d :]
    top = 0.0
    bottom = 0.0
    for i in range(d):
        top = top + (run.k_end[i] - last[i]) * (run.k_end[i] - last[i])
        bottom = bottom + (run.new[i] - run.trial[i]) * (run.new[i] - run.trial[i])
    if not bottom > 0.0:
        return 0.0
    return abs(run.h) * sqrt(top / bottom) - STABLE


def dense_output(run: Integration) -> int:
    """Three more stages and the seven vectors: Hermite's three, then f_r = h Σ_j w_rj k_j."""
    d = run.d
    h = run.h
    f = run.dense
    for s in range(13, 16):
        code = stage(run, s)
        if code != 0:
            return code
    for i in range(d):
        delta = run.new[i] - run.y[i]
        f[i] = delta
        f[d + i] = h * run.k[i] - delta
        f[2 * d + i] = 2.0 * delta - h * (run.k_end[i] + run.k[i])
    for r in range(4):
        combine(d, 16, weights(run, ROW_DENSE + r), run.k, run.zero, h, f[(3 + r) * d :])
    return 0


def interpolate(d: int, i: int, y: Floats, f: Floats, x: float) -> float:
    """y + x (f₀ + (1 − x)(f₁ + x (f₂ + (1 − x)(f₃ + …)))), down to f₆."""
    s = f[6 * d + i] * x
    s = (s + f[5 * d + i]) * (1.0 - x)
    s = (s + f[4 * d + i]) * x
    s = (s + f[3 * d + i]) * (1.0 - x)
    s = (s + f[2 * d + i]) * x
    s = (s + f[d + i]) * (1.0 - x)
    s = (s + f[i]) * x
    return y[i] + s
