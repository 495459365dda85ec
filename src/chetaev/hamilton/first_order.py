"""Lagrangians affine in the velocities: first-order equations on Y (SCOPE K9; Krupková (26)).

    L = p_i(t, q) v^i − H(t, q):      (∂p_i/∂q^j − ∂p_j/∂q^i) q̇^j = F_i − ∂H/∂q^i − ∂p_i/∂t,

regular where the antisymmetric matrix on the left is invertible. There are no velocities to be found from
momenta: the momenta are functions of positions, and the coordinates themselves carry a bracket.

>>> import chetaev as ch
>>> L = "k*(x*y' - y*x')/2 - x^2 - y^2/2"
>>> found = ch.hamilton(ch.System(coordinates=["x", "y"], lagrangian=L, parameters={"k": 2}))
>>> found.first_order, str(found.hamiltonian), {n: str(e) for n, e in found.equations.items()}
(True, '(2*x^2 + y^2)/2', {'x': '-y/k', 'y': '2*x/k'})
"""

from __future__ import annotations

from collections.abc import Sequence

from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear


def curl(p: Sequence[Element], names: Sequence[str]) -> list[list[Element]]:
    """∂p_i/∂q^j − ∂p_j/∂q^i."""
    return [[p[i].diff((b, 0)) - p[j].diff((a, 0)) for j, b in enumerate(names)] for i, a in enumerate(names)]


def rates(
    p: Sequence[Element], H: Element, forces: Sequence[Element], names: Sequence[str], time: str
) -> list[Element]:
    """q̇ as functions of t and q; ValueError where the matrix is singular."""
    right = [F - H.diff((c, 0)) - e.diff((time, 0)) for e, F, c in zip(p, forces, names, strict=True)]
    return linear.solve(curl(p, names), right)
