"""Which initial states end where, as a value: a label for each point of a grid, and the attractors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.results import Table, TableResult

if TYPE_CHECKING:
    import xarray

UNSETTLED = -1
FAILED = -2
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")


@dataclass(frozen=True)
class Basins(TableResult):
    """Basins of attraction on a grid of two initial values.

    Attributes
    ----------
    names
        The two values that vary.
    x, y
        Their values.
    labels
        For each point (x, y) the number of the attractor near which the motion ends; −1 where it is near none
        of them at the end, −2 where the motion failed.
    attractors
        The states, by name; what is left out counts for nothing.
    within
        How near is near, in each of the named values.
    until
        When the motions end.
    """

    title: str
    names: tuple[str, str]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    labels: NDArray[np.int64]
    attractors: tuple[Mapping[str, float], ...]
    within: float
    until: float

    facts = "names x y labels attractors within until evidence"

    @property
    def shares(self) -> dict[int, float]:
        """The part of the grid that has each label."""
        return {int(k): float((self.labels == k).mean()) for k in np.unique(self.labels)}

    def to_xarray(self) -> xarray.Dataset:
        """The labels over the two values."""
        import xarray

        return xarray.Dataset(
            {"basin": (self.names, self.labels)},
            coords={self.names[0]: self.x, self.names[1]: self.y},
            attrs={"title": self.title, "attractors": [self._named(k) for k in range(len(self.attractors))]},
        )

    @property
    def evidence(self) -> str:
        """How this is known."""
        return (
            f"tested: {self.labels.size} motions to t = {self.until:g}, each with the attractor that it is "
            f"nearer to than {self.within:.3g} at the end"
        )

    def _named(self, label: int) -> str:
        if label == UNSETTLED:
            return "near none of them at the end"
        if label == FAILED:
            return "the motion failed"
        moving = {n: x for n, x in self.attractors[label].items() if x or not n.endswith("_dot")}
        return ", ".join(f"{n} = {x:.6g}" for n, x in moving.items()) or "rest"

    def __str__(self) -> str:
        lines = [f"{self.title}: where motions end, over {self.names[0]} and {self.names[1]}"]
        lines += [
            f"  {share:7.2%}  {self._named(k)}" for k, share in sorted(self.shares.items(), reverse=True)
        ]
        return "\n".join([*lines, self.evidence])

    def _table_(self) -> Table:
        rows = tuple((self._named(k), f"{share:.2%}") for k, share in sorted(self.shares.items()))
        return Table(("ends at", "of the grid"), rows, f"{self.title}; {self.evidence}")

    def _plot_(self, figure: Any) -> None:
        """The grid in the colours of the attractors, which are marked if they lie in it (for `ch.plot`)."""
        from matplotlib.colors import BoundaryNorm, ListedColormap
        from matplotlib.patches import Patch

        from chetaev.analysis.linear.spectrum_picture import named

        ax = figure.add_subplot(1, 1, 1)
        count = len(self.attractors)
        shades = ["#3c434d", "#e3e6ea", *(COLORS[k % len(COLORS)] for k in range(count))]
        colors, norm = ListedColormap(shades), BoundaryNorm(np.arange(FAILED - 0.5, count + 0.5), len(shades))
        ax.pcolormesh(
            self.x, self.y, self.labels.T, cmap=colors, norm=norm, shading="nearest", rasterized=True
        )
        for k, state in enumerate(self.attractors):
            at = [state.get(n) for n in self.names]
            inside = all(
                a is not None and v.min() <= a <= v.max() for a, v in zip(at, (self.x, self.y), strict=True)
            )
            if inside:
                ax.plot(*at, "o", ms=7, mfc=shades[k + 2], mec="white", mew=1.5)
        handles = [Patch(color=shades[k + 2], label=self._named(k)) for k in sorted(self.shares)]
        ax.set(xlabel=named(self.names[0]), ylabel=named(self.names[1]), title=self.title)
        ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, fontsize="small",
            frameon=False,
        )  # fmt: skip
