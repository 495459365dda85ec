"""The text of an LLVM function as it grows."""

from __future__ import annotations


class Lines:
    """The text of a function as it grows: numbered results, numbered labels, blocks that end once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.open = True

    def emit(self, text: str) -> str:
        """An instruction with a result, and the result's name."""
        self.count += 1
        self.lines.append(f"  %r{self.count} = {text}")
        return f"%r{self.count}"

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append("  " + text)

    def label(self) -> str:
        """The name of a block that is to come."""
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before goes on to it unless it has ended."""
        if self.open:
            self.do(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.open = True

    def leave(self, text: str) -> None:
        """End the block with an instruction, unless it has ended."""
        if self.open:
            self.do(text)
        self.open = False
