"""Random constraints whose kind is known by construction (SCOPE K18, D2; issue 3, "Shown by").

In functions y_i = q_i + p_i(t, q_1 … q_{i−1}), which are coordinates for any p_i,

    integrable       dy_i/dt = 0
    not integrable   dy_c/dt − y_b dy_a/dt = 0          (contact, in some coordinates)

and every list of constraints is multiplied by a random invertible matrix and random factors.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from chetaev.constraint import Classification, ConstraintData, classify
from chetaev.expr.exact import Element
from chetaev.geometry.chart.chart import JetChart
from portions import parts

ALL = [*range(8), *parts(range(8, 200), 8)]


@dataclass
class Maker:
    """A source of random functions on the jet chart of a few coordinates."""

    rng: random.Random
    J: JetChart

    @classmethod
    def of(cls, seed: int, count: int) -> Maker:
        names = ["x", "y", "z", "u", "w", "r", "s", "p", "o", "k"][:count]
        return cls(random.Random(seed), JetChart(names, 1))

    def small(self) -> int:
        return self.rng.choice([-3, -2, -1, 1, 2, 3])

    def function(self, names: list[str]) -> Element:
        """A random short function of some variables; 0 if there are none."""
        if not names:
            return self.J.field.zero
        total = self.J.field.zero
        for _ in range(self.rng.randint(1, 2)):
            a = self.J.field.symbol(self.rng.choice(names))
            b = self.J.field.symbol(self.rng.choice(names))
            shape = self.rng.randrange(5)
            term = [a * b, a, self.J.field.sin(a), self.J.field.cos(a) * b, a**2][shape]
            total = total + self.small() * term
        return total

    def coordinates(self, timed: bool) -> list[Element]:
        """New coordinates y_i = q_i + p_i(t, q_1 … q_{i−1})."""
        names = list(self.J.names)
        self.rng.shuffle(names)
        result = []
        for i, q in enumerate(names):
            before = names[:i] + (["t"] if timed else [])
            result.append(self.J.field.symbol(q) + self.function(before))
        return result

    def mixed(self, rows: list[Element]) -> list[Element]:
        """The rows multiplied by a random invertible matrix (unit triangular times factors) of functions."""
        result = list(rows)
        for i in range(len(rows)):
            for j in range(i):
                result[i] = result[i] + self.function(list(self.J.names)) * rows[j]
        factor = [1 + self.J.field.symbol(n) ** 2 for n in self.J.names] + [self.J.field.one * 3]
        result = [r * self.rng.choice(factor) for r in result]
        self.rng.shuffle(result)
        return result

    def classify(self, rows: list[Element]) -> Classification:
        return classify(ConstraintData.of([r.to_expr() for r in rows], self.J.names))


def contact(maker: Maker, a: Element, b: Element, c: Element) -> Element:
    d = maker.J.cut_total_derivative
    return d(c) - b * d(a)


@pytest.mark.few(5, 2)
@pytest.mark.parametrize("seed", ALL)
def test_K18_random_integrable_constraints_are_semiholonomic(seed: int) -> None:
    maker = Maker.of(seed, 3 + seed % 3)
    y = maker.coordinates(timed=seed % 2 == 1)
    k = 1 + seed % 2
    found = maker.classify(maker.mixed([maker.J.cut_total_derivative(u) for u in y[-k:]]))
    assert found.holonomy == "semiholonomic", str(found)
    assert found.integrable
    assert found.integrable_dimension == found.codimension == k
    assert len(found.growth_vector) == 1


@pytest.mark.few(4, 2)
@pytest.mark.parametrize("seed", ALL)
def test_K18_random_nonintegrable_constraints_are_nonholonomic(seed: int) -> None:
    maker = Maker.of(1000 + seed, 3 + seed % 3)
    y = maker.coordinates(timed=seed % 2 == 1)
    maker.rng.shuffle(y)
    found = maker.classify(maker.mixed([contact(maker, y[0], y[1], y[2])]))
    assert found.holonomy == "nonholonomic", str(found)
    assert found.integrable is False
    assert found.integrable_dimension == 0


@pytest.mark.few(2, 2)
@pytest.mark.parametrize("seed", ALL)
def test_D2_random_mixtures_have_the_right_integrable_dimension(seed: int) -> None:
    p = 1 + seed % 2
    maker = Maker.of(2000 + seed, 3 + p + seed % 2)
    y = maker.coordinates(timed=seed % 3 == 1)
    maker.rng.shuffle(y)
    rows = [maker.J.cut_total_derivative(u) for u in y[3 : 3 + p]] + [contact(maker, *y[:3])]
    found = maker.classify(maker.mixed(rows))
    assert found.holonomy == "nonholonomic", str(found)
    assert found.integrable_dimension == p, str(found)


@pytest.mark.few(5, 2)
@pytest.mark.parametrize("seed", range(8))
def test_K18_integrals_found_are_constant_along_the_constraint(seed: int) -> None:
    maker = Maker.of(3000 + seed, 3)
    y = maker.coordinates(timed=False)
    u = y[-1]
    found = maker.classify(maker.mixed([maker.J.cut_total_derivative(u)]))
    assert found.integrals, str(found)
    v = maker.J(found.integrals[0].expression)
    names = maker.J.names
    for a in names:
        for b in names:
            assert (u.diff(a) * v.diff(b) - u.diff(b) * v.diff(a)).is_zero


@pytest.mark.few(1, 2)
@pytest.mark.parametrize("seed", range(6))
def test_K18_ten_coordinates(seed: int) -> None:
    maker = Maker.of(4000 + seed, 10)
    y = maker.coordinates(timed=False)
    rows = [maker.J.cut_total_derivative(y[9]), maker.J.cut_total_derivative(y[8]), contact(maker, *y[:3])]
    found = maker.classify(rows)
    assert found.holonomy == "nonholonomic"
    assert found.integrable_dimension == 2
