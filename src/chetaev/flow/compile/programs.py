"""The programs of a model as machine code: from memory, from disk, or made now.

Machine code is kept under the hashes of the model and of the package (`package_version`), the
processor, the kind, the chart and the variant, all known before anything is derived; so where it is on disk
CasADi is not even imported. What is to be compiled is derived by the function of `compile.model_functions`
that has the name of the kind:

rhs       the field, and with it the constraints and what there is to see of a state
sight     the latter in another chart than the first
field     the field with flags for all that may be in doubt
lanes     the field and the constraints for motions in lanes
law       M, h, C and c
event     expressions, such as those whose zeros are events
rate      their rates, for sliding
tangent   the derivative of the field along a direction
joint     the field with derivatives along several directions
held      the constraints and their normals
step      the equations of a step

Between a model's graphs and the text of its program stand the rooms `expr` and `flow` and the library that
differentiates. Whoever edits one of their files must not get what the old one made, so `package_version`
counts them by what the file system says of them; of the two times one can be set, the other cannot. They are
looked at when this module is imported, before anything that derives is: a process that lives on while its
sources are edited keeps what the old ones make under their name.

>>> len(package_version())
64
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.graph.node import Expr
from chetaev.flow.compile.cache import Cache
from chetaev.flow.compile.loops import circles, level
from chetaev.flow.compile.machine import Library, host, joined, object_code
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
from chetaev.flow.schemes.scheme import Scheme

if TYPE_CHECKING:
    from chetaev.flow.derive.dynamics import DerivedDynamics, Elimination
    from chetaev.flow.derive.law import ExactLaw

SAMPLES = 6
MEMORY = 256
"""So many pieces of machine code stay in memory for models that are made again."""
LONG = 8000
"""Modules with more lines are compiled with less effort."""
THOROUGH = ("field", "lanes")
"""Kinds that are optimised. The others gain 2 % from LLVM's optimisations, which take four times as long."""

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


def _name(argument: Any) -> str:
    """What tells apart the programs of a kind."""
    if isinstance(argument, (PivotChart, Scheme)):
        return argument.name
    if isinstance(argument, (list, tuple)) and all(isinstance(x, Expr) for x in argument):
        return graph_text(argument)
    return str(argument)


class Programs:
    """The programs of one model."""

    def __init__(self, model: Ingredients, cache: Cache | None = None) -> None:
        self.model = model
        self.cache = Cache() if cache is None else cache
        self._libraries: dict[tuple[Any, ...], Library] = {}
        self._eliminated: Elimination | None = None

    @cached_property
    def dynamics(self) -> DerivedDynamics:
        """The derived functions; the costly part, made only when something has to be compiled."""
        from chetaev.flow.derive.dynamics import DerivedDynamics

        return DerivedDynamics(self.model)

    @cached_property
    def exact(self) -> ExactLaw:
        """The law with many digits, for states where doubles cannot decide."""
        from chetaev.flow.derive.law import ExactLaw

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

    def code(self, kind: str, *arguments: Any, lanes: int = 1) -> Library:
        """The machine code of a kind of program (see above); with lanes, for one state in each."""
        name = (kind, lanes, *map(_name, arguments))
        found = self._libraries.get(name)
        if found is None:
            redundant = self.model.dependent if kind == "step" else ()
            key = self.key("code", *map(str, (*name, redundant)))
            found = _recent.get(key)
            if found is None:
                known = circles(self.cache) if lanes == 1 else None
                found = Library(self.cache.kept(key, lambda: self._compiled(kind, arguments, lanes)), known)
            self._libraries[name] = found
            _keep(_recent, key, found)
        return found

    def _compiled(self, kind: str, arguments: tuple[Any, ...], lanes: int) -> bytes:
        from chetaev.flow.compile import model_functions
        from chetaev.flow.compile.program_text import state_text

        functions = getattr(model_functions, kind)(self, *arguments)
        text = joined(*(state_text(function, lanes) for function in functions))
        effort = 0 if kind not in THOROUGH else 2 if text.count("\n") < LONG else 1
        return object_code(text, effort, processor=level().processor)

    def constraints(self) -> Library:
        """The machine code with the constraints, ``c``."""
        return self.code("rhs", self.first_chart, "null")

    def sight(self, chart: PivotChart) -> Library:
        """The machine code with what there is to see of a state, ``s``, by the elimination in a chart."""
        return self.constraints() if chart == self.first_chart else self.code("sight", chart)

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
        function = casadi.Function("C", d.arguments.list(), [d.matrix])
        p = [*(float(np.mean(x)) for x in self.model.values()), *[1.0] * len(self.model.modes)]
        return [np.array(function(t, q, v, p).full()) for t, q, v in states]

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


PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("expr", "flow")


def version_of(package: str) -> str:
    """A hash of the files of the rooms that make code, and of the library that differentiates."""
    files = sorted(known for room in ROOMS for known in _files(os.path.join(package, room)))
    found = find_spec("casadi")
    library = "" if found is None or found.origin is None else _known(found.origin, os.stat(found.origin))
    return digest(library, "\0".join(files))


def _files(directory: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield _known(entry.path, entry.stat())
            elif entry.name not in ("__pycache__", "objects") and entry.is_dir():
                yield from _files(entry.path)


def _known(path: str, found: os.stat_result) -> str:
    return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


_version = version_of(PACKAGE)


def package_version() -> str:
    """The hash of the files as they were when this module was imported."""
    return _version
