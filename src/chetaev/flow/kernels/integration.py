"""One integration as its loops see it: the compiled functions, and arrays whose parts have names.

``ints`` and ``reals`` hold sizes, settings and the state of the run. ``work`` holds all vectors, one after
the other,

    y  new  trial  k₀ k₁ …  dense₀ dense₁ …  zero  pivots  aux  residuals  C  normal  scratch  room

and ``watch`` what is known of the events. Nothing but this file knows where anything stands; see
`flow.compile.signatures` for what becomes of these classes in machine code.
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.arrays import Floats, Function, Ints, Real, Uniforms, Whole

INTS = 64
"""Entries of ``ints`` before the kinds and the senses of the events."""
REALS = 16
WATCH = 24
"""Numbers kept for each event."""
DEGREE = 8
"""The degree of the polynomials that stand for event functions on parts of steps."""
SAMPLES = DEGREE + 3
"""Values that such a polynomial is made of: one more than the degree, and two to check it."""
BETWEEN = 0.47
"""Where it is checked, and at the negative: no node is near."""
LEAST_LOG = -13.287712379549449
"""log₂ 1e-4: a smaller error of the step before does not count, and of the first one there is none."""


@dataclass
class Integration:
    """What a step needs."""

    rhs: Function
    tangent: Function
    con: Function
    event: Function
    table: Uniforms
    ints: Ints
    reals: Floats
    p: Floats
    work: Floats

    # the model
    n = Whole()  # coordinates
    d = Whole()  # length of the state: 2n, with variations 2n(1 + directions)
    rows = Whole()  # velocity-level constraints: velocity constraints and dφ/dt
    position = Whole()  # position constraints, the last of those rows
    all_rows = Whole()  # rows of C, acceleration constraints included
    rank = Whole()  # rows of C that have a pivot: fewer than all where constraints are redundant
    free = Whole()  # free velocities
    watched = Whole()  # how many pivots there are to watch
    form = Whole()  # 0 null, 1 pivoted, 2 bordered
    parameters = Whole()  # length of p, modes included
    directions = Whole()  # variations carried along
    events = Whole()
    projects = Whole()  # 1: project onto the constraints

    # the scheme
    order = Whole()
    estimate = Whole()  # the estimated error of a step of length h is of the size of this power of h
    stage_count = Whole()  # derivatives kept in a step
    end_stage = Whole()  # the number of that at its end
    vector_count = Whole()  # vectors of the dense output
    room_size = Whole()  # doubles that the scheme has for itself
    current = Whole()  # 1: what the scheme keeps of this step's start is current
    unknowns = Whole()  # of the equations that a step solves, for schemes that are equations
    fixed = Whole()  # 1: all steps have the same length
    exact = Whole()  # 1: `tangent` is the derivative of the field that is integrated

    # what is put out
    at_count = Whole()  # requested times; −1: every step is put out
    at_next = Whole()
    out_capacity = Whole()
    out_count = Whole()
    found_capacity = Whole()
    found_count = Whole()
    found_before = Whole()  # events found before this step
    lacking = Whole()  # 1: the list of events is full, the step must be repeated
    dense_capacity = Whole()
    dense_count = Whole()

    # how far it is
    steps = Whole()
    rejected = Whole()
    evaluations = Whole()
    slice = Whole()  # steps and rejections until the next look at the world
    laboured = Whole()  # samples of events since the last look at the world
    fresh = Whole()  # 1: the derivative at the start must be computed
    first = Whole()  # 1: no step taken since the start, 2: since a restart
    after_reject = Whole()
    event_index = Whole()  # which event stopped the run
    taken = Whole()  # steps of a fixed length since `anchor`
    unwatched = Whole()  # 1: the pivots at the start are those of another chart
    looks = Whole()  # 1: steps are looked at for stiffness
    stiff_steps = Whole()  # steps in a row, or nearly so, that looked as if another scheme were better
    calm_steps = Whole()  # steps in a row that did not
    t = Real()
    end = Real()
    h = Real()
    rtol = Real()
    atol = Real()
    error = Real()  # of the step, in units of the tolerance
    last_log = Real()  # log₂ of the error of the step before, or of 1e-4 if that is more
    h_max = Real()
    t_stage = Real()  # time of the stage that raised a flag
    drift = Real()  # largest correction by projection so far
    gathered = Real()  # sum of the steps' errors so far
    span = Real()  # a time that steps are short against: of the run, or many first steps where that is less
    anchor = Real()  # the time from which steps of a fixed length are counted
    length = Real()  # of a step, where that is fixed

    @property
    def kinds(self) -> Ints:
        """0 noted, 1 terminal, 2 branch change, for each event."""
        return self.ints[INTS:]

    @property
    def senses(self) -> Ints:
        """Direction, for each event."""
        return self.ints[INTS + self.events :]

    @property
    def y(self) -> Floats:
        """The start of the step."""
        return self.work

    @property
    def new(self) -> Floats:
        """The end of the step."""
        return self.work[self.d :]

    @property
    def trial(self) -> Floats:
        """The state at which the field is computed."""
        return self.work[2 * self.d :]

    @property
    def k(self) -> Floats:
        """The derivatives of the stages, the first that at the start of the step."""
        return self.work[3 * self.d :]

    @property
    def k_end(self) -> Floats:
        """The derivative at the end of the step."""
        return self.work[(3 + self.end_stage) * self.d :]

    @property
    def dense(self) -> Floats:
        """The vectors of the dense output."""
        return self.work[(3 + self.stage_count) * self.d :]

    @property
    def at_zero(self) -> int:
        """Where the vectors of the dense output end."""
        return (3 + self.stage_count + self.vector_count) * self.d

    @property
    def zero(self) -> Floats:
        """A vector of zeros."""
        return self.work[self.at_zero :]

    @property
    def pivots(self) -> Floats:
        """Pivots at the start of the step."""
        return self.work[self.at_zero + self.d :]

    @property
    def pivots_end(self) -> Floats:
        """Pivots at its end."""
        return self.work[self.at_zero + self.d + self.watched :]

    @property
    def at_aux(self) -> int:
        """Where the pivots end."""
        return self.at_zero + self.d + 2 * self.watched

    @property
    def aux(self) -> Floats:
        """What the field's program writes besides: pivots, and for the pivoted forms matrices."""
        return self.work[self.at_aux :]

    @property
    def at_residuals(self) -> int:
        """Where that ends."""
        return self.at_aux + aux_size(self.form, self.n, self.rank, self.free)

    @property
    def residuals(self) -> Floats:
        """Of dφ/dt and f, then φ."""
        return self.work[self.at_residuals :]

    @property
    def matrix(self) -> Floats:
        """C row by row."""
        return self.work[self.at_residuals + self.rows + self.position :]

    @property
    def at_normal(self) -> int:
        """Where C ends."""
        return self.at_residuals + self.rows + self.position + self.all_rows * self.n

    @property
    def normal(self) -> Floats:
        """C Cᵀ and the right-hand side."""
        return self.work[self.at_normal :]

    @property
    def at_scratch(self) -> int:
        """Where those end."""
        return self.at_normal + self.rows * (self.rows + 2)

    @property
    def scratch(self) -> Floats:
        """A state in between."""
        return self.work[self.at_scratch :]

    @property
    def values(self) -> Floats:
        """The event functions there."""
        return self.work[self.at_scratch + self.d :]

    @property
    def at_room(self) -> int:
        """Where those end."""
        return self.at_scratch + 2 * self.d + 3 * self.events

    @property
    def room(self) -> Floats:
        """What the scheme has for itself."""
        return self.work[self.at_room :]

    @property
    def work_size(self) -> int:
        """Length of ``work``."""
        return self.at_room + self.room_size


