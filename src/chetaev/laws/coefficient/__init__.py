"""Integrals whose coefficients are unknown functions of one coordinate, defined by a linear differential
equation.

Which file holds what: ``determining`` the equations of the coefficients; ``equations`` the value that
people see, and the search for it; ``scalar`` one equation of order 2 for two coefficients, in a variable
that makes it rational; ``riemann`` and ``named`` its solutions by hypergeometric, Bessel and elementary
functions; ``solution`` such a solution and its proof; ``enclosed`` solutions in numbers with bounds.
"""
