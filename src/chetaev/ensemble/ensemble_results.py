"""What an ensemble gives back: a data set with the dimension ``run`` and the varying values along it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.ensemble.ensemble_job import Job

if TYPE_CHECKING:
    import xarray


def coordinates(job: Job) -> list[tuple[str, str]]:
    """The names of the varying values in the data set, and their own; clear of the other names in it."""
    taken = {"run", *job.labels, *(v.name for v in job.variables)}
    found: list[tuple[str, str]] = []
    for name in job.members.names:
        label = name
        while label in taken or (label != name and label in job.members.names):
            label += "_"
        taken.add(label)
        found.append((label, name))
    return found


def attributes(job: Job) -> dict[str, Any]:
    """Where the data come from."""
    from chetaev.flow.data.dataset import VERSIONS

    made: dict[str, Any] = {
        "title": job.system.name,
        "model": job.system.to_toml(),
        "members": job.members.count,
        "axes": json.dumps({name: len(values) for name, values in job.members.grid.items()}),
        "seed": job.members.seed,
        "until": job.end,
        "tolerance": job.tolerance,
        "method": job.method,
        "versions": VERSIONS,
    }
    return made if job.energy is None else {**made, "energy": job.energy}


def dataset(job: Job, rows: dict[str, Any]) -> xarray.Dataset:
    """The rows of all members, labelled."""
    from chetaev.flow.data.labelled import Labelled, data_set

    variables = {v.name: (("run", *v.dims), rows[v.name], {"long_name": v.about}) for v in job.variables}
    labels: dict[str, Labelled] = {"run": ("run", np.arange(job.members.count), {})}
    labels |= {label: ("run", rows[label], {}) for label, _ in coordinates(job)}
    labels |= {name: (name, np.array(values), {}) for name, values in job.labels.items()}
    return data_set(variables, labels, attributes(job))


def opened(job: Job, url: str, options: dict[str, Any] | None = None) -> xarray.Dataset:
    """The data set of a store; values are read when they are looked at."""
    import xarray

    found = xarray.open_dataset(
        url, engine="zarr", chunks=None, consolidated=True, storage_options=options or None
    )
    return found.set_coords([label for label, _ in coordinates(job)])
