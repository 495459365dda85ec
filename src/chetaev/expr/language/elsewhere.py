r"""What people write elsewhere, and what to write here: dx/dt, \dot x, sin^2(x), 30 deg, |x|, np.sin(x), …

The parser stumbles at one character or name; what helps depends on the phrase around it. Each function below
knows one habit (of a textbook, LaTeX, Python, MATLAB, a keyboard) and looks for its phrase at the place of
the mistake, in a part of the text that is bounded. None of them changes what is valid.

>>> from chetaev.expr.language.scope import Scope
>>> scope = Scope.of(coordinates=["x", "theta"], parameters=["m"])
>>> phrase("m*sin^2(theta)", 2, scope).remedy
'write sin(theta)^2'
>>> phrase("(dx/dt)^2", 1, scope).remedy
"write x'"
"""

from __future__ import annotations

from dataclasses import replace

from chetaev.expr.language.habits import (
    derivatives,
    function_phrases,
    sign_phrases,
    tex_phrases,
    unit_phrases,
)
from chetaev.expr.language.habits.phrase import Finder, Phrase
from chetaev.expr.language.scope import Scope

REACH = 300
"""So many characters on both sides of a mistake are looked at."""
FINDERS: tuple[Finder, ...] = (
    sign_phrases.event,
    tex_phrases.tex,
    sign_phrases.function,
    sign_phrases.choice,
    derivatives.quotient,
    derivatives.method,
    derivatives.of_time,
    function_phrases.power_of_function,
    function_phrases.module,
    function_phrases.index,
    derivatives.newton,
    unit_phrases.degrees,
    unit_phrases.units,
    unit_phrases.unit_after,
    unit_phrases.numbers,
    function_phrases.bars,
    sign_phrases.signs,
)
"""In the order in which they are asked."""


def phrase(text: str, offset: int, scope: Scope) -> Phrase | None:
    """The phrase at a mistake, if it is known."""
    left = max(0, offset - REACH)
    part = text[left : offset + REACH]
    for finder in FINDERS:
        found = finder(part, offset - left, scope)
        if found is not None:
            return replace(found, start=found.start + left)
    return None
