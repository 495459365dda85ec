"""The Hamiltonian side: momenta, brackets, changes of time, Dirac's algorithm for degenerate Lagrangians.

momenta                 nonholonomic momenta, Hamiltonian, canonical equations; with energy_form, first_order,
                        momentum_integral, inverse_legendre (numbers, both ways)
horizontal              the distributions F, H, K on the constraint submanifold
nonholonomic_bracket    the almost-Poisson bracket on it; casimirs
distributional          X ⌟ ω = dE − μφ and the equations on H; solvability (when brackets determine μ)
hamiltonization         a time in which a Chaplygin system is Hamiltonian; chaplygin_reduction,
                        reducing_multiplier, potentials
overview                all of it at one glance
phase_space             q, p as symbols of one exact field, Poisson's bracket
legendre                p = ∂L/∂v: primary constraints and the canonical Hamiltonian
dirac/                  secondary constraints, first and second class, gauge, Dirac's bracket
"""
