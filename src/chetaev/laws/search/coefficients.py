"""Coefficients that are rational functions of the parameters, from their residues at values of the
parameters.

At values x¹, x², … of the parameters (residues) a vector is solved for. Each entry e(x) is then n(x)/d(x) of
lowest degrees that fits,

    Σ n_α x_i^α − e(x_i) Σ d_β x_i^β = 0,

a linear system modulo p whose solution is made of rational numbers. First the degrees in each parameter
alone are found along lines, so that few monomials are left. Functions of parameters (sin α, √(k/m), π) are
variables like them, modulo their relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from flint import fmpz_mat

from chetaev.expr.exact import Element
from chetaev.expr.exact.numbers.number_echelon import modulo
from chetaev.laws.search.primes import drawn, fraction

if TYPE_CHECKING:
    from chetaev.expr.exact import Field
    from chetaev.laws.search.motion_modulo_prime import Motion, Points

Solve = Callable[["Points"], list[int]]
Sample = tuple[dict[int, int], list[int]]
"""Residues of the parameters, and the vector there."""

MOST_DEGREE = 5
"""Of an entry in one parameter, numerator and denominator together."""
MOST_UNKNOWNS = 160
"""Monomials of numerator and denominator together."""


def rational_functions(motion: Motion, solve: Solve, size: int, special: bool) -> list[Element] | None:
    """The entries of a vector as functions of the parameters; None if their degrees are too high.

    With `special` the parameters that have rational values keep them.
    """
    samples = _Samples(motion, solve, special)
    result: list[Element] = []
    for i in range(size):
        found = _entry(motion, samples, i)
        if found is None:
            return None
        result.append(found)
    return result


class _Samples:
    """Solutions at values of the parameters, made as they are needed."""

    def __init__(self, motion: Motion, solve: Solve, special: bool) -> None:
        self.motion, self.solve, self.special = motion, solve, special
        self.p = motion.primes(1)[0]
        self.random: list[Sample] = []
        self.lines: dict[int, list[Sample]] = {}
        self.seed = 100
        given = motion.values if special else {}
        self.variables = [g.index for g in motion.points().still if g.index not in given]
        self.groups = self._groups()

    def _groups(self) -> list[list[int]]:
        """Variables that change together: a sine with its cosine, a root with what is under it."""
        field = self.motion.field
        groups: list[set[int]] = []
        for k in self.variables:
            g = field.generators[k]
            together = {k}
            if g.kind in ("sin", "cos"):
                together.add(g.partner)
            if g.kind == "root":
                inside = field.tower.used(g.args[0].numerator * g.args[0].denominator)
                together |= set(inside) & set(self.variables)
            joined = [h for h in groups if h & together]
            groups = [h for h in groups if not h & together] + [together.union(*joined)]
        return [sorted(h) for h in groups]

    def at(self, given: Mapping[int, int]) -> Sample:
        """The solution with some parameters given, the others random."""

        def sample() -> Sample:
            self.seed += 1
            points = self.motion.points(self.p, self.seed, given, special=self.special)
            points.fix()
            return dict(points.fixed), self.solve(points)

        return drawn(sample, 20)

    def take(self, count: int) -> list[Sample]:
        """So many solutions at random parameters."""
        while len(self.random) < count:
            self.random.append(self.at({}))
        return self.random[:count]

    def along(self, group: int, count: int) -> list[Sample]:
        """So many solutions where only the parameters of one group differ from the first."""
        base = self.take(1)[0]
        line = self.lines.setdefault(group, [base])
        kept = {k: x for k, x in base[0].items() if k not in self.groups[group]}
        while len(line) < count:
            line.append(self.at(kept))
        return line[:count]


def _entry(motion: Motion, samples: _Samples, i: int) -> Element | None:
    field = motion.field
    above: list[Box] = []
    under: list[Box] = []
    used: list[int] = []
    for n, group in enumerate(samples.groups):
        first, second = samples.along(n, 2)
        if first[1][i] == second[1][i]:
            continue
        used += group
        degrees = _degrees(motion, samples, n, i)
        if degrees is None:
            return None
        above.append(degrees[0])
        under.append(degrees[1])
    if not used:
        values, vector = samples.take(1)[0]
        value = fraction(vector[i], samples.p)
        if value is not None and (value.numerator * value.denominator) ** 2 < samples.p:
            return field.number(value)
        return _with_root(motion, values, vector[i], samples.p)
    for n_box, d_box in _boxes(above, under):
        found = _fit(samples.take, i, used, n_box, d_box, samples.p)
        if found is not None:
            return _sum(field, used, n_box, found[0]) / _sum(field, used, d_box, found[1])
    return None


def _with_root(motion: Motion, values: Mapping[int, int], entry: int, p: int) -> Element | None:
    """(a + b r)/d with a root r of numbers, such as √3, and short a, b, d; None if there is none."""
    field = motion.field
    for k, r in values.items():
        if field.generators[k].kind != "root":
            continue
        rows = [[1, 0, 0, entry], [0, 1, 0, -1 % p], [0, 0, 1, -r % p], [0, 0, 0, p]]
        lattice = fmpz_mat([[*row[:3], row[3] << 60] for row in rows])
        d, a, b, zero = (int(x) for x in lattice.lll().tolist()[0])
        if not zero and d and max(map(abs, (d, a, b))) ** 4 < p:
            return (a + b * field.variable(k)) / d
    return None


Box = list[tuple[int, ...]]


def _degrees(motion: Motion, samples: _Samples, group: int, i: int) -> tuple[Box, Box] | None:
    """Exponents in the variables of a group that numerator and denominator need, along a line."""
    variables = samples.groups[group]
    most = [_most(motion, k) for k in variables]
    for total in range(1, MOST_DEGREE + 1):
        for below in range(total // 2 + 1):
            for n, d in dict.fromkeys([(total - below, below), (below, total - below)]):
                above, under = _exponents(most, n), _exponents(most, d)
                if len(above) + len(under) > MOST_UNKNOWNS // 4:
                    continue

                def line(count: int) -> list[Sample]:
                    return samples.along(group, count)

                if _fit(line, i, variables, above, under, samples.p, rational=False) is not None:
                    return above, under
    return None


def _boxes(above: Sequence[Box], under: Sequence[Box]) -> Iterator[tuple[Box, Box]]:
    """All products of exponents, of low total degree first."""
    numerators = sorted((tuple(x for e in m for x in e) for m in product(*above)), key=lambda m: (sum(m), m))
    denominators = sorted(
        (tuple(x for e in m for x in e) for m in product(*under)), key=lambda m: (sum(m), m)
    )
    tops = sorted({sum(m) for m in numerators}), sorted({sum(m) for m in denominators})
    for n, d in sorted(product(*tops), key=lambda x: (sum(x), x)):
        some, others = [m for m in numerators if sum(m) <= n], [m for m in denominators if sum(m) <= d]
        if len(some) + len(others) <= MOST_UNKNOWNS:
            yield some, others


def _most(motion: Motion, k: int) -> int:
    g = motion.field.generators[k]
    return g.order - 1 if g.kind == "root" else 1 if g.kind == "cos" else 99


def _exponents(most: Sequence[int], degree: int) -> Box:
    """Exponents of total degree at most so much."""
    found = [()]  # type: list[tuple[int, ...]]
    for limit in most:
        found = [(*m, e) for m in found for e in range(min(limit, degree - sum(m)) + 1)]
    return sorted(found, key=lambda m: (sum(m), m))


def _fit(
    take: Callable[[int], list[Sample]],
    i: int,
    variables: Sequence[int],
    above: Box,
    under: Box,
    p: int,
    rational: bool = True,
) -> tuple[list[Fraction], list[Fraction]] | None:
    """Coefficients of n and d with n = e·d at as many samples as there are unknowns, and some more."""
    count = len(above) + len(under)
    table = []
    for values, vector in take(count + 2):
        line = [values[k] for k in variables]
        a = [_product(line, m, p) for m in above]
        b = [_product(line, m, p) * -vector[i] % p for m in under]
        table.append(a + b)
    echelon = modulo(table, count, p)
    if echelon.rank == count:
        return None
    if not rational:
        return [], []
    solution = echelon.null_vector(echelon.free[0])
    fractions = [fraction(int(solution.get(j, 0)), p) for j in range(count)]
    whole = [f for f in fractions if f is not None]
    if len(whole) < count or not any(whole[len(above) :]):
        return None
    return whole[: len(above)], whole[len(above) :]


def _product(values: Sequence[int], exponents: Sequence[int], p: int) -> int:
    result = 1
    for x, e in zip(values, exponents, strict=True):
        if e:
            result = result * pow(x, e, p) % p
    return result


def _sum(field: Field, variables: Sequence[int], box: Box, coefficients: Sequence[Fraction]) -> Element:
    total = field.zero
    for m, c in zip(box, coefficients, strict=True):
        if c:
            term = field.number(c)
            for k, e in zip(variables, m, strict=True):
                term = term * field.variable(k) ** e
            total = total + term
    return total
