"""Conserved quantities along a computed motion: how far each one moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.expr.graph.evaluate import evaluate
from chetaev.flow.data.result_names import name_of
from chetaev.model.system import System
from chetaev.study.told_figures import change, value

if TYPE_CHECKING:
    import xarray

    from chetaev.laws.law import Law


def follow(
    system: System, motion: xarray.Dataset, laws: Sequence[Law], entries: Sequence[dict[str, Any]]
) -> list[tuple[Law, Any]]:
    """The conserved quantities with their values; the entry of each law is told its first value and drift.

    A drift is the largest |F(t) − F(0)|, and ``relative_drift`` that over the largest |F|; a bound where it
    is small, see :mod:`chetaev.study.told_figures`.
    """
    values: dict[Any, Any] = {**system.parameter_values, system.time: motion.time.values}
    for name in system.coordinates:
        values[(name, 0)] = motion[name].values
        values[(name, 1)] = motion[f"{name}_dot"].values
    curves: list[tuple[Law, Any]] = []
    for law, entry in zip(laws, entries, strict=True):
        found = evaluate([law.expression], values)[0]
        series = np.broadcast_to(np.asarray(found, dtype=float), motion[name_of(motion, "time")].shape)
        if not np.isfinite(series).all():
            continue
        drift, size = float(np.abs(series - series[0]).max()), float(np.abs(series).max()) or 1.0
        entry["first"] = value(float(series[0]))
        entry["drift"] = change(drift, size)
        entry["relative_drift"] = change(drift / size, 1.0)
        if law.conserved:
            curves.append((law, series))
    return curves
