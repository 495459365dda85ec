"""Labels of units: text for data sets and axes, with which nothing is ever computed.

    [units]  x = "m"    gives    x' "m/s",  x'' "m/s^2"

where s is the label of time (``t = "min"``), the second unless another is given. What has no label gets none.

>>> from chetaev.model.system import System
>>> system = System(coordinates=["x", "phi"], lagrangian="x'^2 + phi'^2", units={"x": "m", "phi": "rad"})
>>> [unit_of(system, "x", order) for order in range(3)], unit_of(system, "t"), unit_of(system, "energy")
(['m', 'm/s', 'm/s^2'], 's', '')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from chetaev.errors import did_you_mean
from chetaev.expr.language.scope import normal_name
from chetaev.model.reading.expression_values import kind_of

if TYPE_CHECKING:
    from chetaev.model.reading.model_reader import Reader
    from chetaev.model.system import System

RESULTS = ("energy", "power")
"""Results that may have a label, besides the names of the model."""
LONGEST = 60
EXPECTED = 'a text in quotes, such as "m", "rad" or "kg*m^2"'


def read_units(reader: Reader) -> Mapping[str, str]:
    """The labels of a model, by name; every name is one of the model or of `RESULTS`."""
    labels: dict[str, str] = {}
    known = [*reader.used, *(name for name in RESULTS if name not in reader.used)]
    for written, label in reader.table(("units",)).items():
        path = ("units", written)
        name = normal_name(str(written))
        if name not in known or name in labels:
            wrong = "has one already" if name in labels else "is not a name of the model"
            reader.fail(
                f"a unit is given for {written!r}, which {wrong}",
                path,
                expected="one of " + ", ".join(known[:20]) + (", …" if len(known) > 20 else ""),
                remedy=_derived(name, known) or did_you_mean(name, known),
                key=True,
            )
        if not isinstance(label, str):
            reader.fail(f"the unit of {name!r} is {kind_of(label)}", path, expected=EXPECTED)
        if not label.strip() or len(label) > LONGEST or not label.isprintable():
            wrong = "empty" if not label.strip() else "too long or not printable"
            reader.fail(f"the unit of {name!r} is {wrong}", path, expected=EXPECTED, remedy='"1" is for none')
        labels[name] = label.strip()
    return MappingProxyType(labels)


def _derived(name: str, known: list[str]) -> str:
    base = re.sub(r"(_d?dot|'+)$", "", name)
    return f"it follows from the units of {base!r} and of time" if base != name and base in known else ""


def unit_of(system: System, name: str, order: int = 0) -> str:
    """The label of a name, or of its velocity or acceleration; empty if there is none."""
    units = system.units
    time = units.get(system.time, "s") if units else ""
    if name == system.time and name not in system.coordinates:
        return time
    label = units.get(name, "")
    if not label or not order:
        return label
    above = f"({label})" if re.search(r"[/\s]", label) else label
    below = f"({time})" if re.search(r"[^\w°]", time) else time
    return f"{above}/{below}" + (f"^{order}" if order > 1 else "")


def in_brackets(system: System, name: str, order: int = 0) -> str:
    """The label as it follows a name on an axis, with a blank before it; empty if there is none.

    >>> from chetaev.model.system import System
    >>> system = System(coordinates=["x"], lagrangian="x'^2", units={"x": "m"})
    >>> in_brackets(system, "x", 1), in_brackets(system, "energy")
    (' [m/s]', '')
    """
    label = unit_of(system, name, order)
    return f" [{label}]" if label else ""
