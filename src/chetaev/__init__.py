"""chetaev: a workbench for nonholonomic mechanics.

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> disc.degrees_of_freedom
3
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from chetaev import bodies as bodies
    from chetaev import geometry as geometry
    from chetaev import variation as variation
    from chetaev.analysis.branches.continuation import follow as follow
    from chetaev.analysis.branches.stability_map import stability_map as stability_map
    from chetaev.analysis.control.accessibility import accessibility as accessibility
    from chetaev.analysis.control.decoupling import decoupling as decoupling
    from chetaev.analysis.control.steer import steer as steer
    from chetaev.analysis.linear.linearize import linearize as linearize
    from chetaev.analysis.orbits.basins import basins as basins
    from chetaev.analysis.orbits.lyapunov import lyapunov as lyapunov
    from chetaev.analysis.orbits.periodic import periodic as periodic
    from chetaev.analysis.orbits.poincare_section import section as section
    from chetaev.analysis.orbits.return_map import return_map as return_map
    from chetaev.analysis.orbits.reversal import reversals as reversals
    from chetaev.analysis.steady.equilibria import equilibria as equilibria
    from chetaev.analysis.steady.relative import relative_equilibria as relative_equilibria
    from chetaev.compare.compare import compare as compare
    from chetaev.constraint.kind.classifier import classify as classify
    from chetaev.equations.field import field as field
    from chetaev.equations.law.singular import singular as singular
    from chetaev.equations.registry import equations as equations
    from chetaev.equations.registry import forms as forms
    from chetaev.errors import ChetaevError as ChetaevError
    from chetaev.errors import ModelError as ModelError
    from chetaev.flow.data.save import read as read
    from chetaev.flow.data.sensitivity import sensitivities as sensitivities
    from chetaev.flow.data.vakonomic import vakonomic as vakonomic
    from chetaev.flow.run.events import Event as Event
    from chetaev.flow.run.first_order import rhs as rhs
    from chetaev.flow.schemes import schemes as schemes
    from chetaev.hamilton.dirac.dirac import dirac as dirac
    from chetaev.hamilton.dirac.dirac_ensemble import ensemble as ensemble
    from chetaev.hamilton.dirac.dirac_run import simulate as simulate
    from chetaev.hamilton.distributional import distributional as distributional
    from chetaev.hamilton.hamiltonization import hamiltonize as hamiltonize
    from chetaev.hamilton.momenta import hamilton as hamilton
    from chetaev.hamilton.nonholonomic_bracket import bracket as bracket
    from chetaev.hamilton.poisson import poisson as poisson
    from chetaev.laws.integrals import integrals as integrals
    from chetaev.laws.inverse.helmholtz import helmholtz as helmholtz
    from chetaev.laws.measure.measure import measure as measure
    from chetaev.laws.symmetry.killing import killing as killing
    from chetaev.laws.symmetry.symmetries import symmetries as symmetries
    from chetaev.model.file.loader import load as load
    from chetaev.model.file.loader import loads as loads
    from chetaev.model.system import System as System
    from chetaev.reduction.algebra.on_algebra import on_algebra as on_algebra
    from chetaev.reduction.chaplygin.group_reduction import reduce_by_group as reduce_by_group
    from chetaev.reduction.reduce import reduce as reduce
    from chetaev.study.cited import cite as cite
    from chetaev.study.claims.claims import claims as claims
    from chetaev.study.study import study as study
    from chetaev.view.animated import animate as animate
    from chetaev.view.overview import plot as plot
    from chetaev.view.play.play_page import play as play
    from chetaev.view.saved_results import save as save

__version__ = "0.1.0"

# Public names and the modules they live in; a module is imported when its name is first used.
_HOMES = {
    "ChetaevError": "chetaev.errors",
    "Event": "chetaev.flow.run.events",
    "ModelError": "chetaev.errors",
    "System": "chetaev.model.system",
    "accessibility": "chetaev.analysis.control.accessibility",
    "basins": "chetaev.analysis.orbits.basins",
    "bracket": "chetaev.hamilton.nonholonomic_bracket",
    "animate": "chetaev.view.animated",
    "cite": "chetaev.study.cited",
    "claims": "chetaev.study.claims.claims",
    "classify": "chetaev.constraint.kind.classifier",
    "compare": "chetaev.compare.compare",
    "decoupling": "chetaev.analysis.control.decoupling",
    "dirac": "chetaev.hamilton.dirac.dirac",
    "distributional": "chetaev.hamilton.distributional",
    "ensemble": "chetaev.hamilton.dirac.dirac_ensemble",
    "equations": "chetaev.equations.registry",
    "equilibria": "chetaev.analysis.steady.equilibria",
    "field": "chetaev.equations.field",
    "follow": "chetaev.analysis.branches.continuation",
    "forms": "chetaev.equations.registry",
    "hamilton": "chetaev.hamilton.momenta",
    "hamiltonize": "chetaev.hamilton.hamiltonization",
    "helmholtz": "chetaev.laws.inverse.helmholtz",
    "integrals": "chetaev.laws.integrals",
    "killing": "chetaev.laws.symmetry.killing",
    "linearize": "chetaev.analysis.linear.linearize",
    "load": "chetaev.model.file.loader",
    "loads": "chetaev.model.file.loader",
    "lyapunov": "chetaev.analysis.orbits.lyapunov",
    "measure": "chetaev.laws.measure.measure",
    "on_algebra": "chetaev.reduction.algebra.on_algebra",
    "periodic": "chetaev.analysis.orbits.periodic",
    "play": "chetaev.view.play.play_page",
    "plot": "chetaev.view.overview",
    "poisson": "chetaev.hamilton.poisson",
    "read": "chetaev.flow.data.save",
    "reduce": "chetaev.reduction.reduce",
    "reduce_by_group": "chetaev.reduction.chaplygin.group_reduction",
    "relative_equilibria": "chetaev.analysis.steady.relative",
    "return_map": "chetaev.analysis.orbits.return_map",
    "reversals": "chetaev.analysis.orbits.reversal",
    "rhs": "chetaev.flow.run.first_order",
    "save": "chetaev.view.saved_results",
    "schemes": "chetaev.flow.schemes",
    "section": "chetaev.analysis.orbits.poincare_section",
    "sensitivities": "chetaev.flow.data.sensitivity",
    "simulate": "chetaev.hamilton.dirac.dirac_run",
    "singular": "chetaev.equations.law.singular",
    "stability_map": "chetaev.analysis.branches.stability_map",
    "steer": "chetaev.analysis.control.steer",
    "study": "chetaev.study.study",
    "symmetries": "chetaev.laws.symmetry.symmetries",
    "vakonomic": "chetaev.flow.data.vakonomic",
}

_ROOMS = ("bodies", "geometry", "variation")
"""Rooms that are public as they are: ``ch.geometry.prolong``."""

__all__ = sorted(["__version__", "gallery", *_HOMES, *_ROOMS])


def gallery() -> list[str]:
    """The names of the gallery's models.

    >>> import chetaev as ch
    >>> "rolling-disc" in ch.gallery()
    True
    """
    from chetaev.model.gallery import names

    return list(names())


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'chetaev' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


for _name in ("compare", "ensemble", "equations", "hamilton", "study"):
    # These are rooms, and functions. A room is made an attribute of the package once, when it is first
    # imported: here, so that ``ch.equations`` is the function whatever is imported later.
    import_module(f"{__name__}.{_name}")
    del globals()[_name]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
