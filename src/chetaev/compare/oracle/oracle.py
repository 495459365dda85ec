"""The oracle: the accelerations of a system from the text of its model, in ball arithmetic.

At a point (t, q, v) the expressions are evaluated on jets: time is t + σ, a coordinate q_i + σ v_i + δ_i and
a velocity v_i + ε_i, so that the derivatives that the equations of motion need are coefficients:

    ∂²L/∂v_i∂v_j  of ε_i ε_j,      (∂/∂t + v·∂/∂q) ∂L/∂v_i  of σ ε_i,      ∂L/∂q_i  of δ_i,
    d²φ/dt² at a = 0  of σ²,       ∂f/∂v_i  of ε_i,                        ∂f/∂t + (∂f/∂q) v  of σ.

(:mod:`.kinds` has what stands in the place of L). No expression is ever differentiated, simplified or
printed. The oracle also says by how much, in its own reading, the point misses the constraints.

>>> from chetaev.model.system import System
>>> spring = System(coordinates=["x"], lagrangian="x'^2/2 - x^2*cos(t)", forces={"x": "-x'/10"})
>>> answer = Oracle(spring).at({"t": 0, ("x", 0): 2, ("x", 1): 5}, digits=60)
>>> [float(a) for a in answer.accelerations]
[-4.5]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb, ctx

from chetaev.compare.oracle import jets
from chetaev.compare.oracle.jets import Jet, Number, UndefinedError
from chetaev.compare.oracle.kinds import delta, first, second
from chetaev.compare.oracle.phase_space import FromPoisson
from chetaev.compare.oracle.reader import Program
from chetaev.compare.oracle.solve import Pointwise, UndeterminedError, solve
from chetaev.compare.oracle.tables import functions
from chetaev.compare.oracle.texts import ModelText

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


@dataclass(frozen=True)
class OracleAnswer:
    """What the oracle found at a point."""

    accelerations: list[Any]  # balls, one for each coordinate
    # the largest |f|, |φ| or |dφ/dt| relative to its own terms; 0 where the point lies on the constraints
    missed: float
    equations: Pointwise  # the numbers of the equations of motion
    rows: list[int]  # the rows of C that determine the motion


class Oracle:
    """A model, read by the oracle's own reader, to be asked at points."""

    def __init__(self, system: System) -> None:
        self.text = ModelText.of(system)
        self._tables = functions(system.tables)

    def at(self, point: Mapping[Any, Any], digits: int, rows: list[int] | None = None) -> OracleAnswer:
        """The accelerations at a point that is exact to so many digits; `rows` of C, if these are known.

        Raises ArithmeticError where they are not determined: :class:`UndeterminedError` where the equations
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
            except ArithmeticError:
                return float("inf")
            return max(float(x.rad()) for x in found)

    # --- inside -----------------------------------------------------------------------------------

    def _equations(self, point: Mapping[Any, Any], digits: int) -> tuple[Pointwise, float]:
        text, n = self.text, len(self.text.coordinates)
        values = self._values(point)
        mass, h = text.dynamics.law(lambda program: run(program, values), n)
        forces = [run(text.forces[c], values) if c in text.forces else Fraction(0) for c in text.coordinates]
        excess = [h[i] - jets.jet(forces[i]).value for i in range(n)]
        phi, f, alpha = (
            [jets.jet(run(p, values)) for p in programs]
            for programs in (text.position, text.velocity, text.acceleration)
        )
        if isinstance(text.dynamics, FromPoisson):
            f += text.dynamics.rows(
                lambda s: self._moved(point, s), [arb(point[c, 1]) for c in text.coordinates]
            )
        missed = [_missed(x, x.value, digits) for x in (*phi, *f)]
        missed += [_missed(x, first(x, 0), digits) for x in phi]
        if isinstance(text.dynamics, FromPoisson):  # ż = Z determines all, and keeps what is held
            phi = []
        matrix = [[first(x, delta(i)) for i in range(n)] for x in phi]
        matrix += [[first(x, 1 + i) for i in range(n)] for x in f]
        matrix += [[first(x, _alpha(i, n)) for i in range(n)] for x in alpha]
        rest = [second(x, 0, 0) for x in phi] + [first(x, 0) for x in f] + [x.value for x in alpha]
        return Pointwise(mass, excess, matrix, rest), max(missed, default=0.0)

    def _moved(self, point: Mapping[Any, Any], s: Any) -> Callable[[Program], Number]:
        """Runs programs at the point that is moved by s along the motion."""
        text = self.text
        there = dict(point) | {text.time: arb(point[text.time]) + s}
        there |= {(c, 0): arb(point[c, 0]) + s * arb(point[c, 1]) for c in text.coordinates}
        values = self._values(there)
        for i, c in enumerate(text.coordinates):  # second derivatives by coordinates; there are no velocities
            values[c, 0] = Jet(arb(there[c, 0]), {0: arb(point[c, 1]), 1 + i: arb(1)})
        for name, program in text.definitions.items():
            values[name, 0] = run(program, values)
        return lambda program: run(program, values)

    def _values(self, point: Mapping[Any, Any]) -> dict[tuple[str, int], Any]:
        """Jets of all names: parameters from their own texts, not from the point."""
        text, n = self.text, len(self.text.coordinates)
        values: dict[tuple[str, int], Any] = {(c, 0): Jet(arb.pi()) for c in ("pi", "π")}
        values["e", 0] = Jet(arb.const_e())
        values |= {(name, CALL): function for name, function in self._tables.items()}
        for name, program in text.parameters.items():
            values[name, 0] = run(program, values)
        values[text.time, 0] = Jet(arb(point[text.time]), {0: arb(1)})
        for i, c in enumerate(text.coordinates):
            q, v = arb(point[c, 0]), arb(point[c, 1])
            values[c, 0] = Jet(q, {0: v, delta(i): arb(1)})
            values[c, 1] = Jet(v, {1 + i: arb(1)})
            values[c, 2] = Jet(arb(0), {_alpha(i, n): arb(1)})
            values[f"{c}_dot", 0], values[f"{c}_ddot", 0] = values[c, 1], values[c, 2]
        for name, program in text.definitions.items():
            values[name, 0] = run(program, values)
        return values


def _alpha(i: int, n: int) -> int:
    """The number of the infinitesimal of an acceleration."""
    return -1 - n - i


def _missed(x: Jet, value: Any, digits: int) -> float:
    """|value| relative to the derivatives it is made of; 0 below the accuracy of the point."""
    if not value.is_finite():
        raise UndeterminedError("a constraint has no value at this point")
    if abs(value).lower() < arb(10) ** (8 - digits):
        return 0.0
    size = sum((abs(d) for d in x.first.values()), abs(value))
    return float((abs(value) / size).mid())


def run(program: Program, values: Mapping[tuple[str, int], Any]) -> Number:
    """The value of a program."""
    stack: list[Number] = []
    for step in program:
        match step.what:
            case "number":
                stack.append(step.value)
            case "name":
                stack.append(values[step.value, step.count])
            case "negate":
                stack[-1] = jets.negative(stack[-1])
            case "call":
                arguments = [stack.pop() for _ in range(step.count)][::-1]
                table = values.get((step.value, CALL))
                stack.append(table(*arguments) if table else jets.function(step.value, *arguments))
            case operator:
                right, left = stack.pop(), stack.pop()
                stack.append(_BINARY[operator](left, right))
    (result,) = stack
    return result


def _minus(x: Number, y: Number) -> Number:
    return jets.add(x, jets.negative(y))


_BINARY = {
    "+": jets.add,
    "-": _minus,
    "=": _minus,
    "*": jets.multiply,
    "/": jets.divide,
    "^": jets.power,
}

__all__ = ["Oracle", "OracleAnswer", "UndefinedError", "UndeterminedError", "run"]
