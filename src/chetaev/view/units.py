"""Units on axes, where the model or the data set gives them.

A variable of a motion may have ``attrs["units"]``, and a system ``units``, a table of texts by name; the
rates of a coordinate have its unit over that of the time, the second unless another is given.

>>> class Given:
...     time, units = "t", {"x": "m", "t": "s"}
>>> unit(Given(), None, "x"), unit(Given(), None, "x", 2), unit(Given(), None, "y", 1)
('m', 'm/s^2', '')
>>> with_unit("x", "m"), with_unit("x", "")
('x [m]', 'x')
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from chetaev.expr.graph.evaluate import key_name

if TYPE_CHECKING:
    import xarray

POWERS = ("", "/{}", "/{}^2")


def unit(system: Any, motion: xarray.Dataset | None, name: str, order: int = 0) -> str:
    """The unit of a coordinate or parameter, or of its rate; empty if none is given."""
    key = key_name(name, order)
    if motion is not None and key in motion.variables:
        own = motion[key].attrs.get("units")
        if isinstance(own, str) and own:
            return own
    table = getattr(system, "units", None)
    if not isinstance(table, Mapping) or not table:
        return ""
    time = table.get(system.time, "s")
    own = time if name == system.time else table.get(name)
    return str(own) + POWERS[order].format(time) if own else ""


def with_unit(label: str, unit: str) -> str:
    """A label for matplotlib with its unit behind it; units are foreign text."""
    unit = unit.replace("$", r"\$")
    return f"{label} [{unit}]" if unit else label


def with_unit_html(label: str, unit: str) -> str:
    """A label in HTML with its unit behind it."""
    return f"{label} [{escape(unit)}]" if unit else label


def common(units: list[str]) -> str:
    """The unit that all have; empty if they differ."""
    return units[0] if units and len(set(units)) == 1 else ""
