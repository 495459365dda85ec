"""Back onto the constraints by the least change: positions onto φ = 0, then velocities onto f = 0.

Newton's method with the smallest step in the Euclidean metric, x := x − Cᵀ(C Cᵀ)⁻¹ r. After a step of the
integrator the residual is of the size of the local error, so one iteration brings it to roundoff and the
order is kept.
"""

from chetaev.flow.kernels.arrays import Floats
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import least_change

ITERATIONS = 8
QUADRATIC = 3e-8
"""Below this change, one more iteration would not change anything in double precision."""


def project(run: Integration, t: float, y: Floats) -> int:
    """Move the state y onto the constraints; returns 1 if that does not converge."""
    rows = run.rows
    if rows == 0 or run.projects == 0:
        return 0
    n = run.n
    held = run.position
    residuals = run.residuals
    matrix = run.matrix
    normal = run.normal
    if held > 0:
        change = 1.0
        size = 0.0
        count = 0
        while change > QUADRATIC * (1.0 + size):
            if count == ITERATIONS:
                return 1
            run.con(t, y, run.p, residuals, matrix)
            change = least_change(held, n, matrix, residuals[rows:], normal, y)
            size = 0.0
            for i in range(n):
                size = max(size, abs(y[i]))
            if not change < 1e300:
                return 1
            run.drift = max(run.drift, change)
            count = count + 1
    change = 1.0
    size = 0.0
    count = 0
    while change > QUADRATIC * (1.0 + size):
        if count == ITERATIONS:
            return 1
        run.con(t, y, run.p, residuals, matrix)
        change = least_change(rows, n, matrix, residuals, normal, y[n:])
        size = 0.0
        for i in range(n):
            size = max(size, abs(y[n + i]))
        if not change < 1e300:
            return 1
        run.drift = max(run.drift, change)
        count = count + 1
    return 0
