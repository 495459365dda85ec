"""A rolling body: full equations in angles, reduced ones in ω and γ, their agreement (SCOPE M2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chetaev.bodies.convexity import Convexity
from chetaev.bodies.support_function import (
    NORMAL,
    Support,
    apply,
    axis,
    cross,
    dot,
    minus,
    times,
    total,
    turned,
)
from chetaev.effort import EFFORT, expect_effort
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import (
    ONE,
    ZERO,
    Expr,
    call,
    div,
    mul,
    neg,
    number,
    postorder,
    substitute,
    symbol,
    symbols,
)
from chetaev.expr.print import to_latex, to_text
from chetaev.laws.rate import rate
from chetaev.laws.standpoint import judge
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System
from chetaev.reduction.expressed import tidy
from chetaev.results import TextResult, plain

ANGLES = {"zxz": ("psi", "theta", "phi"), "zyz": ("psi", "theta", "phi")}
ANGLES |= {"zxy": ("psi", "alpha", "beta"), "zyx": ("psi", "alpha", "beta")}
"""Turns about axes, one after the other, and the names of the angles."""
OWN = ("h", "x", "y", *NORMAL, *(f"{a}{i}" for a in "wrun" for i in (1, 2, 3)))
"""Names that the models use themselves."""
TWO = number(2)
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


class NamedExpressions:
    """Definitions in their order: a name for an expression, to be used in its place."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.meanings: dict[str, str] = {}
        self.taken = set(taken)

    def __call__(self, name: str, meaning: Expr) -> Expr:
        """The name, a longer one if it is taken; what is a name or 0 already stays."""
        if meaning is ZERO or meaning.op == "symbol":
            return meaning
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.meanings[name] = to_text(meaning)
        return symbol(name)

    def vector(self, stem: str, meaning: Sequence[Expr]) -> list[Expr]:
        """Three components."""
        return [self(f"{stem}{i}", e) for i, e in enumerate(meaning, start=1)]


