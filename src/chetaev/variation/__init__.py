"""Variations in one place: first variations on curves, fundamental forms, field equations, fields on Q.

==============================  ==================================================================  ========
`first_variation`               both sides of the first variation formula on a curve of Y           K8
`constrained_first_variation`   the same on a curve of Q, for Chetaev fields                        K21
`FundamentalForm`               φ = F dq + Π dv in the place of dL: is it closed, is it exact?      D4
`field_equations`               F_μ − ∂Π_μ^a/∂t^a for several parameters in the place of time      D8
`constrained_prolongation`      the field on Q over a field on Y, where there is one                K16
`SystemOnQ`                     a system that is given on Q: its semispray, its space of jets       K25, Sa1
==============================  ==================================================================  ========

Prolongations to jets and the calculus along ρ are geometry: :mod:`chetaev.geometry`.

>>> import chetaev as ch
>>> ch.variation.field_equations(["t", "x"], ["u"], {}, {("u", "t"): "u_t", ("u", "x"): "-c^2*u_x"}, ["c"])
[Expr('-u_tt + c^2*u_xx')]
"""

from chetaev.constraint.submanifold.canonical_distribution import constrained_prolongation
from chetaev.equations.forms.field_equations import field_equations
from chetaev.equations.law.fundamental import Exactness, FundamentalForm
from chetaev.equations.law.systems_on_q import SystemOnQ
from chetaev.variation.first_variation import (
    Curve,
    FirstVariation,
    constrained_first_variation,
    first_variation,
)

__all__ = [
    "Curve",
    "Exactness",
    "FirstVariation",
    "FundamentalForm",
    "SystemOnQ",
    "constrained_first_variation",
    "constrained_prolongation",
    "field_equations",
    "first_variation",
]
