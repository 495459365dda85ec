r"""Curvatures, dynamical covariant derivative and Jacobi endomorphism of mixed equations (SCOPE Sa5–Sa7).

For q̈^α = f^α, q̇^a = g^a with its second-order field Γ on J¹_σ, in the notation of
:mod:`chetaev.geometry.calculus.mixed_calculus`, two curvatures along ρ have a component in the direction of
time,

    Ψ = i_Γ N_N = C^a_β θ^β ⊗ ∂_a,                      C^a_β = Γ(B^a_β) − X_β(g^a)
    Φ = i_T R = Φ^β_α θ^α ⊗ X_β − ∂f^β/∂q^a η^a ⊗ X_β,    Φ^β_α = −X_α(f^β) − Γ^γ_α Γ^β_γ − Γ(Γ^β_α),

with N_N the Nijenhuis tensor of N and [X^H, Y^H] = (…)^H + R(X, Y)^V. ∇ is a derivation, ∇F = Γ(F),

    ∇T = 0,      ∇X_α = Γ^β_α X_β,       ∇∂_a = −∂g^b/∂q^a ∂_b,
    ∇dt = 0,     ∇θ^α = −Γ^α_β θ^β,      ∇η^a = ∂g^a/∂q^b η^b,

the part of L_Γ on lifts that the curvatures leave: L_Γ X^V = −X̄^H + (∇X)^V, L_Γ X^H = (∇X + Ψ(X))^H + Φ(X)^V.
A field X = X̄ + X̃ (no T in it) is a symmetry, a form α = ᾱ + α̃ (no dt) an adjoint symmetry of Γ, exactly if

    ∇²X̄ + ∇X̃ + (Φ + Ψ)(X) = 0,          ∇²ᾱ − ∇α̃ + (Φ + Ψ)(α) = 0            (Φ + Ψ)(α) = α ∘ (Φ + Ψ):

then Z = X^H + (∇X̄)^V has [Γ, Z] = 0, and φ = ᾱ^V + α̃^H − (∇ᾱ)^H has L_Γ φ = 0, i_Γ φ = 0. Both curvatures are
computed from their definitions; the formulas above are tests. W. Sarlet, The geometry of mixed first and
second-order equations, sections 4 and 5.

>>> space = MixedSpace(["x"], ["y"], {"y": "x*x'"}, parameters=["k"])
>>> oscillator = SecondOrderGeometry(space, space.second_order_field(["-k*x"]))
>>> print(oscillator.Phi.on_independent[0][0], oscillator.C[0][0])
k 0
>>> [oscillator.is_symmetry(oscillator.along(independent=[mu])) for mu in ("x", "t")]
[True, False]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from chetaev.expr.exact import Element
from chetaev.expr.exact.field.normal_form_zero import all_zero
from chetaev.expr.exact.linear.matrix import dot
from chetaev.geometry.calculus.endomorphism import evaluate_vector_form
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.mixed_calculus import AlongRho, FormAlongRho, MixedSpace
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Function
from chetaev.geometry.chart.functions import function_list

Rows = tuple[tuple[Element, ...], ...]


@dataclass(frozen=True)
class EndomorphismAlongRho:
    """A (1,1) tensor along ρ that vanishes on T and has no T in its values, by its blocks in X_α, ∂_a.

    Attributes
    ----------
    on_independent
        Components of the images in the X_β: one row for each β, one column for each α, then each a.
    on_dependent
        Components of the images in the ∂_b: one row for each b.
    """

    on_independent: Rows
    on_dependent: Rows

    def __add__(self, other: EndomorphismAlongRho) -> EndomorphismAlongRho:
        return EndomorphismAlongRho(
            _sum(self.on_independent, other.on_independent), _sum(self.on_dependent, other.on_dependent)
        )


class SecondOrderGeometry:
    """The geometry that a second-order field Γ has along ρ.

    Parameters
    ----------
    space
        J¹_σ with the connection of g.
    gamma
        Γ, made by ``space.second_order_field``.
    """

    def __init__(self, space: MixedSpace, gamma: VectorField) -> None:
        self.space, self.gamma = space, gamma
        self.coefficients = space.coefficients(gamma)  # Γ^β_α, one row for each β; checks Γ
        self.zero = space.chart.field.zero

    # -- fields and forms along ρ ---------------------------------------------------------------------
    def along(
        self, independent: Sequence[Function] = (), dependent: Sequence[Function] = (), time: Function = 0
    ) -> AlongRho:
        """A field along ρ from its components in X_α, ∂_a, T; what is left out is zero."""
        return AlongRho(*self._components(independent, dependent, time, "a field along ρ"))

    def form_along(
        self, independent: Sequence[Function] = (), dependent: Sequence[Function] = (), time: Function = 0
    ) -> FormAlongRho:
        """A 1-form along ρ from its components in θ^α, η^a, dt; what is left out is zero."""
        return FormAlongRho(*self._components(independent, dependent, time, "a form along ρ"))

    def _components(
        self, independent: Sequence[Function], dependent: Sequence[Function], time: Function, what: str
    ) -> tuple[Element, tuple[Element, ...], tuple[Element, ...]]:
        chart, n, k = self.space.chart, len(self.space.independent), len(self.space.dependent)
        first = function_list(chart, independent or [0] * n, n, what)
        return chart(time), first, function_list(chart, dependent or [0] * k, k, what)

    def of_field(self, field: VectorField) -> AlongRho:
        """The field along ρ under a field on J¹_σ, without its T: Z and Z − ⟨Z, dt⟩Γ are symmetries together.

        >>> space = MixedSpace(["x"], ["y"], {"y": "x*x'"})
        >>> G = SecondOrderGeometry(space, space.second_order_field([0]))
        >>> print(*G.of_field(space.chart.partial("t")).independent)
        -x'
        """
        X, _ = self.space.decompose(self.gamma, field)
        return AlongRho(self.zero, X.independent, X.dependent)

    # -- Sa5: the curvatures --------------------------------------------------------------------------
    @cached_property
    def C(self) -> Rows:
        """C^a_β = Γ(B^a_β) − X_β(g^a), one row for each a."""
        pairs = zip(self.space.slopes, self.space.g, strict=True)
        return tuple(
            tuple(self.gamma.derivative(b) - X.derivative(g) for b, X in zip(row, self.space.X, strict=True))
            for row, g in pairs
        )

    @cached_property
    def Psi(self) -> EndomorphismAlongRho:
        """Ψ = i_Γ N_N, from the Nijenhuis tensor of N."""
        torsion = self.space.N.nijenhuis()
        partials = [self.space.chart.partial(n) for n in self.space.dependent]
        images = [evaluate_vector_form(torsion, self.gamma, X) for X in (*self.space.X, *partials)]
        rows = tuple(tuple(eta(image) for image in images) for eta in self.space.eta)
        return EndomorphismAlongRho(self._nothing, rows)

    @cached_property
    def Phi(self) -> EndomorphismAlongRho:
        """Φ = i_T R, from the brackets of Γ = T^H with the horizontal lifts."""
        n = len(self.space.independent)
        columns = []
        for X in self._basis:
            bracket = self.gamma.bracket(self.space.horizontal_lift(self.gamma, X))
            columns.append(self.space.decompose(self.gamma, bracket)[1].independent)
        rows = tuple(tuple(column[i] for column in columns) for i in range(n))
        return EndomorphismAlongRho(rows, tuple((self.zero,) * len(columns) for _ in self.space.dependent))

    @cached_property
    def jacobi_endomorphism(self) -> EndomorphismAlongRho:
        """Φ + Ψ."""
        return self.Phi + self.Psi

    @property
    def _basis(self) -> list[AlongRho]:
        n, k = len(self.space.independent), len(self.space.dependent)
        unit = [[self.space.chart.field(int(i == j)) for j in range(n + k)] for i in range(n + k)]
        return [AlongRho(self.zero, tuple(row[:n]), tuple(row[n:])) for row in unit]

    @property
    def _nothing(self) -> Rows:
        width = len(self.space.independent) + len(self.space.dependent)
        return tuple((self.zero,) * width for _ in self.space.independent)

    def apply(self, tensor: EndomorphismAlongRho, field: AlongRho) -> AlongRho:
        """The image of a field."""
        entries = (*field.independent, *field.dependent)
        return AlongRho(
            self.zero,
            tuple(_dot(row, entries, self.zero) for row in tensor.on_independent),
            tuple(_dot(row, entries, self.zero) for row in tensor.on_dependent),
        )

    def transpose(self, tensor: EndomorphismAlongRho, form: FormAlongRho) -> FormAlongRho:
        """The form α ∘ tensor."""
        rows = (*tensor.on_independent, *tensor.on_dependent)
        entries = (*form.independent, *form.dependent)
        n = len(self.space.independent)
        total = len(entries)
        columns = [_dot([row[j] for row in rows], entries, self.zero) for j in range(total)]
        return FormAlongRho(self.zero, tuple(columns[:n]), tuple(columns[n:]))

    # -- Sa6: the dynamical covariant derivative -------------------------------------------------------
    @cached_property
    def _g_q(self) -> Rows:
        """∂g^a/∂q^b, one row for each a."""
        return tuple(tuple(g.diff(n) for n in self.space.dependent) for g in self.space.g)

    def nabla(self, field: AlongRho) -> AlongRho:
        """∇X of a field along ρ."""
        Γ = self.gamma.derivative
        independent = tuple(
            Γ(mu) + _dot(row, field.independent, self.zero)
            for mu, row in zip(field.independent, self.coefficients, strict=True)
        )
        dependent = tuple(
            Γ(mu) - _dot(row, field.dependent, self.zero)
            for mu, row in zip(field.dependent, self._g_q, strict=True)
        )
        return AlongRho(Γ(field.time), independent, dependent)

    def nabla_form(self, form: FormAlongRho) -> FormAlongRho:
        """∇α of a 1-form along ρ."""
        Γ = self.gamma.derivative
        independent = tuple(
            Γ(a) - _dot([row[i] for row in self.coefficients], form.independent, self.zero)
            for i, a in enumerate(form.independent)
        )
        dependent = tuple(
            Γ(c) + _dot([row[i] for row in self._g_q], form.dependent, self.zero)
            for i, c in enumerate(form.dependent)
        )
        return FormAlongRho(Γ(form.time), independent, dependent)

    # -- Sa7: symmetries and adjoint symmetries --------------------------------------------------------
    def symmetry_defect(self, X: AlongRho) -> AlongRho:
        """∇²X̄ + ∇X̃ + (Φ + Ψ)(X): zero exactly for a symmetry."""
        once = self.nabla(X)
        twice = self.nabla(once)
        image = self.apply(self.jacobi_endomorphism, X)
        return AlongRho(
            self.zero,
            tuple(a + b for a, b in zip(twice.independent, image.independent, strict=True)),
            tuple(a + b for a, b in zip(once.dependent, image.dependent, strict=True)),
        )

    def adjoint_defect(self, alpha: FormAlongRho) -> FormAlongRho:
        """∇²ᾱ − ∇α̃ + (Φ + Ψ)(α): zero exactly for an adjoint symmetry."""
        once = self.nabla_form(alpha)
        twice = self.nabla_form(once)
        image = self.transpose(self.jacobi_endomorphism, alpha)
        return FormAlongRho(
            self.zero,
            tuple(a + b for a, b in zip(twice.independent, image.independent, strict=True)),
            tuple(b - a for a, b in zip(once.dependent, image.dependent, strict=True)),
        )

    def is_symmetry(self, X: AlongRho) -> bool | None:
        """Whether X is a symmetry of Γ; None if that is not known."""
        defect = self.symmetry_defect(X)
        return all_zero((*defect.independent, *defect.dependent))

    def is_adjoint_symmetry(self, alpha: FormAlongRho) -> bool | None:
        """Whether α is an adjoint symmetry of Γ; None if that is not known."""
        defect = self.adjoint_defect(alpha)
        return all_zero((*defect.independent, *defect.dependent))

    def lift(self, X: AlongRho) -> VectorField:
        """Z = X^H + (∇X̄)^V, which commutes with Γ exactly if X is a symmetry."""
        lifted: VectorField = self.space.horizontal_lift(self.gamma, X)
        return lifted + self.space.vertical_lift(self.nabla(X))

    def lift_form(self, alpha: FormAlongRho) -> Form:
        """φ = ᾱ^V + α̃^H − (∇ᾱ)^H, invariant under Γ exactly if α is an adjoint symmetry."""
        bar = self.nabla_form(alpha).independent
        horizontal = FormAlongRho(self.zero, tuple(-b for b in bar), alpha.dependent)
        return self.space.vertical_form(self.gamma, alpha) + self.space.horizontal_form(horizontal)


def _dot(a: Sequence[Element], b: Sequence[Element], zero: Element) -> Element:
    return dot(a, b) if a else zero


def _sum(a: Rows, b: Rows) -> Rows:
    return tuple(tuple(x + y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))
