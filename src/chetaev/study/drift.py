"""Conserved quantities along a computed motion: how far each one moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.errors import ChetaevError
from chetaev.expr.evaluate import evaluate
from chetaev.expr.parser import parse
from chetaev.flow.data.result_names import name_of
from chetaev.model.system import System
from chetaev.study.figures import change, value

if TYPE_CHECKING:
    import xarray


def follow(system: System, motion: xarray.Dataset, laws: list[dict[str, Any]]) -> dict[str, Any]:
    """The values of the conserved quantities by name; each law is told its first value and its drift.

    A drift is the largest |F(t) − F(0)|, and ``relative_drift`` that over the largest |F|; a bound where it
    is small, see :mod:`chetaev.study.figures`.
    """
    values: dict[Any, Any] = {**system.parameter_values, system.time: motion.time.values}
    for name in system.coordinates:
        values[(name, 0)] = motion[name].values
        values[(name, 1)] = motion[f"{name}_dot"].values
    curves: dict[str, Any] = {}
    for law in laws:
        try:
            found = evaluate([parse(law["expression"], system.scope)], values)[0]
        except ChetaevError:
            continue  # too long to be read again
        series = np.broadcast_to(np.asarray(found, dtype=float), motion[name_of(motion, "time")].shape)
        if not np.isfinite(series).all():
            continue
        drift, size = float(np.abs(series - series[0]).max()), float(np.abs(series).max()) or 1.0
        law["first"] = value(float(series[0]))
        law["drift"] = change(drift, size)
        law["relative_drift"] = change(drift / size, 1.0)
        if law["conserved"]:
            curves[law["name"]] = series
    return curves
