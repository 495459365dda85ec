"""Linear algebra over a field of functions: determinant, rank, solution, kernel, rows taken in one by one."""
