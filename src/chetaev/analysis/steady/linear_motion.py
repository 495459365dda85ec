"""Where the equations of motion are linear, the spectrum decides alone (SCOPE M6).

With a constant matrix M, h − F of degree one in coordinates and velocities and constraints of degree one, the
motion near a state is the motion itself: ẏ = A y. With no eigenvalue on the right it is stable exactly if
those on the imaginary axis have no Jordan blocks; with a factor p of multiplicity m of the characteristic
polynomial, dim ker p(A) = m deg p. Otherwise motions grow like a power of time.

>>> import chetaev as ch
>>> def rest(L):
...     return ch.equilibria(ch.System(coordinates=["x", "y"], lagrangian=L))[0].stable
>>> rest("x'*y' - x*y"), rest("(x'^2 + y'^2)/2 - (x + y)^2"), rest("x'*y' - x*y + y^2")
(True, False, False)
"""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat

from chetaev.analysis.linear.exact_state import modest
from chetaev.analysis.linear.linearization import Linearization
from chetaev.analysis.linear.spectrum import on_the_axis
from chetaev.equations.law.setup import Setup
from chetaev.expr.exact import Element, answer, ask
from chetaev.laws.standpoint import standpoints
from chetaev.model.system import System

STABLE = "the equations of motion are linear, and no eigenvalue on the imaginary axis has a Jordan block"
UNSTABLE = "the equations of motion are linear, and an eigenvalue on the imaginary axis has a Jordan block"


def by_linearity(system: System, near: Linearization, effort: int) -> tuple[bool, str] | None:
    """The verdict where no eigenvalue lies on the right, and why; None where the motion is not linear."""
    spectrum = near.spectrum
    if near.exact is None or spectrum.count(1) or spectrum.count(None):
        return None
    field, view = modest(effort), standpoints(system)[-1]
    if answer(ask(_is_linear, system, effort)) is not True:
        return None
    rows = answer(
        ask(lambda: [[field(e).as_fraction() for e in view.apply(row)] for row in near.exact or ()])
    )
    if rows is None or any(x is None for row in rows for x in row):
        return None
    A = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row if x is not None] for row in rows])
    _, parts = A.charpoly().factor()
    for part, multiplicity in parts:
        if multiplicity == 1 or not on_the_axis(part):
            continue
        if A.nrows() - _value(part, A).rank() < multiplicity * part.degree():
            return (False, UNSTABLE) if on_the_axis(part) == part.degree() else None
    return True, STABLE


def _is_linear(system: System, effort: int) -> bool:
    s, field, view = Setup(system), modest(effort), standpoints(system)[-1]
    M, h = s.inertia
    mass, *others = s.matrices(M, h - s.F, s.f, s.phi)
    keys = [(c, order) for c in system.coordinates for order in (0, 1)]

    def degree(e: Element) -> int:
        """In coordinates and velocities; 2 also where it is no polynomial, or contains time."""
        terms = e.coefficients(*keys)
        if terms is None or any(x.symbols for x in terms.values()):
            return 2
        return max((sum(m) for m, x in terms.items() if not x.is_zero), default=0)

    tables = [[[field(e) for e in view.apply(row)] for row in table] for table in (mass, *others)]
    return all(degree(e) <= (i > 0) for i, table in enumerate(tables) for row in table for e in row)


def _value(p: Any, A: fmpq_mat) -> fmpq_mat:
    """p(A), by Horner's rule."""
    n = A.nrows()
    one = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    total = fmpq_mat(n, n)
    for c in reversed(p.coeffs()):
        total = total * A + one * c
    return total
