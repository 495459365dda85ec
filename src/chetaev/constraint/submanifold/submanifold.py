"""The constraint submanifold Q ⊂ J¹Y, from implicit equations (SCOPE K13, K16; Krupková §4.1).

    Q:  f^a(t, q, v) = 0,  rank C = k,  C = ∂f/∂v     Q̂ ⊂ J²Y:  f^a = 0,  df^a/dt = 0        (45), (46), (53)

No closed normal form is needed: everything on Q is written in the ambient coordinates (t, q, v). A position
constraint φ(t, q) = 0 enters with f = dφ/dt, and Q then lies over {φ = 0}.

>>> Q = Constraint.of(["x'^5 + x'*y' + y*z'^3 - 1 = 0"], coordinates=["x", "y", "z"])
>>> Q.codimension, Q.jacobian[0][0] == Q.chart("5*x'^4 + y'")
(1, True)
>>> sorted(chart.dependent for chart in Q.charts())
[('x',), ('y',), ('z',)]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.constraint.submanifold.constraint_data import ConstraintData
from chetaev.constraint.submanifold.constraint_in_numbers import Array, Numbers
from chetaev.constraint.submanifold.evidence import EFFORT, Allowance
from chetaev.constraint.submanifold.rank_condition import Survey, clear_rank, row_scale, survey
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.effort.ledger import remembered
from chetaev.expr.exact.linear.matrix import determinant
from chetaev.expr.graph.node import Expr, definitions, symbols
from chetaev.geometry.chart.chart import JetChart
from chetaev.geometry.chart.zeros import Zeros
from chetaev.numeric import largest_minor, unit_rows

if TYPE_CHECKING:
    from chetaev.constraint.submanifold.adapted_chart import AdaptedChart
    from chetaev.constraint.submanifold.normal_form import NormalForm
    from chetaev.constraint.submanifold.rank_condition import RankCondition
    from chetaev.geometry.distribution.distribution import Distribution
    from chetaev.model.system import System

POINTS = 12


class Constraint:
    """The submanifold Q of a system, or of given equations.

    Parameters
    ----------
    source
        A :class:`~chetaev.model.system.System`, or what
        :class:`~chetaev.constraint.submanifold.constraint_data.ConstraintData` holds.
    symbolic
        Whether parameters stay symbols in exact results (numbers always use their values).
    effort
        What exact questions about it may cost; each has its share of that.
    """

    def __init__(
        self, source: System | ConstraintData, *, symbolic: bool = True, effort: int = EFFORT
    ) -> None:
        self.effort = effort
        given = source if isinstance(source, ConstraintData) else ConstraintData.from_system(source)
        self.given = given if symbolic else given.at_values()
        if not self.given.coordinates:
            raise ModelError("a constraint needs coordinates", remedy="name at least one")

    @classmethod
    def of(
        cls,
        velocity: Iterable[str | Expr],
        coordinates: Iterable[str],
        position: Iterable[str | Expr] = (),
        parameters: Mapping[str, int | str] | None = None,
        time: str = "t",
    ) -> Constraint:
        """From equations as text."""
        return cls(ConstraintData.of(velocity, coordinates, position, parameters, time))

    # --- the ambient jet bundle -------------------------------------------------------------------
    @cached_property
    def chart(self) -> JetChart:
        """The coordinates (t, q, v) of J¹Y."""
        made = JetChart(self.given.coordinates, 1, self.given.time, Field(), tuple(self.given.values))
        for name in definitions(*self.given.functions):
            moving = any(order for _, order in symbols(name))
            if not moving and name.args[0].op not in ("symbol", "number"):  # names of the model stay
                made.field.named.append((made(name.args[0]), name))
        return made

    @property
    def field(self) -> Field:
        """The functions on J¹Y."""
        return self.chart.field

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates q."""
        return self.given.coordinates

    @remembered
    def positions(self) -> tuple[Element, ...]:
        """φ^i(t, q), the position constraints."""
        return tuple(self.chart(e) for e in self.given.position)

    @remembered
    def all_functions(self) -> tuple[Element, ...]:
        """Every f^a as given, the derivatives of position constraints first."""
        rates = tuple(self.chart.cut_total_derivative(phi) for phi in self.positions)
        return rates + tuple(self.chart(e) for e in self.given.velocity)

    @remembered
    def functions(self) -> tuple[Element, ...]:
        """f^a, without redundant ones."""
        return tuple(self.all_functions[a] for a in self.survey.rows)

    @property
    def is_holonomic_as_written(self) -> bool:
        """Whether all independent constraints are on positions."""
        return all(a < len(self.given.position) for a in self.survey.rows)

    @property
    def on(self) -> tuple[Element, ...]:
        """Everything that vanishes on Q: f and φ."""
        return (*self.functions, *self.positions)

    @remembered
    def zeros(self) -> Zeros:
        """What decides whether a function vanishes on Q."""
        return Zeros(self.chart, self.on)

    @remembered
    def slopes(self) -> tuple[dict[str, Element], ...]:
        """∂f^a/∂v^σ for every f^a as given, by name of the coordinate; those left out are 0."""
        return tuple({q: f.diff((q, 1)) for q, o in sorted(f.symbols) if o} for f in self.all_functions)

    @remembered
    def jacobian(self) -> tuple[tuple[Element, ...], ...]:
        """C = ∂f/∂v, one row for each independent constraint."""
        zero = self.chart.field.zero
        return tuple(tuple(self.slopes[a].get(q, zero) for q in self.coordinates) for a in self.survey.rows)

    @remembered
    def at_rest(self) -> tuple[Element, ...]:
        """f^a at v = 0, for every f^a as given: of an affine constraint the terms without velocities."""
        still = {(q, 1): 0 for q in self.coordinates}
        return tuple(f.subs({s: 0 for s in still if s in f.symbols}) for f in self.all_functions)

    @property
    def exact(self) -> bool:
        """Whether f and ∂f/∂v are within reach of exact algebra; if not, everything rests on points."""
        return self._exact[0]

    @property
    def given_up(self) -> bool:
        """Whether they are not, and more effort might help."""
        return self._exact[1]

    @remembered
    def _exact(self) -> tuple[bool, bool]:
        own = Allowance(self.effort // 2, self.effort // 2)
        return own.attempt(self.field, lambda: self.slopes) is not None, own.exhausted

    @remembered
    def is_affine_as_written(self) -> bool:
        """Whether no ∂f/∂v contains a velocity."""
        if not self.exact:
            return self.numbers.is_affine
        return not any(order for row in self.jacobian for e in row for _, order in e.symbols)

    @property
    def dimension(self) -> int:
        """dim Q, counted over {φ = 0}."""
        m = len(self.coordinates)
        return 2 * m + 1 - self.codimension - len(self.positions)

    # --- points -----------------------------------------------------------------------------------
    @cached_property
    def numbers(self) -> Numbers:
        """f and its derivatives in double precision, at the values of the parameters."""
        return Numbers(self.given)

    @cached_property
    def points(self) -> list[Array]:
        """Points z = (t, q, v) on Q."""
        start = self.start
        return ([start] if start is not None else []) + self.numbers.points(POINTS)

    def share_points(self, other: Constraint) -> None:
        """Use the points of the same constraint with other symbols, instead of looking for them again."""
        for name in ("numbers", "points", "start", "survey"):
            self.__dict__[name] = getattr(other, name)
        if "_locals" in other.__dict__:
            self.__dict__["_locals"] = other.__dict__["_locals"]

    def alone(self) -> Constraint:
        """The same constraint with a field of its own: what was asked of this one does not show there."""
        other = Constraint(self.given, effort=self.effort)
        other.share_points(self)
        return other

    @cached_property
    def start(self) -> Array | None:
        """The given state as a point of Q, if there is one."""
        state = self.given.state
        if state is None:
            return None
        z = np.array([state[s.value] for s in self.given.variables])
        return z if np.all(np.isfinite(self.numbers.first(z))) else None

    @cached_property
    def survey(self) -> Survey:
        """Rank, independent constraints and charts, read off points."""
        return survey(self.numbers, self.points)

    @property
    def codimension(self) -> int:
        """k: the number of independent constraints on velocities."""
        return len(self.survey.rows)

    def describe(self, z: Array) -> dict[str, float]:
        """A point with its names."""
        names = list(map(str, self.given.variables))
        return {n: float(x) for n, x in zip(names, z, strict=True)}

    # --- rank condition ---------------------------------------------------------------------------
    @remembered
    def rank_condition(self) -> RankCondition:
        """The rank condition (46) and where it fails."""
        from chetaev.constraint.submanifold.rank_condition import rank_condition

        return rank_condition(self.alone())

    @remembered
    def meaning(self) -> list[Element] | None:
        """Functions that vanish exactly on Q, sums of squares taken apart; None if there is no point."""
        from chetaev.constraint.submanifold.empty_set import meaning

        return meaning((*self.functions, *self.positions), self.coordinates)

    def rank_at(self, point: Mapping[Any, float]) -> int:
        """The rank of ∂f/∂v at a point given by names, velocities as ``"x'"``."""
        C = self.numbers.first(self._at(point))[:, 1 + len(self.coordinates) :]
        return clear_rank(unit_rows(C, row_scale(self.numbers)))

    def _at(self, point: Mapping[Any, float]) -> Array:
        return np.array([float(point[str(s)]) for s in self.given.variables])

    # --- charts and normal forms ------------------------------------------------------------------
    def charts(self) -> list[AdaptedChart]:
        """Charts of Q by pivoting, best first: each a choice of dependent velocities."""
        from chetaev.constraint.submanifold.adapted_chart import AdaptedChart

        return [AdaptedChart(self, D) for D in self._ordered_charts]

    @remembered
    def _ordered_charts(self) -> tuple[tuple[int, ...], ...]:
        """Charts whose det C_D is a number first, then short ones, then as points say."""
        charts = self.survey.charts
        if len(charts) < 2 or not self.codimension or not self.exact:
            return charts
        allowance, head = Allowance(3 * self.effort // 20, self.effort // 20), []
        for i, D in enumerate(charts[:20]):
            block = [[row[j] for j in D] for row in self.jacobian]
            det = allowance.attempt(self.chart.field, lambda block=block: determinant(block))  # type: ignore[misc]
            length = 10**6 if det is None else 0 if det.is_number else det.terms
            head.append((length, i, D))
        head.sort()
        return (*(D for _, _, D in head), *charts[20:])

    @remembered
    def adapted(self) -> AdaptedChart:
        """The best chart."""
        from chetaev.constraint.submanifold.adapted_chart import AdaptedChart

        return AdaptedChart(self, self._ordered_charts[0])

    def coefficients(self, allowance: Allowance) -> tuple[list[Element], list[list[Element]]] | None:
        """A and B of v_D = A + B v_S in the best chart; None if they are too long, which is tried once."""
        found, exhausted = self._coefficients
        allowance.exhausted |= exhausted
        return found

    @remembered
    def _coefficients(self) -> tuple[tuple[list[Element], list[list[Element]]] | None, bool]:
        """The coefficients, and whether effort would help; this does not depend on the question's own."""
        own = Allowance(self.effort // 4, self.effort // 4)
        return own.attempt(self.field, lambda: (self.adapted.A, self.adapted.B)), own.exhausted

    def best_chart(self, point: Mapping[Any, float]) -> AdaptedChart:
        """The chart whose C_D is farthest from singular at a point."""
        from chetaev.constraint.submanifold.adapted_chart import AdaptedChart

        return AdaptedChart(self, self.best_pivots(self._at(point)))

    def best_pivots(self, z: Array) -> tuple[int, ...]:
        """The dependent velocities with the largest |det C_D| at a point."""
        C = self.numbers.first(z)[list(self.survey.rows), 1 + len(self.coordinates) :]
        return self.survey.charts[largest_minor(C, self.survey.charts)]

    @remembered
    def projection(self) -> Distribution:
        """The distribution D on Y of a constraint written affine (63)."""
        from chetaev.constraint.submanifold.canonical_distribution import projected_distribution

        return projected_distribution(self)

    def normal_forms(self) -> list[NormalForm]:
        """Closed normal forms v_D = g(t, q, v_S), each on a stated branch; empty if none is found."""
        from chetaev.constraint.submanifold.normal_form import normal_forms

        return normal_forms(self.alone())

    # --- prolongation -----------------------------------------------------------------------------
    def prolongation(self) -> tuple[Element, ...]:
        """Q̂ ⊂ J²Y: f^a and df^a/dt, functions on J²Y (53).

        >>> Q = Constraint.of(["z' = y*x'"], ["x", "y", "z"])
        >>> Q.prolongation()[1] == Q.chart.at_order(2)("z'' - y*x'' - x'*y'")
        True
        """
        return (*self.functions, *(self.chart.total_derivative(f) for f in self.functions))

    def __repr__(self) -> str:
        return f"<Constraint: codimension {self.codimension} in J¹ of ({', '.join(self.coordinates)})>"
