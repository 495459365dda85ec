"""Certain numbers: balls, points proved to lie on Q, residues modulo primes, echelon forms over Q."""
