"""The commands, thin: each asks a room and prints what it says."""

from chetaev.commands import gallery, judge, show, simulate, study  # each adds its commands to the group
from chetaev.commands.group import cli

__all__ = ["cli", "gallery", "judge", "show", "simulate", "study"]
