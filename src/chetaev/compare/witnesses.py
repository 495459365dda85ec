"""Two rows beside the formulations that share no equation with them: `oracle` and `compiled`.

All formulations take L, F and f from the same reader, differentiate them with the same engine and are
evaluated by the same arithmetic, so an error there would move all of them together. The :class:`OracleRow`
is computed from the text of the model by other means (:mod:`chetaev.compare.oracle`); it also looks whether
the points lie on the constraints as it reads them.

The :class:`CompiledRow` is the number path, the machine code that a simulation runs (:mod:`chetaev.flow`).
Its arithmetic has 53 bits, so it is compared with the oracle *at the same doubles*, and the tolerance at a
point is

    max(10⁻⁹ |a|, 100 ρ σ),

where ρ is what rounding errors may do there, the radius of the oracle's own computation in balls of 53 bits,
and σ what an unlucky chart may lose, the largest ratio of two entries in a row of ∂f/∂v. Where that is beyond
both |a| and |v| the doubles say nothing, and the point counts as singular. The last bits of a double depend
on the processor, so they are not published: a row within the tolerance has the difference 10⁻⁹, one beyond it
is rounded up to a power of ten.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from flint import arb

from chetaev.compare.comparison_table import ComparisonRow, Tally, relative
from chetaev.compare.oracle.jets import UndefinedError
from chetaev.compare.oracle.oracle import Oracle, OracleAnswer
from chetaev.compare.oracle.reader import UnreadableError
from chetaev.compare.oracle.solve import UndeterminedError
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import mp_context
from chetaev.model.system import System

DOUBLES = 1e-9
"""Tolerance of the number path where rounding errors are smaller."""
CAUTION = 100
"""Rounding errors are allowed to be so many times larger than those of the oracle's formulas."""
REPRESENTABLE = 1e100
"""Numbers beyond this, or below its inverse, may leave the range of doubles on the way."""
NOISE = 1e-13
"""Entries of a row below this, relative to its largest, are taken for rounding errors of a zero."""
NOWHERE = 1.0
"""The difference where one side has accelerations and the other has none."""


class OracleRow:
    """The oracle against the formulations.

    Where it has accelerations and no formulation has any, that is a difference of 1.
    """

    name = "oracle"

    def __init__(self, system: System, digits: int, tolerance: float) -> None:
        self.digits, self.tolerance = digits, tolerance
        self.tally = Tally()
        self.missing = ""
        """Why there is no oracle for this model; empty if there is one."""
        try:
            self.oracle = Oracle(system)
        except UnreadableError as error:
            self.missing = f"the oracle cannot read this model: {error}"

    def see(self, point: Mapping[Any, Any], reference: Sequence[Any] | None) -> OracleAnswer | None:
        """Compare at a point; its answer there, or None where it has none."""
        if self.missing:
            return None
        try:
            answer = self.oracle.at(point, self.digits)
        except (UndefinedError, UndeterminedError):
            self.tally.singular += 1
            return None
        if reference is None:
            self.tally.add(NOWHERE)
            return answer
        mp = mp_context(self.digits + 10)
        found = [mp.mpf(a.mid()) for a in answer.accelerations]
        self.tally.add(max(relative(found, reference, self.digits), answer.missed))
        return answer

    def row(self) -> ComparisonRow:
        """The row of the table."""
        return _row(self.name, self.tally, self.tolerance)


class CompiledRow:
    """The number path against the oracle, at the doubles next to the points."""

    name = "compiled"

    def __init__(self, system: System, oracle: OracleRow) -> None:
        self.system, self.oracle = system, oracle
        self.seen: list[tuple[Mapping[Any, Any], list[int]]] = []
        self.tally = Tally()
        self.missing = oracle.missing

    def see(self, point: Mapping[Any, Any], answer: OracleAnswer | None) -> None:
        """Remember a point where the oracle has accelerations."""
        if answer is not None:
            self.seen.append(({k: float(x) for k, x in point.items()}, answer.rows))
        else:
            self.tally.singular += 1

    def run(self) -> None:
        """Compile, evaluate at all points and compare: the code for arrays, and that for one state, which
        the integrators run.
        """
        if self.missing or not self.seen:
            return
        from chetaev.flow.run.compiled_field import compile_field

        names = self.system.coordinates
        t, q, v = (
            np.array([[point[key] for key in keys] for point, _ in self.seen])
            for keys in ([self.system.time], [(c, 0) for c in names], [(c, 1) for c in names])
        )
        try:
            field = compile_field(self.system)
            many, single = field(t[:, 0], q, v), field.observe(t[:, 0], q, v)["accelerations"]
        except ModelError as error:
            self.missing = f"the field cannot be compiled: {error.message}"
            return
        for (point, rows), *found in zip(self.seen, many.tolist(), single.tolist(), strict=True):
            self._compare(point, rows, found)

    def _compare(self, point: Mapping[Any, Any], rows: list[int], found: list[list[float]]) -> None:
        try:
            answer = self.oracle.oracle.at(point, self.oracle.digits, rows)
        except (UndefinedError, UndeterminedError):
            self.tally.singular += 1
            return
        exact = [float(a) for a in answer.accelerations]
        size = max(map(abs, exact))
        rounding = self.oracle.oracle.rounding(point, rows) * _spread(answer)
        allowed = max(DOUBLES * size, CAUTION * rounding)
        finite = all(math.isfinite(x) for accelerations in found for x in accelerations)
        speed = max(abs(point[c, 1]) for c in self.system.coordinates)
        if not allowed <= max(size, speed) or not (finite or _representable(answer)):
            self.tally.singular += 1
        elif not finite:
            self.tally.add(NOWHERE)
        else:
            difference = max(abs(x - y) for a in found for x, y in zip(a, exact, strict=True))
            self.tally.add(DOUBLES * difference / allowed if allowed else difference)

    def row(self) -> ComparisonRow:
        """The row of the table."""
        worst = self.tally.worst
        if worst is not None:
            self.tally.worst = DOUBLES if worst <= DOUBLES else _power_of_ten(worst)
        return _row(self.name, self.tally, DOUBLES)


def _power_of_ten(x: float) -> float:
    """The least power of ten that is not below x, which is positive; x itself if there is none.

    >>> _power_of_ten(2.2e-7), _power_of_ten(1e-6), _power_of_ten(math.inf)
    (1e-06, 1e-06, inf)
    """
    if not math.isfinite(x):
        return x
    power = float(f"1e{Decimal(x).adjusted()}")
    return power if power >= x else float(f"1e{Decimal(x).adjusted() + 1}")


def _spread(answer: OracleAnswer) -> float:
    """The largest ratio of two entries in a row of C; what may be a zero at the next double is none."""
    ratios = [1.0]
    for row in answer.equations.matrix:
        sizes = [float(abs(x)) for x in row]
        ratios += [max(sizes) / x for x in sizes if x > NOISE * max(sizes)]
    return max(ratios)


def _representable(answer: OracleAnswer) -> bool:
    """Whether the numbers of the equations lie well inside the range of doubles."""
    large = arb(REPRESENTABLE)
    return all(x == 0 or 1 / large < abs(x) < large for x in answer.equations.entries)


def _row(name: str, tally: Tally, tolerance: float) -> ComparisonRow:
    worst = None if tally.worst is None else float(tally.worst)
    return ComparisonRow(name, worst, tally.points, tally.singular, operations=None, tolerance=tolerance)
