"""Units on axes, where the model or the data set gives them.

A variable of a motion may have ``attrs["units"]``; else the system's own labels count.

>>> with_unit("x", "m"), with_unit("x", "")
('x [m]', 'x')
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from chetaev.expr.graph.evaluate import key_name
from chetaev.model.reading.unit_labels import unit_of

if TYPE_CHECKING:
    import xarray

    from chetaev.model.system import System


def unit(system: System, motion: xarray.Dataset, name: str, order: int = 0) -> str:
    """The unit of a coordinate or parameter, or of its rate; empty if none is given."""
    key = key_name(name, order)
    own = motion[key].attrs.get("units") if key in motion.variables else None
    return own if isinstance(own, str) and own else unit_of(system, name, order)


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
