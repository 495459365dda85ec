"""Systems given on Q itself, with no ambient Lagrangian (SCOPE K25, Sa1; Krupková (67), (75), §4; Sarlet,
section 1).

A constrained system needs no ambient one. It is given by the constraint in normal form and the class of a
2-form,

    v^a = g^a(t, q, v^s),     ᾱ = Ā_s ω^s∧dt + B̄_sr ω^s∧dv^r:     Ā_s + B̄_sr a^r = 0,   a^a = d_c g^a/dt,

or already solved, as Sarlet's mixed first- and second-order system

    a^α = f^α(t, q, v^β),      v^a = g^a(t, q, v^β)        (then Ā = f, B̄ = −1).

All functions depend on the independent velocities only. The law has no multipliers: there is no force of
constraint. Its geometry is the submanifold Q of the first-order equations, and the semispray on it,

    Γ = ∂/∂t + v^s ∂/∂q^s + g^a ∂/∂q^a + a^s ∂/∂v^s,      here a field on J¹Y tangent to Q.

>>> car = mixed(["s", "x", "theta"], second={"s": "-s'"}, first={"x": "cos(theta)*s'", "theta": "u"},
...             parameters={"u": 2})
>>> car.accelerations["x"] == car.constraint.chart("-s'*(u*sin(theta) + cos(theta))")
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi

from chetaev.constraint.submanifold.adapted_chart import AdaptedChart
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Setup, names
from chetaev.equations.law.system_without_dynamics import Carrier, carrier
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import solve
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.geometry.calculus.mixed_calculus import MixedSpace
from chetaev.geometry.calculus.vector_field import VectorField
from chetaev.model.dynamics.submanifold import Intrinsic
from chetaev.model.system import System

Text = str | int | Expr
"""A function as it may be given: text of the model language, a whole number, an expression."""


@dataclass(frozen=True)
class SystemOnQ:
    """A constrained system on Q: g, Ā, B̄ in the chart of independent velocities.

    Attributes
    ----------
    system
        Names, parameters and the constraints v^a = g^a: no system that runs, it has no Lagrangian.
    independent
        The coordinates with second-order equations, in order.
    g
        Right sides of the first-order equations, by dependent coordinate.
    A, B
        Ā_s, and B̄_sr as rows.

    Examples
    --------
    >>> s = mixed(["x", "y"], second={"x": "-x - y'"}, first={"y": "x*x'"})
    Traceback (most recent call last):
    chetaev.errors.ModelError: the equation of 'x' contains the velocity of 'y', which is not independent
      expected functions of time, coordinates and the velocities of x
    >>> s = mixed(["x", "y"], second={"x": "-x"}, first={"y": "x*x'"})
    >>> s.derive().evaluate({("x", 0): 2, ("x", 1): 3, ("y", 0): 0, "t": 0})[0]
    [mpf('-2.0'), mpf('5.0')]
    """

    system: Carrier
    independent: tuple[str, ...]
    g: Mapping[str, Expr]
    A: tuple[Expr, ...]
    B: tuple[tuple[Expr, ...], ...]

    @classmethod
    def of(cls, system: System) -> SystemOnQ:
        """From a model that is given on Q: a mixed system, or A and B with constraints v^a = g^a.

        >>> import chetaev as ch
        >>> print(SystemOnQ.of(ch.load("steered-car")).space.eta[2])
        -t*k*ds + dtheta
        """
        dynamics = system.dynamics
        if not isinstance(dynamics, Intrinsic):
            raise ModelError(
                f"the dynamics of the system is given by {dynamics.given_by}, not on Q itself",
                expected="accelerations and velocities, or A and B",
            )
        g: dict[str, Expr] = {}
        for e in system.velocity_constraints:
            name, order = e.lhs.value if e.lhs.op == "symbol" else ("", 0)
            if order != 1 or name in dynamics.independent or name in g:
                raise ModelError(
                    f"the constraint {e} is not in normal form", expected="constraints in the form y' = …"
                )
            g[name] = e.rhs
        names = carrier(
            system.coordinates,
            [str(e) for e in system.velocity_constraints],
            {n: str(e) for n, e in system.parameters.items()},
            time=system.time,
            define={n: str(d.args[0]) for n, d in system.definitions.items()},
        )
        A, B = _functions(dynamics)
        texts = {c: str(e) for c, e in zip(dynamics.independent, A, strict=True)}
        read = {c: _read(names, str(e), dynamics.independent, c) for c, e in g.items()}
        return cls(
            names,
            dynamics.independent,
            read,
            tuple(_read(names, text, dynamics.independent, c) for c, text in texts.items()),
            tuple(tuple(_read(names, str(x), dynamics.independent, "B") for x in row) for row in B),
        )

    # --- geometry ---------------------------------------------------------------------------------

    @cached_property
    def constraint(self) -> Constraint:
        """Q = {v^a = g^a}."""
        return Constraint(self.system)

    @cached_property
    def chart(self) -> AdaptedChart:
        """The chart of Q whose dependent velocities are the v^a."""
        return AdaptedChart(self.constraint, tuple(self.g))

    @cached_property
    def accelerations(self) -> dict[str, Element]:
        """All accelerations on Q, exact: a^s from Ā + B̄ a = 0, and a^a = d_c g^a/dt."""
        J = self.constraint.chart
        try:
            solved = solve([[J(e) for e in row] for row in self.B], [-J(e) for e in self.A])
        except ValueError:
            raise ModelError(
                "B̄ is singular: the equations on Q do not determine the accelerations",
                remedy="derive() states them as they are",
            ) from None
        found = dict(zip(self.independent, solved, strict=True))
        for c, e in self.g.items():
            g = J(e)
            moved = [(self._velocity(q), (q, 0)) for q in self.system.coordinates]
            moved += [(found[q], (q, 1)) for q in self.independent]
            found[c] = sum((rate * g.diff(s) for rate, s in moved), g.diff((self.system.time, 0)))
        return {c: found[c] for c in self.system.coordinates}

    @cached_property
    def space(self) -> MixedSpace:
        """The space J¹_σ of the mixed system, for the calculus along ρ (Sa2–Sa4)."""
        return MixedSpace(
            self.independent, tuple(self.g), self.g, self.system.time, parameters=self.system.parameters
        )

    @cached_property
    def second_order_field(self) -> VectorField:
        """Γ on J¹_σ, with the accelerations of the system."""
        return self.space.second_order_field([self.accelerations[c].to_expr() for c in self.independent])

    @cached_property
    def semispray(self) -> VectorField:
        """Γ as a field on J¹Y, tangent to Q."""
        J, names = self.constraint.chart, self.system.coordinates
        values = [*map(self._velocity, names), *(self.accelerations[c] for c in names)]
        return VectorField.of(J, [J.field.one, *values])

    def _velocity(self, name: str) -> Element:
        J = self.constraint.chart
        return J(self.g[name]) if name in self.g else J.field.symbol(name, 1)

    # --- the law ----------------------------------------------------------------------------------

    def derive(self) -> Equations:
        """The equations of motion on Q; unknowns are the independent accelerations."""
        s = Setup(self.system)
        index = {c: i for i, c in enumerate(self.system.coordinates)}
        S, D = [index[c] for c in self.independent], sorted(index[c] for c in self.g)
        g = s.column([self.g[self.system.coordinates[i]] for i in D])
        v = casadi.SX(s.v)
        for row, i in enumerate(D):
            v[i] = g[row]
        recover, offset = s.lifted(s.by_v(g)[:, S], s.by_t(g) + s.by_q(g) @ v, S)
        return Equations(
            form="mixed",
            system=self.system,
            unknowns=names([s.accelerations[i] for i in S]),
            matrix=[list(row) for row in self.B],
            right=[-a for a in self.A],
            recover=s.matrix(recover),
            offset=s.graphs(offset),
            objects={"A": list(self.A), "B": [list(row) for row in self.B], "g": dict(self.g)},
            source="Krupková (67), (75); Sarlet, section 1; K25, Sa1",
        )


def _functions(dynamics: Intrinsic) -> tuple[list[Expr], list[list[Expr]]]:
    """Ā and B̄ as graphs; −1 for the B̄ of a mixed system."""
    own = [p.expr for p in dynamics.parts]
    n = len(dynamics.independent)
    if len(own) == n:
        minus = graph.neg(graph.ONE)
        return own, [[minus if i == j else graph.ZERO for j in range(n)] for i in range(n)]
    return own[:n], [own[n + i * n : n + (i + 1) * n] for i in range(n)]


def on_submanifold(
    coordinates: Sequence[str],
    g: Mapping[str, Text],
    A: Mapping[str, Text],
    B: Mapping[tuple[str, str], Text],
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> SystemOnQ:
    """A system from Ā, B̄ and g (K25).

    Parameters
    ----------
    coordinates
        All coordinates.
    g
        v^a by dependent coordinate.
    A, B
        Ā by independent coordinate, B̄ by pairs of them; entries left out are zero. B̄ need not be symmetric.
    **options
        What a System takes besides: time, initial, name, define.
    """
    system = carrier(coordinates, [f"{c}' = {text}" for c, text in g.items()], parameters, **options)
    independent = tuple(c for c in system.coordinates if c not in g)
    for name in (*A, *(c for pair in B for c in pair)):
        if name not in independent:
            raise ModelError.unknown(f"{name!r} is no independent coordinate", name, independent)
    return SystemOnQ(
        system,
        independent,
        {c: _read(system, text, independent, c) for c, text in g.items()},
        tuple(_read(system, A.get(c, "0"), independent, c) for c in independent),
        tuple(
            tuple(_read(system, B.get((c, d), "0"), independent, c) for d in independent) for c in independent
        ),
    )


def mixed(
    coordinates: Sequence[str],
    second: Mapping[str, Text],
    first: Mapping[str, Text],
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> SystemOnQ:
    """Sarlet's mixed system: accelerations of some coordinates, velocities of all others (Sa1)."""
    missing = [c for c in coordinates if (c in second) == (c in first)]
    if missing:
        raise ModelError(
            f"{missing[0]!r} has {'two equations' if missing[0] in second else 'no equation'}",
            expected="each coordinate in exactly one of `second` and `first`",
        )
    if not second:
        raise ModelError(
            "all equations are of first order: no acceleration is given",
            expected="at least one coordinate in `second`",
            remedy="a motion that constraints prescribe is a System with as many constraints as coordinates",
        )
    B: dict[tuple[str, str], Text] = {(c, c): "-1" for c in second}
    return on_submanifold(coordinates, first, second, B, parameters, **options)


def _read(system: System, text: Text, independent: Sequence[str], about: str) -> Expr:
    expr = text if isinstance(text, Expr) else parse(str(text), system.scope)
    for name, order in sorted(graph.symbols(expr)):
        if order and name not in independent:
            raise ModelError(
                f"the equation of {about!r} contains the velocity of {name!r}, which is not independent",
                expected="functions of time, coordinates and the velocities of " + ", ".join(independent),
            )
    return expr
