"""What counts as zero in a matrix of doubles: the one policy, by what is known of the entries.

Units are the user's choice, so rows and columns are brought to size 1 first. Then a singular value, a pivot
or a remaining length counts if it exceeds a part of the largest:

`SOLVED`
    for what is divided by, in least squares and elimination: nothing smaller is, whatever it means;
`ROUNDING`
    for entries that are right up to rounding, such as formulas at a given point: what elimination leaves of a
    zero is some thousand units in the last place;
`CLEAR`
    for entries at a point that was searched for, and for derivatives of functions that hold on Q only: there
    zeros are as small as the point is near, about the square root of a unit in the last place;
`MEASURED`
    for entries that come from motions, which have the errors of their steps;
`GOOD`
    for choices that need not be made: a pivot at the start of a motion, a test that is repeated with care.

A rank found with `CLEAR` is a lower bound beyond doubt; what it leaves open is settled with more digits, or
exactly. No other room has a threshold of its own: a test reads all calls.
"""

from __future__ import annotations

SOLVED = 1e-12
ROUNDING = 1e-10
CLEAR = 1e-7
MEASURED = 1e-6
GOOD = 1e-3
