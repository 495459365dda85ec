"""The commands, thin: each asks a room and prints what it says."""

from chetaev.commands import (  # each adds its commands to the group
    claims,
    compare_and_laws,
    control,
    gallery,
    hamilton,
    periodic,
    reduce,
    show,
    simulate,
    stability,
    study,
    sweep,
    symmetries,
)
from chetaev.commands.command_group import cli

from chetaev.commands import completion  # isort: skip  # after all others, whose arguments it completes

__all__ = [
    "claims",
    "cli",
    "compare_and_laws",
    "completion",
    "control",
    "gallery",
    "hamilton",
    "periodic",
    "reduce",
    "show",
    "simulate",
    "stability",
    "study",
    "sweep",
    "symmetries",
]
