"""The commands, thin: each asks a room and prints what it says."""

from chetaev.commands import (  # each adds its commands to the group
    control,
    gallery,
    hamilton,
    judge,
    periodic,
    reduce,
    show,
    simulate,
    stability,
    study,
    sweep,
    symmetries,
)
from chetaev.commands.group import cli

from chetaev.commands import completion  # isort: skip  # after all others, whose arguments it completes

__all__ = [
    "cli",
    "completion",
    "control",
    "gallery",
    "hamilton",
    "judge",
    "periodic",
    "reduce",
    "show",
    "simulate",
    "stability",
    "study",
    "sweep",
    "symmetries",
]
