"""The picture of docs/analysis.md: which steady motions of a homogeneous disc are stable (M3).

The family and its criterion come from `ch.relative_equilibria`; here they are only drawn. Units are those in
which g = R = 1, so that the turning rate is φ' √(R/g).
"""

from __future__ import annotations

import numpy as np

import chetaev as ch

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 380, 56, 52, 22
HIGHEST = 3.0
COLUMNS = 101
MOVING = ("x", "y", "psi", "phi")


def place(theta: float, rate: float) -> str:
    """A point of the plane of lean and rate in the picture."""
    x = LEFT + (WIDTH - LEFT - 18) * theta / (np.pi / 2)
    y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * rate / HIGHEST
    return f"{x:.1f},{y:.1f}"


def unstable_region() -> list[tuple[float, float, float]]:
    """Lean, lower and upper rate of unstable motions, where there are any."""
    disc = ch.load("rolling-disc").with_parameters(R=1, g=1)
    (family,) = ch.relative_equilibria(disc, MOVING, free=["theta", "phi'"])
    found = ch.stability_map(disc, family, {"theta": (0.001, 1.5), "phi'": (0.001, HIGHEST)}, points=2)
    rate = np.linspace(1e-3, HIGHEST, 1501)

    def columns(theta: np.ndarray) -> np.ndarray:
        return found.boundaries(theta, rate)[0][1]

    low, high = 1e-3, 1.5
    for _ in range(40):  # the largest lean with an unstable motion
        middle = (low + high) / 2
        low, high = (middle, high) if columns(np.array([middle])).min() < 0 else (low, middle)
    theta = low - (low - 1e-3) * np.linspace(1, 0, COLUMNS) ** 2
    rows = []
    for t, column in zip(theta, columns(theta), strict=True):
        bad = np.flatnonzero(column < 0)
        if len(bad):
            rows.append((float(t), _zero(rate, column, bad[0] - 1), _zero(rate, column, bad[-1])))
    return rows


def _zero(rate: np.ndarray, column: np.ndarray, i: int) -> float:
    if i < 0:
        return 0.0
    return float(rate[i] - column[i] * (rate[i + 1] - rate[i]) / (column[i + 1] - column[i]))


def picture() -> str:
    """The picture as SVG."""
    rows = unstable_region()
    outline = [place(t, low) for t, low, _ in rows] + [place(t, high) for t, _, high in reversed(rows)]
    rest = [(t, 2 / np.sqrt(np.cos(t))) for t in np.linspace(0, 1.109, 90)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<polygon points="{place(0, 0)} {place(np.pi / 2, 0)} {place(np.pi / 2, HIGHEST)} '
        f'{place(0, HIGHEST)}" fill="#d7ebf7"/>',
        f'<polygon points="{place(0, 0)} {" ".join(outline)}" fill="#fbd9c2" stroke="#d55e00" '
        'stroke-width="1.8"/>',
        f'<polyline points="{" ".join(place(t, w) for t, w in rest)}" fill="none" stroke="#0072b2" '
        'stroke-width="1.8" stroke-dasharray="6 4"/>',
    ]
    for degrees in range(0, 91, 15):
        x, y = place(np.radians(degrees), 0).split(",")
        lines.append(f'<path d="M{x} {y}v5" stroke="#444"/>')
        lines.append(f'<text x="{x}" y="{float(y) + 19:.1f}" text-anchor="middle">{degrees}°</text>')
    for k in range(4):
        x, y = place(0, k).split(",")
        lines.append(f'<path d="M{x} {y}h-5" stroke="#444"/>')
        lines.append(f'<text x="{float(x) - 9:.1f}" y="{float(y) + 4.5:.1f}" text-anchor="end">{k}</text>')
    labels = [
        (0.06, 0.42, "start", "unstable"),
        (0.75, 1.2, "start", "no eigenvalue on the right"),
        (0.03, 2.32, "start", "centre at rest: φ'² = 4g/(R cos θ)"),
        (0.02, 1.0, "start", "spinning upright, φ'² = 4g/(5R)"),
    ]
    for t, w, anchor, words in labels:
        x, y = place(t, w).split(",")
        lines.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{words}</text>')
    x, y = place(np.pi / 4, 0).split(",")
    lines.append(f'<text x="{x}" y="{float(y) + 42:.1f}" text-anchor="middle">lean θ, 0° upright</text>')
    x, y = place(0, 1.5).split(",")
    turned = f'transform="rotate(-90 {float(x) - 36:.1f} {y})"'
    lines.append(
        f'<text x="{float(x) - 36:.1f}" y="{y}" text-anchor="middle" {turned}>turning rate φ\' √(R/g)</text>'
    )
    return "\n".join([*lines, "</svg>"]) + "\n"
