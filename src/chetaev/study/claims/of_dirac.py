"""Claims about the outcome of Dirac's algorithm (SCOPE B7, B8).

dirac = { outcome = "second class", degrees_of_freedom = 1, first_class = 0, second_class = 2 }
"""

from __future__ import annotations

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, did_you_mean
from chetaev.hamilton.dirac.dirac import dirac as ask_dirac
from chetaev.hamilton.dirac.dirac_result import OUTCOMES
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge, Statement

COUNTS = ("degrees_of_freedom", "first_class", "second_class")


def dirac(given: ClaimData) -> Judge:
    """Whether Dirac's algorithm comes out as claimed."""
    system = given.system
    claimed = given.table("dirac", '{ outcome = "gauge" }')
    given.only(("outcome", *COUNTS), claimed, "the outcome of Dirac's algorithm")
    for name, value in claimed.items():
        if name == "outcome" and value not in OUTCOMES:
            expected, near = "one of " + ", ".join(OUTCOMES), did_you_mean(str(value), OUTCOMES)
            given.fail(f"{name!r} is {shown(value)}", "dirac", expected=expected, remedy=near)
        if name in COUNTS and (isinstance(value, bool) or not isinstance(value, int | float)):
            given.fail(f"{name!r} is {shown(value)}", "dirac", expected="a number")

    def judge(effort: int) -> tuple[Statement, ...]:
        try:
            found = ask_dirac(system, effort=effort)
            actual = {name: getattr(found, name) for name in claimed}
        except ModelError as error:
            return tuple(Statement(f"{n}: {value}", None, error.message) for n, value in claimed.items())
        branches = f" in the first of {len(found.branches)} branches" if len(found.branches) > 1 else ""
        told = f"{{}}{branches}, {found.parameters}" if found.parameters else f"{{}}{branches}"
        return tuple(
            Statement(f"{n}: {value}", value == actual[n], told.format(f"it is {actual[n]}"), False)
            for n, value in claimed.items()
        )

    return judge
