"""The verdict on an equilibrium: linear theory first, then integrals, else an honest None (SCOPE M3, M6).

An eigenvalue on the right: unstable. All on the left: asymptotically stable. As many zeros as the family of
equilibria has dimensions, and all others on the left: every member is stable, since the family is then the
whole centre manifold. Otherwise linear theory does not decide, unless the motion is linear, and a definite
combination of integrals may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from chetaev.analysis.linear.linearization import Linearization
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.residual import states_of_q
from chetaev.analysis.linear.state_matrices import CYCLIC
from chetaev.analysis.steady.centre_manifold import by_centre_manifold
from chetaev.analysis.steady.lagrange_dirichlet import by_the_potential
from chetaev.analysis.steady.linear_motion import by_linearity
from chetaev.analysis.steady.second_variation import second_variation
from chetaev.expr.exact import answer, ask
from chetaev.laws.symmetry.given_fields import Components
from chetaev.model.system import System


class StabilityVerdict(NamedTuple):
    """Whether a state is stable, why, and whether eigenvalues are all that was looked at."""

    stable: bool | None
    reason: str
    linear: bool = False


def verdict(
    system: System, near: Linearization, chart: LocalChart, family: int, effort: int,
    fields: Sequence[Components] = (),
) -> StabilityVerdict:  # fmt: skip
    """Whether the state of a system is stable, and why; `family` is the dimension of its family at rest, and
    `fields` are generators that it moves along, where they are no translations.
    """
    spectrum = near.spectrum
    beside = f" relative to {', '.join(near.relative_to)}" if near.relative_to else ""
    if not near.autonomous:
        return StabilityVerdict(None, "the law depends on time: eigenvalues at one time decide nothing")
    if not spectrum.values:
        return StabilityVerdict(True, f"nothing is left that could change: stable{beside}")
    if not spectrum.signed and spectrum.verdict is not None:
        reason = "the eigenvalues are known in doubles only, whose signs may be those of rounding errors"
        spectrum = replace(spectrum, roots=tuple(replace(r, side=None) for r in spectrum.roots))
    else:
        reason = spectrum.words
    if spectrum.verdict is False:
        return StabilityVerdict(False, f"linear theory: {spectrum.words}", True)
    if spectrum.verdict is True:
        return StabilityVerdict(True, f"linear theory: {spectrum.words}: asymptotically stable{beside}", True)
    zeros = sum(r.multiplicity for r in spectrum.roots if r.value == 0 and r.side == 0)
    left = spectrum.count(-1)
    if family and spectrum.certain and zeros == family and zeros + left == len(spectrum.values):
        words = f"linear theory: {zeros} zero{'' if zeros == 1 else 's'} along the family, all "
        return StabilityVerdict(True, words + "others on the left: motions near it end on the family", True)
    cyclic = () if fields else near.relative_to
    found = answer(ask(second_variation, system, chart, near.states, cyclic, fields, _states(system), effort))
    if found is not None:
        return StabilityVerdict(True, f"{found.words}: stable{beside}")
    by_potential = None if fields else by_the_potential(system, near.relative_to, effort)
    decided = by_potential or by_linearity(system, near, effort)
    if decided is None and not fields:
        decided = by_centre_manifold(system, near, effort)
    if decided is not None:
        stable, why = decided
        return StabilityVerdict(stable, f"{why}: {'stable' if stable else 'unstable'}{beside}")
    more = "; zeros along the family decide nothing" if family and zeros >= family else ""
    return StabilityVerdict(None, f"linear theory does not decide: {reason}{more}", True)


def _states(system: System) -> Sequence[tuple[float, np.ndarray, np.ndarray]]:
    """The state of the system first, then others of Q."""
    state = system.state
    q, v = (np.array([x[c] for c in system.coordinates]) for x in (state.position, state.velocity))
    return [(state.t, q, v), *states_of_q(system, CYCLIC, seed=1)]
