"""What is zero for every frame and every linear connection."""

from __future__ import annotations

from chetaev.expr.exact import Element
from chetaev.geometry import Connection, Form, Frame, Tensor, VectorField
from chetaev.geometry.calculus.endomorphism import evaluate_vector_form


def maurer_cartan_defect(frame: Frame) -> tuple[Form, ...]:
    """dθ^λ + ½ c^λ_μν θ^μ ∧ θ^ν (2.17)."""
    result = [theta.d() for theta in frame.coframe]
    for (m, n, k), c in frame.structure_functions.items():
        if m < n:
            result[k] = result[k] + c * frame.coframe[m].wedge(frame.coframe[n])
    return tuple(result)


def bianchi_defects(
    nabla: Connection, X: VectorField, Y: VectorField, Z: VectorField
) -> tuple[VectorField, Tensor]:
    """What the two Bianchi identities say is zero, for three fields."""
    T, R = nabla.torsion, nabla.curvature
    first = VectorField.of(nabla.chart, [nabla.chart.field.zero] * nabla.chart.dimension)
    second = Tensor.of(nabla.chart, 1, 1, {})
    for A, B, C in ((X, Y, Z), (Y, Z, X), (Z, X, Y)):
        first = first + nabla.curvature_of(A, B, C)
        first = first - nabla.torsion_of(nabla.torsion_of(A, B), C)
        first = first - evaluate_vector_form(nabla.tensor_derivative(A, T), B, C)
        second = second + _contract(nabla.tensor_derivative(A, R), B, C)
        second = second + _contract(R, nabla.torsion_of(A, B), C)
    return first, second


def _contract(tensor: Tensor, X: VectorField, Y: VectorField) -> Tensor:
    """The (1, 1) tensor R(X, Y) of a tensor with indices (a, b, c, d)."""
    terms: dict[tuple[int, ...], Element] = {}
    for (a, b, c, d), f in tensor.terms.items():
        value = f * X.components[c] * Y.components[d]
        terms[a, b] = terms[a, b] + value if (a, b) in terms else value
    return Tensor.of(tensor.chart, 1, 1, terms)
