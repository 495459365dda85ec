"""Objects of `reduced`, `reduced-lepage`, `hamilton`, `sode`, `chaplygin` by definition (K19, K24, Sa9–10).

Two independent ways: the ambient equations projected on virtual displacements, in numbers, for constraints
that nobody solves; and L̄ = L∘ι, g put in by SymPy, where the constraints are given solved.
"""

from __future__ import annotations

import pytest

import chetaev as ch
from chetaev.equations.forms import chaplygin, hamilton, lepage, reduced, sode
from objects import (
    Jets,
    close,
    identity,
    inverse,
    numbers,
    plus,
    product,
    quadratic_system,
    times,
    transposed,
    wide_system,
)

SEEDS = range(2)


def split(law):
    names = law.system.coordinates
    S = [names.index(u.rstrip("'")) for u in law.unknowns]
    return S, [i for i in range(len(names)) if i not in S]


def slopes(J, S, D, point):
    """∂g/∂v^s = −C_D⁻¹ C_S, and W = [1; B]."""
    C = J.C(point)
    B = times(-1, product(inverse([[r[i] for i in D] for r in C]), [[r[i] for i in S] for r in C]))
    W = [None] * J.m
    for row, i in enumerate(S):
        W[i] = identity(len(S))[row]
    for row, i in enumerate(D):
        W[i] = B[row]
    return B, W


@pytest.mark.slow
@pytest.mark.parametrize("form", [reduced, lepage])
@pytest.mark.parametrize("seed", SEEDS)
def test_K19_A_and_B_are_minus_the_ambient_equations_on_virtual_displacements(form, seed):
    """Ā_s + B̄_sr a^r = −Wᵀ(d/dt ∂L/∂v − ∂L/∂q − F) for all a with C a + c = 0."""
    system = wide_system(seed + 140)
    law, J = form.derive(system), Jets(system)
    point = J.point(seed)
    S, D = split(law)
    slope, W = slopes(J, S, D, point)
    C, c = J.C(point), J.c(point)
    drift = [0] * J.m  # a_S = 0
    for i, x in zip(D, product(inverse([[r[i] for i in D] for r in C]), transposed([c])), strict=True):
        drift[i] = -x[0]
    A, B = numbers([law.A], system, point), numbers(law.B, system, point)
    close(A, times(-1, product([J.epsilon(point, drift)], W)))
    close(B, times(-1, product(transposed(W), J.M(point), W)))
    if form is reduced:
        close(numbers(law.g_v, system, point), slope)
    else:
        assert [system.coordinates[i] for i in law.independent] == [u.rstrip("'") for u in law.unknowns]


@pytest.mark.parametrize("seed", SEEDS)
def test_K24_momenta_their_slopes_and_the_hamiltonian(seed):
    """P = Wᵀ ∂L/∂v, ∂P/∂v = Wᵀ M W for affine constraints, H̄ = P·v − L (94)–(96)."""
    system = quadratic_system(seed + 30, affine=True)
    law, J = hamilton.derive(system), Jets(system)
    point = J.point(seed)
    names = system.coordinates
    S = [names.index(u.rstrip("'").removeprefix("P_")) for u in law.unknowns]
    _, W = slopes(J, S, [i for i in range(J.m) if i not in S], point)
    P = product([J.column([J.L.diff(v) for v in J.v], point)], W)
    close(numbers([law.P], system, point), P)
    close(numbers(law.K, system, point), product(transposed(W), J.M(point), W))
    height = sum(x * point["v"][i] for x, i in zip(P[0], S, strict=True)) - J.column([J.L], point)[0]
    close(numbers([[law.H]], system, point), [[height]])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_K19_the_pulled_back_form_on_vectors_tangent_to_Q(seed):
    """α = A_σ ω^σ∧dt + B_σν ω^σ∧dv^ν on the basis of TQ dual to (dt, ω^l, φ^a, dv^s)."""
    system = wide_system(seed + 150)
    law, J = lepage.derive(system), Jets(system)
    point, m = J.point(seed), J.m
    S, D = split(law)
    B, _ = slopes(J, S, D, point)
    unit = identity(1 + 2 * m)  # (dt, dq, dv) on (t, q, v)
    omega = [plus([unit[1 + i]], times(-point["v"][i], [unit[0]]))[0] for i in range(m)]
    free = [omega[i] for i in S]
    phi = [plus([omega[i]], times(-1, product([row], free)))[0] for i, row in zip(D, B, strict=True)]
    df = J.values([[f.diff(z) for z in (J.t, *J.q, *J.v)] for f in J.f], point)
    coframe = [unit[0], *(omega[i] for i in S), *phi, *(unit[1 + m + i] for i in S), *df]
    vectors = transposed(inverse(coframe))[: len(coframe) - len(df)]
    E = [J.L.diff(q) - J.along(J.L.diff(v)) + F for q, v, F in zip(J.q, J.v, J.F, strict=True)]
    A, M = J.column(E, point), J.M(point)
    rows = [
        plus([[A[s] * x for x in unit[0]]], times(-1, product([M[s]], unit[1 + m :])))[0] for s in range(m)
    ]  # A_σ dt + B_σν dv^ν
    half = product(transposed(omega), rows)
    alpha = plus(half, times(-1, transposed(half)))
    close(numbers(law.alpha, system, point), product(vectors, alpha, transposed(vectors)))


