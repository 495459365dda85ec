"""Names that exist, but may not be used yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chetaev.remedy_words import FILE, Speech


class NotYet(Mapping[str, tuple[str, str]]):
    """Why a name may not be used in the meaning of another, a "parameter" or "definition", and what to do.

    It is asked only about names that are not open yet, so it need not know which of those `used` come later.
    """

    def __init__(self, used: Mapping[str, str], what: str, name: str, speech: Speech = FILE) -> None:
        self.used, self.what, self.name, self.speech = used, what, name, speech

    def __getitem__(self, other: str) -> tuple[str, str]:
        kind = self.used[other]
        if other == self.name:
            return f"the {self.what} {other!r} is used in its own meaning", "say what it is in earlier names"
        if kind == self.what:
            reason = f"the {kind} {other!r} is made only later; {self.name!r} may use earlier names only"
            return reason, f"move {other!r} before {self.name!r}"
        reason = f"{other!r} is a {kind}; a parameter has one value for all time"
        return reason, f"write {self.name!r} {self.speech.definitions} instead"

    def __iter__(self) -> Iterator[str]:
        return iter(self.used)

    def __len__(self) -> int:
        return len(self.used)
