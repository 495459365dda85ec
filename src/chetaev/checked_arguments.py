"""Arguments of functions: numbers, counts, names and tables, each checked before anything is done.

Anything may come: text, arrays, nothing at all, integers with a thousand digits. What is not of the right
kind is a ModelError, a sentence that says what was given and what was expected.

>>> number("30", "the final time")
Traceback (most recent call last):
    ...
chetaev.errors.ModelError: the final time is '30'
  expected a finite number
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError, clipped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def shown(value: object, longest: int = 200) -> str:
    """A value in an error: its text if it has one, its kind if not.

    >>> shown([1, 2]), shown(10**5000)
    ('[1, 2]', 'an int too long to be written')
    """
    try:
        return clipped(repr(value), longest)
    except Exception:  # integers have a limit, and the texts of foreign objects are foreign code
        kind = type(value).__name__
        return f"an {kind} too long to be written" if isinstance(value, int) else f"a {kind}"


def number(
    value: Any, what: str, low: float = -math.inf, high: float = math.inf, expected: str = "a finite number"
) -> float:
    """A finite real number between two bounds, as a float."""
    found = math.nan
    if type(value) is float or (isinstance(value, numbers.Real) and not isinstance(value, bool)):
        try:
            found = float(value)
        except (OverflowError, ValueError, TypeError):  # a span of time of NumPy's calls itself a number
            found = math.inf
    if not math.isfinite(found) or not low <= found <= high:
        raise ModelError(f"{what} is {shown(value)}", expected=expected)
    return found


def count(value: Any, what: str, low: int, high: int) -> int:
    """A whole number between two bounds."""
    whole = type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if not whole or not low <= int(value) <= high:
        raise ModelError(
            f"{what} is {shown(value)}", expected=f"a whole number, at least {low} and at most {high}"
        )
    return int(value)


def choice(value: Any, what: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    """One of some names; `known` may be a mapping whose keys they are."""
    if not isinstance(value, str) or value not in known:
        raise ModelError(f"{what} is {shown(value)}", expected="one of " + ", ".join(known))
    return value


def flag(value: Any, what: str) -> bool:
    """True or False; NumPy's own, too."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise ModelError(f"{what} is {shown(value)}", expected="True or False")
    return bool(value)


def table(value: Any, what: str, expected: str = "a dictionary") -> Mapping[Any, Any]:
    """A mapping; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} is {shown(value)}", expected=expected)
    return value


def listed(value: Any, what: str, expected: str = "a list") -> list[Any]:
    """The entries of a list, a tuple or an array; text and tables are none."""
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return list(value)
    except TypeError:
        raise ModelError(f"{what} is {shown(value)}", expected=expected) from None


def array(value: Any, what: str) -> NDArray[np.float64]:
    """Numbers as an array of doubles."""
    import numpy as np

    try:
        return np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} is {shown(value)}", expected="an array of numbers") from None


def leading_axes(t: Any, q: Any, v: Any, parameters: Iterable[Any]) -> tuple[int, ...]:
    """The shape that times, positions, velocities and parameters have in common, coordinates aside."""
    import numpy as np

    try:
        return np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1], *map(np.shape, parameters))
    except ValueError:
        shapes = f"t {t.shape}, q {q.shape}, v {v.shape}"
        raise ModelError(f"the arrays do not fit together: {shapes}", expected="equal leading axes") from None


def function(value: Any, what: str) -> Callable[..., Any] | None:
    """Something to be called, or None."""
    if value is not None and not callable(value):
        raise ModelError(f"{what} is {shown(value)}", expected="a function")
    return value  # type: ignore[no-any-return]


def with_dot(name: Any) -> Any:
    """A velocity ``x'`` as ``x_dot``, anything else as it is."""
    return name[:-1] + "_dot" if isinstance(name, str) and name.endswith("'") else name
