"""Where things stand in the arrays that the integrators work on.

``ints`` and ``reals`` hold sizes, settings and the state of a run; ``work`` holds all vectors. Statuses
below 10 pause a run, the others end it.
"""

from chetaev.flow.kernels.arrays import Ints

# ints
N = 0  # coordinates
DIM = 1  # length of the state: 2n, with variations 2n(1 + directions)
ROWS = 2  # velocity-level constraints: velocity constraints and dφ/dt
POSITION = 3  # position constraints, the last of those rows
ALL_ROWS = 4  # rows of C, acceleration constraints included
FREE = 5  # free velocities k
WATCHED = 6  # how many pivots are watched
EVENTS = 7
METHOD = 8  # 0 DOP853, 1 Radau IIA
FORM = 9  # 0 null, 1 pivoted, 2 bordered
PARAMETERS = 10  # length of p, modes included
DIRECTIONS = 11  # variations carried along
AT_COUNT = 12  # requested times; −1: every step is put out
AT_NEXT = 13
OUT_CAPACITY = 14
OUT_COUNT = 15
FOUND_CAPACITY = 16
FOUND_COUNT = 17
DENSE_CAPACITY = 18
DENSE_COUNT = 19
STEPS = 20
REJECTED = 21
EVALUATIONS = 22
SLICE = 23  # steps and rejections until the next look at the world
FRESH = 24  # 1: the derivative at the start must be computed
AFTER_REJECT = 25
PROJECT = 26  # 1: project onto the constraints
EVENT_INDEX = 27  # which event stopped the run
FACTORED = 28  # Radau: the matrix is current
FIRST = 29  # 1: no step taken since the start, 2: since a restart
LACKING = 30  # 1: the list of events is full, the step must be repeated
FOUND_BEFORE = 31  # events found before this step
RANK = 32  # rows of C that have a pivot: fewer than all where constraints are redundant
LABOURED = 33  # operations on jets since the last look at the world
INTS = 64
EVENT_KIND = 64  # from here on, for each event: 0 noted, 1 terminal, 2 branch change
# after those, for each event: direction

# reals
T = 0
END = 1
H = 2
RTOL = 3
ATOL = 4
ERROR = 5
LAST_ERROR = 6
H_MAX = 7
T_STAGE = 8  # time of the stage that raised a flag
DRIFT = 9  # largest correction by projection so far
H_FACTORED = 10
GATHERED = 11  # sum of the steps' errors so far, in units of the tolerance
SPAN = 12  # a time that steps are short against: of the run, or many first steps where that is less
REALS = 16

# statuses
RUNNING = 0
PAUSED = 1  # slice used up, or a buffer is full
CHART = 2  # a pivot is weak: another chart is needed
LIBM = 3  # an argument of sin or cos is too large for the fast variant
BRANCH = 4  # a non-smooth function changes its branch
DONE = 10
EVENT = 11
COLLAPSED = 12
NOT_FINITE = 13
SINGULAR = 14
OFF_CONSTRAINT = 15

# outcomes of an attempt
FINE = 0
REJECT_ERROR = 1
REJECT_FINITE = 2
REJECT_PIVOT = 3
REJECT_PROJECTION = 4


# work: y, new, trial, stages (16), dense (8), then small vectors
def at_new(ints: Ints) -> int:
    """The end of the step."""
    return ints[DIM]


def at_trial(ints: Ints) -> int:
    """The state at which the field is computed."""
    return 2 * ints[DIM]


def at_stages(ints: Ints) -> int:
    """The derivatives of the stages; number 12 is that at the end of the step."""
    return 3 * ints[DIM]


def at_dense(ints: Ints) -> int:
    """The vectors of the dense output."""
    return 19 * ints[DIM]


def at_pivots(ints: Ints) -> int:
    """Pivots at the start of the step, then those at its end."""
    return 27 * ints[DIM]


def at_aux(ints: Ints) -> int:
    """What the field's program writes besides: pivots, and for the pivoted forms matrices."""
    return at_pivots(ints) + 2 * ints[WATCHED]


def aux_size(ints: Ints) -> int:
    """Length of what the field's program writes besides."""
    n = ints[N]
    m = ints[RANK]
    k = ints[FREE]
    if ints[FORM] == 0:
        return m + k + 1
    if ints[FORM] == 1:
        return m + 1 + k * k + k + n * k + n
    return m + 1 + (n + m) * (n + m) + n + m


def at_residuals(ints: Ints) -> int:
    """f and dφ/dt, φ, then C row by row."""
    return at_aux(ints) + aux_size(ints)


def at_normal(ints: Ints) -> int:
    """C Cᵀ and the right-hand side."""
    return at_residuals(ints) + ints[ROWS] + ints[POSITION] + ints[ALL_ROWS] * ints[N]


def at_scratch(ints: Ints) -> int:
    """Scratch for event states and values."""
    return at_normal(ints) + ints[ROWS] * (ints[ROWS] + 2)


def at_stiff(ints: Ints) -> int:
    """Jacobian, matrices and stages of the implicit method."""
    return at_scratch(ints) + 2 * ints[DIM] + 3 * ints[EVENTS]


def work_size(ints: Ints) -> int:
    """Length of ``work``."""
    d = ints[DIM]
    stiff = 0
    if ints[METHOD] == 1:
        stiff = 10 * d * d + d * d + 16 * d
    return at_stiff(ints) + stiff


# watch: what is known of each event, the same before the step, polynomials, jets
WATCH = 24  # numbers kept for each event
POLYNOMIAL = 10  # numbers for each entry of the state: coefficients, and bounds of their rounding


def at_saved(ints: Ints) -> int:
    """What was known of each event before the step."""
    return WATCH * ints[EVENTS]


def at_polynomials(ints: Ints) -> int:
    """The dense output in powers of the fraction of the step."""
    return 2 * WATCH * ints[EVENTS]


def at_room(ints: Ints) -> int:
    """Scratch for one operation on jets."""
    return at_polynomials(ints) + POLYNOMIAL * ints[DIM]


def at_jets(ints: Ints) -> int:
    """The jet on a part of the step, that in its middle, and then those of a tape's operations."""
    return at_room(ints) + 32


def watch_size(ints: Ints, longest: int) -> int:
    """Length of ``watch`` for tapes of at most so many operations."""
    return at_jets(ints) + 8 * (longest + 3)
