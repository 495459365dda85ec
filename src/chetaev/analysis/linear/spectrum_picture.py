"""Spectra in the complex plane, on a matplotlib figure; colours are those of Okabe and Ito."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chetaev.expr.print import name_latex

BLUE, VERMILION, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8c939c"
CYCLE = (BLUE, VERMILION, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#3c434d", "#f0e442")
MOST_SPECTRA = 6


def named(name: str) -> str:
    """A name on an axis: ``psi_dot`` as a letter with a dot."""
    bare = name.removesuffix("_dot")
    return f"${name_latex(bare, 1 if bare != name else 0)}$"


def calm(ax: Any) -> None:
    """A light grid and no frame above and to the right."""
    ax.grid(True, alpha=0.3, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def draw_spectrum(ax: Any, values: Sequence[complex], title: str) -> None:
    """Eigenvalues in the complex plane: those on the right in another colour; multiple ones are counted."""
    merged: dict[complex, int] = {}
    size = max((abs(z) for z in values), default=0.0) or 1.0
    for z in values:
        twin = next((y for y in merged if abs(y - z) < 1e-9 * size), z)
        merged[twin] = merged.get(twin, 0) + 1
    ax.axvline(0.0, color="0.35", linewidth=0.9)
    ax.axhline(0.0, color="0.75", linewidth=0.7)
    for z, many in merged.items():
        right = z.real > 1e-9 * size
        ax.plot(z.real, z.imag, "x", color=VERMILION if right else BLUE, markersize=8, markeredgewidth=1.8)
        if many > 1:
            ax.annotate(f"×{many}", (z.real, z.imag), xytext=(5, 5), textcoords="offset points", fontsize=8)
    half = 1.18 * max((max(abs(z.real), abs(z.imag)) for z in values), default=1.0) or 1.0
    ax.set(xlim=(-half, half), ylim=(-half, half), xlabel="real part", ylabel="imaginary part")
    ax.set_title(title, fontsize=9)
    ax.set_aspect("equal")
    calm(ax)


def draw_spectra(figure: Any, spectra: Sequence[tuple[str, Sequence[complex]]]) -> None:
    """Several spectra side by side."""
    shown = [(title, z) for title, z in spectra if len(z)][:MOST_SPECTRA]
    columns = min(3, max(1, len(shown)))
    rows = max(1, -(-len(shown) // columns))
    for i, (title, values) in enumerate(shown):
        draw_spectrum(figure.add_subplot(rows, columns, i + 1), values, _wrapped(title))
    if not shown:
        figure.text(0.5, 0.5, "no equilibria", ha="center", va="center")


def _wrapped(text: str, width: int = 34) -> str:
    import textwrap

    lines = textwrap.wrap(text, width)
    return "\n".join(lines[:3]) + ("…" if len(lines) > 3 else "")
