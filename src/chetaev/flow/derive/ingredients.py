"""What the number path takes from a model: names in order, its dynamics, and the graphs of f, φ, α.

    M a + h = F + μ_a ∂f^a/∂v        f(t,q,v) = 0, φ(t,q) = 0, α(t,q,v,a) = 0

The constraints stand in the order of :mod:`chetaev.model.states.stack_of_constraints`. A hash of the graphs
names the model in the cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.errors import ModelError, did_you_mean
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, postorder, symbols
from chetaev.expr.graph.table import DataTable
from chetaev.flow.derive.digest import digest
from chetaev.flow.derive.modes import Lookup, unfold_tables
from chetaev.flow.kernels.statuses import MULTIPLIERS, PUSHES, SHIFTS
from chetaev.model.dynamics.any_dynamics import Dynamics
from chetaev.model.states.stack_of_constraints import Stack

if TYPE_CHECKING:
    from chetaev.model.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Ingredients(Stack):
    """The graphs of a model, and the names that are run-time arguments."""

    parameters: Mapping[str, Expr]  # the expressions that give their values, by name
    dynamics: Dynamics  # what gives M and h
    rank: int | None = None  # the rank of C on Q where constraints are redundant; None if all are independent
    dependent: tuple[int, ...] = ()  # the rows of C that are redundant
    # names of further run-time arguments: the branches of non-smooth functions (see `modes`)
    modes: tuple[str, ...] = ()
    definitions: Mapping[str, Expr] = field(default_factory=dict)  # names that event expressions may use
    # lookups, tables: calls of tables of data, whose arguments come first among the modes; all tables by name
    lookups: tuple[Lookup, ...] = ()
    tables: Mapping[str, DataTable] = field(default_factory=dict)

    @classmethod
    def of(cls, system: System) -> Ingredients:
        """The ingredients of a system; a ModelError where its constraints contradict each other.

        A system does not change, so they are kept with it, and with them the hash that names the model.
        """
        kept: dict[str, Ingredients] = vars(system)
        if "_ingredients" not in kept:
            kept["_ingredients"] = cls._of(system)
        return kept["_ingredients"]

    @classmethod
    def _of(cls, system: System) -> Ingredients:
        found = getattr(system, "redundancy", None)
        model = cls.of_constraints(
            system,
            parameters=dict(system.parameters),
            dynamics=system.dynamics,
            rank=found.rank if found is not None and found.dependent else None,
            dependent=found.dependent if found is not None else (),
            definitions=dict(getattr(system, "definitions", None) or {}),
            tables=dict(getattr(system, "tables", None) or {}),
        )
        return unfold_tables(model) if model.tables else model

    @property
    def size(self) -> int:
        """Number of coordinates n."""
        return len(self.coordinates)

    @property
    def independent(self) -> int:
        """Number of independent rows: the rank of C on Q."""
        return self.rows if self.rank is None else self.rank

    def unknowns(self, kinds: Sequence[int]) -> int:
        """How many unknowns blocks of some kinds (see `kernels.statuses`) have."""
        sizes = {MULTIPLIERS: self.rows, SHIFTS: len(self.position), PUSHES: self.on_velocities}
        return sum(sizes.get(kind, self.size) for kind in kinds)

    @property
    def symmetric(self) -> bool:
        """Whether M is known to be symmetric."""
        return self.dynamics.symmetric

    @property
    def graphs(self) -> tuple[Expr, ...]:
        """All graphs, in a fixed order."""
        return (*self.dynamics.functions, *self.functions)

    def with_graphs(
        self, graphs: Sequence[Expr], modes: Sequence[str], lookups: tuple[Lookup, ...] | None = None
    ) -> Ingredients:
        """The same model with other graphs in the order of `graphs`, and these modes."""
        count = len(self.dynamics.functions)
        return self.with_functions(
            graphs[count:],
            dynamics=self.dynamics.with_functions(tuple(graphs[:count])),
            modes=tuple(modes),
            lookups=self.lookups if lookups is None else lookups,
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the compiled code depends on; parameter values are not part of it."""
        counts = (self.size, len(self.velocity), len(self.position), len(self.acceleration), self.independent)
        names = (self.time, *self.coordinates, "|", *self.parameters, "|", *self.modes)
        kind = f"{self.dynamics.kind} {' '.join(self.dynamics.arrangement)}"
        return digest(graph_text(self.graphs), repr(counts), " ".join(names), kind)

    @cached_property
    def default_values(self) -> Array:
        """The model's own parameter values in order."""
        return np.array([float(x) for x in self.values()])

    def values(self, given: Mapping[str, Any] | None = None) -> list[Any]:
        """Parameter values in order; those given replace the model's, dependent ones follow.

        A value may be an array, one value for each state.
        """
        if not given:
            return list(self._own_values)
        return self._values(given)

    @cached_property
    def _own_values(self) -> list[Any]:
        return self._values({})

    @cached_property
    def operations(self) -> frozenset[str]:
        """Everything that the graphs do: names of operations and functions."""
        return frozenset(node.op for node in postorder(*self.graphs))

    def _values(self, given: Mapping[str, Any]) -> list[Any]:
        for name in given:
            if name not in self.parameters:
                raise ModelError(
                    f"there is no parameter {name!r}",
                    expected="one of " + ", ".join(self.parameters) if self.parameters else "none at all",
                    remedy=did_you_mean(name, self.parameters),
                )
        known: dict[Any, Any] = {}
        for name, expr in self.parameters.items():
            if name in given:
                known[name, 0] = given[name]
            elif expr.op == "number":
                known[name, 0] = float(expr.value)
            else:
                needed = {(n, 0): known[n, 0] for n, _ in symbols(expr)}
                known[name, 0] = evaluate([expr], needed)[0]
        return list(known.values())


def graph_text(roots: Sequence[Expr]) -> str:
    """The nodes below the roots, one a line, arguments by number; equal graphs give equal texts."""
    index: dict[Expr, str] = {}
    lines: list[str] = []
    for node in postorder(*roots):
        op, args = node.op, node.args
        if op == "define":  # a name changes nothing that is compiled
            index[node] = index[args[0]]
            continue
        index[node] = str(len(lines))
        value = "" if node.value is None else node.value
        lines.append(f"{op} {value} {' '.join([index[a] for a in args])}")
    lines.append(" ".join([index[r] for r in roots]))
    return "\n".join(lines)
