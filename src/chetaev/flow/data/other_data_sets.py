"""Data sets that are no motions, as tables and plain data: ensembles, sections, exponents.

A table has a line for each member (crossing, …), the dimension with which all variables begin.

>>> import xarray
>>> final = (("run", "state"), [[1.0, 2.0]])
>>> columns_of(xarray.Dataset({"final": final}, {"k": ("run", [3.0]), "state": ["x", "y"]}))
{'k': ['3.0'], 'final_x': ['1.0'], 'final_y': ['2.0']}
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError

if TYPE_CHECKING:
    import xarray


def columns_of(dataset: xarray.Dataset) -> dict[str, list[str]]:
    """The columns of a table by name; further dimensions are spread over several, named by their labels."""
    leads = {variable.dims[:1] for variable in dataset.data_vars.values()}
    if len(leads) != 1 or not (lead := leads.pop()):
        raise ModelError(
            "the variables of this data set have no first dimension in common, so that they make no table",
            remedy="save it as .nc, .zarr or .json",
        )
    found: dict[str, list[str]] = {}
    for name, coordinate in dataset.coords.items():
        if coordinate.dims == lead:
            found[str(name)] = [_text(x) for x in coordinate.values]
    for name, variable in dataset.data_vars.items():
        labels = [
            [str(x) for x in dataset[d].values] if d in dataset.coords else [str(i + 1) for i in range(n)]
            for d, n in list(variable.sizes.items())[1:]
        ]
        flat = variable.values.reshape(variable.shape[0], -1)
        for place, label in enumerate(product(*labels)):
            found["_".join([str(name), *label])] = [_text(x) for x in flat[:, place]]
    return found


def _text(value: Any) -> str:
    plain = value.item() if hasattr(value, "item") else value
    return repr(plain) if isinstance(plain, (int, float)) else str(plain)


def plain_data(dataset: xarray.Dataset, numbers: Callable[[Any], Any]) -> dict[str, Any]:
    """Coordinates, variables with their dimensions, attributes."""
    return {
        "coordinates": {str(n): _described(x, numbers) for n, x in dataset.coords.items()},
        "variables": {str(n): _described(x, numbers) for n, x in dataset.data_vars.items()},
        "attributes": {str(n): numbers(x) for n, x in dataset.attrs.items()},
    }


def _described(variable: xarray.DataArray, numbers: Callable[[Any], Any]) -> dict[str, Any]:
    return {"dimensions": [str(d) for d in variable.dims], "values": numbers(variable.values)}
