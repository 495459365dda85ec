"""Where ∂²L/∂v∂v loses rank, told apart from where only the minor that H was made with vanishes.

>>> import chetaev as ch
>>> text = {"lagrangian": "(x*y' - y*x')^2/2 - x^2/2 - y^2/2", "degenerate": True}
>>> print(*ch.dirac(ch.System(coordinates=["x", "y"], dynamics=text)).notes)
H is written with the inverse of y: motions along y = 0 are not looked for
"""

from __future__ import annotations

from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.linear import matrix as linear
from chetaev.hamilton.dirac.algorithm import PhaseRates
from chetaev.hamilton.dirac.constraint_surface import Surface


def words_on_rank(motion: PhaseRates) -> tuple[str, ...]:
    """For every factor of the minor that H was made with: what happens where it vanishes."""
    return tuple(_words(motion, e) for e in motion.legendre.drops)


def _words(motion: PhaseRates, factor: Element) -> str:
    drops = answer(ask(_rank_drops, motion, factor))
    if drops is False:
        return f"H is written with the inverse of {factor}: motions along {factor} = 0 are not looked for"
    verb = "drops" if drops else "may drop"
    return f"the rank of ∂²L/∂v∂v {verb} where {factor} = 0: motions there are not looked for"


def _rank_drops(motion: PhaseRates, factor: Element) -> bool:
    """Whether the rank is smaller where a factor vanishes."""
    space = motion.space
    L = space.element(space.system.lagrangian)
    (surface,) = Surface(space).solve(factor)
    hessian = [[surface.restrict(L.diff(v).diff(w)) for v in space.v] for w in space.v]
    zero = all(e.is_zero for row in hessian for e in row)
    return (0 if zero else linear.rank(hessian)) < motion.legendre.rank
