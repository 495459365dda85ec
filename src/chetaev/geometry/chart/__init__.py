"""Charts and functions on them: coordinates, exact matrices of functions, ranks, zeros."""
