"""One integration as its loops see it: the compiled functions, and arrays whose parts have names.

``ints`` and ``reals`` hold sizes, settings and the state of the run. ``work`` holds all vectors, one after
the other,

    y  new  trial  k₀ k₁ …  dense₀ dense₁ …  zero  pivots  aux  residuals  C  normal  scratch  room

and ``watch`` what is known of the events. Nothing but this file knows where anything stands; see
`flow.compile.link` for what becomes of these classes in machine code.
"""

from __future__ import annotations

from dataclasses import dataclass

from chetaev.flow.kernels.arrays import Alias, Floats, Function, Ints, Real, Uniforms, Whole

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
TABLES = 2 * DEGREE + 3 * SAMPLES + 10
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
    form = Whole()  # 0 null, 1 pivoted
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
    longest = Real()  # of all steps, 0 without a limit

    kinds = Alias[Ints](lambda self: self.ints[INTS:])  # 0 noted, 1 terminal, 2 branch change, for each event
    senses = Alias[Ints](lambda self: self.ints[INTS + self.events :])  # direction, for each event
    y = Alias[Floats](lambda self: self.work)  # the start of the step
    new = Alias[Floats](lambda self: self.work[self.d :])  # the end of the step
    trial = Alias[Floats](lambda self: self.work[2 * self.d :])  # the state at which the field is computed
    # the derivatives of the stages, the first that at the start of the step
    k = Alias[Floats](lambda self: self.work[3 * self.d :])
    # the derivative at the end of the step
    k_end = Alias[Floats](lambda self: self.work[(3 + self.end_stage) * self.d :])
    # the vectors of the dense output
    dense = Alias[Floats](lambda self: self.work[(3 + self.stage_count) * self.d :])
    # where the vectors of the dense output end
    at_zero = Alias[int](lambda self: (3 + self.stage_count + self.vector_count) * self.d)
    zero = Alias[Floats](lambda self: self.work[self.at_zero :])  # a vector of zeros
    pivots = Alias[Floats](lambda self: self.work[self.at_zero + self.d :])  # pivots at its start
    # pivots at its end
    pivots_end = Alias[Floats](lambda self: self.work[self.at_zero + self.d + self.watched :])
    at_aux = Alias[int](lambda self: self.at_zero + self.d + 2 * self.watched)  # where the pivots end
    # what the field's program writes besides: pivots, and for the pivoted forms matrices
    aux = Alias[Floats](lambda self: self.work[self.at_aux :])
    # where that ends
    at_residuals = Alias[int](lambda self: self.at_aux + aux_size(self.form, self.n, self.rank, self.free))
    residuals = Alias[Floats](lambda self: self.work[self.at_residuals :])  # of dφ/dt and f, then φ
    # C row by row
    matrix = Alias[Floats](lambda self: self.work[self.at_residuals + self.rows + self.position :])
    # where C ends
    at_normal = Alias[int](
        lambda self: self.at_residuals + self.rows + self.position + self.all_rows * self.n
    )
    normal = Alias[Floats](lambda self: self.work[self.at_normal :])  # C Cᵀ and the right-hand side
    at_scratch = Alias[int](lambda self: self.at_normal + self.rows * (self.rows + 2))  # where those end
    scratch = Alias[Floats](lambda self: self.work[self.at_scratch :])  # a state in between
    values = Alias[Floats](lambda self: self.work[self.at_scratch + self.d :])  # the event functions there
    at_room = Alias[int](lambda self: self.at_scratch + 2 * self.d + 3 * self.events)  # where those end
    room = Alias[Floats](lambda self: self.work[self.at_room :])  # what the scheme has for itself
    work_size = Alias[int](lambda self: self.at_room + self.room_size)  # length of ``work``


def aux_size(form: int, n: int, rank: int, free: int) -> int:
    """Length of what the field's program writes besides (v, a)."""
    if form == 0:
        return rank + free + 1
    return rank + 1 + free * free + free + n * free + n + free


@dataclass
class Search(Integration):
    """What the search for events needs besides: the list of those found, what is known of each."""

    found: Floats
    watch: Floats

    saved = Alias[Floats](lambda self: self.watch[WATCH * self.events :])  # what was known before the step
    tables = Alias[Floats](lambda self: self.watch[2 * WATCH * self.events :])  # where the following stands
    # cos(πj/N) for j below 2N; the first half and one more are the nodes
    cosines = Alias[Floats](lambda self: self.tables)
    # where samples are taken on −1 … 1: N + 1 nodes from right to left, then the two in between
    nodes = Alias[Floats](lambda self: self.tables[2 * DEGREE :])
    # T_k at the first of the points in between; at the other it is (−1)ᵏ of that
    between = Alias[Floats](lambda self: self.tables[2 * DEGREE + SAMPLES :])
    # of the polynomial of one event function on a part, or some tens of its values
    coefficients = Alias[Floats](lambda self: self.tables[2 * DEGREE + 2 * SAMPLES :])
    bounds = Alias[Floats](lambda self: self.tables[2 * DEGREE + 3 * SAMPLES :])  # what they say of it
    # the samples of all event functions on the whole step, and those on a part of it
    whole_step = Alias[Floats](lambda self: self.tables[TABLES:])
    part = Alias[Floats](lambda self: self.tables[TABLES + SAMPLES * self.events :])
    # two states, on both sides of a place
    sides = Alias[Floats](lambda self: self.tables[TABLES + 2 * SAMPLES * self.events :])
    # length of ``watch``
    watch_size = Alias[int](lambda self: 2 * (WATCH + SAMPLES) * self.events + TABLES + 2 * self.d)
