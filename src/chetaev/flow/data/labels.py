"""Data sets: how they are made of arrays, what their variables are called, and lists of facts among their
attributes.

Of values that are not known to be an array xarray finds out whether they are one of Dask's, and imports Dask
for that: half a second in the first run of a process. So variables and indexes are made here, of NumPy's
arrays.

``motion.attrs["events"]`` is a list of dictionaries. netCDF knows no such thing, so that whoever makes an
array of it, as ``motion.to_netcdf`` does, gets its text; zarr keeps the list. `facts` gives the list for
both.

A coordinate may be called ``time`` or ``energy``; the dimension, or the result, then gets an underscore, and
``attrs["names"]`` says so.

>>> found = data_set({"x": ("t", [1.0, 4.0], {"units": "m"})}, {"t": ("t", [0.0, 1.0], {})}, {"made": "here"})
>>> float(found.x.sel(t=1.0)), found.x.attrs["units"], list(found.indexes)
(4.0, 'm', ['t'])
>>> crossings = Facts([{"name": "x", "time": 1.5}])
>>> facts({"events": str(np.asarray(crossings).item(), "ascii")}, "events") == crossings
True
>>> renamed(("time", "x"))
{'time': 'time_'}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import xarray

from chetaev.expr.graph.evaluate import key_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

Labelled = tuple[str | tuple[str, ...], Any, Mapping[str, Any]]
"""Dimensions, values, attributes."""


def data_set(
    variables: Mapping[str, Labelled], coordinates: Mapping[str, Labelled], attributes: Mapping[str, Any]
) -> xarray.Dataset:
    """What ``xarray.Dataset`` makes of the same; a coordinate that is its own dimension becomes an index."""
    labels: dict[Any, xarray.Variable] = {}
    indexes: dict[Any, xarray.Index] = {}
    for name, given in coordinates.items():
        made = _variable(given)
        if made.dims == (name,):
            values = pandas.Index(np.asarray(given[1]), name=name)
            index = indexes[name] = xarray.indexes.PandasIndex(values, name, made.dtype)
            labels |= index.create_variables({name: made})
        else:
            labels[name] = made
    found = {name: _variable(given) for name, given in variables.items()}
    return xarray.Dataset(found, xarray.Coordinates(labels, indexes), attributes)


def _variable(given: Labelled) -> xarray.Variable:
    dimensions, values, attributes = given
    return xarray.Variable(dimensions, np.asarray(values), attributes, fastpath=True)


LISTS = ("events", "watched", "impacts", "contacts", "modes", "held")
"""The attributes that are lists."""


class Facts(list[dict[str, Any]]):
    """A list of plain data which a file that has texts only keeps as JSON."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.bytes_]:
        import numpy as np

        return np.asarray(json.dumps(list(self)).encode("ascii"))


def facts(attributes: Mapping[Any, Any], name: str) -> Facts:
    """A list among the attributes of a motion, whether it was just computed or read from a file."""
    found = attributes.get(name, ())
    return Facts(json.loads(found) if isinstance(found, str) else found)


def restored(motion: xarray.Dataset) -> xarray.Dataset:
    """A motion that was read from a file, with its lists as data."""
    given = {name: facts(motion.attrs, name) for name in LISTS if name in motion.attrs}
    return motion.assign_attrs(given)


RESERVED = (
    "time", "constraint", "position_constraint", "energy", "power", "multiplier", "residual",
    "position_residual",
)  # fmt: skip


def reserved(coordinates: Iterable[str]) -> tuple[str, ...]:
    """The names of results and dimensions for a system with these coordinates."""
    return (*RESERVED, *(f"reaction_{name}" for name in coordinates))


def renamed(coordinates: Iterable[str]) -> dict[str, str]:
    """What bears another name than its own beside these coordinates, and which."""
    known = tuple(coordinates)
    taken = {key_name(name, order) for name in known for order in range(3)}
    result = {}
    for key in reserved(known):
        name = key
        while name in taken:
            name += "_"
        taken.add(name)
        if name != key:
            result[key] = name
    return result


def name_of(motion: xarray.Dataset, key: str) -> str:
    """The name of a result or dimension in a data set."""
    names = motion.attrs.get("names")
    return str(json.loads(names).get(key, key)) if names else key


def length(motion: xarray.Dataset) -> int:
    """The number of times."""
    return int(motion.sizes[name_of(motion, "time")])
