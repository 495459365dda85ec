r"""A system driven by inputs that are functions of time: a model of its own, which any run takes.

Inputs are polynomials in τ = (2t − t₀ − t₁)/(t₁ − t₀), written by Chebyshev's polynomials

    u_a(t) = Σ_k c_ak T_k(τ),      T_0 = 1,  T_1 = τ,  T_{k+1} = 2τ T_k − T_{k−1},

with the c_ak as parameters of the model. On the kinematic level the model is q' = V(t, q, u(t)), of first
order; on the dynamic level the law with further forces, or with u(t) added to a parameter. So the way the
end depends on the c_ak is that of any parameter: compiled, with error control.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr, add, define, div, mul, neg, number, substitute, symbol
from chetaev.flow.data.sensitivity import integrate_sensitivities, tangent_space
from chetaev.flow.run.compiled_field import CompiledField, compile_field
from chetaev.model.dynamics.mixed import Mixed
from chetaev.model.jet_functions import fresh_names
from chetaev.model.system import System
from chetaev.model.system_arguments import data_of
from chetaev.numeric import solve

Array = NDArray[np.float64]
MOST_STEPS = 2000
"""A motion that takes more is too wild to be steered."""


@dataclass(frozen=True)
class Controls:
    """Inputs as functions of time: coefficients of Chebyshev polynomials, shape (inputs, degree + 1)."""

    names: tuple[str, ...]
    coefficients: Array
    start: float
    end: float

    def __call__(self, t: Any) -> dict[str, Any]:
        """The inputs at a time, or at an array of times, by name."""
        tau = (2 * np.asarray(t, float) - self.start - self.end) / (self.end - self.start)
        values = np.polynomial.chebyshev.chebval(tau, self.coefficients.T)
        return {n: float(v) if np.ndim(v) == 0 else v for n, v in zip(self.names, values, strict=True)}

    def function(self, name: str) -> Any:
        """One input as a function (t, q, v) → number, as ``ch.simulate(forces=…)`` takes it."""
        place = self.names.index(name)

        def force(t: float, q: Mapping[str, float], v: Mapping[str, float]) -> float:
            tau = (2 * t - self.start - self.end) / (self.end - self.start)
            return float(np.polynomial.chebyshev.chebval(tau, self.coefficients[place]))

        return force


class Driven:
    """A system with inputs that are polynomials in time.

    `system`, `frame`: the system, and for inputs that are velocities its frame; `names`: the inputs;
    `degree`: of the polynomials; `start`, `end`: times; `state`: where it starts: values by coordinate,
    velocities by ``x_dot`` on the dynamic level.
    """

    def __init__(
        self, system: System, frame: QuasiFrame | None, names: Sequence[str], degree: int, start: float,
        end: float, state: Mapping[str, float],
    ) -> None:  # fmt: skip
        self.original, self.frame, self.names = system, frame, tuple(names)
        self.degree, self.start, self.end = degree, start, end
        self.at = dict(state)
        count = len(self.names) * (degree + 1)
        self.parameters = fresh_names(system, count, "c")
        self.define, inputs = self._polynomials()
        made = self._kinematic(inputs) if frame is not None else self._dynamic(inputs)
        self.system = made if frame is not None else made.with_initial({**self.at, system.time: start})
        self.held = [i for i, n in enumerate(self._names()) if n in self.at]
        """Components of (q, v) that the start prescribes; the others follow from first-order equations."""

    def _names(self) -> list[str]:
        return [*self.original.coordinates, *(c + "_dot" for c in self.original.coordinates)]

    def _polynomials(self) -> tuple[dict[str, Expr], list[Expr]]:
        """T_k by name, and the inputs."""
        names = iter(fresh_names(self.original, self.degree + 1, "T", ""))
        span = number(Fraction(repr(self.end)) - Fraction(repr(self.start)))
        middle = number(Fraction(repr(self.end)) + Fraction(repr(self.start)))
        time = symbol(self.original.time)
        meaning = div(add(mul(number(2), time), neg(middle)), span)
        tau = define(next(names), meaning)
        found: dict[str, Expr] = {str(tau.value): meaning}
        T = [number(1), tau]
        for _ in range(2, self.degree + 1):
            e = add(mul(number(2), tau, T[-1]), neg(T[-2]))
            name = next(names)
            found[name] = e
            T.append(define(name, e))
        T = T[: self.degree + 1]
        c = iter(self.parameters)
        inputs = []
        for name in fresh_names(self.original, len(self.names), "input"):
            found[name] = add(*(mul(symbol(next(c)), t) if k else symbol(next(c)) for k, t in enumerate(T)))
            inputs.append(define(name, found[name]))
        return found, inputs

    def _kinematic(self, inputs: Sequence[Expr]) -> System:
        system, frame = self.original, self.frame
        assert frame is not None
        values: dict[Expr, Expr] = dict(zip(frame.symbols, inputs, strict=True))
        velocities = substitute(frame.velocities, values)
        return System(
            coordinates=list(system.coordinates),
            parameters={**system.parameters, **dict.fromkeys(self.parameters, number(0))},
            define={**{n: d.args[0] for n, d in system.definitions.items()}, **self.define},
            dynamics={"velocities": dict(zip(system.coordinates, velocities, strict=True))},
            initial={**{c: self.at[c] for c in system.coordinates}, system.time: self.start},
            time=system.time,
            name=system.name,
            until=self.end,
        )

    def _dynamic(self, inputs: Sequence[Expr]) -> System:
        return with_inputs(self.original, self.names, inputs, self.define, self.parameters, self.end)

    # --- runs ---------------------------------------------------------------------------------------

    @cached_property
    def field(self) -> CompiledField:
        """Its compiled law."""
        return compile_field(self.system)

    def values(self, c: Array) -> dict[str, float]:
        """The parameters of the inputs by name; c has the shape (inputs, degree + 1)."""
        return dict(zip(self.parameters, map(float, c.ravel()), strict=True))

    def first(self, c: Array) -> tuple[Array, Array]:
        """Positions and velocities at the start."""
        n = len(self.original.coordinates)
        known: dict[Any, Any] = dict(self.system.parameter_values) | self.values(c)
        known |= {self.system.time: self.start}
        names = self._names()
        for i, name in enumerate(names):
            known[names[i % n], i // n] = self.at.get(name, 0.0)
        if len(self.held) < 2 * n:  # x' − g = 0 has −g for its residual at x' = 0
            rows = {e.lhs.value[0]: e.residual for e in self.system.velocity_constraints}
            for c_name in [m for m in self.original.coordinates if m + "_dot" not in self.at]:
                known[c_name, 1] = -float(evaluate([rows[c_name]], known)[0])
        q, v = ([known[m, k] for m in self.original.coordinates] for k in (0, 1))
        return np.array(q, float), np.array(v, float)

    def end_and_slopes(self, c: Array, tolerance: float) -> tuple[Array, Array]:
        """(q, v) at the end, and its derivatives by the c_ak, shape (2n, count)."""
        q, v = self.first(c)
        values = self.values(c)
        found = integrate_sensitivities(self.field, self.start, q, v, self.end, tolerance, values, MOST_STEPS)
        slopes = np.column_stack([found.parameters[p] for p in self.parameters])
        if len(self.held) < 2 * len(q):
            slopes = slopes - self._moved(c, q, v, found.initial)
        return np.concatenate(found.state), slopes

    def _moved(self, c: Array, q: Array, v: Array, by_initial: Array) -> Array:
        """What parameters do to the end because the least change onto the constraints moved the start."""
        every = np.array([float(x) for x in self.field.model.values(self.values(c))])
        tangent, shift = tangent_space(self.field, self.start, np.concatenate([q, v]), every)
        places = [list(self.field.model.parameters).index(p) for p in self.parameters]
        move = shift[np.ix_(self.held, places)]
        return by_initial[:, self.held] @ solve(tangent[np.ix_(self.held, self.held)], move)

    def with_controls(self, c: Array) -> System:
        """The model with these inputs."""
        return self.system.with_parameters(self.values(c))


def with_inputs(
    system: System, names: Sequence[str], inputs: Sequence[Expr], define: Mapping[str, Expr],
    parameters: Sequence[str], until: float,
) -> System:  # fmt: skip
    """The system with inputs in its law: forces added, parameters replaced by themselves plus an input.

    `define` and `parameters` are what the inputs need beyond the model's own; `until` is its new final time.
    """
    data = data_of(system)
    dynamics = dict(data["dynamics"])
    changed: dict[Expr, Expr] = {}
    forces = dict(dynamics["forces"])
    for name, u in zip(names, inputs, strict=True):
        if name in system.parameters:
            changed[symbol(name)] = add(symbol(name), u)
        elif isinstance(system.dynamics, Mixed):
            own = dynamics["accelerations"]
            dynamics["accelerations"] = {**own, name: add(own[name], u)}
        else:
            forces[name] = add(forces[name], u) if name in forces else u
    dynamics["forces"] = forces
    if changed:
        dynamics = _mapped(dynamics, changed)
    changes = {
        "parameters": {**data["parameters"], **dict.fromkeys(parameters, number(0))},
        "dynamics": dynamics,
        "run": {**data["run"], "until": number(Fraction(repr(until)))},
        "claims": [],
        "define": {**data["define"], **define},
    }
    return system._changed(changes, {})


def _mapped(value: Any, changed: dict[Expr, Expr]) -> Any:
    """Expressions in nested data with symbols replaced."""
    if isinstance(value, Expr):
        return substitute([value], changed)[0]
    if isinstance(value, Mapping):
        return {k: _mapped(v, changed) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mapped(v, changed) for v in value]
    return value
