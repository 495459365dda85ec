"""The oracle: the accelerations of a system from the text of its model, in ball arithmetic.

At a point (t, q, v) the expressions are evaluated on jets: time is t + σ, a coordinate q_i + σ v_i + δ_i and
a velocity v_i + ε_i, so that the derivatives that the equations of motion need are coefficients:

    ∂²L/∂v_i∂v_j  of ε_i ε_j,      (∂/∂t + v·∂/∂q) ∂L/∂v_i  of σ ε_i,      ∂L/∂q_i  of δ_i,
    d²φ/dt² at a = 0  of σ²,       ∂f/∂v_i  of ε_i,                        ∂f/∂t + (∂f/∂q) v  of σ.

(:mod:`.model` has what stands in the place of L). No expression is ever differentiated, simplified or
printed. The oracle also says by how much, in its own reading, the point misses the constraints.

>>> from chetaev.model.system import System
>>> spring = System(coordinates=["x"], lagrangian="x'^2/2 - x^2*cos(t)", forces={"x": "-x'/10"})
>>> answer = Oracle(spring).at({"t": 0, ("x", 0): 2, ("x", 1): 5}, digits=60)
>>> [float(a) for a in answer.accelerations]
[-4.5]
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import arb, ctx

from chetaev.compare.oracle import jets
from chetaev.compare.oracle.jets import Jet, UndefinedError
from chetaev.compare.oracle.model import ModelText, Run, delta
from chetaev.compare.oracle.poisson import PoissonText
from chetaev.compare.oracle.reader import Program
from chetaev.compare.oracle.solve import Pointwise, UndeterminedError, solve
from chetaev.compare.oracle.tables import functions

if TYPE_CHECKING:
    from chetaev.model.system import System

CALL = -1
"""The order under which a table of data is found among the values."""
GUARD = 25
"""Digits of the arithmetic beyond those of the points."""
LEAST = 60
"""Digits of the arithmetic at least."""
DOUBLE = 53
"""Bits of a double."""

Values = Mapping[tuple[str, int], Any]


@dataclass(frozen=True)
class OracleAnswer:
    """What the oracle found at a point."""

    accelerations: list[Any]  # balls, one for each coordinate
    # the largest |f|, |φ| or |dφ/dt| relative to its own terms; 0 where the point lies on the constraints
    missed: float
    equations: Pointwise  # the numbers of the equations of motion
    rows: list[int]  # the rows of C that determine the motion


class Oracle:
    """A model, read by the oracle's own reader."""

    def __init__(self, system: System) -> None:
        self.text = ModelText(system)
        self._tables = functions(system.tables)
        self._poisson = None
        if self.text.poisson is not None:
            self._poisson = PoissonText(self.text, system.dynamics, self._on_phase_space)

    def at(self, point: Mapping[Any, Any], digits: int, rows: list[int] | None = None) -> OracleAnswer:
        """The accelerations at a point that is exact to so many digits; `rows` of C, if these are known.

        Raises an error where they are not determined: :class:`UndeterminedError` where the equations
        are singular or have no value, :class:`~.jets.UndefinedError` on a kink.
        """
        with ctx.workprec(int(3.33 * max(digits + GUARD, LEAST))):
            equations, missed = self._equations(point, digits)
            accelerations, kept = solve(equations, digits, rows)
        return OracleAnswer(accelerations, missed, equations, kept)

    def rounding(self, point: Mapping[Any, Any], rows: list[int]) -> float:
        """How far rounding errors of double precision may move the accelerations at a point of doubles.

        The same computation in balls of 53 bits bounds them; infinite where no digit would be certain.
        """
        with ctx.workprec(DOUBLE):
            try:
                equations, _ = self._equations(point, 15)
                found, _ = solve(equations, 60, rows)
            except (UndefinedError, UndeterminedError):
                return float("inf")
            return max(float(x.rad()) for x in found)

    # --- inside -----------------------------------------------------------------------------------

    def _equations(self, point: Mapping[Any, Any], digits: int) -> tuple[Pointwise, float]:
        text, n = self.text, len(self.text.coordinates)
        t, q, v = arb(point[text.time]), *([arb(point[c, k]) for c in text.coordinates] for k in (0, 1))
        alpha = [-1 - n - i for i in range(n)]  # the infinitesimals of the accelerations
        run = self._run(
            Jet(t, {0: arb(1)}),
            [Jet(x, {0: dx, delta(i): arb(1)}) for i, (x, dx) in enumerate(zip(q, v, strict=True))],
            [Jet(x, {1 + i: arb(1)}) for i, x in enumerate(v)],
            [Jet(arb(0), {i: arb(1)}) for i in alpha],
        )
        mass, h = text.law(run, n)
        forces = [run(text.forces[c]).value if c in text.forces else arb(0) for c in text.coordinates]
        phi, f, second = (
            [run(p) for p in programs] for programs in (text.position, text.velocity, text.acceleration)
        )
        if self._poisson is not None:
            f += self._poisson.rows([t, *q], v)
        missed = [_missed(x, x.value, digits) for x in (*phi, *f)]
        missed += [_missed(x, x.d(0), digits) for x in phi]
        if self._poisson is not None:  # ż = Z determines all, and keeps the constraints
            phi = []
        matrix = [[x.d(delta(i)) for i in range(n)] for x in phi]
        matrix += [[x.d(1 + i) for i in range(n)] for x in f]
        matrix += [[x.d(i) for i in alpha] for x in second]
        rest = [x.d(0, 0) for x in phi] + [x.d(0) for x in f] + [x.value for x in second]
        excess = [x - F for x, F in zip(h, forces, strict=True)]
        return Pointwise(mass, excess, matrix, rest), max(missed, default=0.0)

    def _on_phase_space(self, place: Sequence[Any]) -> Run:
        """What evaluates programs at a time and a point z, with second derivatives by all of these."""
        t, *z = (Jet(arb(x), {i: arb(1)}) for i, x in enumerate(place))
        return self._run(t, z, [], [])

    def _run(self, t: Jet, q: Sequence[Jet], v: Sequence[Jet], a: Sequence[Jet]) -> Run:
        """What evaluates programs: parameters from their own texts, not from the point."""
        text = self.text
        values: dict[tuple[str, int], Any] = {(c, 0): Jet(arb.pi()) for c in ("pi", "π")}
        values["e", 0] = Jet(arb.const_e())
        values |= {(name, CALL): function for name, function in self._tables.items()}
        for name, program in text.parameters.items():
            values[name, 0] = run(program, values)
        values[text.time, 0] = t
        for order, jets_of in enumerate((q, v, a)):
            for c, x in zip(text.coordinates, jets_of, strict=False):
                values[c, order] = values[c + ("", "_dot", "_ddot")[order], 0] = x
        for name, program in text.definitions.items():
            values[name, 0] = run(program, values)
        return lambda program: run(program, values)


def _missed(x: Jet, value: Any, digits: int) -> float:
    """|value| relative to the derivatives it is made of; 0 below the accuracy of the point."""
    if not value.is_finite():
        raise UndeterminedError("a constraint has no value at this point")
    if abs(value).lower() < arb(10) ** (8 - digits):
        return 0.0
    size = sum((abs(d) for d in x.first.values()), abs(value))
    return float((abs(value) / size).mid())


_BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "=": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}


def run(program: Program, values: Values) -> Jet:
    """The value of a program."""
    stack: list[Jet] = []
    for step in program:
        match step.what:
            case "number":
                stack.append(jets.rational(step.value))
            case "name":
                stack.append(values[step.value, step.count])
            case "negate":
                stack[-1] = -stack[-1]
            case "call":
                arguments = [stack.pop() for _ in range(step.count)][::-1]
                table = values.get((step.value, CALL))
                stack.append(table(*arguments) if table else jets.function(step.value, *arguments))
            case sign:
                right, left = stack.pop(), stack.pop()
                stack.append(_BINARY[sign](left, right))
    (result,) = stack
    return result
