"""The commands, thin: each asks a room and prints what it says."""

from chetaev.commands import (  # each adds its commands to the group
    gallery,
    hamilton,
    judge,
    periodic,
    reduce,
    show,
    simulate,
    stability,
    study,
    symmetries,
)
from chetaev.commands.group import cli

from chetaev.commands import completion  # isort: skip  # after all others, whose arguments it completes

__all__ = [
    "cli",
    "completion",
    "gallery",
    "hamilton",
    "judge",
    "periodic",
    "reduce",
    "show",
    "simulate",
    "stability",
    "study",
    "symmetries",
]
