"""Fundamental 1-forms φ = F dq + Π dv, and when a Lagrangian gives them (SCOPE D4; Delphenich (1.1)–(1.5)).

φ takes the place of dL: F is the generalized force, Π the momentum. For fixed t it is closed exactly where

    ∂F_σ/∂q^ν, ∂Π_σ/∂v^ν are symmetric,     ∂F_σ/∂v^ν = ∂Π_ν/∂q^σ.

A closed form is dL near every point of its domain, and on all of it where the domain is star-shaped (for
instance everything); dθ on the plane without its origin is closed and not exact. From a point z₀ that sees z,

    L(z) = ∫₀¹ φ(z₀ + u (z − z₀))·(z − z₀) du.

A form that is not closed is dL of no Lagrangian *as it stands*: multiplied by a function it may be, as
(−x − x'/5) dx + x' dx' is by exp(t/5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
from flint import arb, ctx

from chetaev.equations.law.given_point import completed
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.numbers.balls import BallProgram, OutsideDomainError
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, lookup, mp_context
from chetaev.expr.graph.node import Expr
from chetaev.model.system import System

PIECES = 4096
"""A segment is cut into at most so many pieces to show that φ is defined on it."""

EVERYWHERE = ("add", "mul", "neg", "sin", "cos", "exp", "sinh", "cosh", "tanh", "atan", "asinh", "define")
"""Operations that are smooth for all arguments."""


@dataclass(frozen=True)
class FundamentalForm:
    """φ = F dq + Π dv on the first jets of a system, whose names, parameters and constraints are taken.

    Attributes
    ----------
    system
        Coordinates, parameters and constraints.
    F, Pi
        Components, one a coordinate.

    Examples
    --------
    >>> import chetaev as ch
    >>> damped = ch.System(coordinates=["x"], dynamics={"form": {"F": ["-x - x'/5"], "Pi": ["x'"]}})
    >>> print(FundamentalForm.of(damped).exactness())
    φ is not closed: as it stands it is dL of no Lagrangian (a multiple of it may be)
    """

    system: System
    F: tuple[Expr, ...]
    Pi: tuple[Expr, ...]

    @classmethod
    def of(cls, system: System) -> FundamentalForm:
        """φ = dL + F dq of a Lagrangian system with a force, t fixed; or the form by which it is given."""
        s = Setup(system)
        return cls(
            system,
            tuple(s.graphs(s.push + s.F)),
            tuple(s.graphs(s.Pi)),
        )

    def exactness(self, **options: Any) -> Exactness:
        """Whether φ is closed, and exact, for fixed t (D4; options of `zero_test`)."""
        s = Setup(self.system)
        F, Pi = s.column(self.F), s.column(self.Pi)
        F_q, Pi_v = s.by_q(F), s.by_v(Pi)
        conditions = casadi.vertcat(
            casadi.vec(F_q - F_q.T), casadi.vec(s.by_v(F) - s.by_q(Pi).T), casadi.vec(Pi_v - Pi_v.T)
        )
        functions = [e for e in dict.fromkeys(s.graphs(conditions)) if e is not graph.ZERO]
        return Exactness(tuple(zero_tests(functions, **options)), self.is_everywhere)

    @cached_property
    def is_everywhere(self) -> bool:
        """Whether φ is seen to be smooth for all q and v: then closed means exact."""
        moving = {(c, k) for c in self.system.coordinates for k in (0, 1)}
        return all(_smooth(e, moving) for e in (*self.F, *self.Pi))

    def lagrangian_value(
        self, point: Mapping[Any, Any], start: Mapping[Any, Any] | None = None, digits: int = 30
    ) -> Any:
        """L(point) − L(start), t fixed, along the segment from `start` (0 where it is left out).

        φ has to be closed, and is shown in ball arithmetic to be defined on the whole segment; else a
        ModelError says what is missing.

        >>> import chetaev as ch
        >>> given = {"form": {"F": ["1/x"], "Pi": ["x'"]}}
        >>> inverse = FundamentalForm.of(ch.System(coordinates=["x"], dynamics=given))
        >>> inverse.lagrangian_value({"x": 2, "x'": 0})
        Traceback (most recent call last):
        chetaev.errors.ModelError: φ is not shown to be defined on the whole segment to the point
          give a start from which the point is seen, such as start={"x": 1}
        >>> print(inverse.lagrangian_value({"x": 2, "x'": 0}, start={"x": 1}, digits=15))
        0.693147180559945
        """
        if self._closed.closed is not True:
            raise ModelError(str(self._closed), remedy="only a closed form has values of a Lagrangian")
        mp = mp_context(digits + 10)
        keys = [(c, order) for order in (0, 1) for c in self.system.coordinates]
        symbols = {*graph.symbols(*self.F, *self.Pi)}
        needed = [s for s in symbols if s not in keys] + keys
        given = {self.system.time: 0, **point} if (self.system.time, 0) not in symbols else dict(point)
        end = completed(self.system, given, needed, digits + 10)
        z = [mp.mpf(lookup(end, *key)) for key in keys]
        origin = [mp.mpf(_at(start or {}, key)) for key in keys]
        way = [b - a for a, b in zip(origin, z, strict=True)]
        rest = {key: mp.mpf(lookup(end, *key)) for key in symbols if key not in keys}
        if not self._defined(rest, dict(zip(keys, zip(origin, way, strict=True), strict=True)), digits):
            raise ModelError(
                "φ is not shown to be defined on the whole segment to the point",
                remedy='give a start from which the point is seen, such as start={"x": 1}',
            )

        def integrand(u: Any) -> Any:
            moved = rest | {k: a + u * w for k, a, w in zip(keys, origin, way, strict=True)}
            found = evaluate_mp([*self.F, *self.Pi], moved, digits + 10)
            return mp.fsum(a * b for a, b in zip(found, way, strict=True))

        return +mp_context(digits).mpf(mp.quad(integrand, mp.linspace(0, 1, 5)))

    @cached_property
    def _closed(self) -> Exactness:
        return self.exactness()

    def _defined(self, rest: Mapping[Any, Any], lines: Mapping[Any, tuple[Any, Any]], digits: int) -> bool:
        """Whether balls that cover the segment all have finite values."""
        program = BallProgram([*self.F, *self.Pi])
        fixed = {key: arb(str(x)) for key, x in rest.items()}
        pieces, seen = [(0, 1)], 0  # piece j of n
        before, ctx.prec = ctx.prec, 64 + 4 * digits
        try:
            while pieces:
                j, n = pieces.pop()
                seen += 1
                u = arb(2 * j + 1, 1) / (2 * n)
                ball = fixed | {k: arb(str(a)) + u * arb(str(w)) for k, (a, w) in lines.items()}
                try:
                    good = all(x.is_finite() for x in program.run(ball))
                except OutsideDomainError:
                    good = False
                if not good:
                    if seen + len(pieces) > PIECES:
                        return False
                    pieces += [(2 * j, 2 * n), (2 * j + 1, 2 * n)]
            return True
        finally:
            ctx.prec = before


def _at(point: Mapping[Any, Any], key: tuple[str, int]) -> Any:
    try:
        return lookup(point, *key)
    except KeyError:
        return 0


def _smooth(expr: Expr, moving: set[tuple[str, int]]) -> bool:
    """Whether a function is seen to be smooth for all values of the moving symbols."""
    for node in graph.postorder(expr):
        if not node.args or moving.isdisjoint(graph.symbols(node)) or node.op in EVERYWHERE:
            continue
        whole = node.op == "pow" and node.args[1].op == "number" and node.args[1].value.denominator == 1
        if whole and node.args[1].value >= 0:
            continue
        if node.op == "div" and (moving.isdisjoint(graph.symbols(node.args[1])) or _positive(node.args[1])):
            continue
        constant_power = node.op == "pow" and moving.isdisjoint(graph.symbols(node.args[1]))
        if (constant_power or node.op in ("sqrt", "log")) and _positive(node.args[0]):
            continue
        return False
    return True


def _positive(expr: Expr) -> bool:
    """Whether a function is seen to be positive everywhere."""
    from chetaev.constraint.submanifold.positive_functions import positive
    from chetaev.expr.exact import Field, answer, ask

    if expr.op in ("exp", "cosh"):
        return True
    if expr.op in ("sqrt", "mul", "define") or (expr.op == "pow" and expr.args[1].op == "number"):
        base = expr.args[:1] if expr.op == "pow" else expr.args
        if all(map(_positive, base)):
            return True
    f = answer(ask(lambda: Field()(expr)))
    return f is not None and f.is_polynomial and positive(f)


@dataclass(frozen=True)
class Exactness:
    """Is φ closed, is it exact? One verdict for each condition that does not hold by its structure.

    >>> import chetaev as ch
    >>> form = {"F": ["-y/(x^2 + y^2)", "x/(x^2 + y^2)"], "Pi": ["x'", "y'"]}
    >>> angle = ch.System(coordinates=["x", "y"], dynamics={"form": form})
    >>> found = FundamentalForm.of(angle).exactness()
    >>> found.closed, found.exact
    (True, None)
    >>> str(found).endswith("on the whole domain this is not decided")
    True
    """

    verdicts: tuple[Verdict, ...]
    everywhere: bool = False

    @property
    def closed(self) -> bool | None:
        """True, False, or None for undecided."""
        answers = [v.is_zero for v in self.verdicts]
        return False if False in answers else None if None in answers else True

    @property
    def exact(self) -> bool | None:
        """True where φ is closed and defined everywhere, False where it is not closed, None for undecided."""
        return True if self.closed and self.everywhere else False if self.closed is False else None

    @property
    def proved(self) -> bool:
        """Whether the answer of `closed` is proved."""
        if self.closed is False:
            return any(v.proved for v in self.verdicts if v.is_zero is False)
        return self.closed is True and all(v.proved for v in self.verdicts)

    def __str__(self) -> str:
        if self.closed is None:
            return "it is undecided whether φ is closed"
        if self.closed is False:
            words = "not closed: as it stands it is dL of no Lagrangian (a multiple of it may be)"
        elif self.everywhere:
            words = "closed and defined everywhere, so exact: a Lagrangian exists"
        else:
            words = (
                "closed: near every point of its domain, and on every star-shaped part of it, φ = dL; "
                "on the whole domain this is not decided"
            )
        return f"φ is {words}" + ("" if self.proved else " (tested at points, not proved)")
