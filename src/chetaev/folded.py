"""Long lines broken where words end, for a terminal; what goes to a file or a pipe keeps its lines.

>>> print(folded("  linear theory does not decide: 4 of 5 lie on the axis", 40))
  linear theory does not decide: 4 of 5
      lie on the axis
"""

from __future__ import annotations

import sys

LEAST = 20
"""In a narrower terminal nothing is broken."""


def folded(text: str, width: int) -> str:
    """Lines that are longer than the width go on below, further in; a caret under a line keeps its place."""
    lines = text.split("\n")
    if width < LEAST or any(line.strip(" ^~") == "" and "^" in line for line in lines):
        return text
    return "\n".join(part for line in lines for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    import textwrap

    indent = " " * (len(line) - len(line.lstrip(" ")))
    return textwrap.wrap(
        line, width, subsequent_indent=f"{indent}    ", break_long_words=False, break_on_hyphens=False
    )


def for_terminal(text: str, err: bool = False) -> str:
    """The text, folded to the width of the terminal that it goes to, if it goes to one."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return text
    import shutil

    return folded(text, shutil.get_terminal_size().columns)
