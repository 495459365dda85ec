"""What a constraint is made of: names, functions f(t, q, v) and φ(t, q), values of parameters, a state.

A :class:`~chetaev.model.system.System` gives it; so do plain equations as text. Position constraints φ = 0
enter twice, as φ = 0 and as f = dφ/dt = ∂φ/∂t + v^σ ∂φ/∂q^σ = 0 (SCOPE K13, K14).

>>> given = Given.of(["x' + z*z' = 0"], coordinates=["x", "y", "z"])
>>> given.velocity
(Expr("x' + z*z'"),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.expr.graph import Expr, number, postorder, substitute, symbol
from chetaev.expr.parser import Equation, parse, parse_equation
from chetaev.expr.scope import Scope

if TYPE_CHECKING:
    from chetaev.expr.engine import SX, Engine
    from chetaev.model.system import System

BRANCHING = ("abs", "sign", "sqrt", "min", "max", "asin", "acos", "atan2", "acosh")
"""Functions that make an equation hold on a branch only."""


@dataclass(frozen=True)
class Given:
    """The functions of a constraint, with everything needed to put numbers in.

    Attributes
    ----------
    velocity
        f^a(t, q, v), one for each velocity constraint.
    position
        φ^i(t, q), one for each position constraint.
    values
        The parameters: exact numbers or expressions without symbols.
    state
        A point (t, q, v) to start looking from, by ``(name, order)``; the initial state if there is one.
    labels
        The constraints as they were written, for messages.
    """

    coordinates: tuple[str, ...]
    velocity: tuple[Expr, ...] = ()
    position: tuple[Expr, ...] = ()
    time: str = "t"
    values: Mapping[str, Expr] = field(default_factory=dict)
    state: Mapping[tuple[str, int], float] | None = None
    labels: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints as equations in words, velocity constraints first."""
        if self.labels and len(self.labels) == len(self.velocity) + len(self.position):
            return self.labels
        return (*(f"{e} = 0" for e in self.velocity), *(f"{e} = 0" for e in self.position))

    @classmethod
    def of(
        cls,
        velocity: Iterable[str | Expr],
        coordinates: Iterable[str],
        position: Iterable[str | Expr] = (),
        parameters: Mapping[str, int | str] | None = None,
        time: str = "t",
    ) -> Given:
        """From equations as text; an expression without ``=`` means that it vanishes."""
        names = tuple(coordinates)
        raw = dict(parameters or {})
        scope = Scope.of(names, raw, time, purpose="a constraint")
        values = {
            n: number(v) if isinstance(v, int) else parse(v, Scope.of((), raw, None)) for n, v in raw.items()
        }
        return cls(
            names,
            tuple(_function(e, scope) for e in velocity),
            tuple(_function(e, scope.but(order=0, purpose="a position constraint")) for e in position),
            time,
            _resolved(values),
        )

    @classmethod
    def from_system(cls, system: System) -> Given:
        """The constraints of a model, with its parameter values and its initial state."""
        state: dict[tuple[str, int], float] | None = None
        if system.initial is not None:
            start = system.state
            state = {(system.time, 0): start.t}
            state |= {(n, 0): x for n, x in start.position.items()}
            state |= {(n, 1): x for n, x in start.velocity.items()}
        return cls(
            system.coordinates,
            tuple(e.residual for e in system.velocity_constraints),
            tuple(e.residual for e in system.position_constraints),
            system.time,
            _resolved(system.parameters),
            state,
            tuple(map(str, (*system.velocity_constraints, *system.position_constraints))),
        )

    def with_values(self, *expressions: Expr) -> list[Expr]:
        """Expressions with the parameters replaced by their values."""
        return substitute(expressions, {symbol(n): e for n, e in self.values.items()})

    def at_values(self) -> Given:
        """The same constraint with its parameters put in."""
        velocity = tuple(self.with_values(*self.velocity))
        return replace(self, velocity=velocity, position=tuple(self.with_values(*self.position)), values={})

    @property
    def variables(self) -> tuple[Expr, ...]:
        """(t, q, v) as symbols: the coordinates of J¹Y."""
        return (
            symbol(self.time),
            *(symbol(q) for q in self.coordinates),
            *(symbol(q, 1) for q in self.coordinates),
        )

    @property
    def branching(self) -> tuple[str, ...]:
        """The functions in the constraint that restrict it to a branch, as they are written."""
        found: dict[str, None] = {}
        for node in postorder(*self.velocity, *self.position):
            even = (
                node.op == "pow" and node.args[1].op == "number" and node.args[1].value.denominator % 2 == 0
            )
            if (node.op in BRANCHING or even) and _has_variables(node, self.coordinates, self.time):
                found[str(node)] = None
        return tuple(found)


def _has_variables(node: Expr, coordinates: tuple[str, ...], time: str) -> bool:
    names = {*coordinates, time}
    return any(n.op == "symbol" and n.value[0] in names for n in postorder(node))


def _function(equation: str | Expr | Equation, scope: Scope) -> Expr:
    if isinstance(equation, Expr):
        return equation
    if isinstance(equation, Equation):
        return equation.residual
    if not isinstance(equation, str):
        raise ModelError(f"a constraint is {equation!r}", expected="an equation as text, as in \"x' = y*z'\"")
    return parse_equation(equation, scope).residual if "=" in equation else parse(equation, scope)


def at_parameter_values(system: System, *expressions: Expr) -> list[Expr]:
    """Expressions of a model with its parameters replaced by their values."""
    return substitute(expressions, {symbol(n): e for n, e in _resolved(system.parameters).items()})


def inertia_at_values(system: System, engine: Engine, variables: Sequence[Expr]) -> tuple[SX, SX]:
    """M and h − F of a system as engine nodes in (t, q, v), its parameters replaced by their values."""
    from chetaev.model.dynamics.nodes import JetNodes

    m = len(system.coordinates)
    given = system.dynamics
    dynamics = given.with_functions(at_parameter_values(system, *given.functions))
    at = JetNodes(engine, variables[0], variables[1 : 1 + m], variables[1 + m :])
    M, h = dynamics.inertia(at)
    return M, h - dynamics.applied(at)


def _resolved(values: Mapping[str, Expr]) -> dict[str, Expr]:
    """Parameters in earlier parameters replaced by their values."""
    done: dict[Expr, Expr] = {}
    for name, value in values.items():
        done[symbol(name)] = substitute([value], done)[0]
    return dict(zip(values, done.values(), strict=True))
