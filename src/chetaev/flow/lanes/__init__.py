"""Several members in the lanes of a vector: one step of each at a time, each with its own step size."""
