"""Elements as people read them: shorter sums, grouped terms, hyperbolic functions, signs in their place."""
