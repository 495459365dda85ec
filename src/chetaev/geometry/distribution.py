r"""Distributions D ⊂ TM, given by spanning fields or by annihilating 1-forms.

    D = span{X_i}  = {θ^α = 0},       rank D + rank D° = dim M.

D is involutive (Frobenius: integrable) iff [D, D] ⊂ D. In reduced echelon form the spanning fields are
e_i = ∂/∂x^{p_i} + a_i^j ∂/∂x^j with j no pivot, so their brackets have no components at the pivots:

    D is involutive  ⟺  [e_i, e_j] = 0 for all i, j,

and a bracket that is not zero is evidence against it. The Cauchy characteristics of D are the X in D with
[X, D] ⊂ D. Ranks are generic: over the field of functions; :meth:`Distribution.rank_at` gives the rank at a
point.

SCOPE: the distribution parts of K5, K17, L2, B9, D2.

>>> from chetaev.geometry import Chart
>>> chart = Chart(["x", "y", "phi"])
>>> knife = Distribution.annihilated_by([chart("sin(phi)") * chart.d("x") - chart("cos(phi)") * chart.d("y")])
>>> knife.rank, knife.is_involutive, knife.growth_vector()
(2, False, (2, 3))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from chetaev.expr.exact import Element
from chetaev.geometry.chart import Chart, Function
from chetaev.geometry.errors import GeometryError
from chetaev.geometry.form import Form
from chetaev.geometry.involutivity import Involutivity
from chetaev.geometry.linear import Echelon, echelon
from chetaev.geometry.pointwise import rank_at
from chetaev.geometry.vector_field import VectorField
from chetaev.geometry.zeros import Zeros

if TYPE_CHECKING:
    from chetaev.geometry.flag import Flag

Rows = Sequence[Sequence[Element]]
Given = tuple[str, Rows]


class Distribution:
    """A distribution on a chart, or on the submanifold {f = 0} of it.

    Make one with :meth:`spanned_by` or :meth:`annihilated_by`.
    """

    def __init__(
        self, chart: Chart, echelon: Echelon, on: tuple[Element, ...] = (), given: Given | None = None
    ) -> None:
        self.chart = chart
        self.on = on
        self._echelon = echelon
        self._given = given if given is not None else ("fields", echelon.rows)

    @classmethod
    def spanned_by(
        cls,
        fields: Sequence[VectorField],
        on: Sequence[Function] = (),
        chart: Chart | None = None,
        check: bool = True,
    ) -> Distribution:
        """The span of vector fields, which must be tangent to {f = 0} if `on` is given.

        Parameters
        ----------
        fields
            Spanning fields; they may be dependent.
        on
            Functions f; everything is then meant on the submanifold {f = 0}, in ambient coordinates.
        chart
            Needed only for the zero distribution, which has no fields.
        check
            Whether to check that the fields are tangent to the submanifold.
        """
        chart = _chart_of(fields, chart)
        equations = tuple(chart(f) for f in on)
        zeros = Zeros(chart, equations)
        if check:
            for X in fields:
                for f in equations:
                    if not zeros(X.derivative(f)):
                        raise GeometryError(
                            f"the field {X} is not tangent to the submanifold {f} = 0: it changes {f} there"
                        )
        rows: Rows = [X.components for X in fields]
        return cls(chart, echelon(rows, chart.dimension, zeros), equations, ("fields", rows))

    @classmethod
    def annihilated_by(
        cls, forms: Sequence[Form], on: Sequence[Function] = (), chart: Chart | None = None
    ) -> Distribution:
        """The common kernel of 1-forms, on {f = 0} also of the df."""
        chart = _chart_of(forms, chart)
        equations = tuple(chart(f) for f in on)
        zeros = Zeros(chart, equations)
        rows: Rows = [chart.d(f).row() for f in equations] + [w.row() for w in forms]
        kernel = echelon(rows, chart.dimension, zeros).kernel()
        return cls(chart, echelon(kernel, chart.dimension, zeros), equations, ("forms", rows))

    @classmethod
    def whole(cls, chart: Chart) -> Distribution:
        """All of TM."""
        return cls.spanned_by(chart.partials())

    # -- what it is ----------------------------------------------------------------------------------
    @property
    def rank(self) -> int:
        """The generic rank."""
        return self._echelon.rank

    @property
    def dimension(self) -> int:
        """The dimension of the manifold it lives on."""
        return self.chart.dimension - self._normal.rank

    @property
    def corank(self) -> int:
        """How much the rank lacks to the dimension of the manifold."""
        return self.dimension - self.rank

    @property
    def zeros(self) -> Zeros:
        """What decides zero on the manifold; its ``proved`` says whether all answers were proved."""
        return self._echelon.zeros

    @property
    def proved(self) -> bool:
        """Whether all zero tests so far were proved."""
        return self.zeros.proved

    @cached_property
    def _normal(self) -> Echelon:
        return echelon([self.chart.d(f).row() for f in self.on], self.chart.dimension, self.zeros)

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """A basis in reduced echelon form."""
        return tuple(VectorField.of(self.chart, row) for row in self._echelon.rows)

    @cached_property
    def annihilator(self) -> tuple[Form, ...]:
        """A basis of the 1-forms that vanish on D; on a submanifold modulo the df."""
        found = self._normal.copy()
        forms = []
        for row in self._echelon.kernel():
            if found.add(row):
                forms.append(Form.of(self.chart, 1, {(i,): a for i, a in enumerate(row)}))
        return tuple(forms)

    def contains(self, field: VectorField) -> bool:
        """Whether a field lies in D at generic points."""
        self.chart.require(field.chart, "the vector field")
        return self._echelon.contains(field.components)

    def annihilates(self, form: Form) -> bool:
        """Whether a 1-form vanishes on D."""
        self.chart.require(form.chart, "the form")
        form.row()
        return all(self.zeros(form(X)) for X in self.fields)

    def __le__(self, other: Distribution) -> bool:
        """Whether D lies in another distribution."""
        return all(other.contains(X) for X in self.fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.chart == other.chart and self.rank == other.rank and self <= other

    def __hash__(self) -> int:
        return hash((self.chart, self.rank))

    def __add__(self, other: Distribution) -> Distribution:
        """The sum D + D' at generic points."""
        self.chart.require(other.chart, "the second distribution of a sum")
        rows = self._echelon.copy()
        for X in other.fields:
            rows.add(X.components)
        return Distribution(self.chart, rows, self.on)

    def intersection(self, other: Distribution) -> Distribution:
        """D ∩ D' at generic points."""
        self.chart.require(other.chart, "the second distribution of an intersection")
        return Distribution.annihilated_by([*self.annihilator, *other.annihilator], self.on, self.chart)

    def rank_at(self, point: Mapping[Any, Any]) -> int:
        """The rank of the given fields (or the corank of the given forms) at a point, exactly.

        Parameters
        ----------
        point
            A value for each symbol: numbers (floats are taken as the exact binary fractions they are), or
            text and expressions without symbols such as ``"pi/2"``.
        """
        kind, rows = self._given
        found = rank_at(rows, point)
        return found if kind == "fields" else self.chart.dimension - found

    # -- brackets ------------------------------------------------------------------------------------
    @property
    def is_involutive(self) -> bool:
        """Whether [D, D] ⊂ D."""
        return self.involutivity.holds

    @cached_property
    def involutivity(self) -> Involutivity:
        """Whether [D, D] ⊂ D, with a bracket that is not in D as evidence if it fails."""
        for X, Y in combinations(self.fields, 2):
            Z = X.bracket(Y)
            rest = self._echelon.reduce(Z.components)
            witness = next((a for a in rest if not a.is_zero), None)
            if witness is not None:
                return Involutivity(False, X, Y, Z, witness)
        return Involutivity(True, proved=self.proved)

    def derived(self) -> Distribution:
        """D + [D, D]."""
        rows = self._echelon.copy()
        for X, Y in combinations(self.fields, 2):
            if rows.rank == self.dimension:
                break
            rows.add(X.bracket(Y).components)
        return Distribution(self.chart, rows, self.on)

    @cached_property
    def small_flag(self) -> Flag:
        """D ⊂ D + [D, D] ⊂ D² + [D, D²] ⊂ …, the weak derived flag."""
        from chetaev.geometry.flag import small_flag

        return small_flag(self)

    @cached_property
    def derived_flag(self) -> Flag:
        """D ⊂ D' = D + [D, D] ⊂ D' + [D', D'] ⊂ …, the derived flag."""
        from chetaev.geometry.flag import derived_flag

        return derived_flag(self)

    def growth_vector(self, big: bool = False) -> tuple[int, ...]:
        """The ranks of the small flag, or of the derived flag."""
        return (self.derived_flag if big else self.small_flag).ranks

    @cached_property
    def cauchy_characteristics(self) -> Distribution:
        """The X in D with [X, D] ⊂ D; always involutive."""
        fields = self.fields
        count = len(fields)
        rows = Echelon(count, self.zeros)
        brackets: dict[tuple[int, int], list[Element]] = {}
        for i, j in combinations(range(count), 2):
            brackets[i, j] = self._echelon.reduce(fields[i].bracket(fields[j]).components)
        zero = self.chart.field.zero
        for j in range(count):
            for place in range(self.chart.dimension):
                row = [zero] * count
                for i in range(count):
                    if i != j:
                        value = brackets[min(i, j), max(i, j)][place]
                        row[i] = value if i < j else -value
                rows.add(row)
        found = []
        for vector in rows.kernel():
            total = [zero] * self.chart.dimension
            for a, e in zip(vector, fields, strict=True):
                total = [s + a * c for s, c in zip(total, e.components, strict=True)]
            found.append(VectorField.of(self.chart, total))
        return Distribution.spanned_by(found, self.on, self.chart, check=False)

    # -- to be read ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        return "span{" + ", ".join(str(X) for X in self.fields) + "}"

    def __repr__(self) -> str:
        return f"Distribution({self})"

    def latex(self) -> str:
        r"""LaTeX: the span of the basis."""
        inner = r", \; ".join(X.latex() for X in self.fields) or "0"
        return rf"\operatorname{{span}}\left\{{ {inner} \right\}}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


def _chart_of(objects: Sequence[VectorField] | Sequence[Form], chart: Chart | None) -> Chart:
    if chart is None:
        if not objects:
            raise GeometryError("a distribution without fields or forms needs chart=")
        chart = objects[0].chart
    for o in objects:
        what = f"the {'field' if isinstance(o, VectorField) else 'form'} {o}"
        chart.require(o.chart, what)
        if isinstance(o, Form) and o.degree != 1:
            raise GeometryError(f"a distribution is annihilated by 1-forms, got the {o.degree}-form {o}")
    return chart
