"""The tower of generators: a product that needs no reduction is not reduced, and is the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chetaev.expr.exact.polynomials.tower import MET, Tower

FACTORS = st.lists(st.tuples(st.integers(-3, 3), st.lists(st.integers(0, 5), max_size=3)), max_size=4)


def tower_of_angles():
    """x, then two sines with their cosines, then a root of the first sine."""
    tower = Tower()
    generators = [tower.append() for _ in range(6)]
    _, s, c, sine, cosine, r = generators
    for sin, cos in ((s, c), (sine, cosine)):
        tower.relate(cos, 2, 1 - tower.variable(sin) ** 2)
    tower.relate(r, 3, tower.variable(c) + 1)
    return tower


def polynomial(tower, factors):
    """A polynomial from coefficients and lists of generators, not reduced."""
    total = tower.zero
    for number, generators in factors:
        term = tower.one * number
        for k in generators:
            term = term * tower.variable(k)
        total = total + term
    return total


@given(FACTORS, FACTORS, FACTORS)
def test_a_product_is_in_normal_form(a, b, c):
    tower = tower_of_angles()
    p, q, w = (polynomial(tower, f) for f in (a, b, c))
    once = tower.multiply(p, q)
    assert once == tower.reduce(p * q)
    twice = tower.multiply(once, w)  # what is remembered of the first product decides here
    assert twice == tower.reduce(p * q * w)
    assert tower.multiply(tower.multiply(q, w), p) == twice


@given(FACTORS)
def test_the_generators_of_a_polynomial(factors):
    tower = tower_of_angles()
    p = polynomial(tower, factors)
    degrees = dict(zip(reversed(range(tower.capacity)), map(int, p.degrees()), strict=True))
    for _ in range(2):  # read, then remembered
        assert tower.used(p) == [k for k in range(tower.count) if degrees[k] > 0]
        found = {k for k in tower.used(p) if k in tower.relations}
        assert tower.algebraic(p) == (found if tower.reduce(p) == p else None)
    tower.used(p).clear()
    assert tower.used(p) == [k for k in range(tower.count) if degrees[k] > 0]


def test_a_relation_that_comes_later_counts():
    tower = Tower()
    x, y = tower.append(), tower.append()
    p = tower.variable(y) * tower.variable(x)
    assert tower.multiply(p, p) == p * p
    tower.relate(y, 2, tower.variable(x))
    assert tower.multiply(p, p) == tower.variable(x) ** 3


@pytest.mark.slow
def test_what_is_remembered_stays_small():
    tower = tower_of_angles()
    s, c = tower.variable(1), tower.variable(2)
    for n in range(MET + 10):
        tower.multiply(s + n, c)
    assert len(tower._algebraic) <= MET
    assert len(tower._used) <= MET
