"""How remedies name the parts of a model: as a model file writes them, or as Python does.

>>> FILE.definitions, PYTHON.definitions
('under [define]', 'in define={…}')
>>> PYTHON.velocities(["x", "phi"])
'for example initial={"x_dot": 0, "phi_dot": 0}'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chetaev.errors import clipped


def listed(words: Iterable[str]) -> str:
    """Words with commas and a last "and".

    >>> listed(["x", "y", "z"]), listed(["x"])
    ('x, y and z', 'x')
    """
    *head, last = list(words) or [""]
    return f"{', '.join(head)} and {last}" if head else last


@dataclass(frozen=True)
class Speech:
    """Phrases for the parts of a model; `python` tells which of the two languages is spoken."""

    python: bool
    parameters: str
    definitions: str
    units: str
    degenerate: str
    initial: str
    dynamics: str
    initial_velocities: str

    def value(self, table: str, name: str, value: str) -> str:
        """An entry of a table, written out.

        >>> FILE.value("parameters", "g", "9.81"), PYTHON.value("parameters", "g", "9.81")
        ('g = 9.81 under [parameters]', 'parameters={"g": 9.81}')
        """
        return f'{table}={{"{name}": {value}}}' if self.python else f"{name} = {value} under [{table}]"

    def constraints(self, level: str) -> str:
        """Where the constraints of a level stand."""
        return f'constraints={{"{level}": […]}}' if self.python else f"'{level}' in [constraints]"

    def table(self, name: str) -> str:
        """What a table is, and how it is written."""
        return "a dictionary" if self.python else f"a table; write [{name}]"

    def velocities(self, names: Sequence[str]) -> str:
        """Initial velocities, as an example."""
        if self.python:
            entries = ", ".join(f'"{name}_dot": 0' for name in names)
            return f"for example initial={{{clipped(entries, 200)}}}"
        return "for example " + clipped(", ".join(f"{name} = 0" for name in names), 200)


FILE = Speech(
    python=False,
    parameters="under [parameters]",
    definitions="under [define]",
    units="in [units]",
    degenerate="set degenerate = true in [dynamics]",
    initial="add [initial.position] and [initial.velocity], or use with_initial(x=…, x_dot=…)",
    dynamics='[dynamics] with lagrangian = "…", or with kinetic = "…" and potential = "…"; without a '
    "Lagrangian with form = {F = […], Pi = […]}, with accelerations and velocities by coordinate, or with "
    "A and B",
    initial_velocities="in [initial.velocity]",
)
PYTHON = Speech(
    python=True,
    parameters="in parameters={…}",
    definitions="in define={…}",
    units="in units={…}",
    degenerate="give degenerate=True",
    initial='give initial={"x": …, "x_dot": …}, or use with_initial(x=…, x_dot=…)',
    dynamics='lagrangian="…", or kinetic="…" and potential="…"; without a Lagrangian dynamics={"form": {"F": '
    '[…], "Pi": […]}}, {"accelerations": {…}, "velocities": {…}} or {"A": {…}, "B": [[…]]}',
    initial_velocities="in initial={…}",
)
