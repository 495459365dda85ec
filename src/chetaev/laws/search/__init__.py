"""A search by linear algebra: spaces of functions on Q, points of Q modulo a prime, null spaces made exact.

Which file holds what: ``primes`` residues and fractions; ``program`` expressions evaluated at a point modulo
a prime, with derivatives; ``solving`` polynomial equations modulo a prime; ``motion`` points of Q, and Γ
there; ``space``, ``atoms``, ``suited`` and ``further`` which functions are searched; ``nullspace`` the
linear condition and its exact solutions; ``darboux`` and ``logarithms`` functions with a cofactor;
``coefficients`` solutions whose coefficients are functions of the parameters.
"""
