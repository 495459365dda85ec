"""Effort: what a question may cost, in counted operations, and the sentences that speak of it.

Verdicts never depend on a clock. An exact computation is given an effort, a number of operations
(:mod:`chetaev.expr.exact.effort.cost`), and when that is spent the answer says so and how to raise it. On a
usual machine 10⁶ is about a second.
"""

from __future__ import annotations

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError

EFFORT = 1_000_000
"""What one question may cost if nothing else is said."""
MOST = 10**18
"""Millennia."""
NORMAL_FORMS = 5_000_000
"""What the normal forms of one law may cost if nothing else is said."""


def expect_effort(effort: object) -> int:
    """An effort given by the user: a whole number from 1 to `MOST`.

    >>> expect_effort(1e7)
    10000000
    """
    whole = isinstance(effort, (int, float)) and not isinstance(effort, bool) and effort % 1 == 0
    if not whole or not 1 <= effort <= MOST:  # type: ignore[operator]
        raise ModelError(
            f"the effort is {shown(effort)}",
            expected="a whole number from 1 to 10^18, such as effort=10**7",
        )
    return int(effort)  # type: ignore[call-overload, no-any-return]


def beyond(effort: int) -> str:
    """The sentence of what was given up.

    >>> beyond(2_500_000)
    'not decided within effort 2.5·10⁶; effort= raises it'
    """
    return f"not decided within effort {written(effort)}; effort= raises it"


def unproved(effort: int) -> str:
    """The sentence of what points show and algebra did not reach.

    >>> unproved(10**6)
    'no proof within effort 10⁶; effort= raises it'
    """
    return f"no proof within effort {written(effort)}; effort= raises it"


def written(effort: int) -> str:
    """An effort as it is written: a number times a power of ten.

    >>> written(10**6), written(20_000_000), written(1234), written(0)
    ('10⁶', '2·10⁷', '1234', '0')
    """
    if effort < 10_000:
        return str(effort)
    power = len(str(effort)) - 1
    digits = f"{effort / 10**power:.3g}"
    if float(digits) >= 10:  # 9999999 is written 10⁷
        power, digits = power + 1, "1"
    raised = f"10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return raised if digits == "1" else f"{digits}·{raised}"
