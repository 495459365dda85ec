r"""The first variation formula, for any 1-form whose differential has a dynamical 1-contact part.

For θ on J¹Y such that E = p_1 dθ is a dynamical form (a Lepage form), every section γ and every projectable
field ξ

    J¹γ* L_{J¹ξ} θ  =  J²γ* i_{J²ξ} E  +  d( θ(J¹ξ) ∘ J¹γ )                                              (21).

With λ = L dt and its Lepage equivalent θ_λ = L dt + ∂L/∂q̇^σ ω^σ (14) the left side is J¹γ* L_{J¹ξ} λ,
whose integral is the first variation of the action (20). SCOPE K6, K8.

>>> J = JetChart(["x"], order=1)
>>> Y = J.at_order(0)
>>> theta = lepage_equivalent(J, "x'^2/2 - x^2/2")
>>> first_variation(theta, {"x": "t^3"}, VectorField(Y, {"x": "t*x"})).holds
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chetaev.expr.exact import Element
from chetaev.geometry.calculus.contact import contact_forms, contact_part
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.maps import section
from chetaev.geometry.calculus.prolongation import prolong
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Function, JetChart
from chetaev.geometry.chart.errors import GeometryError
from chetaev.geometry.distribution.dynamical_form import DynamicalForm


def lepage_equivalent(jet: JetChart, density: Function) -> Form:
    """θ_λ = L dt + ∂L/∂q̇^σ ω^σ on J¹Y, the Lepage equivalent of the horizontal form λ = L dt, (14)."""
    if jet.order != 1:
        raise GeometryError(f"a first-order horizontal form lives on J¹Y, the chart has order {jet.order}")
    L = jet(density)
    pairs = zip(jet.names, contact_forms(jet), strict=True)
    return sum((L.diff((n, 1)) * omega for n, omega in pairs), L * jet.d(jet.time_name))


def euler_lagrange_form(jet: JetChart, density: Function) -> DynamicalForm:
    """E_λ = p_1 dθ_λ, the Euler–Lagrange form of λ = L dt; dθ_λ is its closed representative  (K6).

    >>> print(euler_lagrange_form(JetChart(["x"], order=1), "x'^2/2 - x^2/2").components[0])
    -(x'' + x)
    """
    return DynamicalForm.from_form(contact_part(lepage_equivalent(jet, density).d(), 1))


def are_equivalent(jet: JetChart, one: Function, other: Function) -> bool | None:
    """Whether two Lagrangians have the same Euler–Lagrange form: they differ by df/dt, locally  (K6).

    None if that is not known.

    >>> J = JetChart(["x"], order=1)
    >>> are_equivalent(J, "x'^2/2", "x'^2/2 + t*x*x' + x^2/2"), are_equivalent(J, "x'^2/2", "x'^2")
    (True, False)
    """
    first, second = (euler_lagrange_form(jet, L).components for L in (one, other))
    answers = [(a - b).is_zero for a, b in zip(first, second, strict=True)]
    return False if False in answers else None if None in answers else True


def is_lepage(theta: Form) -> bool:
    """Whether p_1 dθ is a dynamical form."""
    try:
        DynamicalForm.from_form(contact_part(theta.d(), 1))
    except GeometryError:
        return False
    return True


@dataclass(frozen=True)
class FirstVariationFormula:
    """The three integrands of (21), functions of t.

    Attributes
    ----------
    variation
        J¹γ* L_{J¹ξ} θ / dt.
    euler_lagrange
        J²γ* i_{J²ξ} E / dt, which does not depend on derivatives of the variation.
    boundary
        The function θ(J¹ξ) ∘ J¹γ, whose derivative is the third term.
    """

    variation: Element
    euler_lagrange: Element
    boundary: Element
    time: tuple[str, int]

    @property
    def defect(self) -> Element:
        """variation − euler_lagrange − d(boundary)/dt, zero by the formula."""
        return self.variation - self.euler_lagrange - self.boundary.diff(self.time)

    @property
    def holds(self) -> bool | None:
        """Whether the formula holds; None if that is not known."""
        return self.defect.is_zero


def first_variation(theta: Form, curve: Mapping[str, Function], field: VectorField) -> FirstVariationFormula:
    """All terms of the first variation formula on a curve and a variation  (K8).

    Parameters
    ----------
    theta
        A Lepage 1-form on J¹Y.
    curve
        The functions γ^σ(t).
    field
        A projectable field on Y that generates the variation.
    """
    jet = theta.chart
    if not isinstance(jet, JetChart) or jet.order != 1 or theta.degree != 1:
        raise GeometryError("the first variation is taken of a 1-form on J¹Y")
    jet.at_order(0).require(field.chart, "the variation")
    upper = jet.at_order(2)
    E = contact_part(theta.d(), 1)
    DynamicalForm.from_form(E)
    once, twice = prolong(field, 1), prolong(field, 2)
    gamma1, gamma2 = section(jet, curve), section(upper, curve)
    zero = jet.field.zero
    left = gamma1.pullback(theta.lie(once)).terms.get((0,), zero)
    middle = gamma2.pullback(E.interior(twice)).terms.get((0,), zero)
    return FirstVariationFormula(left, middle, gamma1.pullback(theta(once)), (jet.time_name, 0))
