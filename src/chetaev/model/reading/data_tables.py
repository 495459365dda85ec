"""Tables of data in a model: ``[data.wind]``, used in expressions as a function ``wind(t)``.

    [data.wind]
    t = [0, 1, 3]                 # knots, in ascending order; what they are of, expressions say
    values = [0, 2.5, 1]
    interpolation = "linear"      # or "cubic"; see `chetaev.expr.graph.table`

    [data.road]
    file = "road.csv"             # beside the model file
    columns = ["s", "height"]     # names in the first line, or numbers from 1; the first two if left out

In Python ``data={"wind": (times, values)}``, ``(times, values, "cubic")``, or a table with the same keys.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError
from chetaev.expr.graph.table import KINDS, LINEAR, DataTable
from chetaev.model.reading.expression_values import exact_number
from chetaev.model.reading.text_places import Path

if TYPE_CHECKING:
    from chetaev.model.reading.model_reader import Reader

KEYS = ("file", "columns", "t", "values", "interpolation")
MOST = 100_000
"""More rows than this are not read."""
MOST_BYTES = 50_000_000
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)


def read_tables(reader: Reader) -> dict[str, DataTable]:
    """All tables of a model."""
    found: dict[str, DataTable] = {}
    for written, value in reader.table(("data",)).items():
        name = reader.claim(written, "table of data", ("data", written))
        found[name] = _table(reader, name, value, ("data", written))
    return found


def _table(reader: Reader, name: str, value: Any, path: Path) -> DataTable:
    if isinstance(value, DataTable):
        return DataTable(name, value.knots, value.values, value.interpolation)
    if callable(value):
        reader.fail(
            f"the data {name!r} are a Python function",
            path,
            expected="a table: (times, values)",
            remedy="a model is text, so that it can be written and proved; give functions to a run: "
            "ch.simulate(system, forces={…})",
            key=True,
        )
    if not isinstance(value, Mapping):
        value = _from_python(reader, name, value, path)
    reader.expect_keys(value, path, KEYS)
    kind = value.get("interpolation", LINEAR)
    if kind not in KINDS:
        reader.fail(
            f"the interpolation of {name!r} is {shown(kind)}",
            (*path, "interpolation"),
            expected=" or ".join(f'"{k}"' for k in KINDS),
        )
    if "file" in value:
        if "t" in value or "values" in value:
            reader.fail(
                f"the data {name!r} have a file and values of their own", path, remedy="give one of them"
            )
        knots, values = _from_file(reader, name, value, path)
    else:
        for key in ("t", "values"):
            if key not in value:
                reader.fail(
                    f"the data {name!r} have no {key!r}",
                    path,
                    expected='t and values, or file = "….csv"',
                    key=True,
                )
        knots, values = (_numbers(reader, value[key], (*path, key)) for key in ("t", "values"))
    _check(reader, name, knots, values, path)
    return DataTable(name, tuple(knots), tuple(values), kind)


def _from_python(reader: Reader, name: str, value: Any, path: Path) -> dict[str, Any]:
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if isinstance(value, (str, bytes)) or len(parts) not in (2, 3):
        reader.fail(
            f"the data {name!r} are {shown(value, 60)}",
            path,
            expected='(times, values), (times, values, "cubic"), or {"file": "….csv"}',
            key=True,
        )
    return dict(zip(("t", "values", "interpolation"), parts, strict=False))


def _check(
    reader: Reader, name: str, knots: Sequence[Fraction], values: Sequence[Fraction], path: Path
) -> None:
    if len(knots) != len(values):
        reader.fail(f"the data {name!r} have {len(knots)} knots and {len(values)} values", path, key=True)
    if not 2 <= len(knots) <= MOST:
        reader.fail(
            f"the data {name!r} have {len(knots)} row{'' if len(knots) == 1 else 's'}",
            path,
            expected=f"at least 2, at most {MOST}",
            key=True,
        )
    for i in range(1, len(knots)):
        if knots[i] <= knots[i - 1]:
            reader.fail(
                f"the knots of {name!r} do not ascend: in row {i + 1} {float(knots[i]):g} follows "
                f"{float(knots[i - 1]):g}",
                path,
                remedy="sort the rows; a jump may be written as a steep line",
                key=True,
            )


def _numbers(reader: Reader, given: Any, path: Path) -> list[Fraction]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        reader.fail(f"{path[-1]!r} is {shown(given, 60)}", path, expected="a list of numbers")
    found = []
    for i, x in enumerate(given):
        if i > MOST:
            break
        try:
            number = _exact(x)
        except ModelError as error:
            raise error.at(reader.source.value_place(path)) from None
        if number is None:
            reader.fail(f"row {i + 1} of {path[-1]!r} is {shown(x, 60)}", path, expected="a number")
        found.append(number)
    return found


def _exact(x: Any) -> Fraction | None:
    """A number as it is written; fractions in quotes, as a model file writes them."""
    if isinstance(x, str):
        above, _, below = x.partition("/")
        if not _NUMBER.fullmatch(above.strip()) or (below and not below.strip().isdecimal()):
            return None
        return exact_number(Fraction(above.strip()) / int(below or "1")) if int(below or "1") else None
    return exact_number(x)


def _from_file(
    reader: Reader, name: str, value: Mapping[str, Any], path: Path
) -> tuple[list[Fraction], list[Fraction]]:
    given = value["file"]
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        reader.fail(f"the file of {name!r} is {shown(given)}", (*path, "file"), expected="a path in quotes")
    place = os.path.join(os.path.dirname(reader.source.label), os.fspath(given))
    rows = _rows(reader, place, (*path, "file"))
    head = rows[0] if rows and not all(_NUMBER.fullmatch(x) for x in rows[0]) else None
    columns = _columns(reader, name, value.get("columns"), head, (*path, "columns"))
    found: tuple[list[Fraction], list[Fraction]] = ([], [])
    for number, row in enumerate(rows[1:] if head else rows, 2 if head else 1):
        for column, into in zip(columns, found, strict=True):
            text = row[column] if column < len(row) else ""
            if not _NUMBER.fullmatch(text):
                reader.fail(
                    f"{os.fspath(given)}, row {number}, column {column + 1}: {shown(text, 40)} is no number",
                    (*path, "file"),
                )
            exact = exact_number(Fraction(text))
            assert exact is not None
            into.append(exact)
    return found


def _rows(reader: Reader, place: str, path: Path) -> list[list[str]]:
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            reader.fail(f"{place!r} is not a file", path)
        if os.path.getsize(place) > MOST_BYTES:
            reader.fail(f"the file {place!r} is too large", path, expected=f"at most {MOST_BYTES} bytes")
        with open(place, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        reader.fail(f"there is no file {place!r}", path, remedy="the path counts from the model file")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reader.fail(f"the file {place!r} cannot be read: {error}", path)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    first = lines[0] if lines else ""
    mark = max(",;\t", key=first.count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    return rows[: MOST + 2]


def _columns(reader: Reader, name: str, given: Any, head: list[str] | None, path: Path) -> tuple[int, int]:
    if given is None:
        return 0, 1
    chosen = [] if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    if len(chosen) != 2:
        reader.fail(
            f"the columns of {name!r} are {shown(given)}", path, expected="two names, or two numbers from 1"
        )
    found = []
    for column in chosen:
        if isinstance(column, int) and not isinstance(column, bool) and 1 <= column <= 10_000:
            found.append(column - 1)
        elif isinstance(column, str) and head and column in head:
            found.append(head.index(column))
        else:
            known = ", ".join(head) if head else "numbers, since the file has no line of names"
            reader.fail(f"there is no column {shown(column)} in the file of {name!r}", path, expected=known)
    return found[0], found[1]
