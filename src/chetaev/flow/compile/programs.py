"""Which programs a model has, and where their machine code comes from: memory, disk, or the compiler.

Which program a model has is derived; since deriving takes longer than loading, its machine code is
remembered under the hashes of the model and of the package (`package_version`), the processor, the kind, the
chart and the variant, all known before anything is derived. So where it is on disk CasADi is not even
imported. The code itself is found by the hash of the program's text and the processor, and that hash is what
is remembered; so after a change of the package everything is derived again, but compiled only where another
program came out.

Kinds for arrays of states: ``field`` a and its margin; ``matrices`` M, h, C, c; ``expressions``. Kinds for
one state, used by the integrators, stand in `flow.compile.scalar_programs`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.graph.node import Expr
from chetaev.flow.compile import shipped
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.loops import circles
from chetaev.flow.compile.machine import Library, host, joined, object_code
from chetaev.flow.compile.package_version import package_version
from chetaev.flow.derive.chart import (
    STRONG,
    WEAK,
    Array,
    PivotChart,
    choose,
    column_scale,
    read_chart,
    strength,
    write_chart,
)
from chetaev.flow.derive.digest import digest
from chetaev.flow.derive.ingredients import Ingredients, graph_text

if TYPE_CHECKING:
    from chetaev.flow.compile.one_state import OneState
    from chetaev.flow.derive.dynamics import DerivedDynamics, Elimination
    from chetaev.flow.derive.exact_law import ExactLaw
    from chetaev.flow.derive.straight_line import Program

SAMPLES = 6
MEMORY = 256
"""So many pieces of machine code stay in memory for models that are made again."""
LONG = 8000
"""Modules with more lines are compiled with less effort."""


NAME = re.compile(rb"[0-9a-f]{64}")
"""The hash of a program, as it is remembered."""

_recent: dict[str, Library] = {}
_charts: dict[str, tuple[PivotChart, Any]] = {}


def _keep(memory: dict[str, Any], key: str, found: Any) -> None:
    memory[key] = found
    while len(memory) > MEMORY:
        memory.pop(next(iter(memory)), None)


def forget() -> None:
    """Drop machine code that is kept in memory; what is on disk stays."""
    _recent.clear()
    _charts.clear()


class Programs:
    """The programs of one model."""

    def __init__(self, model: Ingredients, cache: Cache | None = None) -> None:
        self.model = model
        self.cache = Cache() if cache is None else cache
        self._libraries: dict[tuple[str, ...], Library] = {}
        self._eliminated: Elimination | None = None

    @cached_property
    def dynamics(self) -> DerivedDynamics:
        """The derived functions; the costly part, made only when something has to be compiled."""
        from chetaev.flow.derive.dynamics import DerivedDynamics

        return DerivedDynamics(self.model)

    @cached_property
    def exact(self) -> ExactLaw:
        """The law with many digits, for states where doubles cannot decide."""
        from chetaev.flow.derive.exact_law import ExactLaw

        return ExactLaw(self.model)

    def elimination(self, chart: PivotChart) -> Elimination:
        """The null-space form in a chart; the last one is kept, several programs are made from it."""
        from chetaev.flow.derive.dynamics import eliminate

        if self._eliminated is None or self._eliminated.chart != chart:
            self._eliminated = eliminate(self.dynamics, chart)
        return self._eliminated

    @cached_property
    def _fingerprint(self) -> str:
        return digest(self.model.fingerprint, package_version(), host().fingerprint)

    def key(self, *parts: str) -> str:
        """The name of something made from this model on this machine."""
        return digest(self._fingerprint, *parts)

    def library(
        self, parts: Sequence[str], written: Callable[[], str | list[OneState]], level: int = 0
    ) -> Library:
        """Machine code by name; `written` derives what is to be made if it is nowhere to be found.

        Functions of one state gain 2 % from LLVM's optimisations, and making them takes four times as long;
        those for arrays, which are made for speed, want level 2. The former come out the same for all
        processors of a kind, and LLVM reads the name of a kind sooner than the hundred features of a
        processor.
        """
        found = self._libraries.get(tuple(parts))
        if found is not None:
            return found
        key = self.key(*parts)
        found = _recent.get(key)
        if found is None:
            found = self._remembered(key) or self._made(key, written, level)
        self._libraries[tuple(parts)] = found
        _keep(_recent, key, found)
        return found

    def _remembered(self, key: str) -> Library | None:
        """The machine code of this name, or of the program that it stands for, if that is on disk."""
        kept = self.cache.get(key)
        if kept is None or not NAME.fullmatch(kept):
            return None
        code = self.cache.get(kept.decode("ascii"))
        try:
            return None if code is None else Library(code, circles(self.cache))
        except RuntimeError:  # no object file
            return None

    def _made(self, key: str, written: Callable[[], str | list[OneState]], level: int) -> Library:
        """The machine code of a program that is derived now; compiled if it is not on disk."""
        made = written()
        if not isinstance(made, str):
            from chetaev.flow.compile.translate import state_text

            made = joined(*map(state_text, made))
        text, level = made, level if made.count("\n") < LONG else min(level, 1)
        name = digest("program", text, str(level), host().fingerprint)
        processor = host() if level else shipped.level().processor
        code = self.cache.kept(name, lambda: object_code(text, level, processor=processor))
        self.cache.put(key, name.encode())
        return Library(code, circles(self.cache))

    # --- charts ---------------------------------------------------------------------------------------

    @cached_property
    def first_chart(self) -> PivotChart:
        """The chart to begin with, chosen at random states."""
        return self._stored_chart[0]

    @cached_property
    def pattern(self) -> Any:
        """Which entries of C may be nonzero, shape (m, n)."""
        return self._stored_chart[1]

    def chart_at(self, matrix: Array, strong: float | None = None) -> PivotChart:
        """A chart that is strong where the constraint matrix has these values."""
        scale, rank = self._stored_chart[0].scale, self.model.rank
        return choose(matrix, self.pattern, scale, STRONG if strong is None else strong, rank)

    @cached_property
    def _stored_chart(self) -> tuple[PivotChart, Any]:
        """The chart for random states and the pattern of C: from memory, disk, or evaluation."""
        key = self.key("chart")
        found = _charts.get(key)
        if found is None:
            data = self.cache.get(key)
            shape = self.model.rows, self.model.size
            found = None if data is None else read_chart(data, *shape, self.model.rank)
            if found is None:
                found = self._sampled_chart()
                self.cache.put(key, write_chart(*found))
            _keep(_charts, key, found)
        return found

    def _matrices(self, states: Iterable[tuple[float, Array, Array]]) -> list[Array]:
        """C at some states, shape (m, n) each, with the model's own parameters."""
        import casadi

        d = self.dynamics
        rows, columns = d.matrix.sparsity().get_triplet()
        function = casadi.Function("C", d.arguments.list(), [d.matrix])
        buffer, evaluate = function.buffer()  # a call through arrays of its own takes ten times as long
        n, entries = self.model.size, np.empty(len(rows))
        time, q, v = np.empty(1), np.empty(n), np.empty(n)
        values = [x if type(x) is float else float(np.mean(x)) for x in self.model.values()]
        p = np.array(values + [1.0] * len(self.model.modes))
        for i, argument in enumerate((time, q, v, p)):
            buffer.set_arg(i, argument.data)
        buffer.set_res(0, entries.data)
        found, shape = [], d.matrix.shape
        for time[0], q[:], v[:] in states:
            evaluate()
            matrix = np.zeros(shape)
            matrix[rows, columns] = entries
            found.append(matrix)
        return found

    def _random_states(self) -> Iterator[tuple[float, Array, Array]]:
        generator, n = Random(20), self.model.size  # NumPy's generators take longer to import than all this
        for k in range(SAMPLES):
            q, v = (np.array([generator.gauss(0, 1) for _ in range(n)]) for _ in range(2))
            yield 0.3, np.abs(q) if k % 2 else q, v

    def _sampled_chart(self) -> tuple[PivotChart, Any]:
        n, m = self.model.size, self.model.rows
        if m == 0:
            return PivotChart((), (), (1.0,) * n), np.zeros((0, n), bool)
        pattern = np.zeros((m, n), bool)
        pattern[self.dynamics.matrix.sparsity().get_triplet()] = True
        finite = [x for x in self._matrices(self._random_states()) if np.all(np.isfinite(x))]
        samples = np.array(finite) if finite else np.where(pattern, 1.0, 0.0)[None]
        scale = column_scale(samples)
        best, most = None, -1
        for sample in samples[:3]:
            chart = choose(sample, pattern, scale, rank=self.model.rank)
            good = sum(strength(s, chart) >= WEAK for s in samples)
            if good > most:
                best, most = chart, good
            if most == len(samples):
                break
        assert best is not None
        return best, pattern

    # --- programs over arrays of states ---------------------------------------------------------------

    def batch(
        self, kind: str, chart: PivotChart, libm: bool, varying: bool, exprs: Sequence[Expr] = ()
    ) -> Library:
        """The machine code of a program over arrays; its function is called ``f``."""
        from chetaev.flow.compile.translate import batch_function

        parameters = len(self.model.parameters) + len(self.model.modes)

        def text() -> str:
            program = self.program(kind, chart, exprs)
            margin = None if kind in ("matrices", "expressions") else len(program.outputs) - 1
            lanes = host().lanes
            return batch_function("f", program, self.model.size, parameters, lanes, libm, varying, margin)

        chart_name = "" if kind in ("matrices", "expressions") else chart.name
        return self.library(["batch", kind, chart_name, str(libm), str(varying), graph_text(exprs)], text, 2)

    def program(self, kind: str, chart: PivotChart, exprs: Sequence[Expr] = ()) -> Program:
        """The straight-line program of a kind."""
        from chetaev.flow.derive.dynamics import certain_margin
        from chetaev.flow.derive.instructions import from_casadi

        d = self.dynamics
        arguments = d.arguments.list()
        if kind == "matrices":
            return from_casadi(arguments, [d.mass(), d.h, d.matrix, d.rest])
        if kind == "expressions":
            return from_casadi(arguments, [d.expressions(exprs)])
        elimination = self.elimination(chart)
        free, diagonal = elimination.solved
        a = elimination.accelerations(free)
        return from_casadi(arguments, [a, certain_margin(elimination, diagonal)])
