"""The formulations side by side: do they give the same accelerations?

Every applicable formulation is evaluated at the same random points of Q with 50 digits. The accelerations
of each are compared with those of Chetaev's equations; the largest relative difference over all points is
reported. Formulations share no results, so their agreement is evidence that each derivation is right. What
they do share, such as the reader of the model and the engine of derivatives, is judged by two more rows,
`oracle` and `compiled`: see :mod:`chetaev.compare.witnesses`. Where the chart of a formulation ends, as it
does on another branch of the constraint, it is derived anew in a chart around the point.
"""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction
from typing import Any

from chetaev.checked_arguments import count, flag, number
from chetaev.compare.comparison_table import REFERENCE, TOLERANCE, Comparison, ComparisonRow, Tally, relative
from chetaev.compare.witnesses import CompiledRow, OracleRow
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.forms import vakonomic
from chetaev.equations.law.law import Equations, SingularError
from chetaev.equations.law.solved_law import prove as proved_agreement
from chetaev.equations.registry import DIFFERENT, FORMS, check_constraints, every_law
from chetaev.errors import DivisionByZeroError, ModelError
from chetaev.model.states.points import random_points
from chetaev.model.system import System, expect_system
from chetaev.numeric import SingularMatrixError

Values = tuple[list[Any], list[Any]]
MOST_CHARTS = 6
"""Charts that one formulation is derived in at most."""


def _semiholonomic(system: System, seed: int, digits: int) -> bool:
    """Whether condition (64) holds at three random points; a semiholonomic constraint satisfies it
    everywhere.
    """
    points = random_points(system, 3, seed + 1, digits)
    try:
        return all(abs(vakonomic.bracket_defect(system, p, digits)) < 10.0 ** (-digits // 2) for p in points)
    except (
        DivisionByZeroError,
        SingularMatrixError,
    ):  # dependent constraints: the vakonomic multipliers are not determined
        return False


def _with_multipliers(law: Equations, point: dict[Any, Any], reactions: list[Any]) -> dict[Any, Any]:
    """The point with multipliers of the size of the reactions; larger ones would hide the accelerations."""
    full = vakonomic.extend(law, point)
    size = max((float(abs(x)) for x in reactions), default=0.0)
    if 0 < size < 1e-6 or 1e6 < size < math.inf:
        full |= {name: full[name] * Fraction(size) for name in law.mu}
    return full


class _Charts:
    """One formulation in as many charts as the points ask for."""

    def __init__(self, law: Equations) -> None:
        self.laws = [law]

    def evaluate(self, point: dict[Any, Any], digits: int, *, determined: bool) -> Values:
        """Values in the first chart that reaches the point; a new one only where `determined`."""
        for law in self.laws:
            try:
                return law.evaluate(point, digits)
            except SingularError:
                continue
        if determined and len(self.laws) < MOST_CHARTS:
            with contextlib.suppress(ModelError):
                law = FORMS[self.laws[0].form].derive(self.laws[0].system, chart=point)
                values: Values = law.evaluate(point, digits)
                self.laws.append(law)
                return values
        raise SingularError("the law is singular at this point")


def compare(
    system: System,
    samples: int = 64,
    seed: int = 0,
    digits: int = 50,
    tolerance: float = TOLERANCE,
    prove: bool = False,
    effort: int = EFFORT,
) -> Comparison:
    """Evaluate every applicable formulation at random points of Q.

    Parameters
    ----------
    system
        The system, with its parameter values.
    samples, seed
        Number of points, and where the random numbers start.
    digits
        Significant digits of the arithmetic.
    tolerance
        Largest relative difference that counts as agreement.
    prove
        Also try to prove each agreement symbolically.
    effort
        What each proof may cost (:mod:`chetaev.expr.exact.effort.cost`).
    """
    expect_system(system, "ch.compare")
    samples = count(samples, "the number of points", 1, 1_000_000)
    digits = count(digits, "the number of digits", 10, 10_000)
    seed = count(seed, "the seed", 0, 2**63 - 1)
    tolerance = number(tolerance, "the tolerance", 0.0, 1.0, "a number from 0 to 1")
    prove = flag(prove, "prove")
    effort = expect_effort(effort)
    check_constraints(system)
    next(iter(random_points(system, 1, seed, digits)))  # raises where no point can be found
    found = dict(every_law(system))
    laws = {name: law for name, law in found.items() if not isinstance(law, str)}
    excluded = {name: reason for name, reason in found.items() if isinstance(reason, str)}
    names = [n for n in laws if n not in DIFFERENT]
    if "vakonomic" in laws:
        if _semiholonomic(system, seed, digits):
            names.append("vakonomic")
        else:
            some = list(random_points(system, 3, seed + 1, digits))
            excluded["vakonomic"] = vakonomic.relation(system, some, digits)
    charts = {name: _Charts(laws[name]) for name in names}
    order = sorted(names, key=lambda name: name != REFERENCE)
    tallies = {name: Tally() for name in names}
    oracle = OracleRow(system, digits, tolerance)
    compiled = CompiledRow(system, oracle)
    for point in random_points(system, samples, seed, digits):
        values: dict[str, list[Any]] = {}
        reactions: list[Any] = []
        for name in order:
            full = _with_multipliers(laws[name], point, reactions) if name == "vakonomic" else point
            try:
                values[name], found_multipliers = charts[name].evaluate(
                    full, digits, determined=REFERENCE in values
                )
                reactions = found_multipliers if name == REFERENCE else reactions
            except SingularError:
                tallies[name].singular += 1
        reference = values.get(REFERENCE, next(iter(values.values()), None))
        for name, found_values in values.items():
            tallies[name].add(relative(found_values, reference or [], digits))
        compiled.see(point, oracle.see(point, reference))
    compiled.run()
    proofs = {n: proved_agreement(laws[n], effort) for n in names if prove and n not in DIFFERENT}
    rows = [
        ComparisonRow(
            form=n,
            difference=None if tallies[n].worst is None else float(tallies[n].worst),
            points=tallies[n].points,
            singular=tallies[n].singular,
            operations=laws[n].operations,
            proved=proofs[n].proved if n in proofs else None,
            charts=len(charts[n].laws),
            tolerance=tolerance,
            limit=proofs[n].limit if n in proofs else 0,
        )
        for n in names
    ]
    for witness in (oracle, compiled):
        if witness.missing:
            excluded[witness.name] = witness.missing
        else:
            rows.append(witness.row())
    return Comparison(system.name, tuple(rows), excluded, samples, seed, digits, tolerance)
