"""Names that a model does not use itself."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chetaev.model.system import System


def fresh(name: str, taken: Container[str]) -> str:
    """A name with as many underscores after it as it needs to be new."""
    while name in taken:
        name += "_"
    return name


def fresh_names(system: System, count: int, stem: str = "mu", between: str = "_") -> tuple[str, ...]:
    """mu_1, mu_2, …, with a longer stem where the model uses these names itself."""
    while any(f"{stem}{between}{i + 1}" in system.names for i in range(count)):
        stem += "_"
    return tuple(f"{stem}{between}{i + 1}" for i in range(count))
