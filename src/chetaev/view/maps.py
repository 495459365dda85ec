"""A picture of an ensemble over a grid of two values: one colour for each member.

Members that failed are left blank. A quantity that is never negative and spans decades is drawn by its
logarithm.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.view.saved_results import DRAWN, save_figure
from chetaev.view.sections import name_label

if TYPE_CHECKING:
    import xarray

DECADES = 3.0


def quantity(found: xarray.Dataset, name: str) -> tuple[str, Any]:
    """A quantity of an ensemble by name, one number for each run: ``final:theta``, ``end_time``."""
    variable, _, label = name.partition(":")
    known = [str(v) for v in found.data_vars if found[v].dtype.kind in "if"]
    if variable not in known:
        raise ModelError.unknown(f"the ensemble has no quantity {shown(variable)}", variable, known)
    values = found[variable]
    dims = [str(d) for d in values.dims if d != "run"]
    if len(dims) > 1 or bool(dims) != bool(label):
        labels = [f"{variable}:{x}" for x in found[dims[0]].values] if len(dims) == 1 else []
        said = f"one of {', '.join(labels)}" if labels else "one value for each run"
        raise ModelError(f"{name!r} is not one number for each run", expected=said)
    if dims:
        labels = [str(x) for x in found[dims[0]].values]
        if label not in labels:
            raise ModelError.unknown(f"{variable} has no {shown(label)}", label, labels)
        values = values.isel({dims[0]: labels.index(label)})
    return f"{variable.replace('_', ' ')} {label}".strip(), values


def map_of(found: xarray.Dataset, name: str) -> Any:
    """A figure of a quantity, such as ``"law_drift:lean"``, over the two names of a grid of `ch.ensemble`."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    axes = json.loads(found.attrs.get("axes", "{}"))
    if len(axes) != 2 or int(np.prod(list(axes.values()))) != found.sizes["run"]:
        raise ModelError(
            f"a map needs a grid of two values, and this ensemble has {', '.join(axes) or 'none'}",
            expected="two names in over=…, on the command line two --grid",
        )
    title, values = quantity(found, name)
    shape = tuple(axes.values())
    status = np.asarray(found.status.values).reshape(shape)
    z = np.where(np.isin(status, ("done", "event")), values.values.reshape(shape).astype(float), np.nan)
    (x_name, y_name), places = axes, []
    for k, axis in enumerate(axes):
        column = found[axis if axis in found.coords else f"{axis}_"].values.reshape(shape)
        places.append(column[:, 0] if k == 0 else column[0])
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    plane = figure.add_subplot()
    positive = z[np.isfinite(z) & (z > 0)]
    wide = positive.size and positive.max() > 10**DECADES * positive.min() and not np.any(z < 0)
    norm = LogNorm(max(positive.min(), 1e-6 * positive.max()), positive.max()) if wide else None
    drawn = plane.pcolormesh(places[0], places[1], z.T, norm=norm, cmap="viridis", rasterized=True)
    plane.set_xlabel(name_label(x_name))
    plane.set_ylabel(name_label(y_name))
    plane.set_title(str(found.attrs.get("title", "")))
    figure.colorbar(drawn, label=title)
    return figure


def check_map(path: str) -> None:
    """Raise now what `save_map` would raise because of the name."""
    if not path.endswith(DRAWN):
        raise ModelError(
            f"the picture {path!r} has no known format", expected="a name that ends in " + ", ".join(DRAWN)
        )


def save_map(found: xarray.Dataset, name: str, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Draw a map into a file."""
    return save_figure(map_of(found, name), Path(path), force)
