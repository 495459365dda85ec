r"""Plain data as JSON text that nothing in it can make into something else.

Letters stay as they are; what is not printable (control characters, marks that turn the direction of writing,
line separators, halves of pairs) is written as an escape, which every reader of JSON turns back.

>>> print(json_text({"θ": "a\x9bb\u202ec"}))
{"θ": "a\u009bb\u202ec"}
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SPECIAL = re.compile(r"[^\x20-\x7e]")


def finite(data: Any) -> Any:
    """Plain data with null for what is not a finite number: JSON has no word for it.

    >>> finite({"a": [1.5, float("nan")]})
    {'a': [1.5, None]}
    """
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def json_text(data: Any, indent: int | None = None) -> str:
    """The data as JSON; numbers that JSON does not know are an error."""
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _SPECIAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """The escape of a character that is not printable; line ends, which stand between values only, stay."""
    character = found[0]
    if character.isprintable() or character == "\n":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
