"""Polynomials over Q in a tower of generators: relations, common divisors, factors, definite quadratics."""
