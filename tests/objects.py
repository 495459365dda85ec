"""A system as SymPy expressions made from its text, and the objects of a law as numbers at a point of Q.

Nothing here uses chetaev's engine, charts or derivatives: definitions are recomputed from L, F and f alone.
"""

from __future__ import annotations

import itertools
import random

import sympy
from mpmath import mp

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.language.sympy_bridge import sympy_symbol, to_sympy
from chetaev.model.states.points import parameter_point, random_points
from random_systems import KINDS, random_system

WORK = 60

TESTED = {
    "bracket": "bracket",
    "chaplygin": "on_q",
    "chetaev": "multipliers",
    "connection": "projection",
    "dalembert": "projection",
    "euler-lagrange": "multipliers",
    "first-variation": "multipliers",
    "gauss": "multipliers",
    "gibbs-appell": "gibbs",
    "gibbs-geometric": "gibbs",
    "gibbs-sasaki": "gibbs",
    "hamel": "frames",
    "hamilton": "on_q",
    "quasi": "frames",
    "reduced": "on_q",
    "reduced-lepage": "on_q",
    "sode": "on_q",
    "vakonomic": "multipliers",
}
"""The file test_objects_….py in which the objects of a formulation are read back."""


class Jets:
    """t, q, v, a, L, F and f of a system in SymPy; parameters have the model's values."""

    def __init__(self, system):
        self.system = system
        self.m = len(system.coordinates)
        self.t = sympy_symbol(system.time)
        self.q, self.v, self.a = ([sympy_symbol(c, k) for c in system.coordinates] for k in (0, 1, 2))
        self.parameters = {}
        for name, expr in system.parameters.items():
            self.parameters[sympy_symbol(name)] = self.read(expr)
        self.L = self.read(system.lagrangian)
        forces = [system.forces.get(c) for c in system.coordinates]
        self.F = [sympy.S(0) if e is None else self.read(e) for e in forces]
        self.phi = [self.read(e.lhs) - self.read(e.rhs) for e in system.position_constraints]
        given = [self.read(e.lhs) - self.read(e.rhs) for e in system.velocity_constraints]
        self.f = [self.along(e) for e in self.phi] + given

    def read(self, expr):
        return to_sympy(expr, expand=True).subs(self.parameters)

    def along(self, f):
        """∂f/∂t + v·∂f/∂q, the cut total derivative."""
        return f.diff(self.t) + sum(v * f.diff(q) for q, v in zip(self.q, self.v, strict=True))

    def d(self, f):
        """df/dt with accelerations."""
        return self.along(f) + sum(a * f.diff(v) for v, a in zip(self.v, self.a, strict=True))

    @property
    def euler(self):
        """d/dt ∂L/∂v − ∂L/∂q − F."""
        return [
            self.d(self.L.diff(v)) - self.L.diff(q) - F
            for q, v, F in zip(self.q, self.v, self.F, strict=True)
        ]

    # --- numbers ----------------------------------------------------------------------------------

    def point(self, seed=0):
        """A point of Q with 60 digits, and some accelerations."""
        found = next(random_points(self.system, 1, seed=seed, digits=WORK))
        names = self.system.coordinates
        point = dict(found) | {(c, 2): mp.mpf(17 * i + 3 + seed) / 32 for i, c in enumerate(names)}
        jets = {name: [point[c, k] for c in names] for k, name in enumerate("qva")}
        return {"all": point, "t": point[self.system.time], **jets}

    def values(self, rows, point):
        """SymPy rows at a point."""
        symbols = [self.t, *self.q, *self.v, *self.a]
        numbers = [point["t"], *point["q"], *point["v"], *point["a"]]
        with mp.workdps(WORK):
            function = sympy.lambdify(symbols, [list(row) for row in rows], "mpmath", cse=True)
            return [[mp.mpf(x) for x in row] for row in function(*numbers)]

    def C(self, point):
        """∂f/∂v."""
        return self.jacobian(self.f, self.v, point)

    def c(self, point):
        """d'f/dt, a row."""
        return self.column([self.along(f) for f in self.f], point)

    def M(self, point):
        """∂²L/∂v∂v."""
        return self.jacobian([self.L.diff(v) for v in self.v], self.v, point)

    def epsilon(self, point, a):
        """d/dt ∂L/∂v − ∂L/∂q − F at accelerations, a row."""
        return self.column(self.euler, {**point, "a": a})

    def column(self, entries, point):
        return self.values([entries], point)[0]

    def jacobian(self, entries, variables, point):
        return self.values([[e.diff(x) for x in variables] for e in entries], point)


def numbers(rows, system, point):
    """Rows of chetaev's expressions at a point."""
    flat = [e for row in rows for e in row]
    values = iter(evaluate_mp(flat, {**parameter_point(system, WORK), **point["all"]}, 50))
    return [[mp.mpf(next(values)) for _ in row] for row in rows]


def wide_system(seed, kinds=KINDS):
    """A random system with four coordinates, two constraints and forces: no matrix has one row."""
    for tried in itertools.count(1000 * seed):
        system = random_system(tried, kinds, most=4)
        counts = len(system.coordinates), len(system.velocity_constraints), len(system.forces)
        if counts[:2] == (4, 2) and counts[2] > 2:
            return system


