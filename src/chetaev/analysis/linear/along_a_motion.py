"""A, B, C, D along a motion, in one chart that is regular all the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from chetaev.analysis.linear.local_chart import LocalChart, charts, expect_full_rank
from chetaev.analysis.linear.residual import Residual, Slopes
from chetaev.analysis.linear.state_matrices import Asked, in_chart
from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.evaluate import key_name
from chetaev.model.system import System


def matrices_along(system: System, residual: Residual, asked: Asked, motion: Any) -> Any:
    """The data set of the matrices at the times of a motion."""
    import xarray

    times, q, v = _states(system, motion)
    p = residual.model.default_values
    slopes = [residual.at(float(t), q[i], v[i], p) for i, t in enumerate(times)]
    for s in slopes:
        expect_full_rank(s.phi_q, s.f_v)
    chart = _common(system, asked, slopes)
    found = [
        in_chart(system, residual, asked, chart, float(t), q[i], v[i], slopes[i]) for i, t in enumerate(times)
    ]
    kept = found[0].kept if found else []
    names = [chart.names(system.coordinates)[i] for i in kept]
    parts = {
        "A": (("time", "state", "by"), np.array([f.A for f in found])),
        "B": (("time", "state", "input"), np.array([f.B for f in found])),
        "C": (("time", "output", "by"), np.array([f.C[:, kept] for f in found])),
        "D": (("time", "output", "input"), np.array([f.D for f in found])),
        "drift": (("time", "state"), np.array([f.drift for f in found])),
    }
    labels = {"state": names, "by": names, "input": list(asked.inputs), "output": list(asked.texts)}
    return xarray.Dataset(
        parts,
        {"time": times, **{k: np.array(x, dtype=str) for k, x in labels.items()}},
        {"title": system.name, "relative_to": ", ".join(asked.relative_to)},
    )


def _states(system: System, motion: Any) -> tuple[Any, Any, Any]:
    import xarray

    needed = [key_name(c, order) for order in (0, 1) for c in system.coordinates]
    if not isinstance(motion, xarray.Dataset) or "time" not in motion.coords:
        raise ModelError(
            f"the motion is {shown(motion)}",
            expected="a data set with times, such as ch.simulate(system) gives",
        )
    times = np.atleast_1d(np.asarray(motion["time"].values, dtype=float))
    missing = [n for n in needed if n not in motion]
    if missing:
        raise ModelError(
            f"the motion has no {missing[0]}",
            expected=f"a motion of {system.name!r}, with {', '.join(needed)}",
            remedy="along=ch.simulate(system, …)",
        )
    columns = np.array([np.atleast_1d(motion[n].values) for n in needed], dtype=float).T
    if columns.ndim != 2 or not np.isfinite(columns).all():
        raise ModelError("the motion has values that are not finite, or several runs", expected="one motion")
    m = len(system.coordinates)
    return times, columns[:, :m], columns[:, m:]


def _common(system: System, asked: Asked, slopes: list[Slopes]) -> LocalChart:
    """A chart that is regular at every time, from the pivots at one of them."""
    places = [system.coordinates.index(c) for c in asked.relative_to]
    tried: set[LocalChart] = set()
    for s in [slopes[i] for i in sorted({0, len(slopes) // 2, len(slopes) - 1})] if slopes else []:
        for chart in charts(s.phi_q, s.f_v, places or range(len(system.coordinates))):
            if chart not in tried and all(chart.is_regular(x.phi_q, x.f_v) for x in slopes):
                return chart
            tried.add(chart)
    raise ModelError(
        "no chart of Q is regular all along this motion",
        remedy="linearise along shorter pieces of it: motion.sel(time=slice(a, b))",
    )
