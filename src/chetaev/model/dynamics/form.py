"""A fundamental 1-form φ = F dq + Π dv in the place of dL (SCOPE D4; Delphenich (1.1)–(1.5)).

The first variation δS = ∫ φ(δq, δq̇) dt leaves dΠ/dt − F, so that

    dΠ_σ/dt = F_σ + (applied forces) + μ_a ∂f^a/∂v^σ,      M = ∂Π/∂v,      h = d'Π/dt − F.

M need not be symmetric: then φ is dL of no Lagrangian.

>>> import chetaev as ch
>>> damped = ch.System(coordinates=["x"], dynamics={"form": {"F": ["-x - x'/5"], "Pi": ["x'"]}})
>>> ch.equations(damped).accelerations
{'x': Expr("-(x' + 5*x)/5")}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from chetaev.expr.graph.node import ZERO, Expr, symbols
from chetaev.expr.print.layout import Indexed, Name
from chetaev.model.dynamics.any_dynamics import SX, Dynamics, Nodes, Part

if TYPE_CHECKING:
    from chetaev.model.dynamics.dynamics_table import DynamicsData


@dataclass(frozen=True)
class FormDynamics(Dynamics):
    """φ = F dq + Π dv; one component a coordinate."""

    F: tuple[Expr, ...]
    Pi: tuple[Expr, ...]
    kind = "form"
    given_by = "a fundamental form F dq + Pi dv"

    @property
    def symmetric(self) -> bool:
        """Each momentum contains the velocity of its own coordinate only: then M is diagonal."""
        return all(
            name == c
            for c, p in zip(self.coordinates, self.Pi, strict=True)
            for name, order in symbols(p)
            if order == 1
        )

    @property
    def parts(self) -> tuple[Part, ...]:
        """F, then Π, by coordinate."""
        made = []
        for key, values in (("F", self.F), ("Pi", self.Pi)):
            for i, (c, expr) in enumerate(zip(self.coordinates, values, strict=True)):
                path = ("dynamics", "form", key, i)
                shown = Indexed(Name(key), Name(c))
                made.append(Part(f"the component {key} of {c}", path, f"{key}_{c}", shown, expr))
        return tuple(made)

    def with_parts(self, functions: Sequence[Expr]) -> Self:
        """With other components."""
        m = len(self.coordinates)
        return replace(self, F=tuple(functions[:m]), Pi=tuple(functions[m:]))

    def table(self) -> dict[str, Any]:
        """``form = {F = […], Pi = […]}``."""
        return {"form": {"F": list(self.F), "Pi": list(self.Pi)}}

    def fundamental(self, at: Nodes) -> tuple[SX, SX]:
        """F and Π as they are."""
        return at.column(self.F), at.column(self.Pi)

    @classmethod
    def read(cls, given: DynamicsData) -> FormDynamics:
        """From ``form``: a table with F and Pi, each a list or a table by coordinate."""
        reader = given.reader
        table = reader.table(("dynamics", "form"))
        reader.expect_keys(table, ("dynamics", "form"), ("F", "Pi"))
        if "Pi" not in table:
            reader.fail(
                "the form has no momenta",
                ("dynamics", "form"),
                expected='Pi, such as ["m*x\'"]: the components of dv in F dq + Pi dv',
                key=True,
            )
        F, Pi = (_components(given, key) for key in ("F", "Pi"))
        given.check_velocities("the momentum Pi", ("dynamics", "form", "Pi"), Pi)
        return cls(given.coordinates, given.forces(), F, Pi)


def _components(given: DynamicsData, key: str) -> tuple[Expr, ...]:
    """One component a coordinate: from a list of all, or from a table of those that are not 0."""
    what = f"a component {key}"
    if isinstance(given.table["form"].get(key), (list, tuple)):
        return given.entries(("dynamics", "form", key), what, given.coordinates)
    found = given.by_coordinate(("dynamics", "form", key), what)
    return tuple(found.get(c, ZERO) for c in given.coordinates)
