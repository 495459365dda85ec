"""Linear algebra in double precision: NumPy's and LAPACK's, with one policy of what counts as zero.

Last bits are not a fact about a matrix: they depend on the processor. So what a verdict depends on (a rank,
a pivot, a choice) is decided with a margin, by the parts of :mod:`chetaev.numeric.thresholds`, and of what is
as good as equal the first is taken (:func:`~chetaev.numeric.linear.first_largest`).
"""

from chetaev.numeric.linear import (
    SingularMatrixError,
    balanced,
    bordered_units,
    dyadic,
    first_largest,
    independent_rows,
    inverse,
    is_regular,
    kernel,
    largest_minor,
    least_squares,
    norm,
    numerical_rank,
    pivot_columns,
    pseudo_inverse,
    regular_minor,
    restricted_rank,
    shortest_move,
    shortest_stack,
    singular_values,
    solve,
    solve_stack,
    times,
    unit_rows,
    volume,
)
from chetaev.numeric.newton import aimed, descended, newton, onto
from chetaev.numeric.thresholds import CLEAR, GOOD, MEASURED, ROUNDING, SOLVED
