"""Systems on a Lie algebra: Euler–Poincaré–Suslov equations (SCOPE M4): `ch.on_algebra`.

structure     structure constants as given, Jacobi's identity; so(3), se(2), se(3), Heisenberg's algebra
from_frame    structure constants and Lagrangian of a model in a frame of its configurations
suslov        the equations: ad*, advected quantities, constraints eliminated
matrices      the way back to a group of matrices
algebra_system the result
reading       what people give
on_algebra    the public function
"""
