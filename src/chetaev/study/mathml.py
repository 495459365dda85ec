r"""LaTeX formulas as MathML, which browsers show without any script.

The conversion is latex2mathml's. Two things are set right on the way: space after function names, which TeX
makes by itself, and names of several letters as one word.

>>> "<mtext>speed</mtext>" in mathml(r"\mathrm{speed} \cos \phi")
True
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

_FUNCTION = re.compile(
    r"(\\(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|exp|log)(?:\^\{[^{}]*\})?) (?!\\left)"
)
_WORD = re.compile(r"\\mathrm\{([A-Za-z0-9]{2,})\}")


@lru_cache(maxsize=4096)
def mathml(latex: str, *, block: bool = False) -> str:
    """A formula as MathML; as code where it cannot be converted."""
    from latex2mathml.converter import convert

    prepared = _WORD.sub(r"\\text{\1}", _FUNCTION.sub(r"\1 \\, ", latex))
    try:
        made = convert(prepared, display="block" if block else "inline")
    except Exception:
        return f"<code>{escape(latex)}</code>"
    return str(made).replace("<mover>", '<mover accent="true">')
