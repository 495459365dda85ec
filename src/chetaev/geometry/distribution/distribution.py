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

from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear.growing_echelon import GrowingEchelon
from chetaev.expr.exact.linear.matrix import dot
from chetaev.geometry.calculus.form import Form
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.geometry.chart.chart import Chart, Function
from chetaev.geometry.chart.function_matrix import echelon, kernel, modestly
from chetaev.geometry.chart.functions import GeometryError
from chetaev.geometry.chart.ranks_seen import rank_at, seen_rank
from chetaev.geometry.chart.zeros import Zeros
from chetaev.geometry.distribution.flag import Involutivity, cauchy_characteristics, involutivity

if TYPE_CHECKING:
    from chetaev.geometry.distribution.flag import Flag

Rows = Sequence[Sequence[Element]]


class Distribution:
    """A distribution on a chart, or on the submanifold {f = 0} of it.

    ``Distribution([X, Y])`` is :meth:`spanned_by`; see also :meth:`annihilated_by`. Verdicts are about
    generic points; a submanifold with several branches should be given branch by branch.
    """

    chart: Chart
    zeros: Zeros
    """What decides zero on the manifold."""
    _rows: Rows
    _forms: Rows | None
    _guessed: bool

    def __init__(
        self,
        fields: Sequence[VectorField],
        on: Sequence[Function] = (),
        chart: Chart | None = None,
        check: bool = True,
    ) -> None:
        self.chart = chart = _chart_of(fields, chart, VectorField)
        self.zeros = zeros = Zeros(chart, [chart(f) for f in on])
        for X in fields if check else ():
            for f in zeros.on:
                if not zeros(X.derivative(f)):
                    raise GeometryError(
                        f"the field {X} is not tangent to the submanifold {f} = 0: it changes {f} there"
                    )
        self._rows, self._forms, self._guessed = [X.components for X in fields], None, False

    @classmethod
    def of_rows(cls, chart: Chart, rows: Rows, zeros: Zeros, forms: Rows | None = None) -> Distribution:
        """From the components of fields, and perhaps of forms; nothing is checked."""
        made = object.__new__(cls)
        made.chart, made.zeros, made._rows, made._forms, made._guessed = chart, zeros, rows, forms, False
        return made

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
        return cls(fields, on, chart, check)

    @classmethod
    def annihilated_by(
        cls, forms: Sequence[Form], on: Sequence[Function] = (), chart: Chart | None = None
    ) -> Distribution:
        """The common kernel of 1-forms, on {f = 0} also of the df."""
        chart = _chart_of(forms, chart, Form)
        zeros = Zeros(chart, [chart(f) for f in on])
        rows: Rows = [chart.d(f).row() for f in zeros.on] + [w.row() for w in forms]
        return cls.of_rows(chart, kernel(rows, chart.dimension, zeros), zeros, forms=rows)

    @classmethod
    def whole(cls, chart: Chart) -> Distribution:
        """All of TM."""
        return cls.spanned_by(chart.partials())

    # -- what it is ----------------------------------------------------------------------------------
    @property
    def on(self) -> tuple[Element, ...]:
        """The functions that vanish on the manifold it lives on."""
        return self.zeros.on

    @cached_property
    def _echelon(self) -> GrowingEchelon:
        return echelon(self._rows, self.chart.dimension, self.zeros)

    @cached_property
    def rank(self) -> int:
        """The generic rank."""
        seen = seen_rank(self._rows, self.zeros) if self._rows else 0
        if seen == min(len(self._rows), self.dimension):
            return seen
        rank = ask(lambda: self._echelon.rank)
        if isinstance(rank, GivenUp):
            self._guessed = True
            return seen
        return rank

    @cached_property
    def dimension(self) -> int:
        """The dimension of the manifold it lives on."""
        if not self.on:
            return self.chart.dimension
        rows = [self.chart.d(f).row() for f in self.on]
        seen = seen_rank(rows, self.zeros)
        return self.chart.dimension - (seen if seen == len(rows) else self._normal.rank)

    @property
    def corank(self) -> int:
        """How much the rank lacks to the dimension of the manifold."""
        return self.dimension - self.rank

    @property
    def proved(self) -> bool:
        """Whether all zero tests so far were proved."""
        return self.zeros.proved and not self._guessed

    @cached_property
    def _normal(self) -> GrowingEchelon:
        return echelon([self.chart.d(f).row() for f in self.on], self.chart.dimension, self.zeros)

    @cached_property
    def generators(self) -> tuple[VectorField, ...]:
        """The fields it was made from; they span it, and may be dependent."""
        return tuple(VectorField.of(self.chart, row) for row in self._rows)

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """A basis in reduced echelon form."""
        return tuple(VectorField.of(self.chart, row) for row in self._echelon.rows)

    @cached_property
    def annihilator(self) -> tuple[Form, ...]:
        """A basis of the 1-forms that vanish on D; on a submanifold modulo the df."""
        found = self._normal.copy()
        forms = []
        for row in kernel(self._rows, self.chart.dimension, self.zeros):
            if not self.on or found.add(row):
                forms.append(Form.of(self.chart, 1, {(i,): a for i, a in enumerate(row)}))
        return tuple(forms)

    def contains(self, field: VectorField) -> bool:
        """Whether a field lies in D at generic points."""
        self.chart.require(field.chart, "the vector field")
        found = modestly(self.chart.field, lambda: self._echelon.contains(field.components))
        if not isinstance(found, GivenUp):
            return found
        if seen_rank([*self._rows, field.components], self.zeros) > self.rank:
            return False
        self._guessed = True
        return True

    def annihilates(self, form: Form) -> bool:
        """Whether a 1-form vanishes on D."""
        self.chart.require(form.chart, "the form")
        row = form.row()
        return all(self.zeros(dot(row, X)) for X in self._rows)

    def __le__(self, other: Distribution) -> bool:
        """Whether D lies in another distribution."""
        return all(other.contains(VectorField.of(self.chart, row)) for row in self._rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.chart == other.chart and self.rank == other.rank and self <= other

    def __hash__(self) -> int:
        return hash((self.chart, self.rank))

    def __add__(self, other: Distribution) -> Distribution:
        """The sum D + D' at generic points."""
        self.chart.require(other.chart, "the second distribution of a sum")
        return Distribution.of_rows(self.chart, [*self._rows, *other._rows], self.zeros)

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
        if self._forms is None:
            return rank_at(self._rows, point)
        return self.chart.dimension - rank_at(self._forms, point)

    # -- brackets ------------------------------------------------------------------------------------
    @property
    def is_involutive(self) -> bool:
        """Whether [D, D] ⊂ D."""
        return self.involutivity.holds

    @cached_property
    def involutivity(self) -> Involutivity:
        """Whether [D, D] ⊂ D, with a bracket that is not in D as evidence if it fails."""
        return involutivity(self)

    def derived(self) -> Distribution:
        """D + [D, D]."""
        flag = self.derived_flag
        if len(flag.ranks) == 1:
            return self
        if len(flag.members) > 1:
            return flag.members[1]
        brackets = [X.bracket(Y).components for X, Y in combinations(self.generators, 2)]
        return Distribution.of_rows(self.chart, [*self._rows, *brackets], self.zeros)

    @cached_property
    def small_flag(self) -> Flag:
        """D ⊂ D + [D, D] ⊂ D² + [D, D²] ⊂ …, the weak derived flag."""
        from chetaev.geometry.distribution.flag import flag

        return flag(self, small=True)

    @cached_property
    def derived_flag(self) -> Flag:
        """D ⊂ D' = D + [D, D] ⊂ D' + [D', D'] ⊂ …, the derived flag."""
        from chetaev.geometry.distribution.flag import flag

        return flag(self, small=False)

    def growth_vector(self, big: bool = False) -> tuple[int, ...]:
        """The ranks of the small flag, or of the derived flag."""
        return (self.derived_flag if big else self.small_flag).ranks

    @cached_property
    def cauchy_characteristics(self) -> Distribution:
        """The X in D with [X, D] ⊂ D; always involutive."""
        return cauchy_characteristics(self)

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


def _chart_of(
    objects: Sequence[VectorField] | Sequence[Form], chart: Chart | None, kind: type[VectorField] | type[Form]
) -> Chart:
    if not isinstance(objects, Sequence) or any(not isinstance(o, kind) for o in objects):
        made = (
            "is spanned by a list of fields" if kind is VectorField else "is annihilated by a list of 1-forms"
        )
        raise GeometryError(f"a distribution {made}, not by {objects!r}")
    if chart is None:
        if not objects:
            raise GeometryError("a distribution without fields or forms needs chart=")
        chart = objects[0].chart
    for o in objects:
        if o.chart != chart:  # to print an object takes longer than to look at its chart
            chart.require(o.chart, f"the {'field' if isinstance(o, VectorField) else 'form'} {o}")
        if isinstance(o, Form) and o.degree != 1:
            raise GeometryError(f"a distribution is annihilated by 1-forms, got the {o.degree}-form {o}")
    return chart
