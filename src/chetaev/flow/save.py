"""Data sets to files: netCDF, zarr, CSV, JSON; each appears whole or not at all."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError

if TYPE_CHECKING:
    import xarray

SUFFIXES = (".nc", ".zarr", ".csv", ".json")


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix of a file name, if it names a known format."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise ModelError(
            f"the file {str(path)!r} has no known format",
            expected="a name that ends in " + ", ".join(SUFFIXES),
        )
    return suffix


def save(dataset: xarray.Dataset, path: str | os.PathLike[str]) -> Path:
    """Write a data set in the format its suffix names: .nc, .zarr, .csv or .json."""
    target = Path(path)
    writers: dict[str, Callable[[xarray.Dataset, Path], None]] = {
        ".nc": _netcdf,
        ".zarr": _zarr,
        ".csv": _csv,
        ".json": _json,
    }
    writer = writers[suffix_of(target)]
    temporary = target.with_name(f".{target.stem}.{os.getpid()}{target.suffix}")
    try:
        writer(dataset, temporary)
        if target.is_dir():
            shutil.rmtree(target)
        temporary.replace(target)
    except (OSError, ValueError) as error:
        _remove(temporary)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelError(
            f"{str(path)!r} cannot be written: {reason}", remedy="nothing was left behind"
        ) from None
    except BaseException:
        _remove(temporary)
        raise
    return target


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _netcdf(dataset: xarray.Dataset, path: Path) -> None:
    dataset.to_netcdf(path, engine="h5netcdf")


def _zarr(dataset: xarray.Dataset, path: Path) -> None:
    dataset.to_zarr(path, mode="w", zarr_format=2, consolidated=True)


def _csv(dataset: xarray.Dataset, path: Path) -> None:
    import csv

    columns: dict[str, Any] = {"time": dataset["time"].values}
    for name, variable in dataset.data_vars.items():
        if variable.dims == ("time",):
            columns[str(name)] = variable.values
        else:
            for i in range(variable.shape[1]):
                columns[f"{name}_{i + 1}"] = variable.values[:, i]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([repr(float(x)) for x in row])


def to_json(dataset: xarray.Dataset) -> dict[str, Any]:
    """The data set as plain data; what is not finite becomes null."""
    data: dict[str, Any] = {"time": _numbers(dataset["time"].values), "variables": {}, "attributes": {}}
    for name, variable in dataset.data_vars.items():
        data["variables"][str(name)] = _numbers(variable.values)
    for name in ("constraint", "position_constraint"):
        if name in dataset.coords:
            data[name] = [str(x) for x in dataset[name].values]
    for name, value in dataset.attrs.items():
        data["attributes"][name] = (
            json.loads(value)
            if name in ("parameters", "events", "versions", "final_state")
            else _number(value)
        )
    return data


def _numbers(values: Any) -> Any:
    return [_numbers(row) for row in values] if getattr(values, "ndim", 0) else _number(values)


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def _json(dataset: xarray.Dataset, path: Path) -> None:
    path.write_text(json.dumps(to_json(dataset), ensure_ascii=False), encoding="utf-8")
