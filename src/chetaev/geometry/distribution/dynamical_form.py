r"""Dynamical forms on J²Y, their Lepage class, and the dynamical distribution.

    E = E_σ ω^σ ∧ dt,   pertinent with respect to J¹Y  ⟺  E_σ = A_σ(t, q, q̇) + B_σν(t, q, q̇) q̈^ν   (9)
    α = A_σ ω^σ ∧ dt + B_σν ω^σ ∧ dq̇^ν + F,   F any 2-contact 2-form on J¹Y,   p_1 α = E   (10)
    Δ = {A_σ dt + F_σν ω^ν + B_σν dq̇^ν,  B_σν ω^σ}   (12)

E is regular iff det B ≠ 0; then Δ (with F = 0) has rank one, spanned by the semispray

    ζ = ∂/∂t + q̇^σ ∂/∂q^σ − B^{σν} A_ν ∂/∂q̇^σ   (13).

In (12) F_σν are the components of i_{∂/∂q^σ} F, that is F = ½ F_σν ω^σ ∧ ω^ν. SCOPE K4, K5.

>>> J = JetChart(["x"], order=1)
>>> E = DynamicalForm(J, ["-x - x''"])
>>> print(E.semispray)
∂/∂t + x'*∂/∂x - x*∂/∂x'

The first variation formula, for any 1-form whose differential has a dynamical 1-contact part.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import negated
from chetaev.expr.exact.linear.growing_echelon import Row
from chetaev.expr.exact.linear.matrix import dot
from chetaev.geometry.calculus.contact import contact_forms, contact_part, from_adapted, prolong, to_adapted
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.maps import Map, section
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Function, JetChart
from chetaev.geometry.chart.function_matrix import determinant, inverse
from chetaev.geometry.chart.functions import GeometryError, function_list
from chetaev.geometry.chart.zeros import Zeros
from chetaev.geometry.distribution.distribution import Distribution


class DynamicalForm:
    """E = E_σ ω^σ ∧ dt on J²Y: a system of second-order equations E_σ = 0  (K4).

    Parameters
    ----------
    jet
        A jet chart of the fibred manifold; its order does not matter.
    components
        The functions E_σ on J²Y, one for each coordinate.
    """

    def __init__(self, jet: JetChart, components: Sequence[Function]) -> None:
        self.jet = jet.at_order(1)
        self.upper = jet.at_order(2)
        self.components = function_list(self.upper, components, len(jet.names), "a dynamical form")

    @classmethod
    def from_form(cls, form: Form) -> DynamicalForm:
        """From a 2-form on J²Y (or J¹Y) that is 1-contact and horizontal over Y."""
        jet = form.chart
        if not isinstance(jet, JetChart) or form.degree != 2 or jet.order > 2:
            raise GeometryError("a dynamical form is a 2-form on a jet chart of order at most 2")
        upper = jet.at_order(2)
        adapted = to_adapted(upper.lift(form))
        count = len(jet.names)
        if any(k[0] != 0 or k[1] > count for k in adapted):
            raise GeometryError("the form is no dynamical form: it has other terms than E ω ∧ dt")
        zero = jet.field.zero
        return cls(jet, [-adapted.get((0, 1 + i), zero) for i in range(count)])

    @property
    def form(self) -> Form:
        """E as a 2-form on J²Y."""
        return from_adapted(self.upper, 2, {(0, 1 + i): -e for i, e in enumerate(self.components)})

    @cached_property
    def _affine(self) -> tuple[Row, list[Row]] | None:
        names = [(n, 2) for n in self.jet.names]
        A: Row = []
        B: list[Row] = []
        for e in self.components:
            row = [e.diff(s) for s in names]
            if any(b.symbols & set(names) for b in row):
                return None
            rest = e
            for b, s in zip(row, names, strict=True):
                rest = rest - b * self.jet.field.symbol(*s)
            A.append(rest)
            B.append(row)
        return A, B

    @property
    def is_pertinent(self) -> bool:
        """Whether E is pertinent with respect to J¹Y: affine in the accelerations, (9)."""
        return self._affine is not None

    def _pertinent(self) -> tuple[Row, list[Row]]:
        if self._affine is None:
            raise GeometryError(
                "the dynamical form is not affine in the accelerations, so it has no Lepage class on J¹Y"
            )
        return self._affine

    @property
    def A(self) -> Row:
        """A_σ in E_σ = A_σ + B_σν q̈^ν."""
        return self._pertinent()[0]

    @property
    def B(self) -> list[Row]:
        """B_σν in E_σ = A_σ + B_σν q̈^ν."""
        return self._pertinent()[1]

    def lepage(self, two_contact: Form | None = None) -> Form:
        """The representative α on J¹Y of the Lepage class with a 2-contact form F (default 0), (10)."""
        A, B = self._pertinent()
        count = len(self.jet.names)
        terms: dict[tuple[int, ...], Element] = {(0, 1 + i): -a for i, a in enumerate(A)}
        for i, row in enumerate(B):
            for j, b in enumerate(row):
                terms[1 + i, 1 + count + j] = b
        alpha = from_adapted(self.jet, 2, terms)
        if two_contact is not None:
            self._check_two_contact(two_contact)
            alpha = alpha + two_contact
        return alpha

    def _check_two_contact(self, form: Form) -> None:
        self.jet.require(form.chart, "the 2-contact form F")
        count = len(self.jet.names)
        if form.degree != 2 or any(k[0] == 0 or k[1] > count for k in to_adapted(form)):
            raise GeometryError("F must be a 2-contact 2-form on J¹Y: a combination of ω^σ ∧ ω^ν")

    def has_extension(self, alpha: Form) -> bool:
        """Whether p_1 α = E for a 2-form α on J¹Y."""
        self.jet.require(alpha.chart, "the 2-form")
        return contact_part(alpha, 1) == self.form

    def dynamical_forms(self, two_contact: Form | None = None) -> list[Form]:
        """The 1-forms i_ξ α, ξ vertical, that annihilate the dynamical distribution, (12)."""
        alpha = self.lepage(two_contact)
        return [alpha.interior(self.jet.partial(s)) for s in self.jet.symbols[1:]]

    def dynamical_distribution(self, two_contact: Form | None = None) -> Distribution:
        """The dynamical distribution Δ on J¹Y  (K5)."""
        return Distribution.annihilated_by(self.dynamical_forms(two_contact))

    @property
    def determinant(self) -> Element:
        """det B."""
        return determinant(self.B, Zeros(self.jet))

    @property
    def is_regular(self) -> bool | None:
        """Whether det B is not zero everywhere."""
        return negated(self.determinant.is_zero)

    @cached_property
    def semispray(self) -> VectorField:
        """ζ with ζ⌟dt = 1 that spans Δ, (13)."""
        A, B = self._pertinent()
        inverted = inverse(B, Zeros(self.jet))
        if inverted is None:
            raise GeometryError("the dynamical form is singular (det B = 0), so it has no semispray")
        accelerations = [-dot(row, A) for row in inverted]
        return VectorField.of(self.jet, [self.jet.field.one, *self.jet.q(1), *accelerations])

    def along(self, section: Map) -> tuple[Element, ...]:
        """E_σ ∘ J²γ for a prolonged section; all zero iff γ is a path of E, (8)."""
        self.upper.require(section.target, "the section")
        return tuple(section.pullback(e) for e in self.components)

    def __repr__(self) -> str:
        return f"DynamicalForm({', '.join(str(e) for e in self.components)})"


def contact_distribution(jet: JetChart) -> Distribution:
    """Cartan's distribution on J^r Y, annihilated by all contact forms."""
    return Distribution.annihilated_by(contact_forms(jet), chart=jet)


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
