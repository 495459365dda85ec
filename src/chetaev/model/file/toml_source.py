r"""Reading TOML with places: which line and column every key and every value stands at.

Python's :mod:`tomllib` reads the values. It does not say where they stand, so a second pass over the same
text, which is known to be valid by then, records the place of each key and, inside strings, of each
character: an error in an expression points into the file, not into the string.

>>> source = TomlSource('[dynamics]\nlagrangian = "m*x"\n', "model.toml")
>>> source.data
{'dynamics': {'lagrangian': 'm*x'}}
>>> str(source.origin(("dynamics", "lagrangian")).place(2))
'model.toml:2:17'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from chetaev.errors import ModelError, Origin, Place, TooLargeError, place_in
from chetaev.remedy_words import FILE

MAX_BYTES = 4_000_000
"""Longest model file, in bytes."""

MAX_KEY_PARTS = 8
"""Longest dotted key. tomllib's time and memory grow with the square of this length."""

Path = tuple[str | int, ...]

_LONG_KEY = (
    r"""(?:^[ \t]*\[{0,2}|[{,])[ \t]*"""
    rf"""(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}"""
)


def decode(raw: bytes, label: str) -> str:
    """The text of a model file; refuses what is too long, not UTF-8, or holds NUL."""
    _expect_short(len(raw), "bytes", label)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = raw[: error.start].decode("utf-8", "replace")
        place = place_in(good + "�", label, len(good))
        raise ModelError(
            f"the byte 0x{raw[error.start]:02x} is not valid UTF-8", place, remedy="save the file as UTF-8"
        ) from None
    return check_text(text, label)


def check_text(text: str, label: str) -> str:
    """The text with Unix line ends; refuses what is too long or holds NUL."""
    _expect_short(len(text), "characters", label)
    text = text.replace("\r\n", "\n")
    nul = text.find("\0")
    if nul >= 0:
        raise ModelError("a NUL character in the text", place_in(text, label, nul), remedy="remove it")
    surrogate = None if text.isascii() else re.search("[\ud800-\udfff]", text)
    if surrogate:
        place = place_in(text, label, surrogate.start())
        raise ModelError("a lone surrogate, which is no character", place, remedy="remove it")
    return text


def _expect_short(length: int, what: str, label: str) -> None:
    if length > MAX_BYTES:
        said = f"the model {label} has {length:,} {what}"
        remedy = "use [define] for what repeats, or split the model"
        raise TooLargeError(said, expected=f"at most {MAX_BYTES:,}", remedy=remedy)


class TomlSource:
    """A TOML text with its data and the places of its keys and values."""

    speech = FILE

    def __init__(self, text: str, label: str) -> None:
        self.text = check_text(text, label)
        self.label = label
        self.data = self._parse()

    def _parse(self) -> dict[str, Any]:
        dotted = any(line.count(".") >= MAX_KEY_PARTS for line in self.text.split("\n"))
        long = re.search(_LONG_KEY, self.text, re.MULTILINE) if dotted else None
        if long:
            place = place_in(self.text, self.label, long.start())
            message = f"a key has more than {MAX_KEY_PARTS} dotted parts"
            raise TooLargeError(message, place, expected="keys of a model file, which have at most three")
        try:
            return tomllib.loads(self.text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except RecursionError:
            raise TooLargeError(
                f"arrays or tables in {self.label} nest too deep", expected="a flat file"
            ) from None
        except ValueError as error:
            # tomllib lets Python's own complaints through, e.g. about integers of thousands of digits
            digits = re.search(r"\d[\d_]{1000,}", self.text)
            at = place_in(self.text, self.label, digits.start(), len(digits[0])) if digits else None
            reason = f"a number has {len(digits[0])} digits" if digits else f"a value cannot be read: {error}"
            raise ModelError(reason, at, expected="numbers in the range of double precision") from None

    def _syntax_error(self, message: str) -> ModelError:
        found = re.search(r"\(at line (\d+), column (\d+)\)", message)
        offset = len(self.text.rstrip())
        if found:
            lines = self.text.split("\n")
            offset = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2]) - 1
        elif self.text[:offset].rfind("\n") >= 0:
            offset = max(0, offset - 1)
        reason = re.sub(r"\s*\(at [^)]*\)", "", message)
        start = self.text.rfind("\n", 0, offset) + 1
        line = self.text[start:].split("\n")[0]
        twice = re.match(r"cannot (?:declare .* twice|overwrite a value|mutate)", reason, re.IGNORECASE)
        if twice:
            key = re.match(r"\s*(\[+[^\]\n]*\]+|[^=\n]*[^=\s])", line)
            what = f"not valid TOML: {key[1] if key else 'a key'} is given twice"
            place = place_in(self.text, self.label, start + key.start(1), len(key[1])) if key else None
            return ModelError(what, place, remedy="remove one, or put what they hold together")
        place = place_in(self.text, self.label, offset)
        from chetaev.model.file.toml_habits import remedy

        return ModelError(
            f"not valid TOML: {reason[:1].lower()}{reason[1:]}", place, remedy=remedy(line[:500])
        )

    @cached_property
    def _spans(self) -> dict[Path, _Span]:
        try:
            return _Scanner(self.text).scan()
        except (IndexError, RecursionError, ValueError):  # pragma: no cover - places are a courtesy
            return {}

    def key_place(self, path: Path) -> Place | None:
        """Where the key of a value stands; for an array element, the element itself."""
        span = self._span(path)
        start, end = (span.key, span.key_end) if span.key >= 0 else (span.value, span.end)
        return place_in(self.text, self.label, start, end - start)

    def value_place(self, path: Path) -> Place | None:
        """Where a value stands."""
        span = self._span(path)
        return place_in(self.text, self.label, span.value, span.end - span.value)

    def _span(self, path: Path) -> _Span:
        """The span of a path; of the first entry below it, or of what holds it, if it has none of its own."""
        if path and path not in self._spans:
            below = [p for p in self._spans if p[: len(path)] == path]
            path = min(below, key=lambda p: self._spans[p].value) if below else path
        while path and path not in self._spans:
            path = path[:-1]
        return self._spans.get(path) or _Span(0, 1, 0, 1)  # the file as a whole: its beginning

    def origin(self, path: Path) -> Origin:
        """The origin of a string value, for errors inside it."""
        value: Any = self.data
        for part in path:
            value = value[part]
        if not isinstance(value, str):
            return Origin(str(value), self.label)
        return _StringOrigin(value, self, path)


