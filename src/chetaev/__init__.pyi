"""The public names of chetaev, one line each: for type checkers and for ``__init__.py``."""

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

__version__: str

def gallery() -> list[str]: ...