# --- with g put in ---------------------------------------------------------------------------------


def solved(seed):
    """A system whose constraints are written as v^a = g^a(t, q, v^s), affine or not, and g in SymPy."""
    if seed % 2:
        system = ch.System(
            coordinates=["x", "y", "z", "w"],
            lagrangian="x'^2*(2 + sin(z)) + y'^2 + z'^2 + 2*w'^2 + x'*w'*cos(y) + t*y*z' - x*y*z",
            constraints=["z' = y*x' + t*x*y' + z*y", "w' = z*x'/3 - w*y' + sin(t)*x"],
            forces={"x": "-x'*z'", "w": "y*t", "z": "w'"},
        )
    else:
        lagrangian = "x'^2*(2 + sin(z)) + y'^2 + z'^2*(3 + t) + x'*y'*cos(w) + 2*w'^2 + w'^4/9 + x*w' - x*y*z"
        system = ch.System(
            coordinates=["x", "y", "z", "w"],
            lagrangian=lagrangian,
            constraints=["z' = sin(x' + w)*y + t*y'", f"w' = x'^2*y'/(2 + y) + x*y' + {seed}*t*z"],
            forces={"x": "-x'*z'", "w": "y*t", "z": "w'"},
        )
    J = Jets(system)
    dependent = [str(e.lhs).rstrip("'") for e in system.velocity_constraints]
    D = [system.coordinates.index(c) for c in dependent]
    g = [J.read(e.rhs) for e in system.velocity_constraints]
    return system, J, [i for i in range(J.m) if i not in D], D, g


