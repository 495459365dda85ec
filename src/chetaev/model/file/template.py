"""The commented model that ``chetaev new`` writes: a newcomer's first file, complete and running."""

from __future__ import annotations

TEMPLATE = """\
# A model file of chetaev. Everything after a hash is a comment.
# Expressions stand in quotes: + - * / ^, brackets, sin cos tan asin acos atan atan2 sinh cosh tanh
# asinh acosh atanh exp log sqrt abs sign min max, pi and e. x' is the velocity of x. Numbers are exact.

name = "{title}"
summary = "A skate on an inclined plane: it slides along its blade and never sideways."
# source = "where the model comes from"
# time = "t"                       # the name of time
coordinates = ["x", "y", "phi"]

[parameters]                       # numbers, or expressions in earlier parameters
m = 1
J = "m/2"
g = 9.8
slope = "pi/6"

[define]                           # optional names, in order; kept as they are, never expanded
speed2 = "x'^2 + y'^2"

# [units]                          # labels for data sets and axes; nothing is computed with them
# x = "m"

[dynamics]                         # lagrangian = "…", or kinetic and potential; without a Lagrangian form,
                                   # accelerations and velocities, or A and B
kinetic = "m*speed2/2 + J*phi'^2/2"
potential = "-m*g*sin(slope)*x"

# [dynamics.forces]                # generalized forces, one a coordinate: d/dt ∂L/∂v − ∂L/∂q = F + reactions
# phi = "-0.1*phi'"

[constraints]                      # equations; f = left side − right side
velocity = ["y'*cos(phi) = x'*sin(phi)"]
# position = ["x^2 + y^2 = 1"]     # relations of positions and time
# acceleration = ["x'' = y'"]      # linear in the accelerations

# [quasi]                          # quasi-velocities of your own; natural ones are found without them
# u = "x'*cos(phi) + y'*sin(phi)"
# omega = "phi'"

[initial.position]                 # positions left out start from 0
phi = 0

[initial.velocity]                 # velocities left out are solved from the constraints
x = 0
phi = 1

[run]
until = 10
"""


def template(name: str) -> str:
    """The text of a new model with this name.

    >>> from chetaev.model.file.loader import loads
    >>> loads(template("my-skate")).state.velocity["y"]
    0.0
    """
    title = name.replace("\\", "").replace('"', "").strip() or "My system"
    return TEMPLATE.format(title="".join(c for c in title if c.isprintable()))
