"""Data sets from arrays that are arrays already.

Of values that are not known to be an array xarray finds out whether they are one of Dask's, and imports Dask
for that: half a second in the first run of a process. So variables and indexes are made here, of NumPy's
arrays.

>>> found = data_set({"x": ("t", [1.0, 4.0], {"units": "m"})}, {"t": ("t", [0.0, 1.0], {})}, {"made": "here"})
>>> float(found.x.sel(t=1.0)), found.x.attrs["units"], list(found.indexes)
(4.0, 'm', ['t'])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas
import xarray

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
