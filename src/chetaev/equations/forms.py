"""Which formulations there are, and which apply to a system.

>>> import chetaev as ch
>>> from chetaev.equations.forms import forms
>>> "chetaev" in forms(ch.load("leibniz-particle"))
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from inspect import signature
from types import MappingProxyType
from typing import Any

from chetaev.asked import shown
from chetaev.effort import expect_effort
from chetaev.equations.law import Equations
from chetaev.errors import ModelError, did_you_mean
from chetaev.model.system import System, expect_system

HOMES: dict[str, str] = {
    "reduced": "chetaev.equations.reduced",
    "reduced-lepage": "chetaev.equations.lepage",
    "chetaev": "chetaev.equations.chetaev",
    "vakonomic": "chetaev.equations.vakonomic",
    "gibbs-appell": "chetaev.equations.gibbs_appell",
    "gibbs-geometric": "chetaev.equations.gibbs_geometric",
    "gibbs-sasaki": "chetaev.equations.gibbs_sasaki",
    "gauss": "chetaev.equations.gauss",
    "dalembert": "chetaev.equations.dalembert",
    "hamel": "chetaev.equations.hamel",
    "connection": "chetaev.equations.connection",
    "sode": "chetaev.equations.sode",
    "chaplygin": "chetaev.equations.chaplygin",
    "first-variation": "chetaev.equations.first_variation",
    "bracket": "chetaev.equations.bracket",
    "euler-lagrange": "chetaev.equations.euler_lagrange",
}
"""Names of the formulations and the modules whose ``derive`` makes their equations."""

DIFFERENT = ("vakonomic",)
"""Formulations of another dynamics: compared only where theory says they agree."""


@dataclass(frozen=True)
class Forms:
    """The formulations that apply, and why the others do not."""

    names: tuple[str, ...]
    excluded: MappingProxyType[str, str]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __str__(self) -> str:
        lines = [f"  {n}" for n in self.names]
        lines += [f"  {n}: does not apply: {reason}" for n, reason in self.excluded.items()]
        return "\n".join(lines)


def equations(
    system: System, form: str = "reduced", *, effort: int | None = None, **options: Any
) -> Equations:
    """The equations of motion in one formulation.

    Parameters
    ----------
    system
        The system.
    form
        The name of the formulation; `forms` lists those that apply.
    effort
        What normal forms of the equations and of their solution may cost (:mod:`chetaev.effort`); beyond it
        they are left as they were derived.
    **options
        What the formulation itself takes, e.g. ``quasi_velocities`` for ``hamel``.
    """
    expect_system(system, "ch.equations")
    if not isinstance(form, str) or form not in HOMES:
        raise ModelError(
            f"there is no form {shown(form)}",
            expected="one of " + ", ".join(HOMES),
            remedy=did_you_mean(form, HOMES) if isinstance(form, str) else "",
        )
    if effort is not None:
        return replace(equations(system, form, **options), effort=expect_effort(effort))
    if options:
        derive = import_module(HOMES[form]).derive
        known = list(signature(derive).parameters)[1:]
        for name in options:
            if name not in known:
                raise ModelError(
                    f"the form {form!r} has no option {name!r}",
                    expected="one of " + ", ".join(known) if known else "no options",
                    remedy=did_you_mean(name, known),
                )
        check_accelerations(system)
        return derive(system, **options)  # type: ignore[no-any-return]
    check_accelerations(system)
    return _derived(system, form)


@lru_cache(maxsize=64)
def check_accelerations(system: System) -> None:
    """Raise a ModelError where constraints on accelerations contradict each other or other ones."""
    if system.acceleration_constraints:
        from chetaev.constraint.acceleration import refuse_contradictions

        refuse_contradictions(system)


@lru_cache(maxsize=256)
def _derived(system: System, form: str) -> Equations:
    return import_module(HOMES[form]).derive(system)  # type: ignore[no-any-return]


def forms(system: System) -> Forms:
    """The formulations that apply to a system, with the reason where one does not."""
    expect_system(system, "ch.forms")
    names: list[str] = []
    excluded: dict[str, str] = {}
    for name in HOMES:
        try:
            _derived(system, name)
        except ModelError as error:
            excluded[name] = error.message
        else:
            names.append(name)
    return Forms(tuple(names), MappingProxyType(excluded))
