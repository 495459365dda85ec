"""Fields as people give them: components by name, ``{"x": "-y", "y": "x"}``; what is left out is zero.

The component of time has the name of time. A point field has components that depend on t and q alone;
components of a dynamical field and of an adjoint symmetry may contain velocities.

>>> import chetaev as ch
>>> turn = read_field(ch.load("knife-edge"), {"x": "-y", "y": "x", "phi": 1}, "point")
>>> str(turn), turn.kind
('-y ∂/∂x + x ∂/∂y + ∂/∂phi', 'point')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.node import ONE, ZERO, Expr, neg, symbols
from chetaev.expr.print import to_text
from chetaev.model.jet_functions import function_on
from chetaev.model.system import System

KINDS = ("point", "dynamical", "adjoint")


@dataclass(frozen=True)
class Components:
    """Components of a field on Y (point), along the projection (dynamical), or of a 1-form (adjoint)."""

    kind: str
    time_name: str
    time: Expr
    along: tuple[tuple[str, Expr], ...]

    @classmethod
    def of(cls, system: System, components: Mapping[str, Expr], kind: str = "point") -> Components:
        """From components by name; what is left out is zero."""
        along = tuple((c, components.get(c, ZERO)) for c in system.coordinates)
        return cls(kind, system.time, components.get(system.time, ZERO), along)

    @property
    def by_name(self) -> dict[str, Expr]:
        """The components that are not the number zero, time first."""
        every = {self.time_name: self.time, **dict(self.along)}
        return {n: e for n, e in every.items() if e is not ZERO}

    def __str__(self) -> str:
        return combination(self.by_name, "ω^" if self.kind == "adjoint" else "∂/∂")


def combination(components: Mapping[str, Expr], before: str) -> str:
    """A field in words: ``-y ∂/∂x + x ∂/∂y``."""
    words = ""
    for name, e in components.items():
        sign, text = ("-", to_text(e.args[0])) if e.op == "neg" else ("+", to_text(e))
        if (
            sign == "+" and text.startswith("-") and not _is_sum(e)
        ):  # a product whose first factor is negative
            sign, text = "-", text[1:]
        if e.op == "number" and e.value < 0:
            sign, text = "-", to_text(neg(e))
        text = "" if text == to_text(ONE) else f"({text}) " if _is_sum(e) else f"{text} "
        term = f"{text}{before}{name}"
        words += f" {sign} {term}" if words else f"{'-' if sign == '-' else ''}{term}"
    return words or "0"


def _is_sum(e: Expr) -> bool:
    e = e.args[0] if e.op == "neg" else e
    return e.op == "add"


def read_field(system: System, given: Any, kind: str) -> Components:
    """One field from a mapping; a ModelError for names that are no coordinates and functions of too much."""
    if not isinstance(given, Mapping):
        raise ModelError(
            f"a field is {shown(given)}", expected='its components by name, such as {"x": "-y", "y": "x"}'
        )
    known = (system.time, *system.coordinates)
    for name in given:
        if name not in known:
            raise ModelError.unknown(
                f"a field has the component {shown(name)}, which is neither time nor a coordinate",
                name,
                known,
            )
    order = 0 if kind == "point" else 1
    values = {n: function_on(system, x, f"the component {n!r} of a field", 1) for n, x in given.items()}
    for name, e in values.items():
        fast = sorted(n + "'" for n, k in symbols(e) if k > order)
        if fast:
            raise ModelError(
                f"the component {name!r} of a point field contains {fast[0]}",
                expected="functions of time and coordinates",
                remedy="kind='dynamical' is for fields that depend on velocities",
            )
    if kind != "point" and values.get(system.time, ZERO) is not ZERO:
        raise ModelError(
            f"a field of kind {kind!r} has a component along {system.time}",
            expected="components along coordinates",
            remedy="take a multiple of Γ off: the field ξ^σ − v^σ τ is a symmetry together with (τ, ξ)",
        )
    return Components.of(system, values, kind)


def read_fields(system: System, given: Any, kind: str) -> list[Components]:
    """Several fields, as a list of mappings."""
    if isinstance(given, Mapping) or not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise ModelError(
            f"the fields are {shown(given)}",
            expected='a list of fields, each by components: [{"x": "-y", "y": "x"}]',
        )
    return [read_field(system, one, kind) for one in given]
