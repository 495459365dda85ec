"""Sensitivities as a data set that a notebook shows as a table: rows the final state, columns what changes.

>>> import chetaev as ch
>>> spring = ch.System(coordinates=["x"], lagrangian="x'^2/2 - k*x^2/2", parameters={"k": 1})
>>> found = ch.sensitivities(spring, until=1.0, initial={"x": 1, "x'": 0})
>>> print(found._table_().csv(), end="")
final,value,by x,by x_dot,by k
x,0.540302,0.5403,0.8415,-0.4207
x_dot,-0.841471,-0.8415,0.5403,-0.6909
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray

from chetaev.tables import Table

PARTS = {"by_initial": "initial", "by_parameter": "parameter"}
"""Tables of derivatives, and the axis that says by what."""


class Sensitivity(xarray.Dataset):  # type: ignore[no-untyped-call]
    """A data set of derivatives of the final state."""

    __slots__ = ()

    def _table_(self) -> Table:
        parts = [(name, axis) for name, axis in PARTS.items() if name in self]
        head = ("final", "value", *(f"by {x}" for _, axis in parts for x in self[axis].values))
        rows = []
        for i, name in enumerate(self["final"].values):
            derivatives = [f"{x:.4g}" for part, _ in parts for x in self[part].values[i]]
            rows.append((str(name), f"{self['state'].values[i]:.6g}", *derivatives))
        end = self.attrs.get("end_time")
        where = "" if end is None else f" at {float(end):g}"
        return Table(head, tuple(rows), f"{self.attrs.get('title', '')}: derivatives of the state{where}")

    def _is_whole(self) -> bool:
        return "state" in self and all(self[n].dims == ("final", a) for n, a in PARTS.items() if n in self)

    def _repr_html_(self) -> str:
        return self._table_().html() if self._is_whole() else str(super()._repr_html_())

    def _plot_(self, figure: Any) -> None:
        """Both tables of derivatives as coloured squares with their numbers (for `ch.plot`)."""
        parts = [(name, axis) for name, axis in PARTS.items() if name in self and self[name].size]
        for k, (name, axis) in enumerate(parts):
            ax = figure.add_subplot(1, len(parts), k + 1)
            values = self[name].values
            size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
            ax.imshow(values, cmap="RdBu_r", vmin=-size, vmax=size, aspect="auto")
            ax.set_xticks(range(values.shape[1]), [str(x) for x in self[axis].values], rotation=60)
            ax.set_yticks(range(values.shape[0]), [str(x) for x in self["final"].values])
            if values.size <= 150:
                for (i, j), x in np.ndenumerate(values):
                    ink = "white" if abs(x) > 0.6 * size else "black"
                    ax.text(j, i, f"{x:.3g}", ha="center", va="center", fontsize=7, color=ink)
            ax.set(title=name.replace("_", " "))


def labelled(variables: Any, coordinates: Any, attributes: Any) -> xarray.Dataset:
    """The data set of some derivatives."""
    return Sensitivity(variables, coordinates, attributes)