def quadratic_system(seed, affine=False, m=3, k=1, potential=True):
    """L = ½ g(t, q)(v, v) + b(t, q) v − V with forces; k constraints linear (or affine) in v."""
    rng = random.Random(seed)

    def number():
        return f"{rng.choice('123456789')}/{rng.choice('789')}"

    q = ["x", "y", "z", "w"][:m]
    shapes = ("sin({0} + t)", "cos({0})*{1}", "exp({0}/3)", "{0}*{1} + t", "{0}^2", "1/(2 + sin({1}))")
    shapes = shapes if potential else [shape for shape in shapes if "t" not in shape.replace("sqrt", "")]

    def function():
        return rng.choice(shapes).format(*rng.sample(q, 2))

    terms = [f"(3 + {rng.choice('123')}/5*sin({rng.choice(q)}{' + t' * potential}))*{c}'^2" for c in q]
    terms += [f"{function()}*{a}'*{b}'/9" for a, b in itertools.pairwise(q)]
    if potential:
        terms += [f"{number()}*{function()}*{c}'" for c in q] + [f"{number()}*{function()}"]
    rows = []
    for i in range(k):
        row = f"{q[m - 1 - i]}' = " + " + ".join(f"{number()}*{function()}*{c}'" for c in q[: m - k])
        rows.append(row + (f" + {number()}*{function()}" if affine else ""))
    forces = {c: f"{number()}*{function()} - {q[0]}'*{c}'/3" for c in q} if potential else {}
    return ch.System(coordinates=q, lagrangian=" + ".join(terms), constraints=rows, forces=forces)


def product(*factors):
    """The product of matrices given as rows."""
    with mp.workdps(WORK):
        result = mp.matrix(factors[0])
        for rows in factors[1:]:
            result = result * mp.matrix(rows)
        return result.tolist()


def plus(*terms):
    """The sum of matrices given as rows."""
    with mp.workdps(WORK):
        return [[mp.fsum(x) for x in zip(*rows, strict=True)] for rows in zip(*terms, strict=True)]


def times(factor, rows):
    with mp.workdps(WORK):
        return [[factor * x for x in row] for row in rows]


def inverse(rows):
    with mp.workdps(WORK):
        return (mp.matrix(rows) ** -1).tolist()


def transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def identity(n):
    return [[mp.mpf(i == j) for j in range(n)] for i in range(n)]


def derivative(function, point, name, i):
    """∂/∂z of rows of numbers, z the entry i of point[name]: a central difference, right to 30 digits."""
    step = mp.mpf(10) ** -18

    def moved(sign):
        values = list(point[name])
        values[i] = values[i] + sign * step
        return function({**point, name: values})

    with mp.workdps(WORK):
        return times(1 / (2 * step), plus(moved(1), times(-1, moved(-1))))


def close(found, expected, digits=30):
    """Equal rows, to many digits relative to the largest entry."""
    assert [len(r) for r in found] == [len(r) for r in expected]
    with mp.workdps(WORK):
        size = max([mp.mpf(1), *(abs(mp.mpf(x)) for r in expected for x in r)])
        for r, s in zip(found, expected, strict=True):
            for x, y in zip(r, s, strict=True):
                assert abs(mp.mpf(x) - mp.mpf(y)) < mp.mpf(10) ** -digits * size, (found, expected)


def is_kernel(J, W, point):
    """C W = 0, and W has a unit matrix among its rows: a basis of ker C."""
    n = J.m - len(J.f)
    assert [len(row) for row in W] == [n] * J.m
    close(product(J.C(point), W), [[0] * n for _ in J.f])
    assert all([0 if i != j else 1 for j in range(n)] in W for i in range(n))


def gradient_in_a(function, J, point, F=True):
    """The gradient of a function quadratic in the accelerations, by central differences that are exact."""

    def at(a):
        values = {(c, 2): x for c, x in zip(J.system.coordinates, a, strict=True)}
        return numbers([[function]], J.system, {**point, "all": {**point["all"], **values}})[0][0]

    expected = J.epsilon(point, point["a"])
    if not F:
        expected = [e + f for e, f in zip(expected, J.column(J.F, point), strict=True)]
    for i, e in enumerate(expected):
        up, down = ([x + s * (j == i) for j, x in enumerate(point["a"])] for s in (1, -1))
        close([[(at(up) - at(down)) / 2]], [[e]])


def christoffel(J, point):
    """Γ^l_ij from g by SymPy's derivatives, as Γ[l][i][j]."""
    g = [[J.L.diff(u, v) for v in J.v] for u in J.v]
    d = [J.values([[e.diff(q) for e in row] for row in g], point) for q in J.q]  # d[i][k][j] = ∂_i g_kj
    m = range(J.m)
    first = [[[(d[i][k][j] + d[j][k][i] - d[k][i][j]) / 2 for j in m] for i in m] for k in m]
    up = inverse(J.M(point))
    return [[[sum(up[n][k] * first[k][i][j] for k in m) for j in m] for i in m] for n in m]


def normal_projection(J):
    """P = g⁻¹Cᵀ(C g⁻¹ Cᵀ)⁻¹C, as a function of the point."""

    def P(point):
        C, up = J.C(point), inverse(J.M(point))
        n = product(up, transposed(C))
        return product(n, inverse(product(C, n)), C)

    return P


def covariant_derivative(J, T, point):
    """(∇^g_j T)^i_k of a (1,1) tensor, as D[j][i][k]: differences of T, and SymPy's Γ."""
    Gamma, here, m = christoffel(J, point), T(point), range(J.m)
    result = []
    for j in m:
        form = [[Gamma[i][j][k] for k in m] for i in m]
        result.append(plus(derivative(T, point, "q", j), product(form, here), times(-1, product(here, form))))
    return result
