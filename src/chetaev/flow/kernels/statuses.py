"""How a run stands, what became of an attempt at a step, and kinds of unknowns of steps that are equations.

Statuses below 10 pause a run, the others end it.
"""

RUNNING = 0
PAUSED = 1  # slice used up, or a buffer is full
CHART = 2  # a pivot is weak: another chart is needed
BRANCH = 4  # a non-smooth function changes its branch
OTHER_SCHEME = 5  # the system has become stiff, or is so no longer
DONE = 10
EVENT = 11
COLLAPSED = 12
NOT_FINITE = 13
SINGULAR = 14
OFF_CONSTRAINT = 15
NO_STEP = 16  # the equations of a step of a fixed length were not solved

# outcomes of an attempt
REJECT_ERROR = 1
REJECT_FINITE = 2
REJECT_PIVOT = 3
REJECT_PROJECTION = 4
REJECT_UNSOLVED = 5
STOP_CHART = 12

# blocks of unknowns
POSITION = 0
VELOCITY = 1
ACCELERATION = 2
MULTIPLIERS = 3  # one for each row of C
SHIFTS = 4  # one for each position constraint
PUSHES = 5  # one for each constraint on velocities, those that follow from position constraints among them
