"""Linear algebra in double precision with the same bits on every processor.

The kernels of BLAS and LAPACK add in an order that depends on the processor, and with or without fused
operations: their last bits are not a fact about a matrix. Where a result decides something (a seeded point, a
pivot, a rank, a verdict) it comes from here. Only +, −, ·, / and √ are used, which IEEE 754 rounds in one
way, each in an order that is written down; sums of products are never fused.

What is as good as equal is settled by position and not by the last bit: of two pivots within one part in a
million the first is taken.
"""

from chetaev.numeric.linear import (
    SingularMatrixError,
    column_space,
    determinant,
    first_largest,
    inverse,
    kernel,
    least_squares,
    shortest_move,
    solve,
    volume,
)
from chetaev.numeric.logarithm import logarithm
from chetaev.numeric.newton import aimed, descended, newton, onto
from chetaev.numeric.pivots import independent_rows, largest_minor, pivot_columns, regular_minor
from chetaev.numeric.products import contract, dyadic, norm, norms, product
from chetaev.numeric.rank import is_regular, numerical_rank, restricted_rank
from chetaev.numeric.scaling import balanced, bordered_units, unit_rows
from chetaev.numeric.singular import condition, singular_values
from chetaev.numeric.stacks import shortest_stack, solve_stack, stack_times
from chetaev.numeric.thresholds import CLEAR, GOOD, MEASURED, ROUNDING, SOLVED
