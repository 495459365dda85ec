"""Data sets from arrays that are arrays already.

xarray asks of whatever it is given whether it is a Dask array, and imports Dask to find out where that is
installed: half a second in the first run of a process, for arrays that NumPy made a line before. It also
aligns and merges all that it is given, which for a short run takes as long as the motion. So variables,
indexes and the whole are made here by xarray's own classes, and nothing is asked.

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
    dimensions = {name for one in found.values() for name in one.dims}
    at_once = getattr(xarray.Dataset, "_construct_direct", None)
    if at_once is None or not found.keys().isdisjoint(labels.keys() | dimensions):
        return xarray.Dataset(found, xarray.Coordinates(labels, indexes), attributes)
    whole: xarray.Dataset = at_once(found | labels, set(labels), attrs=dict(attributes), indexes=indexes)
    return whole


def _variable(given: Labelled) -> xarray.Variable:
    dimensions, values, attributes = given
    return xarray.Variable(dimensions, np.asarray(values), attributes, fastpath=True)
