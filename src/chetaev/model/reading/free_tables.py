"""Free data of [view] and [[claims]]: what a file can hold, made immutable and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from numbers import Integral
from types import MappingProxyType
from typing import Any

from chetaev.errors import ModelError
from chetaev.model.reading.exact_numbers import exact_number
from chetaev.model.reading.expression_values import kind_of
from chetaev.model.reading.nested_data import Data
from chetaev.model.reading.text_places import Path, label

MAX_DATA_DEPTH = 50
"""Deepest nesting of [view] and [[claims]]."""
PLAIN = (int, float, Decimal)
"""The numbers of model files."""


def frozen(reader: Data, value: Any, path: Path) -> Any:
    """The value at a path, made immutable."""
    if len(path) > MAX_DATA_DEPTH:
        reader.fail(f"{label(path[:3])!r} nests too deep", path, expected=f"at most {MAX_DATA_DEPTH} levels")
    kind = type(value)  # to ask whether a list is a mapping takes longer than the rest
    if kind is str:
        return reader.encodable(value, path)
    if kind is not list and kind not in PLAIN and isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                reader.fail(
                    f"a key in {label(path)!r} is {kind_of(key)}", path, expected="keys that are texts"
                )
        return MappingProxyType({k: frozen(reader, v, (*path, k)) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(frozen(reader, v, (*path, i)) for i, v in enumerate(value))
    if isinstance(value, str):
        return reader.encodable(value, path)
    if kind in (bool, datetime, date, time):
        return value
    try:
        number = exact_number(value)
    except ModelError as error:
        raise error.at(reader.source.value_place(path)) from None
    if number is None:
        reader.fail(
            f"{label(path)!r} is {kind_of(value)}", path, expected="texts, numbers, dates, lists, tables"
        )
    return (
        int(number) if kind is int or (kind not in PLAIN and isinstance(value, Integral)) else float(number)
    )


def thaw(value: Any, leaf: Callable[[Any], Any] = lambda one: one) -> Any:
    """The value as tables and lists that may change; `leaf` makes what stands for all other entries."""
    if isinstance(value, Mapping):
        return {k: thaw(v, leaf) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(v, leaf) for v in value]
    return leaf(value)
