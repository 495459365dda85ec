"""A system as SymPy expressions made from its text, and the objects of a law as numbers at a point of Q.

Nothing here uses chetaev's engine, charts or derivatives: definitions are recomputed from L, F and f alone.
"""

from __future__ import annotations

import sympy
from mpmath import mp

from chetaev.expr.evaluate import evaluate_mp
from chetaev.expr.sympy_bridge import sympy_symbol, to_sympy
from chetaev.model.points import parameter_point, random_points

WORK = 60


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

    def column(self, entries, point):
        return self.values([entries], point)[0]

    def jacobian(self, entries, variables, point):
        return self.values([[e.diff(x) for x in variables] for e in entries], point)


def numbers(rows, system, point):
    """Rows of chetaev's expressions at a point."""
    flat = [e for row in rows for e in row]
    values = iter(evaluate_mp(flat, {**parameter_point(system, WORK), **point["all"]}, 50))
    return [[next(values) for _ in row] for row in rows]


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


def close(found, expected, digits=30):
    """Equal rows, to many digits relative to the largest entry."""
    assert [len(r) for r in found] == [len(r) for r in expected]
    with mp.workdps(WORK):
        size = max([mp.mpf(1), *(abs(mp.mpf(x)) for r in expected for x in r)])
        for r, s in zip(found, expected, strict=True):
            for x, y in zip(r, s, strict=True):
                assert abs(mp.mpf(x) - mp.mpf(y)) < mp.mpf(10) ** -digits * size, (found, expected)