class Restricted:
    """L̄, B, X_α, θ, η and the curvature C on Q in the coordinates (t, q, v_S), by SymPy."""

    def __init__(self, J, S, D, g):
        self.J, self.S, self.D, self.g = J, S, D, g
        self.put = {J.v[i]: e for i, e in zip(D, g, strict=True)}
        self.L = J.L.subs(self.put, simultaneous=True)
        self.B = [[e.diff(J.v[s]) for s in S] for e in g]
        self.z = [J.t, *J.q, *(J.v[s] for s in S)]

    def X(self, f, r):
        """X_α(f) = ∂f/∂q^α + B^a_α ∂f/∂q^a."""
        return f.diff(self.J.q[self.S[r]]) + sum(
            self.B[a][r] * f.diff(self.J.q[i]) for a, i in enumerate(self.D)
        )

    def d(self, f, accelerations=True):
        """d_c f/dt."""
        J, v = self.J, list(self.J.v)
        for i, e in zip(self.D, self.g, strict=True):
            v[i] = e
        total = f.diff(J.t) + sum(x * f.diff(q) for x, q in zip(v, J.q, strict=True))
        return total + sum(int(accelerations) * J.a[s] * f.diff(J.v[s]) for s in self.S)

    def curvature(self, accelerations=True):
        """C^a_α = dB^a_α/dt − X_α(g^a)."""
        return [
            [self.d(b, accelerations) - self.X(e, r) for r, b in enumerate(row)]
            for e, row in zip(self.g, self.B, strict=True)
        ]

    def unit(self, i):
        return [int(j == i) for j in range(len(self.z))]

    def contact(self, i, v):
        return [x - v * y for x, y in zip(self.unit(1 + i), self.unit(0), strict=True)]

    @property
    def theta(self):
        """θ^α = dq^α − v^α dt."""
        return [self.contact(s, self.J.v[s]) for s in self.S]

    @property
    def eta(self):
        """η^a = dq^a − g^a dt − B^a_α θ^α."""
        forms = []
        for i, e, row in zip(self.D, self.g, self.B, strict=True):
            form = self.contact(i, e)
            for b, theta in zip(row, self.theta, strict=True):
                form = [x - b * y for x, y in zip(form, theta, strict=True)]
            forms.append(form)
        return forms


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_Sa9_the_forms_of_the_second_order_field(seed):
    system, J, S, D, g = solved(seed)
    law = sode.derive(system, dependent=[system.coordinates[i] for i in D])
    Q, point = Restricted(J, S, D, g), J.point(seed)
    assert law.chart == tuple(system.coordinates[i] for i in S)
    n = len(Q.z)
    theta = [Q.L * e for e in Q.unit(0)]
    for s, form in zip(S, Q.theta, strict=True):
        theta = [x + Q.L.diff(J.v[s]) * y for x, y in zip(theta, form, strict=True)]
    close(numbers([law.theta], system, point), [J.column(theta, point)])
    C = Q.curvature()
    close(numbers(law.C, system, point), J.values(C, point))
    p = [J.L.diff(J.v[i]).subs(Q.put, simultaneous=True) for i in D]
    F = [e.subs(Q.put, simultaneous=True) for e in J.F]
    psi = [0] * n
    for r, form in enumerate(Q.theta):
        along = F[S[r]] + sum(C[a][r] * p[a] + Q.B[a][r] * F[i] for a, i in enumerate(D))
        psi = [x + along * y for x, y in zip(psi, form, strict=True)]
    for i, form in zip(D, Q.eta, strict=True):
        psi = [x - Q.L.diff(J.q[i]) * y for x, y in zip(psi, form, strict=True)]
    close(numbers([law.psi], system, point), [J.column(psi, point)])
    dt = Q.unit(0)
    Omega = [
        [theta[j].diff(Q.z[i]) - theta[i].diff(Q.z[j]) + psi[i] * dt[j] - psi[j] * dt[i] for j in range(n)]
        for i in range(n)
    ]
    w = J.values(Omega, point)
    close(numbers(law.Omega, system, point), w)
    a_S = [point["a"][s] for s in S]
    close(numbers([law.contraction], system, point), product([[1, *point["v"], *a_S]], w))
    Gamma = numbers([law.Gamma], system, point)[0]
    close([Gamma[: 1 + J.m]], [[1, *point["v"]]])
    motion = dict(zip(law.chart, Gamma[1 + J.m :], strict=True))
    there = {**point["all"], **{(c, 2): x for c, x in motion.items()}}
    close(numbers([law.contraction], system, {**point, "all": there}), [[0] * n])
    close([Gamma[1 + J.m :]], [[law.evaluate(point["all"])[0][s] for s in S]])


@pytest.mark.parametrize("seed", SEEDS)
def test_Sa10_B_C_and_the_curvature_of_the_connection(seed):
    system, J, S, D, g = solved(seed)
    law = chaplygin.derive(system, dependent=[system.coordinates[i] for i in D])
    Q, point = Restricted(J, S, D, g), J.point(seed)
    close(numbers(law.B, system, point), J.values(Q.B, point))
    close(numbers(law.C, system, point), J.values(Q.curvature(accelerations=False), point))
    assert law.solved == ("closed" if seed % 2 else "implicit")
    assert ("R" in law.objects) is (law.solved == "closed")
    for a, rows in enumerate(law.R if law.solved == "closed" else []):
        n = range(len(S))
        expected = [[Q.X(Q.B[a][r], s) - Q.X(Q.B[a][s], r) for r in n] for s in n]
        close(numbers(rows, system, point), J.values(expected, point))
