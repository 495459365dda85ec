"""Eigenvalues in balls, where exact matrices cost too much: what a ball shows of a sign is proved.

The state is given exactly, by its expressions; K z + r = 0 and K ∂z = −∂r are solved in ball arithmetic
(:mod:`chetaev.analysis.linear.exact_slopes`), and FLINT encloses the eigenvalues of A. A real part whose ball
contains 0 stays open: this cannot tell a zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from flint import acb, acb_mat, arb, arb_mat, ctx

from chetaev.analysis.linear.exact_slopes import ExactSlopes
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.spectrum import SpectralRoot, Spectrum, ordered
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.graph.node import Expr, substitute, symbol
from chetaev.laws.standpoint import Standpoint

BITS = 256
NEWTON = 8
"""Steps from sixteen digits to more than seventy."""
MULTIPLE = 1e-4
"""Part of the size of the matrix that roundoff may move a fourfold zero."""
NEAR = 1e-12
"""The radius of the discs that are tried, as a part of the size of the matrix."""


def enclosed_spectrum(
    slopes: ExactSlopes, view: Standpoint, state: Mapping[tuple[str, int], Expr], chart: LocalChart,
    kept: Sequence[int],
) -> Spectrum:  # fmt: skip
    """The spectrum of the rows and columns `kept` of A in a chart."""
    values = {symbol(*k): e for k, e in state.items()}
    with ctx.workprec(BITS):
        A = _matrix(slopes, view, values, chart)
        block = acb_mat([[A[i, j] for j in kept] for i in kept])
        others: list[complex] = []
        try:
            found = block.eig(multiple=True, algorithm="rump") if kept else []
        except (ValueError, ZeroDivisionError):  # FLINT's words for eigenvalues that it cannot tell apart
            found, others = simple_eigenvalues(block)
        rest = [SpectralRoot(x, 1, None) for x in others]
        return Spectrum(ordered([*map(_root, found), *rest]), not kept)


def _root(z: acb) -> SpectralRoot:
    side = None if z.real.contains(0) else 1 if z.real > 0 else -1
    imaginary = 0.0 if z.imag.contains(0) else float(z.imag.mid())
    return SpectralRoot(complex(0.0 if side is None else float(z.real.mid()), imaginary), 1, side)


def simple_eigenvalues(matrix: acb_mat) -> tuple[list[acb], list[complex]]:
    """Simple eigenvalues in balls, by the Newton step of an interval; where the others are about, in doubles.

    N(D) = m − p(m)/p′(D) inside of the disc D around m holds exactly one zero of p. What is left, such as a
    zero that occurs twice, is not enclosed, and shows no sign; all of it is called 0 where it is so small
    that doubles cannot tell it from a multiple zero.

    >>> balls, others = simple_eigenvalues(acb_mat([[0, 1, 0], [0, 0, 0], [1, 1, 2]]))
    >>> [str(z.real.mid())[:5] for z in balls], others
    (['2.000'], [0j, 0j])
    """
    p = matrix.charpoly()
    slope, n = p.derivative(), matrix.nrows()
    middle = np.array([[complex(matrix[i, j].mid()) for j in range(n)] for i in range(n)])
    if not np.isfinite(middle).all():
        raise OutsideDomainError("the eigenvalues are not enclosed")
    size = float(np.abs(middle).sum())
    found: list[acb] = []
    others: list[complex] = []
    for start in np.linalg.eigvals(middle):
        m = acb(complex(start))
        for _ in range(NEWTON):
            step = p(m) / slope(m)
            if not step.is_finite():
                break
            m = (m - step).mid()
        reach = arb(0, size * NEAR)
        disc = m + acb(reach, reach)
        image = m - p(m) / slope(disc)
        if image.is_finite() and disc.contains_interior(image) and not any(z.overlaps(disc) for z in found):
            found.append(image)
        else:
            others.append(complex(start))
    near_zero = all(abs(x) <= MULTIPLE * size for x in others)
    return found, [0j] * len(others) if near_zero else others


def _matrix(slopes: ExactSlopes, view: Standpoint, values: dict[Expr, Expr], chart: LocalChart) -> arb_mat:
    """A = P [[0, 1], [a_q, a_v]] E."""
    m = slopes.size

    def here(table: Sequence[Sequence[Expr]], more: Mapping[tuple[str, int], arb] | None = None) -> arb_mat:
        graphs = substitute(view.apply([e for row in table for e in row]), values)
        flat = BallProgram(graphs).run(more or {})
        if not all(x.is_finite() for x in flat):
            raise OutsideDomainError("a value that is not finite")
        return arb_mat(len(table), len(table[0]) if table else 0, flat)

    K, rest, G = here(slopes.K), here(slopes.rest), here(slopes.G)
    z = _solved(K, -rest)
    J = here(slopes.J, dict(zip(slopes.unknowns, z.entries(), strict=True)))
    by_state = _solved(K, -J)
    E = arb_mat(2 * m, len(chart.places))
    for j, place in enumerate(chart.places):
        E[place, j] = 1
    if chart.dependent:
        rows = range(G.nrows())
        right = arb_mat([[-G[i, j] for j in chart.places] for i in rows])
        solved = _solved(arb_mat([[G[i, j] for j in chart.dependent] for i in rows]), right)
        for row, place in enumerate(chart.dependent):
            for j in range(len(chart.places)):
                E[place, j] = solved[row, j]
    rows_of = [
        [arb(int(j == m + p)) for j in range(2 * m)] if p < m else [by_state[p - m, j] for j in range(2 * m)]
        for p in chart.places
    ]
    return arb_mat(rows_of) * E


def _solved(matrix: arb_mat, right: arb_mat) -> arb_mat:
    if not matrix.nrows():
        return right
    try:
        return matrix.solve(right)
    except ZeroDivisionError:  # FLINT's word for a matrix that may be singular
        raise OutsideDomainError("a matrix may be singular") from None
