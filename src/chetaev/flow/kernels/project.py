"""Back onto the constraints by the least change: positions onto φ = 0, then velocities onto f = 0.

Newton's method with the smallest step in the Euclidean metric, x := x − Cᵀ(C Cᵀ)⁻¹ r. After a step of the
integrator the residual is of the size of the local error, so one iteration brings it to roundoff and the
order is kept.
"""

from chetaev.flow.kernels.arrays import Floats, Function, Ints
from chetaev.flow.kernels.layout import DRIFT, POSITION, PROJECT, ROWS, N, at_normal, at_residuals
from chetaev.flow.kernels.linear import least_change

ITERATIONS = 8
QUADRATIC = 3e-8
"""Below this change, one more iteration would not change anything in double precision."""


def project(con: Function, ints: Ints, reals: Floats, t: float, y: Floats, p: Floats, work: Floats) -> int:
    """Move the state y onto the constraints; returns 1 if that does not converge."""
    rows = ints[ROWS]
    if rows == 0 or ints[PROJECT] == 0:
        return 0
    n = ints[N]
    held = ints[POSITION]
    residuals = work[at_residuals(ints) :]
    matrix = residuals[rows + held :]
    normal = work[at_normal(ints) :]
    if held > 0:
        change = 1.0
        size = 0.0
        count = 0
        while change > QUADRATIC * (1.0 + size):
            if count == ITERATIONS:
                return 1
            con(t, y, p, residuals, matrix)
            change = least_change(held, n, matrix[(rows - held) * n :], residuals[rows:], normal, y)
            size = 0.0
            for i in range(n):
                size = max(size, abs(y[i]))
            if not change < 1e300:
                return 1
            reals[DRIFT] = max(reals[DRIFT], change)
            count = count + 1
    change = 1.0
    size = 0.0
    count = 0
    while change > QUADRATIC * (1.0 + size):
        if count == ITERATIONS:
            return 1
        con(t, y, p, residuals, matrix)
        change = least_change(rows, n, matrix, residuals, normal, y[n:])
        size = 0.0
        for i in range(n):
            size = max(size, abs(y[n + i]))
        if not change < 1e300:
            return 1
        reals[DRIFT] = max(reals[DRIFT], change)
        count = count + 1
    return 0
