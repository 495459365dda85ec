"""The Hamiltonian side: phase space, Legendre's transformation, Dirac's algorithm for degenerate Lagrangians.

phase_space   q, p as symbols of one exact field, Poisson's bracket
legendre      p = ∂L/∂v: primary constraints and the canonical Hamiltonian
dirac/        secondary constraints, first and second class, gauge, Dirac's bracket
"""
