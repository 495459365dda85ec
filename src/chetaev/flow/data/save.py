"""Data sets to files: netCDF, zarr, CSV, JSON; each appears whole or not at all.

Data sets that are no motions are tables and plain data too: ensembles, sections, exponents. A table has a
line for each member (crossing, …), the dimension with which all variables begin.

>>> import xarray
>>> final = (("run", "state"), [[1.0, 2.0]])
>>> columns_of(xarray.Dataset({"final": final}, {"k": ("run", [3.0]), "state": ["x", "y"]}))
{'k': ['3.0'], 'final_x': ['1.0'], 'final_y': ['2.0']}
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.flow.data.labels import LISTS, facts, name_of, restored
from chetaev.output_files import place, reason, whole
from chetaev.results import json_text

if TYPE_CHECKING:
    import xarray


SUFFIXES = (".nc", ".zarr", ".csv", ".json")


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file name, if it names a known format."""
    suffix = Path(path).suffix if isinstance(path, (str, os.PathLike)) else None
    if suffix not in SUFFIXES:
        raise ModelError(
            f"the file {str(path)!r} has no known format",
            expected="a name that ends in " + ", ".join(SUFFIXES),
        )
    return suffix


def save(dataset: xarray.Dataset, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a data set in the format its suffix names: .nc, .zarr, .csv or .json.

    A file or store that chetaev wrote itself is replaced; of anything else that stands there an error tells,
    unless `force` is set.
    """
    writers: dict[str, Callable[[xarray.Dataset, Path], None]] = {
        ".nc": _netcdf,
        ".zarr": _zarr,
        ".csv": _csv,
        ".json": _json,
    }
    writer = writers[suffix_of(path)]
    return whole(path, lambda file: writer(dataset, file), force=force, replaces=_is_store)


def read(path: str | os.PathLike[str]) -> xarray.Dataset:
    """A motion from a .nc or .zarr file, as it was when it was saved: its lists are lists again.

    >>> import tempfile
    >>> import chetaev as ch
    >>> motion = ch.simulate(ch.load("knife-edge"), until=1.0, at=[1.0], events=["sin(phi) - 1/2"])
    >>> name = Path(tempfile.mkdtemp()) / "motion.nc"
    >>> again = ch.read(save(motion, name))
    >>> again.identical(motion), len(again.attrs["events"])
    (True, 1)
    """
    import xarray

    if Path(path).suffix not in (".nc", ".zarr") if isinstance(path, (str, os.PathLike)) else True:
        raise ModelError(f"the file {shown(path)} is no saved motion", expected="a .nc or .zarr file")
    try:
        if Path(path).suffix == ".zarr":
            _expect_plain_data(Path(path))
            found = xarray.open_zarr(path)
        else:
            found = xarray.open_dataset(path, engine="h5netcdf")
        with found:
            return restored(found.load())
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"the motion {str(path)!r} cannot be read: {reason(error)}") from None


def _expect_plain_data(store: Path) -> None:
    """Refuse a store whose data are pickles, which can run anything when they are read."""
    for name in (".zarray", ".zmetadata", "zarr.json"):
        for file in store.rglob(name):
            if file.is_file() and "pickle" in json.dumps(json.loads(file.read_bytes())):
                raise ModelError(
                    f"the store {str(store)!r} holds pickled objects, which could run any program",
                    expected="a motion that chetaev saved",
                )


def check(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise now what `save` would raise because of the name, or of what stands there."""
    suffix_of(path)
    place(path, force=force, replaces=_is_store)


def _is_store(directory: Path) -> bool:
    """Whether a directory is a zarr store."""
    return directory.suffix == ".zarr" and any(
        (directory / name).exists() for name in (".zgroup", "zarr.json")
    )


def _netcdf(dataset: xarray.Dataset, path: Path) -> None:
    path.write_bytes(netcdf(dataset))


def netcdf(dataset: xarray.Dataset) -> bytes:
    """The content of a netCDF file; made in memory, for the HDF5 library does not survive a full disk."""
    return bytes(dataset.to_netcdf(engine="h5netcdf"))


def _zarr(dataset: xarray.Dataset, path: Path) -> None:
    dataset.to_zarr(path, mode="w", zarr_format=2, consolidated=True)


def _csv(dataset: xarray.Dataset, path: Path) -> None:
    import csv

    if not is_motion(dataset):
        with path.open("w", newline="", encoding="utf-8") as file:
            table = columns_of(dataset)
            csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
        return
    time = name_of(dataset, "time")
    columns: dict[str, Any] = {time: dataset[time].values}
    for name, variable in dataset.data_vars.items():
        if variable.dims == (time,):
            columns[str(name)] = variable.values
        else:
            for i in range(variable.shape[1]):
                columns[f"{name}_{i + 1}"] = variable.values[:, i]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([repr(float(x)) for x in row])


def is_motion(dataset: xarray.Dataset) -> bool:
    """Whether all variables of a data set are functions of time first of all."""
    time = name_of(dataset, "time")
    return time in dataset.dims and all(x.dims[:1] == (time,) for x in dataset.data_vars.values())


def to_json(dataset: xarray.Dataset) -> dict[str, Any]:
    """The data set as plain data; what is not finite becomes null."""
    if not is_motion(dataset):
        return plain_data(dataset, _numbers)
    times = dataset[name_of(dataset, "time")].values
    data: dict[str, Any] = {"time": _numbers(times), "variables": {}, "attributes": {}}
    for name, variable in dataset.data_vars.items():
        data["variables"][str(name)] = _numbers(variable.values)
    for name in ("constraint", "position_constraint"):
        label = name_of(dataset, name)
        if label in dataset.coords:
            data[name] = [str(x) for x in dataset[label].values]
    for name, value in dataset.attrs.items():
        if name in LISTS:
            data["attributes"][name] = list(facts(dataset.attrs, name))
        else:
            is_json = name in ("parameters", "versions", "final_state", "names")
            data["attributes"][name] = json.loads(value) if is_json else _number(value)
    return data


def _numbers(values: Any) -> Any:
    return [_numbers(row) for row in values] if getattr(values, "ndim", 0) else _number(values)


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def _json(dataset: xarray.Dataset, path: Path) -> None:
    path.write_text(json_text(to_json(dataset)), encoding="utf-8")


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
        for column, label in enumerate(product(*labels)):
            found["_".join([str(name), *label])] = [_text(x) for x in flat[:, column]]
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