def aux_size(form: int, n: int, rank: int, free: int) -> int:
    """Length of what the field's program writes besides (v, a)."""
    if form == 0:
        return rank + free + 1
    if form == 1:
        return rank + 1 + free * free + free + n * free + n
    return rank + 1 + (n + rank) * (n + rank) + n + rank


@dataclass
class Search(Integration):
    """What the search for events needs besides: the list of those found, what is known of each."""

    found: Floats
    watch: Floats

    @property
    def saved(self) -> Floats:
        """What was known of each event before the step."""
        return self.watch[WATCH * self.events :]

    @property
    def cosines(self) -> Floats:
        """cos(πj/N) for j below 2N; the first half and one more are the nodes."""
        return self.watch[2 * WATCH * self.events :]

    @property
    def nodes(self) -> Floats:
        """Where samples are taken on −1 … 1: N + 1 nodes from right to left, then the two in between."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE :]

    @property
    def between(self) -> Floats:
        """T_k at the first of the points in between; at the other it is (−1)ᵏ of that."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE + SAMPLES :]

    @property
    def coefficients(self) -> Floats:
        """Of the polynomial of one event function on a part."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE + 2 * SAMPLES :]

    @property
    def bounds(self) -> Floats:
        """What they say of it."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE + 3 * SAMPLES :]

    @property
    def whole_step(self) -> Floats:
        """The samples of all event functions on the whole step."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE + 3 * SAMPLES + 10 :]

    @property
    def part(self) -> Floats:
        """Those on a part of it."""
        return self.watch[(2 * WATCH + SAMPLES) * self.events + 2 * DEGREE + 3 * SAMPLES + 10 :]

    @property
    def row(self) -> Floats:
        """Values of one event function, some tens at most."""
        return self.watch[2 * WATCH * self.events + 2 * DEGREE + 2 * SAMPLES :]

    @property
    def sides(self) -> Floats:
        """Two states, on both sides of a place."""
        return self.watch[2 * (WATCH + SAMPLES) * self.events + 2 * DEGREE + 3 * SAMPLES + 10 :]

    @property
    def watch_size(self) -> int:
        """Length of ``watch``."""
        return 2 * (WATCH + SAMPLES) * self.events + 2 * DEGREE + 3 * SAMPLES + 10 + 2 * self.d
