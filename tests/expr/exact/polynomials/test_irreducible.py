"""What is seen to be irreducible has the factors that FLINT finds, and polynomials move to larger rings."""

from __future__ import annotations

import random

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from chetaev.expr.exact.polynomials.positive_quadratics import split
from chetaev.expr.exact.polynomials.tower import FEW, Tower


def test_what_is_split_off_is_what_factorization_gives() -> None:
    ring = fmpq_mpoly_ctx.get([f"g{i}" for i in range(6)], Ordering.lex)
    g, rng, seen = ring.gens(), random.Random(2), 0
    for _ in range(400):
        p = ring.constant(0)
        for _ in range(rng.randint(1, 5)):
            term = ring.constant(1) * fmpq(rng.choice([-9, -4, -1, 2, 6]), rng.randint(1, 6))
            for _ in range(rng.randint(0, 3)):
                term = term * g[rng.randrange(6)]
            p = p + term
        found = split(p)
        if found is not None:
            seen += 1
            k, factors = p.factor()
            assert found == (k, factors[0][0])
            assert [int(e) for _, e in factors] == [1]
    assert 50 < seen < 350


def test_polynomials_of_any_length_come_to_a_larger_ring() -> None:
    def made(tower: Tower) -> list[object]:
        x = tower.variable
        long = sum((x(i) * x(j) * (i + 2 * j + 1) for i in range(9) for j in range(9)), tower.zero)
        return [tower.zero, tower.one * fmpq(3, 7), x(3), x(3) ** 2 * x(7) - 5 * x(1) + 2, long]

    tower = Tower()
    for _ in range(20):
        tower.append()
    before = made(tower)
    assert len(before[-1]) > FEW  # type: ignore[arg-type]
    for _ in range(60):
        tower.append()
    assert [tower.project(p) for p in before] == made(tower)  # type: ignore[arg-type]
