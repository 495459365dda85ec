"""Do reduced motions obey d'Alembert's principle? Nothing is solved for accelerations (SCOPE M4).

A motion of the reduced equations, lifted, has velocities v(q, ṙ, p) in D and accelerations

    a = ∂v/∂q v + ∂v/∂ṙ r̈ + ∂v/∂p ṗ + ∂v/∂t

with the reduced r̈ and ṗ. It is a motion of the system exactly if Z·(d/dt ∂L/∂v − ∂L/∂q − F) = 0 for a frame
Z of D, and there is one such motion for every state where the metric on D is regular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chetaev.expr.exact import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.reduction.chaplygin.reduced_equations import ReducedEquations


def residuals(derived: ReducedEquations, second: Sequence[Element]) -> list[Element]:
    """Z·(d/dt ∂L/∂v − ∂L/∂q − F) along lifted motions, for every field of the frame."""
    split = derived.split
    action = split.action
    field, names, time = action.field, action.names, action.system.time
    speeds = {c: field.symbol(c, 1) for c in split.moving} | derived.dependent | derived.lifted
    v = [speeds[c] for c in names]
    rates: Mapping[tuple[str, int], Element] = {
        **{(c, 0): speeds[c] for c in names},
        **{(c, 1): e for c, e in zip(split.moving, second, strict=True)},
        **{(p, 0): e for p, e in zip(derived.momenta, derived.rates, strict=True)},
        (time, 0): field.one,
    }

    def along(e: Element) -> Element:
        return sum((e.diff(key) * rates[key] for key in sorted(e.symbols) if key in rates), field.zero)

    put = {(c, 1): e for c, e in zip(names, v, strict=True)}
    forces = []
    for i, c in enumerate(names):
        momentum = action.lagrangian.diff((c, 1)).subs(put)
        push = action.lagrangian.diff((c, 0)).subs(put)
        forces.append(along(momentum) - push - action.forces[i].subs(put))
    return [linear.dot(x, forces) for x in (*split.horizontal, *split.sections)]