class _StringOrigin(Origin):
    """Offsets in a TOML string, shown as places in the file; looked for only when they are wanted."""

    def __init__(self, value: str, source: TomlSource, path: Path) -> None:
        super().__init__(value, source.label)
        self._source, self._path = source, path

    def place(self, offset: int, width: int = 1) -> Place:
        span = self._source._spans.get(self._path)
        if span is None:
            return super().place(offset, width)
        raw = string_offsets(self._source.text, span.value, span.end)
        offset = max(0, min(offset, len(raw) - 1))
        last = min(offset + width, len(raw) - 1)
        return place_in(self._source.text, self.label, raw[offset], max(1, raw[last] - raw[offset]))


def string_offsets(text: str, start: int, end: int) -> Sequence[int]:
    """Raw offsets of the characters of the TOML string at ``text[start:end]``, and of its end."""
    quote = text[start]
    triple = text.startswith(quote * 3, start) and end - start >= 6
    position = start + (3 if triple else 1)
    stop = end - (3 if triple else 1)
    if triple and text[position] == "\n":
        position += 1
    if quote == "'" or text.find("\\", position, stop) < 0:  # every character stands for itself
        return range(position, stop + 1)
    offsets = []
    while position < stop:
        if quote == '"' and text[position] == "\\":
            escape = text[position + 1]
            if escape in " \t\n":  # line continuation: nothing until the next visible character
                position += 1
                while position < stop and text[position] in " \t\n":
                    position += 1
                continue
            offsets.append(position)
            position += {"u": 6, "U": 10}.get(escape, 2)
        else:
            offsets.append(position)
            position += 1
    return [*offsets, stop]


class _Span(NamedTuple):
    key: int
    key_end: int
    value: int
    end: int


_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]*")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_MULTI = re.compile(r'"""(?:[^"\\]|\\(?:.|\n)|"(?!""))*"{3,5}')
_MULTI_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*'{3,5}")


class _Scanner:
    """One pass over valid TOML that notes where keys and values stand."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.spans: dict[Path, _Span] = {}
        self.counts: dict[Path, int] = {}

    def scan(self) -> dict[Path, _Span]:
        prefix: Path = ()
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return self.spans
            if self.text[self.at] == "[":
                prefix = self._header()
            else:
                self._pair(prefix)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return found[0]

    def _header(self) -> Path:
        start = self.at
        array = self.text.startswith("[[", start)
        self.at += 2 if array else 1
        parts = self._key()
        self._skip(_SPACE)
        self.at += 2 if array else 1
        path: Path = ()
        for i, part in enumerate(parts):
            path = (*path, part)
            if array and i == len(parts) - 1:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                path = (*path, self.counts[path])
            self.spans.setdefault(path, _Span(start, self.at, start, self.at))
        return path

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._skip(_SPACE)
            character = self.text[self.at]
            if character in "\"'":
                raw = self._skip(_BASIC if character == '"' else _LITERAL)
                parts.append(str(tomllib.loads(f"k = {raw}")["k"]))
            else:
                found = _BARE.match(self.text, self.at)
                if found is None:
                    raise ValueError("a key was expected")
                parts.append(found[0])
                self.at = found.end()
            self._skip(_SPACE)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _pair(self, prefix: Path) -> None:
        start = self.at
        parts = self._key()
        key_end = start + len(self.text[start : self.at].rstrip())
        self.at += 1  # the equals sign
        path: Path = prefix
        for part in parts:
            path = (*path, part)
            self.spans.setdefault(path, _Span(start, key_end, start, key_end))
        self._value(path, start, key_end)

    def _value(self, path: Path, key: int = -1, key_end: int = -1) -> None:
        self._skip(_SPACE)
        start = self.at
        character = self.text[start]
        if character == "[":
            self._array(path)
        elif character == "{":
            self._inline_table(path)
        elif character == '"':
            self._skip(_MULTI if self.text.startswith('"""', start) else _BASIC)
        elif character == "'":
            self._skip(_MULTI_LITERAL if self.text.startswith("'''", start) else _LITERAL)
        else:
            raw = self._skip(_SCALAR)
            self.at = start + len(raw.rstrip())
        self.spans[path] = _Span(key, key_end, start, self.at)

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while True:
            self._skip(_BLANK)
            if self.text[self.at] == "]":
                self.at += 1
                return
            self._value((*path, index))
            index += 1
            self._skip(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        while True:
            self._skip(_BLANK)
            if self.text[self.at] == "}":
                self.at += 1
                return
            self._pair(path)
            self._skip(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1
