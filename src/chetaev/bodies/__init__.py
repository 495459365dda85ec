"""Convex bodies that roll on a plane, from their support functions (SCOPE M2).

    expression_vectors  small vectors of expressions: products, rotations about axes
    support_function    h(γ), the contact vector −grad h, principal radii of curvature
    convexity           is a body convex? a direction that shows the contrary, or a proof, or directions tried
    rolling_body        the body, its full equations in angles and its reduced equations in ω, γ
    rolling             the public function: what people give, checked

>>> import chetaev as ch
>>> ball = ch.bodies.rolling(support="R", inertia=["2/5*m*R^2"] * 3, mass="m", parameters={"m": 1, "R": 0.5})
>>> print(ball.contact)
(-R*g1, -R*g2, -R*g3)
"""

from chetaev.bodies.rolling import rolling
from chetaev.bodies.rolling_body import RollingBody
from chetaev.bodies.support_function import Support

__all__ = ["RollingBody", "Support", "rolling"]
