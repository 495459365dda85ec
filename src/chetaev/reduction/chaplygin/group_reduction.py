"""`ch.reduce_by_group`: the reduced Lagrangian, momenta and equations (SCOPE M1, M4, M6).

The shape coordinates r move by second-order equations, the momenta p of S = D ∩ V by the momentum equation,
and the coordinates of the orbits follow from both, q̇ = ṙ^α H_α + Ω^b S_b: a mixed system
(:mod:`chetaev.model.dynamics.mixed`), with or without the last.

>>> import chetaev as ch
>>> found = ch.reduce_by_group(ch.load("heisenberg"), [{"z": 1}])
>>> print(found)
kinematic: D ∩ V = 0 and D + V is all of TQ: a Chaplygin system
  shape x, y; group coordinates z
  H_x = ∂/∂x + y ∂/∂z
  H_y = ∂/∂y
  curvature [H_x, H_y] = -∂/∂z
  reduced Lagrangian x'^2*(y^2 + 1)/2 + y'^2/2
  gyroscopic force x: y*x'*y'
  gyroscopic force y: -y*x'^2
  x'' = -y*x'*y'/(y^2 + 1)
  y'' = 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import choice
from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.exact.vanishing import Verdict
from chetaev.expr.graph.node import Expr, substitute, symbol
from chetaev.expr.print import to_latex, to_text
from chetaev.flow.data.simulate import simulate
from chetaev.laws.symmetry.given_fields import combination
from chetaev.model.jet_functions import fresh_names
from chetaev.model.system import System, expect_system
from chetaev.reduction.chaplygin.action import read_action
from chetaev.reduction.chaplygin.proofs import against_chaplygin, against_full, residuals
from chetaev.reduction.chaplygin.reduced_equations import ReducedEquations, derive
from chetaev.reduction.chaplygin.shape_coordinates import in_shape_coordinates
from chetaev.reduction.chaplygin.splitting import split
from chetaev.reduction.expressed import cut_text
from chetaev.results import TextResult, plain

if TYPE_CHECKING:
    import xarray

CASES = {
    "kinematic": "D ∩ V = 0 and D + V is all of TQ: a Chaplygin system",
    "horizontal": "the orbits lie in D",
    "general": "D ∩ V has dimension {s}, D + V has dimension {both} of {n}",
}
LONG = 1_500


@dataclass(frozen=True)
class GroupReduction(TextResult):
    """A system reduced by a group, with its Lagrangian.

    Attributes
    ----------
    full
        The system.
    """

    full: System
    derived: ReducedEquations

    facts = (
        "case dimensions shape group connection sections momenta lagrangian gyroscopic accelerations "
        "velocities momentum_equations conserved reconstruction derived.split.action.algebra"
    )

    # -- what there is ---------------------------------------------------------------------------------
    @property
    def case(self) -> str:
        """``"kinematic"`` (Chaplygin), ``"horizontal"`` or ``"general"``."""
        return self.derived.split.case

    @property
    def dimensions(self) -> dict[str, int]:
        """Of D, V, D ∩ V and D + V."""
        return dict(zip(("D", "V", "S", "D + V"), self.derived.split.dimensions, strict=True))

    @property
    def shape(self) -> tuple[str, ...]:
        """The coordinates of Q/G."""
        return self.derived.split.shape

    @property
    def group(self) -> tuple[str, ...]:
        """The coordinates of the orbits."""
        return self.derived.split.group

    @cached_property
    def connection(self) -> dict[str, dict[str, Expr]]:
        """The horizontal fields H_α by components."""
        split = self.derived.split
        return {c: self._components(x) for c, x in zip(split.moving, split.horizontal, strict=True)}

    @cached_property
    def curvature(self) -> dict[tuple[str, str], dict[str, Expr]]:
        """[H_α, H_β] by components, those that are not 0."""
        found = {pair: self._components(x) for pair, x in self.derived.curvature.items()}
        return {pair: x for pair, x in found.items() if x}

    @cached_property
    def sections(self) -> dict[str, dict[str, Expr]]:
        """The frame of D ∩ V by components, by the name of its momentum."""
        pairs = zip(self.derived.momenta, self.derived.split.sections, strict=True)
        return {p: self._components(x) for p, x in pairs}

    def _components(self, x: Sequence[Element]) -> dict[str, Expr]:
        return {c: e.to_expr() for c, e in zip(self.full.coordinates, x, strict=True) if not e.is_blank}

    @cached_property
    def lagrangian(self) -> Expr:
        """l(r, ṙ, Ω), L restricted to D."""
        d = self.derived
        if d.parts is None:
            return d.lagrangian.to_expr()
        field = d.split.action.field
        speeds = [field.symbol(c, 1) for c in d.split.moving] + [field.symbol(u) for u in d.speeds]
        return d.parts.to_expr(speeds)

    @cached_property
    def gyroscopic(self) -> dict[str, Expr]:
        """The gyroscopic forces on the shape, functions of (r, ṙ, Ω)."""
        return _named(self.derived.split.moving, self.derived.gyroscopic)

    @cached_property
    def momenta(self) -> dict[str, Expr]:
        """p_b = ⟨∂L/∂v, S_b⟩, functions of the full state."""
        action = self.derived.split.action
        P = [action.lagrangian.diff((c, 1)) for c in action.names]
        pairs = zip(self.derived.momenta, self.derived.split.sections, strict=True)
        return {p: linear.dot(P, x).to_expr() for p, x in pairs}

    @cached_property
    def momentum_equations(self) -> dict[str, Expr]:
        """ṗ_b as functions of (t, r, ṙ, p)."""
        return _named(self.derived.momenta, self.derived.rates)

    @property
    def conserved(self) -> tuple[str, ...]:
        """The momenta that do not change, proved."""
        pairs = zip(self.derived.momenta, self.derived.rates, strict=True)
        return tuple(p for p, e in pairs if e.is_zero is True)

    @cached_property
    def accelerations(self) -> dict[str, Expr]:
        """r̈ of the independent shape coordinates as functions of (t, r, ṙ, p)."""
        return _named(self.derived.split.moving, self._second)

    @cached_property
    def _second(self) -> list[Element]:
        d = self.derived
        return linear.solve(d.metric, d.right) if d.right else []

    @cached_property
    def velocities(self) -> dict[str, Expr]:
        """Of shape coordinates that D makes dependent, functions of (r, ṙ)."""
        return {c: e.to_expr() for c, e in self.derived.dependent.items()}

    @cached_property
    def reconstruction(self) -> dict[str, Expr]:
        """The velocities of the coordinates of the orbits, functions of (q, ṙ, p)."""
        return {c: e.to_expr() for c, e in self.derived.lifted.items()}

    # -- as systems ------------------------------------------------------------------------------------
    @cached_property
    def system(self) -> System:
        """Shape and momenta by themselves."""
        return self._system((), "reduced")

    @cached_property
    def lifted(self) -> System:
        """Shape, momenta and the coordinates of the orbits."""
        return self._system(self.group, "reconstructed")

    def _system(self, more: Sequence[str], word: str) -> System:
        first = {**self.velocities, **self.momentum_equations}
        first |= {c: self.reconstruction[c] for c in more}
        dynamics: dict[str, Any] = {}
        if self.accelerations:
            dynamics["accelerations"] = {c: to_text(e) for c, e in self.accelerations.items()}
        if first:
            dynamics["velocities"] = {c: to_text(e) for c, e in first.items()}
        names = [*self.shape, *self.derived.momenta, *more]
        if not names:
            raise ModelError("nothing is left to move: the group and the constraint determine all")
        return System(
            coordinates=names,
            dynamics=dynamics,
            parameters={n: to_text(e) for n, e in self.full.parameters.items()},
            initial=self._start(more),
            time=self.full.time,
            name=f"{self.full.name}, {word}",
            until=self.full.until,
        )

    def _start(self, more: Sequence[str]) -> dict[str, float] | None:
        if self.full.initial is None:
            return None
        state = self.full.state
        found = {self.full.time: state.t}
        found |= {c: state.position[c] for c in (*self.shape, *more)}
        found |= {f"{c}_dot": state.velocity[c] for c in self.derived.split.moving}
        p = self.full.at_start(list(self.momenta.values()))
        return found | dict(zip(self.momenta, p, strict=True))

    def reconstruct(self, **options: Any) -> xarray.Dataset:
        """The full motion from the reduced one: `ch.simulate` of :attr:`lifted`, with its options."""
        return simulate(self.lifted, **options)

    # -- how it is known -------------------------------------------------------------------------------
    def pulled_back(self, functions: Sequence[Expr]) -> list[Expr]:
        """Functions of (t, r, ṙ, p) as functions of the full state."""
        return substitute(functions, {symbol(p): e for p, e in self.momenta.items()})

    def agreement(self, effort: int = EFFORT) -> dict[str, Verdict]:
        """The reduced equations against the full ones, on the constraint: a verdict for each.

        Rates along the full motion are compared; where that is tested but not proved, d'Alembert's principle
        is asked for reduced motions (:mod:`chetaev.reduction.chaplygin.proofs`), which proves the same.
        """
        laws = {**self.accelerations, **self.velocities, **self.momentum_equations, **self.reconstruction}
        pulled = dict(zip(laws, self.pulled_back(list(laws.values())), strict=True))
        second = tuple(self.accelerations)
        found = against_full(self.full, pulled, self.momenta, second, self._on_q, expect_effort(effort))
        if any(v.is_zero and not v.proved for v in found.values()) and self._obeys():
            proof = "d'Alembert's principle holds along a frame of D"
            kept = {n: v for n, v in found.items() if v.is_zero and not v.proved}
            found |= {n: replace(v, proved=True, method=proof, limit=0) for n, v in kept.items()}
        return found

    def _obeys(self) -> bool:
        """Whether d'Alembert's principle is proved for reduced motions."""
        found = ask(residuals, self.derived, self._second)
        return not isinstance(found, GivenUp) and all(e.is_zero is True for e in found)

    @property
    def _on_q(self) -> dict[Expr, Expr]:
        """v = ṙ^α H_α + Ω^b S_b."""
        d = self.derived
        action = d.split.action
        speeds = [action.field.symbol(c, 1) for c in d.split.moving]
        speeds += [action.field.symbol(u) for u in d.speeds]
        frame = [*d.split.horizontal, *d.split.sections]
        found = {}
        for i, c in enumerate(action.names):
            if c not in d.split.moving:
                found[symbol(c, 1)] = linear.dot([x[i] for x in frame], speeds).to_expr()
        return found

    def compared(self, effort: int = EFFORT) -> dict[str, Verdict]:
        """For a Chaplygin system: matrix and right side against those of the form ``chaplygin``."""
        if self.case != "kinematic":
            raise ModelError(
                f"this is no Chaplygin system: {self._words()}", remedy=".agreement() compares all cases"
            )
        d = self.derived
        metric = [[e.to_expr() for e in row] for row in d.metric]
        right = [e.to_expr() for e in d.right]
        return against_chaplygin(self.full, self.group, metric, right, self._on_q, expect_effort(effort))

    # -- to the world ----------------------------------------------------------------------------------
    def _words(self) -> str:
        d, _, s, both = self.derived.split.dimensions
        return CASES[self.case].format(s=s, both=both, n=len(self.full.coordinates), d=d)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        curvature = [{"fields": list(pair), "components": plain(x)} for pair, x in self.curvature.items()]
        return super().to_json() | {"curvature": curvature}

    def __str__(self) -> str:
        lines = [f"{self.case}: {self._words()}"]
        lines.append(
            f"  shape {', '.join(self.shape) or '(a point)'}; group coordinates {', '.join(self.group)}"
        )
        lines += [f"  H_{c} = {combination(x, '∂/∂')}" for c, x in self.connection.items()]
        lines += [
            f"  curvature [H_{a}, H_{b}] = {combination(x, '∂/∂')}" for (a, b), x in self.curvature.items()
        ]
        pairs = zip(self.sections.items(), self.derived.speeds, strict=True)
        for i, ((p, x), u) in enumerate(pairs, start=1):
            lines.append(f"  S_{i} = {combination(x, '∂/∂')}, velocity {u}, momentum {p}")
        lines.append(f"  reduced Lagrangian {to_text(self.lagrangian)}")
        lines += [f"  gyroscopic force {c}: {to_text(e)}" for c, e in self.gyroscopic.items()]
        lines += [f"  {c}'' = {cut_text(e, LONG)}" for c, e in self.accelerations.items()]
        lines += [f"  {c}' = {cut_text(e, LONG)}" for c, e in self.velocities.items()]
        for p, e in self.momentum_equations.items():
            lines.append(f"  {p}' = {cut_text(e, LONG)}" + ("    (conserved)" if p in self.conserved else ""))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        laws = [(f"\\ddot{{{to_latex(symbol(c))}}}", e) for c, e in self.accelerations.items()]
        laws += [(f"\\dot{{{to_latex(symbol(c))}}}", e) for c, e in self.momentum_equations.items()]
        rows = "".join(f"<tr><td>${n}$</td><td>${to_latex(e)}$</td></tr>" for n, e in laws)
        return f"<table>{rows}</table>{super()._repr_html_()}"


def _named(names: Sequence[str], functions: Sequence[Element]) -> dict[str, Expr]:
    return {n: e.to_expr() for n, e in zip(names, functions, strict=True)}


def reduce_by_group(
    system: System,
    symmetries: Sequence[Mapping[str, Any]],
    *,
    shape: Mapping[str, Any] | None = None,
    sections: Sequence[Mapping[str, Any]] | None = None,
    case: str | None = None,
    effort: int = EFFORT,
) -> GroupReduction:
    """The reduced Lagrange–d'Alembert equations of a system with a group of symmetries.

    Parameters
    ----------
    system
        A system with a Lagrangian and constraints linear in the velocities.
    symmetries
        Generators by components, ``[{"x": 1}, {"x": "-y", "y": "x", "phi": 1}]``. L and the constraint must
        be invariant, and brackets of generators combinations of them; coordinates that no generator moves are
        those of the shape space.
    shape
        Functions that are to be coordinates of the shape, ``{"X": "x*cos(phi) + y*sin(phi)"}``, where the
        model has none; it is written in them then, and `.full` is that model.
    sections
        Invariant fields that span D ∩ V, if others are wanted than those found; each has a momentum.
    case
        ``"chaplygin"`` if D ⊕ V = TQ is expected: another case is an error then.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).

    Examples
    --------
    >>> import chetaev as ch
    >>> sleigh = ch.load("caratheodory-sleigh")
    >>> found = ch.reduce_by_group(sleigh, [{"x": 1}, {"y": 1}])
    >>> found.case, found.shape, {p: str(e) for p, e in found.momentum_equations.items()}
    ('general', ('phi',), {'p_1': "m*a*phi'^2"})
    """
    expect_system(system, "ch.reduce_by_group")
    effort = expect_effort(effort)
    if case is not None:
        choice(case, "case", ("chaplygin",))
    if shape is not None:
        system, symmetries = in_shape_coordinates(system, symmetries, shape)

    def reduced() -> GroupReduction:
        found = split(read_action(system, symmetries, effort), sections)
        count = len(found.sections)
        if case is not None and found.case != "kinematic":
            raise ModelError(
                f"the group is not transverse to D: D ∩ V has dimension {found.dimensions[2]} and D + V has "
                f"dimension {found.dimensions[3]} of {len(system.coordinates)}: this is no Chaplygin system",
                remedy="without case= it is reduced with the momenta of D ∩ V",
            )
        speeds, momenta = fresh_names(system, count, "Omega"), fresh_names(system, count, "p")
        return GroupReduction(system, derive(found, speeds, momenta))

    answered = ask(reduced)
    if isinstance(answered, GivenUp):
        raise ModelError(
            f"the reduction was not finished: {answered.reason}",
            remedy="effort= raises what may be spent; ch.reduce with invariants needs less",
        )
    return answered
