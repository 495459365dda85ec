"""A system on a Lie algebra as a value: rates, the model of first order, the way back (SCOPE M4).

The way from the algebra back to a group of matrices is ġ = g ξ^i E_i from g = 1 on (SCOPE M6). Entries that
stay as they are, such as the last row of motions of the plane, are put to their values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, sub, substitute, symbol
from chetaev.expr.print import to_latex, to_text
from chetaev.flow.data.simulate import simulate
from chetaev.laws.rate import rate
from chetaev.laws.standpoint import judge, standpoints
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.system import System
from chetaev.reduction.algebra.structure import StructureConstants
from chetaev.reduction.algebra.suslov import OnAlgebra, SuslovEquations
from chetaev.results import TextResult

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class AlgebraSystem(TextResult):
    """A system on a Lie algebra.

    Attributes
    ----------
    given
        l, constraints, advected quantities and forces.
    equations
        What follows.
    parameters, initial, until, name
        Data of the model.
    full, frame
        The model it was computed from, and its frame, if there is one.
    """

    given: OnAlgebra
    equations: SuslovEquations
    parameters: Mapping[str, Any]
    initial: Mapping[str, Any] | None = None
    until: Any = None
    name: str = "On a Lie algebra"
    full: System | None = None
    frame: Mapping[str, Sequence[Expr]] = field(default_factory=dict)

    facts = "lagrangian rates momenta poles"

    @property
    def structure(self) -> StructureConstants:
        """The algebra."""
        return self.given.structure

    @cached_property
    def rates(self) -> dict[str, Expr]:
        """Rates of the independent velocities and of the advected quantities."""
        return {n: e.to_expr() for n, e in self.equations.rates.items()}

    @cached_property
    def velocity(self) -> dict[str, Expr]:
        """ξ by name, as functions of the independent ones."""
        pairs = zip(self.structure.names, self.equations.velocity, strict=True)
        return {n: e.to_expr() for n, e in pairs}

    @cached_property
    def lagrangian(self) -> Expr:
        """l(ξ, Γ)."""
        return self.given.lagrangian.to_expr()

    @cached_property
    def momenta(self) -> dict[str, Expr]:
        """∂l/∂ξ on the constraint."""
        pairs = zip(self.structure.names, self.equations.momenta, strict=True)
        return {n: e.to_expr() for n, e in pairs}

    @cached_property
    def system(self) -> System:
        """The equations as a model of first order."""
        return self.first_order({n: to_text(e) for n, e in self.rates.items()}, self.initial, self.name)

    def first_order(
        self, velocities: Mapping[str, str], initial: Mapping[str, Any] | None, name: str
    ) -> System:
        """A model with these rates and the parameters of this one."""
        return System(
            coordinates=list(velocities),
            dynamics={"velocities": velocities},
            parameters=self.parameters,
            initial=initial,
            until=self.until,
            name=name,
        )

    # -- the way back ----------------------------------------------------------------------------------
    @cached_property
    def lifted(self) -> System:
        """With the group: coordinates of the model, or the entries g_11, g_12, … of a matrix from 1 on."""
        laws = {n: to_text(e) for n, e in self.rates.items()}
        if self.full is not None:
            laws |= {c: to_text(e) for c, e in self._in_frame().items()}
            start = None if self.initial is None else dict(self.initial)
            if start is not None:
                start |= dict(self.full.state.position)
        else:
            more, unit = in_matrices(self.structure.matrices, self.equations.velocity)
            laws |= more
            start = None if self.initial is None else {**self.initial, **unit}
        return self.first_order(laws, start, f"{self.name}, on the group")

    def _in_frame(self) -> dict[str, Expr]:
        assert self.full is not None
        view = standpoints(self.full)[0]
        found = {}
        for i, c in enumerate(self.full.coordinates):
            column = [self.given.field(e) for e in view.apply([x[i] for x in self.frame.values()])]
            found[c] = linear.dot(column, self.equations.velocity).to_expr()
        return found

    def reconstruct(self, **options: Any) -> xarray.Dataset:
        """The motion on the group: `ch.simulate` of :attr:`lifted`, with its options."""
        return simulate(self.lifted, **options)

    # -- how it is known -------------------------------------------------------------------------------
    def agreement(self, effort: int = EFFORT) -> dict[str, Verdict]:
        """For a system computed from a model: the rates along its full motion against these, proved."""
        effort = expect_effort(effort)
        full = self.full
        if full is None:
            raise ModelError(
                "this system was given on the algebra, so there is no model to compare it with",
                remedy="ch.on_algebra(model, frame={…}) computes it from one",
            )
        put = {symbol(n): e for n, e in self.on_full(full).items()}
        found = {}
        for n, law in self.rates.items():
            (pulled,) = substitute([law], put)
            defect = sub(rate(full, put[symbol(n)]), pulled)
            found[n] = judge(full, lambda view, e=defect: vanish(full, [e], view, effort)[0])[0]  # type: ignore[misc]
        return found

    def on_full(self, full: System) -> dict[str, Expr]:
        """ξ as functions of coordinates and velocities: the dual frame."""
        view, f = standpoints(full)[0], self.given.field
        E = [[f(e) for e in view.apply(list(x))] for x in self.frame.values()]
        columns = [list(column) for column in zip(*E, strict=True)]
        solved = linear.solve(columns, [f.symbol(c, 1) for c in full.coordinates])
        return {n: e.to_expr() for n, e in zip(self.frame, solved, strict=True)}

    # -- to the world ----------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "structure": str(self.structure),
            "constraints": [f"{n} = {to_text(e)}" for n, e in self._dependent.items()],
            "model": self.system.to_toml(),
        }

    @cached_property
    def poles(self) -> tuple[Expr, ...]:
        """Functions of advected quantities that the constraints are divided by where they are solved.

        Where one of them is zero the independent velocities do not give the others, and a run ends.
        """
        found: dict[Expr, None] = {}
        advected = set(self.rates) - set(self.equations.independent)
        for e in self.equations.velocity:
            for p, _ in e.field.factor(e.denominator)[1]:
                factor = e.field.polynomial(p)
                signed = positive(factor) or positive(-factor)
                if not signed and any(n in advected for n, _ in factor.symbols):
                    found[factor.to_expr()] = None
        return tuple(found)

    @property
    def _dependent(self) -> dict[str, Expr]:
        return {n: e for n, e in self.velocity.items() if n not in self.equations.independent}

    def __str__(self) -> str:
        lines = [str(self.structure), f"  l = {to_text(self.lagrangian)}"]
        lines += [f"  constraint: {n} = {to_text(e)}" for n, e in self._dependent.items()]
        lines += [f"  {n}' = {to_text(e)}" for n, e in self.rates.items()]
        lines += [f"  not defined where {to_text(e)} = 0" for e in self.poles]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>$\\dot{{{to_latex(symbol(n))}}}$</td><td>${to_latex(e)}$</td></tr>"
            for n, e in self.rates.items()
        )
        return f"<table>{rows}</table>{super()._repr_html_()}"


def in_matrices(
    E: Sequence[Sequence[Sequence[int]]], velocity: Sequence[Element]
) -> tuple[dict[str, str], dict[str, float]]:
    """Rates of the entries g_11, g_12, … that move, and their values in g = 1."""
    if not E:
        raise ModelError(
            "nothing is known of the group but its algebra, so the motion cannot be taken back to it",
            remedy="so3, se2, se3 and heisenberg have matrices; a model with a frame has coordinates",
        )
    n, f = len(E[0]), velocity[0].field
    turn = [[f.zero] * n for _ in range(n)]
    for matrix, speed in zip(E, velocity, strict=True):
        for k in range(n):
            for j in range(n):
                if matrix[k][j]:
                    turn[k][j] = turn[k][j] + speed * matrix[k][j]
    places = [(i, j) for i in range(n) for j in range(n)]
    moving = set(places)
    while True:
        g = {(i, j): f.symbol(_name(i, j)) if (i, j) in moving else f.one * int(i == j) for i, j in places}
        rates = {}
        for i, j in places:
            rates[i, j] = sum((g[i, k] * turn[k][j] for k in range(n)), f.zero)
        still = {p for p in moving if rates[p].is_blank}
        if not still:
            break
        moving -= still
    kept = [p for p in places if p in moving]
    laws = {_name(*p): to_text(rates[p].to_expr()) for p in kept}
    return laws, {_name(i, j): float(i == j) for i, j in kept}


def _name(i: int, j: int) -> str:
    return f"g_{i + 1}{j + 1}"
