r"""Prolongation of projectable vector fields to jets.

A field on Y is projectable if its flow takes sections to sections: ξ = ξ⁰(t) ∂/∂t + ξ^σ(t, q) ∂/∂q^σ (1).
Then

    J^r ξ = ξ⁰ ∂/∂t + Σ_{k=0}^r ξ^σ_k ∂/∂q^σ_k,   ξ_k^σ = dξ^σ_{k−1}/dt − q^σ_k dξ⁰/dt   (2),

the only field over ξ that keeps the contact ideal; [J^r ξ, J^r η] = J^r [ξ, η].

SCOPE K2.

>>> Y = JetChart(["x", "y"], order=0)
>>> rotation = VectorField(Y, {"x": "-y", "y": "x"})
>>> print(prolong(rotation, 1))
-y*∂/∂x + x*∂/∂y - y'*∂/∂x' + x'*∂/∂y'
"""

from __future__ import annotations

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import JetChart
from chetaev.geometry.chart.errors import GeometryError


def _jet_of(field: VectorField) -> JetChart:
    return JetChart.of(field.chart, remedy="make the field on JetChart(coordinates, order=0)")


def is_projectable(field: VectorField, onto: int | None = None) -> bool:
    """Whether the field is π_r-projectable, or π_{r,s}-projectable with s = `onto`."""
    return _obstacle(field, onto) is None


def _obstacle(field: VectorField, onto: int | None) -> tuple[str, str] | None:
    """A component and a coordinate on which it may not depend."""
    jet = _jet_of(field)
    highest = -1 if onto is None else onto
    lower = {s for i, s in enumerate(jet.symbols) if i == 0 or s[1] <= highest}
    for s in jet.symbols:
        if s in lower:
            for other in sorted(field[s].symbols):
                if other in jet._index and other not in lower:
                    return s[0] + "'" * s[1], other[0] + "'" * other[1]
    return None


def is_vertical(field: VectorField, over: int | None = None) -> bool | None:
    """Whether the field is π_r-vertical, or π_{r,s}-vertical with s = `over`."""
    jet = _jet_of(field)
    highest = -1 if over is None else over
    return all_zero(field[s] for i, s in enumerate(jet.symbols) if i == 0 or s[1] <= highest)


def projected(field: VectorField, onto: int) -> VectorField:
    """The projection of a π_{r,s}-projectable field to J^s Y."""
    obstacle = _obstacle(field, onto)
    if obstacle is not None:
        raise GeometryError(
            f"the field is not projectable to order {onto}: "
            f"its component at ∂/∂{obstacle[0]} depends on {obstacle[1]}"
        )
    lower = _jet_of(field).at_order(onto)
    return VectorField.of(lower, [field[s] for s in lower.symbols])


def prolong(field: VectorField, order: int) -> VectorField:
    """J^r ξ of a projectable field on Y, (2)."""
    jet = _jet_of(field)
    if jet.order != 0:
        raise GeometryError(
            f"a field on Y is prolonged, this one lives on jets of order {jet.order}",
            remedy="make it on JetChart(coordinates, order=0)",
        )
    obstacle = _obstacle(field, None)
    if obstacle is not None:
        raise GeometryError(
            f"the field is not projectable: its component at ∂/∂{obstacle[0]} depends on {obstacle[1]}, "
            "so its flow does not take sections to sections and it has no prolongation",
            expected=f"a component at ∂/∂{jet.time_name} that depends on {jet.time_name} alone",
        )
    if order < 0:
        raise GeometryError(f"the order of a prolongation is 0, 1, 2, …; got {order}")
    upper = jet.at_order(order)
    xi0 = field.components[0]
    speed = xi0.diff((jet.time_name, 0))
    level: list[Element] = list(field.components[1:])
    components = [xi0, *level]
    for k in range(1, order + 1):
        here = jet.at_order(k - 1)
        level = [here.total_derivative(f) - q * speed for f, q in zip(level, jet.q(k), strict=True)]
        components += level
    return VectorField.of(upper, components)
