"""The gallery by topic, in the order of `chetaev list`; each model stands under one."""

from __future__ import annotations

from collections.abc import Iterable

TOPICS: dict[str, tuple[str, ...]] = {
    "Rolling bodies": (
        "rolling-disc", "rolling-disc-steady", "vertical-rolling-disc", "vertical-disc-torques",
        "disc-on-incline", "semiholonomic-disc", "rolling-ball", "ball-on-rotating-table",
        "ball-on-accelerated-table", "rolling-ellipsoid", "rattleback", "appell-hamel", "appell-hamel-linear",
    ),
    "Blades, sleighs and boards": (
        "knife-edge", "caratheodory-sleigh", "damped-sleigh", "sleigh-on-q", "sleigh-reduced",
        "snakeboard",
    ),
    "Vehicles and robots": ("differential-drive", "car-with-trailers-2", "steered-car"),
    "Particles with linear constraints": (
        "nonholonomic-particle", "heisenberg", "heisenberg-symmetric", "contact-oscillator",
        "contact-oscillator-perturbed",
        "magnetic-nonholonomic-particle", "semiholonomic-cone", "variable-transmission",
    ),
    "Nonlinear constraints and prescribed speed": (
        "leibniz-particle", "decelerated-particle", "central-force-constant-speed", "particle-on-cone",
        "perpendicular-velocities", "pursuit", "dog-pursues-man", "implicit-constraint",
        "implicit-constraint-quintic", "acceleration-constraint",
    ),
    "Pendulums and rigid bodies": (
        "pendulum-cartesian", "pendulum-moving-support", "double-pendulum", "ziegler-pendulum",
        "bead-on-rotating-hoop", "suslov", "suslov-poisson", "suslov-reduced",
    ),
    "Degenerate Lagrangians": ("christ-lee", "pendulum-multiplier"),
    "Friction and impacts": ("stick-slip", "bouncing-ball"),
    "Relativity, magnetism and geodesics": (
        "charged-particle-magnetic", "particle-with-spin", "relativistic-particle",
        "relativistic-particle-homogeneous",
        "relativistic-particle-scalar", "relativistic-particle-scalar-homogeneous",
        "brachistochrone-metric", "brachistochrone-constrained",
    ),
    "As printed, with a mistake": ("rolling-disc-swaczyna", "vertical-disc-torques-delphenich"),
}  # fmt: skip
OTHER = "Further models"
"""The topic of a model that stands under none."""


def topic_of(name: str) -> str:
    """The topic of a model.

    >>> topic_of("snakeboard")
    'Blades, sleighs and boards'
    """
    return next((topic for topic, names in TOPICS.items() if name in names), OTHER)


def matching(rows: Iterable[dict[str, str]], words: Iterable[str]) -> list[dict[str, str]]:
    """The models in which every word occurs: in the name, title, summary, source or topic.

    >>> rows = [{"name": "snakeboard", "summary": "A board steered at both ends"}, {"name": "heisenberg"}]
    >>> [row["name"] for row in matching(rows, ["STEERED", "board"])]
    ['snakeboard']
    """
    wanted = [word.casefold() for word in words]
    return [row for row in rows if all(w in " ".join(row.values()).casefold() for w in wanted)]
