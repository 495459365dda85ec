r"""Frames, their dual coframes and structure functions; frames adapted to a distribution.

    [e_μ, e_ν] = c^λ_μν e_λ   (2.9),        dθ^λ = −½ c^λ_μν θ^μ ∧ θ^ν   (2.17),        c^λ_μν = −c^λ_νμ.

A frame is adapted to D if its first N members span D. The structure functions then fall into blocks (2.14),
and D is integrable iff c^α_ij = 0 (i, j ≤ N < α, 2.22). The echelon basis of D, completed by coordinate
fields, is Chaplygin's semi-holonomic frame (2.34): e_i = ∂_i + a_i^α ∂_α, e_α = ∂_α, whose e_α commute
(2.25), with

    c^α_ij = e_i(a_j^α) − e_j(a_i^α).

SCOPE D1, D2; equation numbers of D. Delphenich. In the paper (2.35b) and (2.36) have the other sign and leave
out c^α_iβ = −∂a_i^α/∂x^β, the lower right block of (2.32) should be +δ, and the mixed terms of (2.19) are
−c^i_jβ θ^j ∧ θ^β; the identities here are checked on random frames.

>>> from chetaev.geometry import Chart, VectorField
>>> chart = Chart(["x", "y", "z"])
>>> X, Y = VectorField(chart, [1, 0, "-y/2"]), VectorField(chart, [0, 1, "x/2"])
>>> heisenberg = Frame([X, Y, chart.partial("z")])
>>> print(heisenberg.structure(0, 1, 2)); print(heisenberg.coframe[2])
1
y/2*dx - x/2*dy + dz
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import dot
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart
from chetaev.geometry.chart.function_matrix import inverse
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.chart.zeros import Zeros
from chetaev.geometry.distribution.distribution import Distribution


def _common_chart(members: Sequence[VectorField | Form], what: str, one: str, needed: str) -> Chart:
    """The chart of as many fields or forms as it has coordinates."""
    if not members:
        raise GeometryError(f"a {what} needs {needed}")
    chart = members[0].chart
    for X in members:
        chart.require(X.chart, f"the {one} {X}")
    if len(members) != chart.dimension:
        raise GeometryError(
            f"a {what} on ({chart.describe()}) has {chart.dimension} {one}s, got {len(members)}"
        )
    return chart


class Frame:
    """A frame: n independent vector fields on an n-dimensional chart."""

    def __init__(self, fields: Sequence[VectorField]) -> None:
        self.chart = _common_chart(fields, "frame", "field", "vector fields")
        self.fields = tuple(fields)
        found = inverse([X.components for X in fields], Zeros(self.chart))
        if found is None:
            raise GeometryError("the fields are linearly dependent everywhere, so they are no frame")
        self._inverse = found

    def __str__(self) -> str:
        return ", ".join(map(str, self.fields))

    def __repr__(self) -> str:
        return f"Frame({self})"

    @classmethod
    def coordinate(cls, chart: Chart) -> Frame:
        """The natural frame ∂_μ."""
        return cls(chart.partials())

    @classmethod
    def from_coframe(cls, forms: Sequence[Form]) -> Frame:
        """The frame dual to n independent 1-forms."""
        chart = _common_chart(forms, "coframe", "form", "1-forms")
        columns = inverse([w.row() for w in forms], Zeros(chart))
        if columns is None:
            raise GeometryError("the forms are linearly dependent everywhere, so they are no coframe")
        return cls([VectorField.of(chart, column) for column in zip(*columns, strict=True)])

    @property
    def size(self) -> int:
        """The number of fields."""
        return len(self.fields)

    @cached_property
    def coframe(self) -> tuple[Form, ...]:
        """The dual forms: θ^μ(e_ν) = δ^μ_ν."""
        n = self.size
        return tuple(Form.of(self.chart, 1, {(j,): self._inverse[j][i] for j in range(n)}) for i in range(n))

    def components(self, field: VectorField) -> tuple[Element, ...]:
        """X^μ = θ^μ(X)."""
        self.chart.require(field.chart, "the field")
        return tuple(dot(field.components, column) for column in zip(*self._inverse, strict=True))

    def combine(self, components: Sequence[Element]) -> VectorField:
        """X^μ e_μ."""
        total = [self.chart.field.zero] * self.chart.dimension
        for a, e in zip(components, self.fields, strict=True):
            if not a.is_blank:
                total = [s + a * c for s, c in zip(total, e.components, strict=True)]
        return VectorField.of(self.chart, total)

    @cached_property
    def structure_functions(self) -> dict[tuple[int, int, int], Element]:
        """c^λ_μν by (μ, ν, λ), those that are not zero."""
        result = {}
        for m, n in combinations(range(self.size), 2):
            for k, c in enumerate(self.components(self.fields[m].bracket(self.fields[n]))):
                if not c.is_blank:
                    result[m, n, k] = c
                    result[n, m, k] = -c
        return result

    def structure(self, m: int, n: int, k: int) -> Element:
        """c^k_mn, with [e_m, e_n] = c^k_mn e_k."""
        return self.structure_functions.get((m, n, k), self.chart.field.zero)

    @property
    def is_holonomic(self) -> bool:
        """Whether all fields commute."""
        return not self.structure_functions


class AdaptedFrame(Frame):
    """A frame whose first N fields span a distribution D  (D1).

    Attributes
    ----------
    inner
        N, the rank of D; indices i < N belong to D, indices α ≥ N to the complement.
    """

    def __init__(self, fields: Sequence[VectorField], inner: int) -> None:
        super().__init__(fields)
        if not 0 <= inner <= self.size:
            raise GeometryError(f"the rank of a distribution is between 0 and {self.size}, got {inner}")
        self.inner = inner

    @classmethod
    def of(cls, distribution: Distribution) -> AdaptedFrame:
        """The semi-holonomic frame e_i = ∂_i + a_i^α ∂_α, e_α = ∂_α of a distribution, (2.34)."""
        if distribution.on:
            raise GeometryError(
                "an adapted frame needs a distribution on the whole chart, this one lives on a submanifold"
            )
        chart = distribution.chart
        pivots = set(distribution._echelon.pivots)
        rest = [chart.partial(i) for i in range(chart.dimension) if i not in pivots]
        return cls([*distribution.fields, *rest], distribution.rank)

    def block(self, kind: str) -> dict[tuple[int, int, int], Element]:
        """One block of the structure functions (2.14), named by its indices (μ, ν, λ).

        `kind` has three letters, ``i`` for indices in D and ``a`` for those of the complement: ``"iia"`` is
        c^α_ij.
        """
        if len(kind) != 3 or set(kind) - {"i", "a"}:
            raise GeometryError(f"a block is named by three letters i or a, such as 'iia'; got {kind!r}")
        return {
            key: c
            for key, c in self.structure_functions.items()
            if all((x < self.inner) == (letter == "i") for x, letter in zip(key, kind, strict=True))
        }

    @property
    def is_integrable(self) -> bool:
        """Whether c^α_ij = 0, (2.22)  (D2)."""
        return not self.block("iia")

    @property
    def is_semi_holonomic(self) -> bool:
        """Whether the complementary fields e_α commute, (2.25)  (D2)."""
        return not self.block("aai") and not self.block("aaa")
