"""Pictures of bifurcation diagrams and of stability maps, on a matplotlib figure.

What no eigenvalue makes unstable is drawn solid, what one does dashed; points at which something happens are
marked and named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.linear.spectrum_picture import BLUE, CYCLE, GREEN, GREY, VERMILION, calm, named

if TYPE_CHECKING:
    from chetaev.analysis.branches.diagram import Diagram, SteadyBranch

MARKS = {
    "fold": ("s", VERMILION),
    "pitchfork": ("D", GREEN),
    "transcritical": ("X", GREEN),
    "branch point": ("P", GREEN),
    "vertical family": ("|", GREEN),
    "Hopf": ("o", "#cc79a7"),
    "Hamiltonian Hopf": ("o", "#e69f00"),
    "zero": ("^", GREY),
}


def draw_diagram(diagram: Diagram, figure: Any) -> None:
    """What changes most over the parameter, and the real parts of the eigenvalues."""
    left = figure.add_subplot(1, 2, 1)
    right = figure.add_subplot(1, 2, 2)
    quantity = _telling(diagram)
    for i, b in enumerate(diagram.branches):
        color = CYCLE[i % len(CYCLE)]
        y = b.values[quantity] if quantity else np.zeros(len(b))
        for part, unstable in _parts(b):
            style: dict[str, Any] = {"color": color, "linewidth": 1.7}
            style |= {"linestyle": (0, (4, 2.5)), "linewidth": 1.3} if unstable else {}
            left.plot(b.parameter[part], y[part], **style)
        for k in range(b.eigenvalues.shape[1]):
            column = np.sort(b.eigenvalues.real, axis=1)[:, k]
            right.plot(b.parameter, column, ".", color=color, markersize=2.2)
    seen: set[str] = set()
    for p in diagram.points:
        mark, color = MARKS[p.kind]
        height = p.state.get(quantity, 0.0) if quantity else 0.0
        label = None if p.kind in seen else p.kind
        seen.add(p.kind)
        left.plot(
            p.parameter,
            height,
            mark,
            color=color,
            markersize=7,
            markeredgecolor="white",
            zorder=4,
            label=label,
        )
    left.plot([], [], "-", color="0.3", label="none on the right")
    left.plot([], [], linestyle=(0, (4, 2.5)), color="0.3", label="unstable")
    left.set(xlabel=named(diagram.name), ylabel=named(quantity) if quantity else "")
    right.axhline(0.0, color="0.35", linewidth=0.9)
    right.set(xlabel=named(diagram.name), ylabel="real parts of the eigenvalues")
    for ax in (left, right):
        ax.set_xlim(*diagram.over)
        calm(ax)
    left.legend(loc="best", fontsize="small", framealpha=0.8)
    figure.suptitle(diagram.title)


def _telling(diagram: Diagram) -> str | None:
    """The quantity with the largest extent; positions before speeds."""
    found: list[tuple[bool, float, str]] = []
    for name in diagram.branches[0].values if diagram.branches else ():
        every = np.concatenate([b.values[name] for b in diagram.branches])
        extent = float(every.max() - every.min())
        found.append((extent > 1e-9 and not name.endswith("_dot"), extent, name))
    return max(found)[2] if found else None


def _parts(b: SteadyBranch) -> list[tuple[slice, bool]]:
    """Stretches on which the branch is, or is not, unstable; each reaches to the next."""
    found = []
    start = 0
    unstable = b.unstable > 0
    for i in range(1, len(b) + 1):
        if i == len(b) or unstable[i] != unstable[start]:
            found.append((slice(start, min(i + 1, len(b))), bool(unstable[start])))
            start = i
    return found


def draw_map(ax: Any, found: Any) -> None:
    """Two parameters: colour by the number of eigenvalues on the right; exact criteria as curves."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    shades = ["#d7ebf7", "#fbd9c2", "#f2a97c", "#e0723d", "#a8420f"]
    counts = found.unstable
    most = max(1, int(counts.max(initial=0)))
    colors = ListedColormap(["#e3e6ea", *(shades[min(i, len(shades) - 1)] for i in range(most + 1))])
    norm = BoundaryNorm(np.arange(-1.5, most + 1.5), colors.N)
    picture = ax.pcolormesh(
        found.x, found.y, counts.T, cmap=colors, norm=norm, shading="nearest", rasterized=True
    )
    names = {-1: "no steady motion"} | {
        i: f"{i} on the right" if i else "none on the right" for i in range(most + 1)
    }
    present = sorted({int(c) for c in counts.ravel()})
    handles = [_patch(colors(norm(i)), names[i]) for i in present]
    fine = [np.linspace(a[0], a[-1], 401) for a in (found.x, found.y)]
    for k, (text, values) in enumerate(found.boundaries(*fine)):
        color = ("#3c434d", BLUE, GREEN, "#cc79a7")[k % 4]
        if np.isfinite(values).any() and np.nanmin(values) < 0 < np.nanmax(values):
            ax.contour(fine[0], fine[1], values.T, levels=[0.0], colors=[color], linewidths=1.6)
            handles.append(_line(color, text if len(text) < 46 else "exact criterion"))
    ax.set(xlabel=named(found.names[0]), ylabel=named(found.names[1]))
    ax.legend(
        handles=handles,
        title="eigenvalues",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        fontsize="small",
        title_fontsize="small",
        frameon=False,
    )
    picture.set_in_layout(False)


def _patch(color: Any, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=color, edgecolor="0.6", label=label)


def _line(color: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=color, label=label)
