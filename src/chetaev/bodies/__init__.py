"""Convex bodies that roll on a plane, from their support functions (SCOPE M2).

    vectors      small vectors of expressions: products, rotations about axes
    support      h(γ), the contact vector −grad h, principal radii of curvature
    convexity    is a body convex? a direction that shows the contrary, or a proof, or directions tried
    rolling      the body, its full equations in angles and its reduced equations in ω, γ

>>> import chetaev as ch
>>> ball = ch.bodies.rolling(support="R", inertia=["2/5*m*R^2"] * 3, mass="m", parameters={"m": 1, "R": 0.5})
>>> print(ball.contact)
(-R*g1, -R*g2, -R*g3)
"""

from chetaev.bodies.rolling import RollingBody, rolling
from chetaev.bodies.support import Support

__all__ = ["RollingBody", "Support", "rolling"]
