"""Which formulations there are, and which apply to a system.

>>> import chetaev as ch
>>> from chetaev.equations.registry import forms
>>> "chetaev" in forms(ch.load("leibniz-particle"))
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from inspect import signature
from types import MappingProxyType, ModuleType
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.effort import expect_effort
from chetaev.equations.law.law import Equations
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.model.system import System, expect_system
from chetaev.results import Table


@dataclass(frozen=True)
class Formulation:
    """One formulation."""

    name: str
    """As users write it."""
    module: str
    """The module of this room with its ``derive`` and ``applies``."""
    words: str
    """What it is."""

    @property
    def home(self) -> ModuleType:
        """Its module."""
        return import_module(f"chetaev.equations.forms.{self.module}")

    def derive(self, system: System, **options: Any) -> Equations:
        """Its equations, whatever was derived before; a ModelError says why there are none."""
        return self.home.derive(system, **options)  # type: ignore[no-any-return]

    def excluded(self, s: Setup) -> str:
        """Why it does not apply, in a sentence; empty if it does. Where there is a Lagrangian, nothing is
        derived to say so.
        """
        try:
            if s.system.dynamics.lagrangian is None:
                _derived(s.system, self.name)  # what it needs of another dynamics, it asks as it derives
            else:
                self.home.applies(s)
        except ModelError as error:
            return error.message
        return ""


FORMS: dict[str, Formulation] = {
    form.name: form
    for form in (
        Formulation("reduced", "reduced", "the reduced equations, on the constraint itself"),
        Formulation(
            "reduced-lepage", "lepage", "the reduced equations, from the Lepage class of the free system"
        ),
        Formulation("quasi", "quasi", "the equations in natural quasi-velocities"),
        Formulation("chetaev", "chetaev", "Chetaev’s equations with multipliers"),
        Formulation("vakonomic", "vakonomic", "the vakonomic equations, another dynamics"),
        Formulation("gibbs-appell", "gibbs_appell", "the Gibbs–Appell equations"),
        Formulation("gibbs-geometric", "gibbs_geometric", "the Gibbs–Appell equations, geometrically"),
        Formulation("gibbs-sasaki", "gibbs_sasaki", "the Gibbs–Appell equations, with the Sasaki metric"),
        Formulation("gauss", "gauss", "Gauss’s principle of least constraint"),
        Formulation("dalembert", "dalembert", "d’Alembert’s principle as an orthogonal projection"),
        Formulation("hamel", "hamel", "Hamel’s equations in quasi-velocities"),
        Formulation("connection", "connection", "geodesics of a constrained connection"),
        Formulation("sode", "sode", "the second-order field on the constraint"),
        Formulation("chaplygin", "chaplygin", "Chaplygin’s equations"),
        Formulation("first-variation", "first_variation", "the nonholonomic first variation formula"),
        Formulation("hamilton", "hamilton", "Hamilton’s equations in nonholonomic momenta"),
        Formulation(
            "bracket", "bracket", "the multipliers by brackets of the constraint functions with 1-forms"
        ),
        Formulation("euler-lagrange", "euler_lagrange", "the Euler–Lagrange equations"),
    )
}
"""Every formulation by its name, in the order in which they are listed."""

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

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"forms": list(self.names), "excluded": dict(self.excluded)}

    def _table_(self) -> Table:
        rows = [(name, "yes", FORMS[name].words) for name in self.names]
        rows += [(name, "no", reason) for name, reason in self.excluded.items()]
        return Table(("form", "applies", "what it is or why it does not apply"), tuple(rows))

    def _repr_html_(self) -> str:
        return self._table_().html()

    def __repr__(self) -> str:
        return f"<Forms: {len(self.names)} apply, {len(self.excluded)} do not>"

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
    if not isinstance(form, str) or form not in FORMS:
        raise ModelError.unknown(f"there is no form {shown(form)}", form, FORMS)
    if effort is not None:
        return replace(equations(system, form, **options), effort=expect_effort(effort))
    if options:
        known = [name for name in list(signature(FORMS[form].home.derive).parameters)[1:] if name != "chart"]
        for name in options:
            if name not in known:
                said = f"the form {form!r} has no option {name!r}"
                raise ModelError.unknown(said, name, known, "no options")
        check_constraints(system)
        return FORMS[form].derive(system, **options)
    check_constraints(system)
    return _derived(system, form)


@lru_cache(maxsize=64)
def check_constraints(system: System) -> None:
    """Raise a ModelError where constraints on accelerations contradict each other or other ones, and where
    one on velocities has no derivative to act with.
    """
    if system.velocity_constraints:
        from chetaev.equations.law.sharp_constraints import refuse_blunt

        refuse_blunt(system)
    if system.acceleration_constraints:
        from chetaev.constraint.kind.acceleration_rows import refuse_contradictions

        refuse_contradictions(system)


@lru_cache(maxsize=256)
def _derived(system: System, form: str) -> Equations:
    return FORMS[form].derive(system)


def forms(system: System) -> Forms:
    """The formulations that apply to a system, with the reason where one does not."""
    expect_system(system, "ch.forms")
    try:
        check_constraints(system)
    except ModelError as error:
        return Forms((), MappingProxyType(dict.fromkeys(FORMS, error.message)))
    s = Setup(system)
    excluded = {name: form.excluded(s) for name, form in FORMS.items()}
    names = tuple(name for name, reason in excluded.items() if not reason)
    return Forms(names, MappingProxyType({n: reason for n, reason in excluded.items() if reason}))


def every_law(system: System) -> Iterator[tuple[str, Equations | str]]:
    """Every formulation with its equations, or with the reason why it has none, as they are derived."""
    for name in FORMS:
        try:
            yield name, equations(system, name)
        except ModelError as error:
            yield name, error.message
