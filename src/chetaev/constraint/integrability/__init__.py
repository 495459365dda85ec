"""Is the constraint integrable? Theorem 7, curvature, growth vectors, functions that it keeps constant."""
