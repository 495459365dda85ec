"""Data sets made without asking are those that xarray makes of the same."""

from __future__ import annotations

import numpy as np
import xarray

from chetaev.flow.data.labels import data_set

TIMES = np.linspace(0.0, 1.0, 5)
TABLE = np.arange(10.0).reshape(5, 2)


def test_a_data_set_is_what_xarray_makes_of_the_same() -> None:
    variables = {
        "x": ("time", TABLE[:, 0], {"units": "m"}),
        "mu": (("time", "constraint"), TABLE, {}),
        "name": ("time", np.array(["a", "b", "c", "d", "é"]), {}),
        "count": ((), 3, {}),
    }
    coordinates = {
        "time": ("time", TIMES, {"units": "s"}),
        "constraint": ("constraint", ["x' = 0", "y' = φ"], {}),
        "spin": ("time", TIMES**2, {}),
    }
    ours, theirs = (make(variables, coordinates, {"a": 1}) for make in (data_set, xarray.Dataset))
    assert ours.identical(theirs)
    assert {k: v.dtype for k, v in ours.variables.items()} == {
        k: v.dtype for k, v in theirs.variables.items()
    }
    assert list(ours.indexes) == list(theirs.indexes) == ["time", "constraint"]
    assert all(ours.indexes[k].dtype == theirs.indexes[k].dtype for k in ours.indexes)
    assert float(ours.x.sel(time=0.5)) == 4.0


def test_nothing_at_no_times() -> None:
    empty = data_set({"x": ("time", np.zeros(0), {})}, {"time": ("time", np.zeros(0), {})}, {})
    assert empty.sizes["time"] == 0


def test_a_data_set_can_be_written_to_and_changes_nothing_else() -> None:
    values = TABLE[:, 0].copy()
    made = data_set({"x": ("time", values, {})}, {"time": ("time", TIMES, {})}, {})
    made["x"] = made.x * 2
    assert values[1] == TABLE[1, 0]
    assert xarray.concat([made, made], "time").sizes["time"] == 10


def test_a_variable_named_as_its_dimension_is_an_index_as_in_xarray() -> None:
    variables = {"time": ("time", TIMES, {}), "x": ("time", TABLE[:, 0], {})}
    assert data_set(variables, {}, {}).identical(xarray.Dataset(variables))
