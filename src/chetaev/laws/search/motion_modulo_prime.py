"""The motion as numbers modulo a prime: points of Q, and the field Γ there (SCOPE K22, Sa8).

A point of Q = {φ = 0, f = 0} is a residue for parameters, t, q, v and for every function that occurs.
Velocities that affine constraints determine come from a linear system; other constraints are solved as
polynomial equations (:mod:`chetaev.laws.search.solving_modulo_prime`). Then

    Γ = ∂/∂t + v·∂/∂q + a·∂/∂v,      M a + h − F = Cᵀμ,  C a + c' = 0,

with a from the values of the law: nothing is solved, divided or expanded as a function. Γ is tangent to Q,
so that functions may be written in all velocities.

>>> import chetaev as ch
>>> motion = Motion(ch.load("heisenberg"))
>>> energy = motion.function("(x'^2 + y'^2 + z'^2)/2")
>>> area = motion.function("x*y' - y*x'")
>>> point = motion.points().draw()
>>> point.rate(energy), point.rate(area) == 0
(0, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property

from chetaev.equations.law.first_order_motion import first_order_motion
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field
from chetaev.expr.graph.node import ZERO, Expr, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.laws.search.points_on_q import PointOnQ, Points
from chetaev.laws.search.primes import PRIMES, UnluckyError, primes, residue
from chetaev.laws.search.program_modulo_prime import ResidueProgram, Residues
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.model.system import System

MOST_PRIMES = 64
"""So many primes are tried for one modulo which all constants exist."""


class Motion:
    """A system's law and constraints, with the parameters of a standpoint, ready to be evaluated anywhere.

    `standpoint`: which parameters stay symbols (:mod:`chetaev.laws.standpoint`), the first one of the system
    if not given; `budget`: what its function field may cost.

    `functions`: the functions that the law and the constraints contain: kind, order of a root, and the
    function.
    """

    def __init__(
        self, system: System, standpoint: Standpoint | None = None, budget: Budget | None = None
    ) -> None:
        self.system = system = first_order_motion(system)
        self.standpoint = standpoint or standpoints(system)[0]
        self.field = Field(budget)
        self.law = _law(system)
        s = Setup(system)
        C, given = s.matrices(s.by_v(s.f), s.f)
        levels = [e.residual for e in system.position_constraints]
        flat = self.standpoint.apply(
            [*self._law_graphs(), *(e for row in C for e in row), *(r[0] for r in given), *levels]
        )
        k, m = len(given), len(system.coordinates)
        cut = len(flat) - k * m - k - len(levels)
        self.law_graphs, rest = flat[:cut], flat[cut:]
        self.jacobian, self.f, self.levels = rest[: k * m], rest[k * m : k * m + k], rest[k * m + k :]
        self.is_affine = not any(order for name, order in symbols(*self.jacobian))
        self.time = self.field.base(symbol(system.time))
        self.positions = [self.field.base(symbol(c)) for c in system.coordinates]
        self.velocities = [self.field.base(symbol(c, 1)) for c in system.coordinates]
        self.at_rest = (
            substitute(self.f, {symbol(c, 1): ZERO for c in system.coordinates}) if self.is_affine else []
        )
        self.affine = [*self.jacobian, *self.at_rest] if self.is_affine else []
        self._residues: dict[int, Residues] = {}
        self._residues_age = (-1, 0)
        self.meet([*self.law_graphs, *self.jacobian, *self.f, *self.at_rest, *self.levels])
        self.functions = [
            (g.kind, g.order, self.field.variable(g.index))
            for g in self.field.generators
            if g.kind not in ("symbol", "dead", "constant", "sign")
        ]

    def _law_graphs(self) -> list[Expr]:
        law = self.law
        return [
            *(e for row in law.matrix for e in row),
            *law.right,
            *(e for row in law.recover for e in row),
            *law.offset,
        ]

    def meet(self, functions: Iterable[Expr]) -> None:
        """Let the field meet all functions that will be evaluated, before points are drawn."""
        residues = Residues(PRIMES[0], self.field)
        residues.program(list(functions))
        residues.prepare()

    def function(self, given: str | Expr) -> Element:
        """A function on Q: text or expression, with the parameters of the standpoint."""
        expression = parse(given, self.system.scope) if isinstance(given, str) else given
        element = self.field(self.standpoint.apply([expression])[0])
        Residues(PRIMES[0], self.field).prepare()
        return element

    @cached_property
    def parameters(self) -> list[int]:
        """The generators of parameters that stay symbols."""
        names = {(name, 0) for name in self.system.parameters}
        return [g.index for g in self.field.generators if g.kind == "symbol" and g.name in names]

    @cached_property
    def values(self) -> dict[int, Fraction]:
        """The model's values of the parameters that stay symbols, by generator, where they are rational."""
        replaced = dict(standpoints(self.system)[-1].replaced)
        found = {}
        for k in self.parameters:
            name = self.field.generators[k].name
            value = replaced.get(symbol(*name)) if isinstance(name, tuple) else None
            number = None if value is None else Field()(value).as_fraction()
            if number is not None:
                found[k] = number
        return found

    def points(
        self,
        p: int | None = None,
        seed: int = 0,
        parameters: Mapping[int, int] | None = None,
        *,
        special: bool = False,
    ) -> Points:
        """A source of points modulo p; parameters have random residues, the same at all points, or those
        given, or with `special` the model's values.
        """
        p = p or self.primes(1)[0]
        chosen = {k: residue(x, p) for k, x in self.values.items()} if special else {}
        return Points(self, p, seed, chosen | dict(parameters or {}))

    def residues(self, p: int) -> Residues:
        """What evaluates functions modulo p, the same for all points: programs are made once a prime."""
        age = self.field.version, len(self.field.generators)
        if self._residues_age != age:
            self._residues.clear()
        if p not in self._residues:
            made = Residues(p, self.field)
            made.program(self.law_graphs)
            made.program(self.affine)
            made.prepare()
            self._residues[p] = made
            self._residues_age = self.field.version, len(self.field.generators)
        return self._residues[p]

    def primes(self, count: int, first: int = PRIMES[0]) -> list[int]:
        """Primes modulo which the constants of the system exist, such as √2, from the given one down;
        :class:`UnluckyError` if they are rare.
        """
        good, unseen = self._primes.setdefault(first, ([], primes(first)))
        for _ in range(MOST_PRIMES):
            if len(good) >= count:
                break
            p = next(unseen)
            with suppress(UnluckyError):
                Points(self, p, 0, {}).fix()
                good.append(p)
        if len(good) < count:
            raise UnluckyError
        return good[:count]

    @cached_property
    def _primes(self) -> dict[int, tuple[list[int], Iterator[int]]]:
        return {}


def _law(system: System) -> Equations:
    """A formulation whose law can be evaluated: that with the plainest entries first."""
    failed: ModelError | None = None
    for form in ("chetaev", "reduced", "gauss"):
        try:
            return equations(system, form)
        except ModelError as error:
            failed = failed or error
    assert failed is not None
    raise failed


__all__ = ["Motion", "PointOnQ", "Points", "ResidueProgram", "residue"]
