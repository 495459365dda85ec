"""All mistakes in the texts of a model at once: every unknown name, and every text that cannot be read.

Where one text cannot be read, the others are looked at too. All names that the model declares anywhere are
open to them, so nothing is blamed for a mistake that stands elsewhere. Each name is named once, at its first
place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from chetaev.errors import ExpressionError, ModelError, UnknownNameError
from chetaev.expr.graph import node as graph
from chetaev.expr.language.parser import TOKEN, parse, parse_equation
from chetaev.expr.language.scope import Scope, normal_name
from chetaev.model.reading.text_places import Path

if TYPE_CHECKING:
    from chetaev.model.reading.model_reader import Reader

TABLES = ("parameters", "define", "constraints", "dynamics", "poisson", "initial", "run")
"""Where texts of expressions and equations stand, in the order in which they are read."""
MOST = 12
"""So many mistakes are listed at once."""
DEEPEST = 6
"""Texts of a model do not stand deeper."""
LONGEST = 20_000
"""Longer texts are looked at up to their first mistake only."""


def with_others(reader: Reader, first: ModelError) -> ModelError:
    """The error, together with all other mistakes in the texts of the model."""
    scope = _everything(reader)
    named = {_subject(first)}
    others: list[ModelError] = []
    for path in (path for table in TABLES for path in _below(reader, (table,))):
        for error in _mistakes(reader, path, scope):
            key = _subject(error)
            if len(others) < MOST and key not in named and error.place != first.place:
                named.add(key)
                others.append(error)
        if len(others) >= MOST:
            break
    return first.together_with(others)


def _subject(error: ModelError) -> object:
    return error.message if isinstance(error, UnknownNameError) else error.place


def _everything(reader: Reader) -> Scope:
    """A scope with all names of the model, of velocities and accelerations too."""
    coordinates = [normal_name(c) for c in reader.items(("coordinates",), "names") if isinstance(c, str)]
    time = reader.get(("time",))
    names = {normal_name(str(n)): graph.symbol(normal_name(str(n))) for n in reader.table(("parameters",))}
    names |= {normal_name(str(n)): graph.symbol(normal_name(str(n))) for n in reader.table(("define",))}
    moment = time if isinstance(time, str) else "t"
    return Scope.of(coordinates, names, moment, order=2, speech=reader.source.speech)


def _below(reader: Reader, path: Path) -> Iterator[Path]:
    """Where texts stand at a path and below it."""
    value = reader.get(path)
    if isinstance(value, str):
        yield path
    elif len(path) > DEEPEST:
        return
    elif isinstance(value, Mapping):
        for key in value:
            yield from _below(reader, (*path, key))
    elif isinstance(value, (list, tuple)):
        for i in range(len(value)):
            yield from _below(reader, (*path, i))


def _mistakes(reader: Reader, path: Path, scope: Scope) -> Iterator[ModelError]:
    """The first mistake of a text, and all names in it that are unknown."""
    text, origin = reader.get_any(path), reader.source.origin(path)
    try:
        (parse_equation if "constraints" in path[:2] else parse)(text, scope, origin)
    except (ExpressionError, ModelError) as error:
        yield error
        if len(text) > LONGEST or not isinstance(error, UnknownNameError):
            return
    else:
        return
    tokens = [*TOKEN.finditer(text)]
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        follows = after[0] if after else ""
        if not token[0][:1].isalpha() or follows == "(":
            continue
        primes = follows if follows[:1] in ("'", "’", "′", "″") and follows else ""
        try:
            scope.resolve(token[0], len(primes))
        except UnknownNameError as error:
            yield error.at(origin.place(token.start(), len(token[0]) + len(primes)))
        except ModelError:
            continue
