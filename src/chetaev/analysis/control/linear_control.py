r"""The linear system at a state: Kalman's rank, and what is left where inputs do not reach (PBH).

At an equilibrium, with A = ∂X/∂x and B = (Y_a), the reachable directions are R = span(B, AB, …). A maps R
into itself, and its action on the quotient by R is what no input changes. If all its eigenvalues lie on the
left of the imaginary axis, some linear feedback makes the equilibrium asymptotically stable; if one lies on
the right, no feedback does (Popov, Belevitch, Hautus).
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.analysis.control.control_affine import ControlAffine
from chetaev.analysis.control.lie_brackets import PointValues
from chetaev.analysis.control.local_control import is_equilibrium, kalman_rows, slopes_at
from chetaev.analysis.linear.characteristic import characteristic
from chetaev.analysis.linear.spectrum import Spectrum, of_factors
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import dot, solve
from chetaev.results import PlainData

Rows = list[list[Element]]


@dataclass(frozen=True)
class LinearControl(PlainData):
    """Kalman's test at a state.

    Attributes
    ----------
    rank, full
        The rank of (ad_X^k Y_a), and the dimension of the state space.
    controllable
        Whether the linear system at the equilibrium, or along the motion through the state, is controllable;
        None where the rank seen is too small and the state moves, so that later derivatives may raise it.
    equilibrium
        Whether X vanishes there.
    spectrum
        At an equilibrium, the eigenvalues that no input changes; None if there are none.
    stabilizable
        Whether linear feedback stabilises the equilibrium; None where it is not decided.
    brackets
        Independent ad_X^k Y_a by name.
    """

    rank: int
    full: int
    controllable: bool | None
    equilibrium: bool
    spectrum: Spectrum | None
    stabilizable: bool | None
    brackets: tuple[str, ...]

    facts = "rank controllable equilibrium stabilizable brackets fixed"

    @property
    def fixed(self) -> tuple[complex, ...]:
        """The eigenvalues that no input changes."""
        return () if self.spectrum is None else tuple(self.spectrum.values)


def linear_control(
    control: ControlAffine, values: PointValues, tangent: Rows, full: int
) -> LinearControl | None:
    """At a point; `tangent` is a basis of the tangent space of the state space. None without exact values."""
    kept, rest = kalman_rows(control, values, full), is_equilibrium(control, values)
    rank, names = len(kept), tuple(name for name, _ in kept)
    if rank == full:
        return LinearControl(rank, full, True, rest, None, True if rest else None, names)
    if not rest or not values.certain:
        return LinearControl(rank, full, None, rest, None, None, names)
    left = _quotient(control, values, tangent, [row for _, row in kept])
    spectrum = of_factors(characteristic(left))
    verdict: bool | None = None
    if spectrum is not None:
        if spectrum.count(1) or spectrum.count(0):
            verdict = False
        elif spectrum.count(-1) == full - rank:
            verdict = True
    return LinearControl(rank, full, False, True, spectrum, verdict, names)


def _quotient(control: ControlAffine, values: PointValues, tangent: Rows, reached: Rows) -> Rows:
    """A on the tangent space modulo the reachable directions."""
    A, field = slopes_at(control, values), values.field
    span = values.span(reached)
    others = [row for row in tangent if span.add(row)]
    basis = [*reached, *others]
    columns = [list(row) for row in zip(*basis, strict=True)]
    found = []
    for row in others:
        image = [dot(a, row) for a in A]
        found.append(solve(columns, image)[len(reached) :])
    zero = field.zero
    return [[found[j][i] if found else zero for j in range(len(others))] for i in range(len(others))]
