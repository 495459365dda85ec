"""Reduction by a group of symmetries with its Lagrangian (SCOPE M4, M6): `ch.reduce_by_group`.

action            generators as fields: symmetries of L and of D, an algebra
shape_coordinates a model in coordinates of its shape
splitting         D, the orbits V, S = D ∩ V, and an invariant frame of D by the nonholonomic connection
reduced_equations reduced Lagrangian, momenta, curvature, and the reduced Lagrange–d'Alembert equations
group_reduction   the result, the public function
principle         do reduced motions obey d'Alembert's principle?
proofs            the reduced equations against the full ones and against Čaplygin's
"""
