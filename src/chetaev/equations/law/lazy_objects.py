"""Objects of a formulation that are computed when asked for: tensors of m³ entries cost more than the law.

>>> objects = Lazy(g=lambda: "computed", P=lambda: 1 / 0)
>>> list(objects), objects["g"], "P" in objects
(['g', 'P'], 'computed', True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Lazy(Mapping[str, Any]):
    """A mapping whose values are made by functions, once."""

    def __init__(self, **makers: Callable[[], Any]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __repr__(self) -> str:
        return f"<objects {', '.join(self._makers)}>"

    def __len__(self) -> int:
        return len(self._makers)
