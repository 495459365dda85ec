"""The motion of one branch as a system on phase space: the total Hamiltonian (SCOPE B7, B8; Dirac 1964).

    ż = {z, H + u^α Φ_α} + F + λ_A φ^A,      all constraints χ = 0,

with u and λ as functions on phase space. Those that the conditions determine are solved for again without
going to the surface, so that they are right on every sheet of it; free ones follow from a choice of gauge:

    {"u_1": "1/2"}        functions for the free multipliers, or
    ["z = 0"]             conditions on phase space: u from the condition that they go on to hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import ZERO, add, mul
from chetaev.expr.language.parser import Equation, parse_equation
from chetaev.hamilton.dirac.algorithm import linear_parts

if TYPE_CHECKING:
    from chetaev.hamilton.dirac.dirac_result import DiracBranch
    from chetaev.model.system import System


class Total:
    """Multipliers of a branch, with a choice of gauge."""

    def __init__(self, branch: DiracBranch, gauge: Any) -> None:
        if branch.contradiction is not None:
            raise ModelError(f"there is no motion: {branch.contradiction} would have to be 0")
        self.of, self.motion, self.space = branch, branch.motion, branch.motion.space
        self.surface = branch.branch.surface
        self.known = self._determined()
        functions, self.conditions = self._read(gauge)
        self._put(functions)
        self._put(self._fixed())
        missing = [name for name in branch.free if name not in self.known]
        if missing:
            raise ModelError(
                f"nothing determines {', '.join(missing)}: the motion depends on a choice of gauge",
                remedy=_remedy(branch, missing),
            )

    def _put(self, values: Mapping[str, Element]) -> None:
        """Put further multipliers into those that are known."""
        if values:
            self.known = {n: x.subs(dict(values)) for n, x in self.known.items()} | dict(values)

    # --- what the conditions determine --------------------------------------------------------------

    def _determined(self) -> dict[str, Element]:
        """u and λ by the conditions χ̇ = 0 where these are linear in them, else as they were found."""
        found = {n: self.surface.lifted(x) for n, x in self.of.branch.multipliers.items()}
        names = [n for n in self.motion.unknowns if n in found]
        rows = [
            linear_parts(self.motion.rate(c.function), self.motion.unknowns)
            for c in self.of.branch.conditions
        ]
        useful = [row for row in rows if row is not None and any(not e.is_zero for e in row[0].values())]
        on = self.surface.restrict
        columns = [n for n in names if any(not on(row[n]).is_zero for row, _ in useful)]
        if not columns:
            return found
        transposed = [[on(row[n]) for row, _ in useful] for n in columns]
        if not any(not e.is_zero for line in transposed for e in line):
            return found
        chosen = list(linear.echelon(transposed).pivots)
        if len(chosen) != len(columns):
            return found
        matrix, right = [], []
        for i in chosen:
            row, rest = useful[i]
            matrix.append([row[n] for n in columns])
            for name, e in row.items():
                if name not in columns:
                    value = found.get(name, self.space.field.symbol(name))
                    rest = rest + e * value
            right.append(-rest)
        solved = dict(zip(columns, linear.solve(matrix, right), strict=True))
        # What has no root of a sheet in it is the same on all sheets, and is shorter.
        return found | solved if self.surface.sheets else found

    # --- the choice of gauge ------------------------------------------------------------------------

    def _read(self, gauge: Any) -> tuple[dict[str, Element], list[Element]]:
        """Functions for multipliers, and conditions."""
        if gauge is None:
            return {}, []
        functions: dict[str, Any] = {}
        conditions: list[Any] = []
        if isinstance(gauge, Mapping):
            functions = dict(gauge)
        elif isinstance(gauge, Sequence) and not isinstance(gauge, str):
            conditions = list(gauge)
        else:
            raise ModelError(
                f"the choice of gauge is {shown(gauge)}",
                expected='functions by multiplier, {"u_1": "1"}, or a list of conditions, ["z = 0"]',
            )
        free = self.of.free
        for name in functions:
            if name not in free:
                raise ModelError.unknown(f"{name!r} is no free multiplier", name, free, "no choice of gauge")
        made = {n: self.space.read(g, f"the multiplier {n}") for n, g in functions.items()}
        return made, [self._condition(c) for c in conditions]

    def _condition(self, given: Any) -> Element:
        if isinstance(given, str) and "=" in given:
            equation = parse_equation(given, self.space.scope("a gauge condition"))
            return self.space.read(equation.residual, "a gauge condition")
        return self.space.read(given, "a gauge condition")

    def _fixed(self) -> dict[str, Element]:
        """Free multipliers from the conditions of the gauge, which must go on to hold."""
        if not self.conditions:
            return {}
        on, names = self.surface.restrict, list(self.of.free)
        if not names:
            raise ModelError(
                "a choice of gauge is given, and no multiplier is free: the motion is determined",
                remedy="leave out gauge=…",
            )
        rows: list[tuple[dict[str, Element], Element]] = []
        for condition in self.conditions:
            rate = self.motion.rate(condition)
            row = linear_parts(rate.subs(self.known) if self.known else rate, names)
            if row is None:
                raise ModelError(
                    f"the rate of {condition}, a gauge condition, is not linear in the multipliers"
                )
            if all(on(e).is_zero for e in row[0].values()):
                if on(row[1]).is_zero:
                    continue
                raise ModelError(
                    f"the gauge condition {condition} = 0 would have to go on to hold, and its rate {row[1]} "
                    f"contains no free multiplier ({', '.join(names)})",
                    remedy=f"choose a function that {' or '.join(f'{{·, {p}}}' for p in self.of.primary)} "
                    "changes; its rate can be a further condition",
                )
            rows.append(row)
        columns = [n for n in names if any(not on(row[n]).is_zero for row, _ in rows)]
        if len(rows) != len(columns):
            raise ModelError(
                f"{len(rows)} gauge condition{'' if len(rows) == 1 else 's'} for {len(columns)} free "
                f"multipliers: {', '.join(columns)}",
                expected="as many as multipliers that their rates contain",
            )
        try:
            solved = linear.solve([[row[n] for n in columns] for row, _ in rows], [-r for _, r in rows])
        except SingularSystemError:
            raise ModelError(
                f"the gauge conditions do not determine {', '.join(columns)}: their rates are dependent"
            ) from None
        return dict(zip(columns, solved, strict=True))

    # --- the system ---------------------------------------------------------------------------------

    def system(self, initial: Mapping[str, Any] | None = None) -> System:
        """ż and all constraints, as a model with a table [poisson]."""
        from chetaev.model.system import System

        space, motion = self.space, self.motion
        model = space.system
        terms = [motion.legendre.hamiltonian.to_expr()]
        for name, phi in zip(motion.u_names, motion.legendre.primary, strict=True):
            if not self.known[name].is_zero:
                terms.append(mul(self.known[name].to_expr(), phi.to_expr()))
        added = {p: f.subs(self.known) for p, f in zip(space.momenta, motion.forces, strict=True)}
        held = [c.function for c in self.of.branch.conditions] + self.conditions
        pairs = zip(model.coordinates, space.momenta, strict=True)
        return System(
            name=f"{model.name}: phase space" if model.name else "phase space",
            coordinates=[*model.coordinates, *space.momenta],
            time=model.time,
            parameters=dict(model.parameters),
            poisson={
                "bracket": {f"{q}, {p}": 1 for q, p in pairs},
                "hamiltonian": add(*terms),
                "forces": {p: f.to_expr() for p, f in added.items() if not f.is_zero},
            },
            constraints={"position": [Equation(c.to_expr(), ZERO) for c in held]},
            initial=initial,
            until=model.until,
            tolerance=model.tolerance,
        )


def _remedy(branch: DiracBranch, missing: Sequence[str]) -> str:
    """How to choose a gauge here, with the names of this system."""
    moved = next((n for g in branch.gauge for n in g.moves), None)
    words = "give it, e.g. gauge={" + f'"{missing[0]}": "1"' + "}"
    timeless = branch.motion.legendre.hamiltonian.is_zero  # a change of parameter is the gauge
    value = branch.motion.space.system.time if timeless else 0
    return words + (f', or conditions such as gauge=["{moved} = {value}"]' if moved else "")


def momenta_at(branch: DiracBranch, started: System) -> dict[str, float]:
    """p = ∂L/∂v at the initial state of the system, or of the system with another one."""
    space = branch.motion.space
    L = space.element(space.system.lagrangian)
    return dict(zip(space.momenta, started.at_start([L.diff(v).to_expr() for v in space.v]), strict=True))
