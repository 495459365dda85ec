"""A search by linear algebra: spaces of functions on Q, points of Q modulo a prime, null spaces made exact.

Which file holds what: ``primes`` residues and fractions; ``program`` expressions evaluated at a point modulo
a prime, with derivatives; ``solving`` polynomial equations modulo a prime; ``motion`` points of Q, and Γ
there; ``space`` which functions are searched; ``nullspace`` the linear condition and its exact solutions;
``coefficients`` solutions whose coefficients are functions of the parameters.
"""
