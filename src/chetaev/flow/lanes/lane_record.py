"""The lanes as their kernels see them: what each lane's step has, and where it stands.

All numbers are those of one lane; whole numbers are the same for all. ``work`` holds, one after the other,

    y  new  trial  k₀ … k₁₅  f₀ … f₆  zero  pivots  pivots'  aux  residuals  C  normal  move
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.arrays import Floats, Function, Ints, Real, Whole
from chetaev.flow.lanes.marks import Uniforms

LANE_INTS = 16
LANE_REALS = 16


@dataclass
class Lanes:
    """What a step in lanes needs."""

    rhs: Function
    con: Function
    table: Uniforms
    ints: Ints
    reals: Floats
    p: Floats
    work: Floats

    n = Whole(0)
    d = Whole(1)
    rows = Whole(2)
    position = Whole(3)
    all_rows = Whole(4)
    watched = Whole(5)
    order = Whole(6)
    estimate = Whole(7)
    parameters = Whole(8)

    t = Real(0)
    end = Real(1)
    h = Real(2)
    tolerance = Real(3)
    error = Real(4)
    code = Real(5)  # why the step cannot be taken; 0 if it can
    wanted = Real(6)  # the step before it was cut at the end
    clipped = Real(7)  # 1: it was
    span = Real(8)
    until = Real(9)  # the end of the step
    due = Real(10)  # the next time at which the state is wanted; infinite if at none
    taken = Real(11)  # 1: the step is taken
    fresh = Real(12)  # 1: a new member, whose field is to be computed
    last_error = Real(13)
    h_max = Real(14)
    after_reject = Real(15)

    @property
    def y(self) -> Floats:
        """The start of the step."""
        return self.work

    @property
    def new(self) -> Floats:
        """Its end."""
        return self.work[self.d :]

    @property
    def trial(self) -> Floats:
        """The state at which the field is computed."""
        return self.work[2 * self.d :]

    @property
    def k(self) -> Floats:
        """The derivatives of the stages."""
        return self.work[3 * self.d :]

    @property
    def k_end(self) -> Floats:
        """That at the end of the step."""
        return self.work[15 * self.d :]

    @property
    def dense(self) -> Floats:
        """The vectors of the dense output."""
        return self.work[19 * self.d :]

    @property
    def zero(self) -> Floats:
        """A vector of zeros."""
        return self.work[26 * self.d :]

    @property
    def pivots(self) -> Floats:
        """Pivots at the start of the step."""
        return self.work[27 * self.d :]

    @property
    def pivots_end(self) -> Floats:
        """Pivots at its end."""
        return self.work[27 * self.d + self.watched :]

    @property
    def aux(self) -> Floats:
        """What the field's program writes besides: pivots, then its flag."""
        return self.work[27 * self.d + 2 * self.watched :]

    @property
    def at_residuals(self) -> int:
        """Where that ends."""
        return 27 * self.d + 3 * self.watched + 1

    @property
    def residuals(self) -> Floats:
        """Of dφ/dt and f, then φ."""
        return self.work[self.at_residuals :]

    @property
    def matrix(self) -> Floats:
        """C row by row."""
        return self.work[self.at_residuals + self.rows + self.position + 1 :]

    @property
    def at_normal(self) -> int:
        """Where C ends."""
        return self.at_residuals + self.rows + self.position + 1 + self.all_rows * self.n

    @property
    def normal(self) -> Floats:
        """C Cᵀ and the right-hand side."""
        return self.work[self.at_normal :]

    @property
    def move(self) -> Floats:
        """What the projection changes."""
        return self.work[self.at_normal + self.rows * (self.rows + 2) :]

    @property
    def work_size(self) -> int:
        """Entries of ``work``."""
        return self.at_normal + self.rows * (self.rows + 2) + self.n
