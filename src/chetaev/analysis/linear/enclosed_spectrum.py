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
        try:
            found = block.eig(multiple=True, algorithm="rump") if kept else []
        except (ValueError, ZeroDivisionError):  # FLINT's words for eigenvalues that it cannot tell apart
            found = simple_eigenvalues(block)
        return Spectrum(ordered([_root(z) for z in found]), not found)


def _root(z: acb) -> SpectralRoot:
    side = None if z.real.contains(0) else 1 if z.real > 0 else -1
    imaginary = 0.0 if z.imag.contains(0) else float(z.imag.mid())
    return SpectralRoot(complex(0.0 if side is None else float(z.real.mid()), imaginary), 1, side)


def simple_eigenvalues(matrix: acb_mat) -> list[acb]:
    """Eigenvalues in balls: simple ones by the Newton step of an interval, the others in a ball around 0.

    N(D) = m − p(m)/p′(D) inside of the disc D around m holds exactly one zero of p. What is left, such as a
    zero that occurs twice, is somewhere: its ball is as large as the matrix and shows no sign.

    >>> [str(z.real.mid())[:5] for z in simple_eigenvalues(acb_mat([[0, 1, 0], [0, 0, 0], [1, 1, 2]]))]
    ['2.000', '0', '0']
    """
    p = matrix.charpoly()
    slope, n = p.derivative(), matrix.nrows()
    middle = np.array([[complex(matrix[i, j].mid()) for j in range(n)] for i in range(n)])
    if not np.isfinite(middle).all():
        raise OutsideDomainError("the eigenvalues are not enclosed")
    size = float(np.abs(middle).sum())
    found: list[acb] = []
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
    wide = arb(0, size)
    return [*found, *[acb(wide, wide)] * (n - len(found))]


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
