"""The commands, thin: each asks a room and prints what it says."""

from chetaev.commands import (  # noqa: F401  # each adds its commands to the group
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
from chetaev.commands.command_group import cli as cli

from chetaev.commands import completion  # isort: skip  # noqa: F401  # after all others, whose arguments it completes
