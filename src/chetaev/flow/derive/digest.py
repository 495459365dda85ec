"""Names of content: hashes, under which models, programs and machine code are found again.

>>> digest("ab", "c") == digest("a", "bc")
False
"""

from __future__ import annotations

import hashlib


def digest(*parts: str | bytes) -> str:
    """The name of some content: a hash in which no two different lists of parts meet."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()