@dataclass(frozen=True)
class RollingBody(TextResult):
    """A convex body on a plane.

    Attributes
    ----------
    support
        h(γ) for the centre of mass as origin.
    inertia
        I about the centre of mass, in the frame of the body.
    mass
        m.
    parameters
        All parameters, gravity `g` among them.
    angles
        The sequence of turns, such as ``"zxz"``.
    convexity
        How it is known that the body is convex.
    initial, until
        Data of the model, if given.
    """

    support: Support
    inertia: tuple[tuple[Expr, ...], ...]
    mass: Expr
    parameters: Mapping[str, Any]
    angles: str
    convexity: Convexity
    initial: Mapping[str, Any] | None = None
    until: Any = None
    name: str = "Rolling body"

    facts = "support.contact revolution angles"

    @property
    def contact(self) -> Any:
        """ρ, from the centre of mass to the point of contact, as functions of γ."""
        return _Tuple(self.support.contact)

    @property
    def revolution(self) -> bool:
        """Whether shape and inertia have the third axis as axis of revolution."""
        a, b, _ = self.inertia
        unequal = ZERO if a[0] is b[1] else minus(a[0], b[1])
        return self.support.revolution and all(map(self._vanishes, (a[1], a[2], b[2], unequal)))

    def _vanishes(self, e: Expr) -> bool:
        if e is ZERO:
            return True
        return self.support._field(e).is_zero is True

    @cached_property
    def system(self) -> System:
        """The full equations: centre of mass and three angles."""
        first, second, third = (symbol(n) for n in ANGLES[self.angles])
        fast = [symbol(n, 1) for n in ANGLES[self.angles]]
        a, b, c = list(self.angles)
        named = NamedExpressions(self.parameters)
        plain = turned(c, third, turned(b, second, axis("z", ONE), True), True)
        gamma = named.vector("g", plain)
        inner = turned(b, second, axis(a, fast[0]), True)
        inner = [total(e, f) for e, f in zip(inner, axis(b, fast[1]), strict=True)]
        inner = turned(c, third, inner, True)
        omega = named.vector("w", [total(e, f) for e, f in zip(inner, axis(c, fast[2]), strict=True)])
        h, rho = self._placed_by_angles(named, plain) if self.by_euler else self._placed(named, gamma)
        u = named.vector("u", cross(rho, omega))
        n = named.vector("n", turned(b, second, turned(c, third, u)))
        ahead = turned("z", first, n)
        speed = [symbol("x", 1), symbol("y", 1), n[2]]
        motion = div(self.mass, TWO) * total(*(e**TWO for e in speed if e is not ZERO))
        kinetic = total(motion, div(self._twice(omega), TWO))
        return System(
            coordinates=["x", "y", *ANGLES[self.angles]],
            parameters=self.parameters,
            define=named.meanings,
            kinetic=to_text(kinetic),
            potential=to_text(mul(self.mass, symbol("g"), h)),
            constraints=[f"{c}' = {to_text(e)}" for c, e in zip("xy", ahead, strict=False)],
            initial=self.initial,
            until=self.until,
            name=self.name,
            source=f"from the support function {self.support}{' (0 < theta < pi)' * self.by_euler}; M2",
        )

    def _twice(self, omega: Sequence[Expr]) -> Expr:
        """ω·Iω."""
        at = self.inertia
        terms = [times(at[i][i], omega[i] ** TWO) for i in range(3)]
        mixed = [(i, j) for i, j in UPPER if i != j and at[i][j] is not ZERO]
        terms += [mul(TWO, at[i][j], omega[i], omega[j]) for i, j in mixed]
        return total(*terms)

    def _placed(self, named: NamedExpressions, gamma: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
        """h and ρ with γ in its place."""
        put = {symbol(n): g for n, g in zip(NORMAL, gamma, strict=True)}
        own, height, *rho = substitute(
            [self.support.function, self.support.height, *self.support.contact], put
        )
        if own.op not in ("number", "symbol"):
            name = named("h" if own is height else "h0", own)
            height, *rho = substitute([height, *rho], {own: name})
        return named("h", height), named.vector("r", rho)

    def _placed_by_angles(self, named: NamedExpressions, gamma: Sequence[Expr]) -> tuple[Expr, list[Expr]]:
        """The same for Euler's angles of a body of revolution, where √(γ₁² + γ₂²) = sin θ."""
        height, *rho = self.on_angles([self.support.height, *self.support.contact], gamma)
        return named("h", height), named.vector("r", rho)

    def on_angles(self, functions: Sequence[Expr], gamma: Sequence[Expr]) -> list[Expr]:
        """Functions of γ as functions of the angles, for Euler's angles where sin θ > 0."""
        put = {symbol(n): g for n, g in zip(NORMAL, gamma, strict=True)}
        if not self.by_euler:
            return substitute(functions, put)
        upper = {call("sign", call("sin", symbol(ANGLES[self.angles][1]))): ONE}
        known: dict[Expr, Expr] = {}
        for node in postorder(*functions):
            if node.op in ("sqrt", "pow", "abs") and any(n in NORMAL for n, _ in symbols(node)):
                (shown,) = substitute([tidy(substitute([node], put)[0])], upper)
                known[node] = shown
        return [tidy(e) for e in substitute(functions, known | put)]

    @property
    def by_euler(self) -> bool:
        """Whether the angles are Euler's, and the body one of revolution."""
        return self.angles[0] == self.angles[2] and self.support.revolution

    @cached_property
    def reduced(self) -> System:
        """The equations of ω and γ, a system of first order."""
        omega, gamma = ([symbol(f"{s}{i}") for i in (1, 2, 3)] for s in "wg")
        named = NamedExpressions(self.parameters)
        turning = named.vector("dg", cross(gamma, omega))
        _, rho = self._placed(named, gamma)
        drift = named.vector("dr", apply(self.support.slopes, turning))
        m = self.mass
        J = self._about_contact(named, rho)
        moment = cross(apply(J, omega), omega)
        shift = cross(rho, cross(omega, drift))
        weight = cross(rho, gamma)
        k = [
            minus(total(a, times(m * symbol("g"), w)), times(m, s))
            for a, w, s in zip(moment, weight, shift, strict=True)
        ]
        k = named.vector("k", k)
        cofactors = [
            [
                minus(
                    times(J[(i + 1) % 3][(j + 1) % 3], J[(i + 2) % 3][(j + 2) % 3]),
                    times(J[(i + 1) % 3][(j + 2) % 3], J[(i + 2) % 3][(j + 1) % 3]),
                )
                for j in range(3)
            ]
            for i in range(3)
        ]
        named_cofactors: dict[tuple[int, int], Expr] = {}
        for i, j in UPPER:
            named_cofactors[i, j] = named_cofactors[j, i] = named(f"C{i + 1}{j + 1}", cofactors[i][j])
        determinant = named("D", dot(J[0], [named_cofactors[0, j] for j in range(3)]))
        rates = [div(dot([named_cofactors[i, j] for j in range(3)], k), determinant) for i in range(3)]
        return System(
            coordinates=["w1", "w2", "w3", *NORMAL],
            parameters=self.parameters,
            define=named.meanings,
            dynamics={
                "velocities": dict(
                    zip(("w1", "w2", "w3", *NORMAL), map(to_text, [*rates, *turning]), strict=True)
                )
            },
            initial=self._reduced_start(),
            until=self.until,
            name=f"{self.name}, reduced",
        )

    def _about_contact(self, named: NamedExpressions, rho: Sequence[Expr]) -> list[list[Expr]]:
        """J = I + m (ρ² − ρρᵀ)."""
        found: list[list[Expr]] = [[ZERO] * 3 for _ in range(3)]
        for i, j in UPPER:
            if i == j:
                moved = total(*(e**TWO for n, e in enumerate(rho) if n != i and e is not ZERO))
            else:
                moved = neg(times(rho[i], rho[j])) if ZERO not in (rho[i], rho[j]) else ZERO
            entry = total(self.inertia[i][j], times(self.mass, moved))
            found[i][j] = found[j][i] = named(f"J{i + 1}{j + 1}", entry)
        return found

    def _reduced_start(self) -> dict[str, float] | None:
        if self.system.initial is None:
            return None
        names = ["w1", "w2", "w3", *NORMAL]
        found = self.system.at_start([self._on_full(n) for n in names])
        return {self.system.time: self.system.state.t, **dict(zip(names, found, strict=True))}

    def _on_full(self, name: str) -> Expr:
        """ω and γ as functions of angles and their velocities."""
        return function_on(self.system, name)

    def agreement(self, effort: int = EFFORT) -> dict[str, Verdict]:
        """Whether ω and γ move along the full motion as the reduced equations say: a verdict for each.

        Along the motion of the full equations (Lagrange, with multipliers eliminated) the rate of each is
        compared with the reduced one (Newton and Euler), on the constraint.
        """
        effort = expect_effort(effort)
        full, small = self.system, self.reduced
        put = {symbol(n): self._on_full(n) for n in small.coordinates}
        laws = self._pulled_back([e.rhs for e in small.velocity_constraints], put)
        found = {}
        for n, law in zip(small.coordinates, laws, strict=True):
            defect = minus(rate(full, put[symbol(n)]), law)
            found[n] = judge(full, lambda view, e=defect: vanish(full, [e], view, effort)[0])[0]  # type: ignore[misc]
        return found

    def _pulled_back(self, laws: Sequence[Expr], put: dict[Expr, Expr]) -> list[Expr]:
        """Laws in ω and γ as functions on the full space; roots of functions of γ as in the model."""
        gamma = [put[symbol(n)] for n in NORMAL]
        roots = [
            e
            for e in postorder(*laws)
            if e.op in ("sqrt", "pow", "abs") and {n for n, _ in symbols(e)} & {*NORMAL}
        ]
        roots = [e for e in roots if not {n for n, _ in symbols(e)} & {"w1", "w2", "w3"}]
        known = dict(zip(roots, self.on_angles(roots, gamma), strict=True)) if self.by_euler else {}
        return substitute(laws, known | put)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return super().to_json() | {
            "support": to_text(self.support.height),
            "radii": plain(dict(zip(("sum", "product"), self.support.curvature, strict=True))),
            "convex": self.convexity.holds,
            "evidence": str(self.convexity),
            "model": self.system.to_toml(),
            "reduced": self.reduced.to_toml(),
        }

    def __str__(self) -> str:
        kind = "a body of revolution" if self.revolution else "a body"
        lines = [f"{self.name}: {kind} with h = {to_text(self.support.height)}, {self.convexity}"]
        lines.append(f"contact at ρ = {self.contact}")
        lines += [f"{e}" for e in self.system.velocity_constraints]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rho = ", ".join(to_latex(e) for e in self.support.contact)
        formula = f"h = {to_latex(self.support.height)},\\quad \\rho = ({rho})"
        return f"<p>${formula}$</p>{super()._repr_html_()}"


class _Tuple(tuple[Expr, ...]):
    """Expressions that show as the model language."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"({', '.join(to_text(e) for e in self)})"
