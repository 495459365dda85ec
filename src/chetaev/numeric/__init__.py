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
    contract,
    determinant,
    first_largest,
    independent_rows,
    inverse,
    kernel,
    largest_minor,
    least_squares,
    norm,
    norms,
    pivot_columns,
    product,
    solve,
    volume,
)
from chetaev.numeric.products import dyadic
from chetaev.numeric.singular import condition, numerical_rank, singular_values

__all__ = [
    "SingularMatrixError",
    "column_space",
    "condition",
    "contract",
    "determinant",
    "dyadic",
    "first_largest",
    "independent_rows",
    "inverse",
    "kernel",
    "largest_minor",
    "least_squares",
    "norm",
    "norms",
    "numerical_rank",
    "pivot_columns",
    "product",
    "singular_values",
    "solve",
    "volume",
]
