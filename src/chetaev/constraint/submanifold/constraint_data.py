"""What a constraint is made of: names, functions f(t, q, v) and φ(t, q), values of parameters, a state.

A :class:`~chetaev.model.system.System` gives it; so do plain equations as text. Position constraints φ = 0
enter twice, as φ = 0 and as f = dφ/dt = ∂φ/∂t + v^σ ∂φ/∂q^σ = 0 (SCOPE K13, K14).

>>> given = ConstraintData.of(["x' + z*z' = 0"], coordinates=["x", "y", "z"])
>>> given.velocity
(Expr("x' + z*z'"),)

The independent blocks of a constraint: equations that share no coordinate do not meet.

On Y = R × Q_1 × Q_2 × … with D = span(∂/∂t + Σ A_i) ⊕ D_1 ⊕ D_2 ⊕ …, where A_i and D_i depend on t and Q_i
only, brackets of different blocks vanish, so the functions that the constraint keeps constant are those of
its blocks (SCOPE K18, D2).

>>> from chetaev.constraint.submanifold.constraint_data import ConstraintData
>>> given = ConstraintData.of(["x' = y*z'", "u*u' + w*w' = 0"], ["x", "u", "y", "w", "z"])
>>> [block.coordinates for block in blocks(given)]
[('x', 'y', 'z'), ('u', 'w')]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr, number, postorder, substitute, symbol, symbols
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.language.scope import Scope
from chetaev.model.dynamics.any_dynamics import JetNodes
from chetaev.model.states.stack_of_constraints import Stack

if TYPE_CHECKING:
    from chetaev.expr.graph.engine import SX, Engine
    from chetaev.model.system import System

BRANCHING = ("abs", "sign", "sqrt", "min", "max", "asin", "acos", "atan2", "acosh")
"""Functions that make an equation hold on a branch only."""


@dataclass(frozen=True, kw_only=True)
class ConstraintData(Stack):
    """The functions φ^i(t, q) and f^a(t, q, v) of a constraint, with everything needed to put numbers in."""

    values: Mapping[str, Expr] = field(default_factory=dict)
    """The parameters: exact numbers or expressions without symbols."""
    state: Mapping[tuple[str, int], float] | None = None
    """A point (t, q, v) to start looking from, by ``(name, order)``; the initial state if there is one."""
    labels: tuple[str, ...] = ()
    """The constraints as they were written, for messages."""

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints as equations in words."""
        return self.labels if len(self.labels) == self.rows else tuple(f"{e} = 0" for e in self.functions)

    @classmethod
    def of(
        cls,
        velocity: Iterable[str | Expr],
        coordinates: Iterable[str],
        position: Iterable[str | Expr] = (),
        parameters: Mapping[str, int | str] | None = None,
        time: str = "t",
    ) -> ConstraintData:
        """From equations as text; an expression without ``=`` means that it vanishes."""
        names = tuple(coordinates)
        raw = dict(parameters or {})
        scope = Scope.of(names, raw, time).but(purpose="a constraint", kind="constraint")
        on_positions = scope.but(order=0, purpose="a position constraint", kind="constraint")
        values = {
            n: number(v) if isinstance(v, int) else parse(v, Scope.of((), raw, None)) for n, v in raw.items()
        }
        return cls(
            time,
            names,
            tuple(_function(e, on_positions) for e in position),
            tuple(_function(e, scope) for e in velocity),
            values=_resolved(values),
        )

    @classmethod
    def from_system(cls, system: System) -> ConstraintData:
        """The constraints of a model, with its parameter values and its initial state."""
        state: dict[tuple[str, int], float] | None = None
        if system.initial is not None:
            start = system.state
            state = {(system.time, 0): start.t}
            state |= {(n, 0): x for n, x in start.position.items()}
            state |= {(n, 1): x for n, x in start.velocity.items()}
        labels = tuple(map(str, system.position_constraints + system.velocity_constraints))
        found = cls.of_constraints(system, values=_resolved(system.parameters), state=state, labels=labels)
        return replace(found, acceleration=())

    def with_values(self, *expressions: Expr) -> list[Expr]:
        """Expressions with the parameters replaced by their values."""
        return substitute(expressions, {symbol(n): e for n, e in self.values.items()})

    def at_values(self) -> ConstraintData:
        """The same constraint with its parameters put in."""
        return self.with_functions(self.with_values(*self.functions), values={})

    @property
    def variables(self) -> tuple[Expr, ...]:
        """(t, q, v) as symbols: the coordinates of J¹Y."""
        return (symbol(self.time), *self.symbols(0), *self.symbols(1))

    @property
    def branching(self) -> tuple[str, ...]:
        """The functions in the constraint that restrict it to a branch, as they are written."""
        names = {*self.coordinates, self.time}
        found = [e for e in self._rooted if e.op != "pow" or e.args[1].value.denominator % 2 == 0]
        return tuple({str(e): None for e in found if not names.isdisjoint(n for n, _ in symbols(e))})

    @property
    def rough(self) -> list[Expr]:
        """The functions of velocities that may have no derivative somewhere, as a root has none at 0."""
        return [e for e in self._rooted if any(order for _, order in symbols(e))]

    @property
    def _rooted(self) -> list[Expr]:
        """Functions with several branches, and powers that are roots."""
        return [
            e
            for e in postorder(*self.functions)
            if e.op in BRANCHING
            or (e.op == "pow" and e.args[1].op == "number" and e.args[1].value.denominator > 1)
        ]


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


def blocks(given: ConstraintData) -> list[ConstraintData]:
    """The blocks, each with its own coordinates; coordinates that occur in no equation belong to none."""
    names = set(given.coordinates)
    groups: list[tuple[set[str], list[Expr], list[Expr]]] = []
    for level, equations in enumerate((given.position, given.velocity)):
        for f in equations:
            touched = {n for n, _ in symbols(f) if n in names}
            joined: tuple[set[str], list[Expr], list[Expr]] = (touched, [], [])
            apart = []
            for group in groups:
                if group[0].isdisjoint(touched):
                    apart.append(group)
                else:
                    touched |= group[0]
                    joined[1].extend(group[1])
                    joined[2].extend(group[2])
            (joined[2] if level else joined[1]).append(f)
            groups = [*apart, joined]
    first = {name: i for i, name in enumerate(given.coordinates)}
    groups.sort(key=lambda g: min((first[n] for n in g[0]), default=-1))
    return [_block(given, group) for group in groups if group[0]]


def _block(given: ConstraintData, group: tuple[set[str], list[Expr], list[Expr]]) -> ConstraintData:
    coordinates = tuple(q for q in given.coordinates if q in group[0])
    state = None
    if given.state is not None:
        kept = {given.time, *coordinates}
        state = {key: x for key, x in given.state.items() if key[0] in kept}
    return replace(
        given,
        coordinates=coordinates,
        position=tuple(group[1]),
        velocity=tuple(group[2]),
        state=state,
        labels=(),
    )
