r"""Calculus on the space of mixed first- and second-order equations: q̈^α = f^α, q̇^a = g^a.

On J¹_σ with coordinates (t, q^α, q^a, q̇^α) and functions g^a(t, q, q̇^α) put B^a_α = ∂g^a/∂q̇^α, B^a = g^a
− q̇^α B^a_α:

    η^a = dq^a − B^a_α dq^α − B^a dt,    N = η^a ⊗ ∂/∂q^a        the connection of g               (Sa2)
    S = θ^α ⊗ ∂/∂q̇^α,   θ^α = dq^α − q̇^α dt                     the vertical endomorphism          (Sa3)
    Γ = ∂/∂t + q̇^α ∂/∂q^α + g^a ∂/∂q^a + f^α ∂/∂q̇^α             the second-order field
    (L_Γ S)² = I − Γ ⊗ dt − N,
    P_H = ½(I − L_Γ S + Γ ⊗ dt + N),     P_V = ½(I + L_Γ S − Γ ⊗ dt − N),     Γ^β_α = −½ ∂f^β/∂q̇^α.

Fields along ρ: J¹_σ → E have the basis T = ∂_t + q̇^α ∂_α + g^a ∂_a, X_α = ∂_α + B^a_α ∂_a, ∂_a; every
field on J¹_σ is X^H + Ȳ^V with Ȳ = Ȳ^α X_α, and every 1-form α^H + ᾱ^V, in one way (Sa4). W. Sarlet, The
geometry of mixed first and second-order equations.

>>> space = MixedSpace(["x"], ["y"], {"y": "x*x'"})
>>> print(space.eta[0])
-x*dx + dy
>>> gamma = space.second_order_field(["-x"])
>>> P = space.vertical_projector(gamma)
>>> P.is_projector
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from chetaev.expr.exact import Element, Field
from chetaev.geometry.calculus.endomorphism import Endomorphism, tensor_product
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, Function
from chetaev.geometry.chart.functions import GeometryError, function_list

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class AlongRho:
    """A field along ρ, by its components in the basis T, X_α, ∂_a."""

    time: Element
    independent: tuple[Element, ...]
    dependent: tuple[Element, ...]


@dataclass(frozen=True)
class FormAlongRho:
    """A 1-form along ρ, by its components on T, X_α, ∂_a: in the basis dt, θ^α, η^a."""

    time: Element
    independent: tuple[Element, ...]
    dependent: tuple[Element, ...]


class MixedSpace:
    """The space J¹_σ with its two connections.

    Parameters
    ----------
    independent
        Names of the q^α, which have velocities of their own.
    dependent
        Names of the q^a, whose velocities are g^a.
    g
        The functions g^a(t, q, q̇^α) by name.
    """

    def __init__(
        self,
        independent: Sequence[str],
        dependent: Sequence[str],
        g: Mapping[str, Function],
        time: str = "t",
        field: Field | None = None,
        parameters: Iterable[str] = (),
    ) -> None:
        self.independent, self.dependent, self.time_name = tuple(independent), tuple(dependent), time
        symbols: list[str | tuple[str, int]] = [
            time,
            *independent,
            *dependent,
            *((n, 1) for n in independent),
        ]
        self.chart = Chart(symbols, field, parameters)
        missing = [n for n in dependent if n not in g]
        if missing:
            raise GeometryError(f"there is no function g for the velocity of {missing[0]!r}")
        self.g = tuple(self.chart(g[n]) for n in dependent)
        self.velocities = tuple(self.chart.field.symbol(n, 1) for n in independent)

    # -- Sa2 -----------------------------------------------------------------------------------------
    @cached_property
    def slopes(self) -> list[list[Element]]:
        """B^a_α = ∂g^a/∂q̇^α, one row for each a."""
        return [[f.diff((n, 1)) for n in self.independent] for f in self.g]

    @cached_property
    def drift(self) -> list[Element]:
        """B^a = g^a − q̇^α B^a_α."""
        result = []
        for f, row in zip(self.g, self.slopes, strict=True):
            for v, b in zip(self.velocities, row, strict=True):
                f = f - v * b
            result.append(f)
        return result

    @cached_property
    def eta(self) -> tuple[Form, ...]:
        """The constraint forms η^a."""
        d = self.chart.d
        forms = []
        for n, row, rest in zip(self.dependent, self.slopes, self.drift, strict=True):
            form = d(n) - rest * d(self.time_name)
            for m, b in zip(self.independent, row, strict=True):
                form = form - b * d(m)
            forms.append(form)
        return tuple(forms)

    @cached_property
    def theta(self) -> tuple[Form, ...]:
        """The contact forms θ^α."""
        d = self.chart.d
        pairs = zip(self.independent, self.velocities, strict=True)
        return tuple(d(n) - v * d(self.time_name) for n, v in pairs)

    @cached_property
    def N(self) -> Endomorphism:
        """The vertical projection η^a ⊗ ∂/∂q^a of the connection of g."""
        pairs = zip(self.dependent, self.eta, strict=True)
        return self._sum(tensor_product(eta, self.chart.partial(n)) for n, eta in pairs)

    def _sum(self, parts: Iterable[Endomorphism]) -> Endomorphism:
        return sum(parts, Endomorphism.make(self.chart, {}))

    def constraint_lift(self, field: VectorField) -> VectorField:
        """The horizontal lift by the connection of g: X − N(X)."""
        lifted: VectorField = field - self.N(field)
        return lifted

    # -- Sa3 -----------------------------------------------------------------------------------------
    @cached_property
    def S(self) -> Endomorphism:
        """The vertical endomorphism θ^α ⊗ ∂/∂q̇^α."""
        pairs = zip(self.independent, self.theta, strict=True)
        return self._sum(tensor_product(theta, self.chart.partial((n, 1))) for n, theta in pairs)

    def second_order_field(self, accelerations: Sequence[Function]) -> VectorField:
        """Γ with q̈^α = f^α and q̇^a = g^a."""
        f = function_list(self.chart, accelerations, len(self.independent), "a second-order field")
        return VectorField.of(self.chart, [self.chart.field.one, *self.velocities, *self.g, *f])

    def is_second_order(self, field: VectorField) -> bool:
        """Whether ⟨Γ, dt⟩ = 1, ⟨Γ, θ^α⟩ = 0, ⟨Γ, η^a⟩ = 0."""
        self.chart.require(field.chart, "the field")
        zero = all(w(field).is_zero for w in (*self.theta, *self.eta))
        return zero and field.components[0] == 1

    def _second_order(self, gamma: VectorField) -> None:
        if not self.is_second_order(gamma):
            raise GeometryError(
                f"the field {gamma} is no second-order field of the constraint",
                remedy="make it with second_order_field(accelerations)",
            )

    def _time_part(self, gamma: VectorField) -> Endomorphism:
        self._second_order(gamma)
        return tensor_product(self.chart.d(self.time_name), gamma) + self.N

    def horizontal_projector(self, gamma: VectorField) -> Endomorphism:
        """P_H = ½(I − L_Γ S + Γ ⊗ dt + N)."""
        identity = Endomorphism.identity(self.chart)
        return HALF * (identity - self.S.lie(gamma) + self._time_part(gamma))

    def vertical_projector(self, gamma: VectorField) -> Endomorphism:
        """P_V = ½(I + L_Γ S − Γ ⊗ dt − N)."""
        identity = Endomorphism.identity(self.chart)
        return HALF * (identity + self.S.lie(gamma) - self._time_part(gamma))

    def coefficients(self, gamma: VectorField) -> list[list[Element]]:
        """Γ^β_α = −½ ∂f^β/∂q̇^α, one row for each β."""
        self._second_order(gamma)
        f = gamma.components[-len(self.independent) :] if self.independent else ()
        return [[-HALF * e.diff((n, 1)) for n in self.independent] for e in f]

    # -- Sa4 -----------------------------------------------------------------------------------------
    @cached_property
    def X(self) -> tuple[VectorField, ...]:
        """X_α = ∂/∂q^α + B^a_α ∂/∂q^a."""
        down = list(zip(map(self.chart.partial, self.dependent), self.slopes, strict=True))
        return tuple(
            sum((row[i] * X for X, row in down), self.chart.partial(n))
            for i, n in enumerate(self.independent)
        )

    def horizontal_lift(self, gamma: VectorField, field: AlongRho) -> VectorField:
        """X^H, with T^H = Γ."""
        P = self.horizontal_projector(gamma)
        basis = (*map(P, self.X), *map(self.chart.partial, self.dependent))
        pairs = zip((*field.independent, *field.dependent), basis, strict=True)
        return sum((a * X for a, X in pairs), field.time * gamma)

    def vertical_lift(self, field: AlongRho) -> VectorField:
        """X^V: T^V = 0, X_α^V = ∂/∂q̇^α, (∂_a)^V = 0."""
        components = [self.chart.field.zero] * self.chart.dimension
        if self.independent:
            components[-len(self.independent) :] = field.independent
        return VectorField.of(self.chart, components)

    def decompose(self, gamma: VectorField, field: VectorField) -> tuple[AlongRho, AlongRho]:
        """(X, Ȳ) with Z = X^H + Ȳ^V."""
        zero = self.chart.field.zero
        time = self.chart.d(self.time_name)(field)
        X = AlongRho(time, tuple(w(field) for w in self.theta), tuple(w(field) for w in self.eta))
        rest = field - self.horizontal_lift(gamma, X)
        velocities = rest.components[-len(self.independent) :] if self.independent else ()
        return X, AlongRho(zero, tuple(velocities), tuple(zero for _ in self.dependent))

    def horizontal_form(self, form: FormAlongRho) -> Form:
        """α^H = α_T dt + α_α θ^α + α_a η^a: ⟨α^H, X^H⟩ = ⟨α, X⟩, ⟨α^H, X^V⟩ = 0."""
        pairs = zip((*form.independent, *form.dependent), (*self.theta, *self.eta), strict=True)
        return sum((a * w for a, w in pairs), form.time * self.chart.d(self.time_name))

    def vertical_form(self, gamma: VectorField, form: FormAlongRho) -> Form:
        """α^V = α_α φ^α: ⟨α^V, X^V⟩ = α_α X^α, ⟨α^V, X^H⟩ = 0."""
        coframe = self.adapted_coframe(gamma)
        pairs = zip(form.independent, coframe[len(coframe) - len(self.independent) :], strict=True)
        return sum((a * phi for a, phi in pairs), Form.zero(self.chart, 1))

    def decompose_form(self, gamma: VectorField, form: Form) -> tuple[FormAlongRho, FormAlongRho]:
        """(α, ᾱ) with ω = α^H + ᾱ^V, for every 1-form ω on J¹_σ (Sa4).

        >>> space = MixedSpace(["x"], ["y"], {"y": "x*x'"})
        >>> gamma = space.second_order_field(["-x'"])
        >>> alpha, bar = space.decompose_form(gamma, space.chart.d("x'"))
        >>> print(alpha.time, alpha.independent[0], bar.independent[0])
        -x' -1/2 1
        """
        self._second_order(gamma)
        self.chart.require(form.chart, "the form")
        if form.degree != 1:
            raise GeometryError(f"a form of degree {form.degree} is given", expected="a 1-form")
        zero = self.chart.field.zero
        P = self.horizontal_projector(gamma)
        on_X = tuple(form(P(X)) for X in self.X)
        on_a = tuple(form(self.chart.partial(n)) for n in self.dependent)
        on_V = tuple(form(self.chart.partial((n, 1))) for n in self.independent)
        return FormAlongRho(form(gamma), on_X, on_a), FormAlongRho(zero, on_V, tuple(zero for _ in on_a))

    def adapted_coframe(self, gamma: VectorField) -> tuple[Form, ...]:
        """(dt, θ^α, η^a, φ^α), dual to (Γ, X_α^H, ∂_a, ∂/∂q̇^α); φ^α = dq̇^α − f^α dt + Γ^α_β θ^β."""
        d = self.chart.d
        forms = [d(self.time_name), *self.theta, *self.eta]
        for n, row in zip(self.independent, self.coefficients(gamma), strict=True):
            phi = d(n + "'") - gamma[(n, 1)] * d(self.time_name)
            forms.append(sum((c * theta for c, theta in zip(row, self.theta, strict=True)), phi))
        return tuple(forms)
