"""Objects as one line of text, from the process that found them to the study that shows them.

All expressions of a message are written as one graph, so that what they share is sent once.

>>> from chetaev.expr.graph.node import symbol
>>> unpacked(packed({"law": [symbol("x")]}))["law"][0] is symbol("x")
True
"""

from __future__ import annotations

import io
import pickle
from base64 import b64decode, b64encode
from typing import Any

from chetaev.expr.graph.node import Expr, flatten_all, rebuild_all


class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream)
        self.found: dict[Expr, int] = {}

    def persistent_id(self, obj: Any) -> int | None:
        """The number of an expression; None for anything else."""
        return self.found.setdefault(obj, len(self.found)) if isinstance(obj, Expr) else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, found: list[Expr]) -> None:
        super().__init__(stream)
        self.found = found

    def persistent_load(self, pid: Any) -> Expr:
        """The expression of this number."""
        return self.found[int(pid)]


def packed(values: Any) -> str:
    """Objects as text."""
    stream = io.BytesIO()
    packer = _Packer(stream)
    packer.dump(values)
    return b64encode(pickle.dumps((flatten_all(list(packer.found)), stream.getvalue()))).decode()


def unpacked(text: str) -> Any:
    """The objects again; only for what a process of this very study has packed."""
    (flat, places), rest = pickle.loads(b64decode(text))
    nodes = rebuild_all(flat)
    return _Unpacker(io.BytesIO(rest), [nodes[i] for i in places]).load()
