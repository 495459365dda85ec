"""The commands, thin: each calls a room and prints the answer."""

from chetaev.commands import (  # noqa: F401  # each adds its commands to the group
    analyses,
    compare_and_laws,
    control,
    gallery,
    play,
    reduce,
    show,
    simulate,
    stability,
    study,
    sweep,
    symmetries,
)
from chetaev.commands.command_group import cli as cli
