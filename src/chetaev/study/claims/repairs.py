"""The usual repairs of a formula that does not hold: what a printer, or an author, is likely to have lost.

A sign; a dot too few or too many; a factor 2, 1/2 or a parameter in a term; an exponent; sine for cosine;
an index or a name in place of another, at one place or exchanged throughout; twice the same kind of repair.
Each is tried in this order, and the first statement that is *proved* to hold is the repair: a true statement
near the printed one, of which a reader has to say whether it is what was meant.

>>> [text for text, _ in changed("x'' = -g*y'", ["x", "y"], ["g"])][:4]
["x'' = +g*y'", "-x'' = -g*y'", "x'' = -g*y''", "x' = -g*y'"]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import zero_test
from chetaev.expr.graph.node import FUNCTIONS
from chetaev.expr.language.parser import TOKEN, parse_equation
from chetaev.study.claims.claim_data import ClaimData
from chetaev.study.claims.judgement import Judge
from chetaev.study.claims.of_identity import completed

CANDIDATES = 300
"""Changed texts that are tried for one text."""
TWICE = 12
"""Changes of one kind of which pairs are tried."""
REPAIRED = (
    "equations",
    "conserved",
    "solution",
    "coefficients",
    "momenta",
    "hamiltonian",
    "measure",
    "identity",
)
"""Kinds of claims that have formulas."""
ORDER = (
    "a sign",
    "a dot",
    "a factor",
    "an exponent",
    "sine and cosine",
    "a name",
    "two names",
    "a sign, twice",
    "a dot, twice",
    "a factor, twice",
)
"""Kinds of changes, as they are tried."""
Change = tuple[int, int, str]
"""A piece of a text, from and to, and what it is replaced by."""
Read = Callable[[ClaimData], Judge]
"""What reads a claim of a kind."""


def repair(given: ClaimData, key: str, read: Read, effort: int) -> tuple[ClaimData, str] | None:
    """The claim with a statement near its own that is proved to hold, and what was changed; None if there is
    none, or if it states no formulas.
    """
    if key not in REPAIRED or given.data[key] is False:
        return None
    value = given.data[key]
    if isinstance(value, Mapping):
        found = _first(given, key, read, effort, sorted(_leaves(given, value), key=_likely))
        return None if found is None else (replace(given, data={**given.data, key: found[0]}), found[1])
    repaired, kinds = [], []
    for text in [value] if isinstance(value, str) else value:
        alone = replace(given, data={**given.data, key: text})
        if _proved(alone, read, effort):
            repaired.append(text)
            continue
        found = _first(alone, key, read, effort, _changed(given, text))
        if found is None:
            return None
        repaired.append(found[0])
        kinds.append(found[1])
    if not kinds:
        return None
    return replace(given, data={**given.data, key: repaired}), " and ".join(dict.fromkeys(kinds))


def _first(
    given: ClaimData, key: str, read: Read, effort: int, candidates: Iterable[tuple[Any, str]]
) -> tuple[Any, str] | None:
    """The first candidate that is proved."""
    for value, kind in islice(candidates, CANDIDATES):
        candidate = replace(given, data={**given.data, key: value})
        if _proved(candidate, read, effort) and not ("name" in kind and _empty(candidate, key, effort)):
            return value, kind
    return None


def _proved(given: ClaimData, read: Read, effort: int) -> bool:
    """Whether the claim can be read and is proved, for other values of the parameters, too."""
    try:
        parts = read(given)(effort)
        if all(part.holds and part.proved for part in parts):
            parts += read(_elsewhere(given))(effort)
    except ModelError:  # such as a derivative of an order that does not exist
        return False
    return all(part.holds and part.proved for part in parts)


def _elsewhere(given: ClaimData) -> ClaimData:
    """The claim with other values of the parameters for which it is not made."""
    system, own = given.system, given.data.get("parameters", {})
    numbers = [(n, e.value) for n, e in system.parameters.items() if e.op == "number" and n not in own]
    values = {name: f"{value}*{11 + 2 * i}/{10 + i}" for i, (name, value) in enumerate(numbers) if value}
    try:
        return replace(given, system=system.with_parameters(values)) if values else given
    except ModelError:  # the model allows these values alone
        return given


def _empty(given: ClaimData, key: str, effort: int) -> bool:
    """Whether an equation with another name in it says nothing: it holds off Q, too."""
    if key != "equations":
        return False
    scope = given.system.scope.but(order=2)
    try:
        residual = parse_equation(str(given.data[key]), scope).residual
    except ModelError:  # a multiplier is in it
        return False
    return zero_test(residual, effort=effort).is_zero is True


def _leaves(given: ClaimData, value: Any) -> Iterator[tuple[Any, str]]:
    """A table or a list with one of its texts changed."""
    keys = value if isinstance(value, Mapping) else range(len(value))
    for key in keys:
        inner = value[key]
        if key == "dependent" or isinstance(inner, bool | int | float):
            continue
        changes = _changed(given, inner) if isinstance(inner, str) else _leaves(given, inner)
        for changed_one, kind in changes:
            copy = dict(value) if isinstance(value, Mapping) else list(value)
            copy[key] = changed_one
            yield copy, kind


def _likely(candidate: tuple[Any, str]) -> int:
    """Its place in the order in which changes are tried."""
    return ORDER.index(candidate[1])


def _changed(given: ClaimData, text: str) -> Iterator[tuple[str, str]]:
    data = completed(given).data
    own = [*data.get("constants", ()), *data.get("variables", ())]
    names = dict.fromkeys(
        name.partition("{")[0].rstrip("0123456789")
        for key in ("functions", "define")
        for name in data.get(key, ())
    )
    return changed(text, given.system.coordinates, [*given.system.parameters, *own], list(names))


def changed(
    text: str, coordinates: Sequence[str], parameters: Sequence[str], names: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Texts near a text, each with the kind of its change; names are those of functions."""
    indices = [range(*m.span()) for m in re.finditer(r"\{[^{}]*\}", text)]
    places = (m for m in TOKEN.finditer(text) if not any(m.start() in span for span in indices))
    tokens = [(m.start(), m.end(), m.group()) for m in places]
    kinds = [
        ("a sign", _signs(tokens)),
        ("a dot", [*_dots(tokens, coordinates), *_endings(text)]),
        (
            "a factor",
            _factors(text, tokens, ["2", "1/2", *parameters, *(f"1/{p}" for p in parameters), *coordinates]),
        ),
        ("an exponent", _exponents(tokens)),
        ("sine and cosine", _functions(tokens)),
        ("a name", _names(tokens, coordinates)),
        ("a name", _names(tokens, parameters)),
        ("a name", _names(tokens, names)),
    ]
    for kind, changes in kinds:
        yield from ((_with(text, change), kind) for change in changes)
    for group in (coordinates, parameters):
        yield from ((_exchanged(text, tokens, *pair), "two names") for pair in combinations(group, 2))
    for kind, changes in kinds[:3]:
        pairs = combinations(changes[:TWICE], 2)
        yield from ((_with(text, *pair), f"{kind}, twice") for pair in pairs if pair[0][1] <= pair[1][0])


def _with(text: str, *changes: Change) -> str:
    """The text with its pieces replaced."""
    for start, end, new in reversed(changes):
        text = text[:start] + new + text[end:]
    return text


def _signs(tokens: Sequence[tuple[int, int, str]]) -> list[Change]:
    """Plus for minus, minus for plus, and a minus where a sum begins."""
    changes = [(a, b, "-" if t == "+" else "+") for a, b, t in tokens if t in ("+", "-")]
    before = ["", *(t for _, _, t in tokens)]
    begins = [(a, a, "-") for (a, _, t), last in zip(tokens, before, strict=False) if last in ("", "=", "(")]
    return changes + [one for one in begins if not any(one[0] == a for a, _, _ in changes)]


def _dots(tokens: Sequence[tuple[int, int, str]], coordinates: Sequence[str]) -> list[Change]:
    """A dot more, or one less."""
    after = [*(t for _, _, t in tokens[1:]), ""]
    more = [
        (b, b, "'") for (_, b, t), n in zip(tokens, after, strict=True) if t in coordinates and "'" not in n
    ]
    more += [(b, b, "'") for _, b, t in tokens if t == "'"]
    return sorted(more) + [(b - 1, b, "") for _, b, t in tokens if set(t) == {"'"}]


def _endings(text: str) -> list[Change]:
    """A dot more, or one less, of the variable by which is differentiated."""
    less = [(m.start(), m.end(), "") for m in re.finditer(r"_dot(?![^\W_])", text)]
    plain = re.finditer(r"_[^\W\d_]+(?:\d+|\{\w+\})(?![\w{])", text)
    return less + [(m.end(), m.end(), "_dot") for m in plain]


def _factors(text: str, tokens: Sequence[tuple[int, int, str]], factors: Sequence[str]) -> list[Change]:
    """A factor before every term, also within brackets."""
    starts, expects = [], True
    for a, _, t in tokens:
        if expects and t not in ("+", "-"):
            starts.append(a)
        expects = t in ("+", "-", "=", "(") or (expects and t in ("+", "-"))
    return [(a, a, f"{factor}*") for a in starts if text[a : a + 1] != "0" for factor in factors]


def _exponents(tokens: Sequence[tuple[int, int, str]]) -> list[Change]:
    """An exponent one more or less; a square; the root of one."""
    changes: list[Change] = []
    after = [*(t for _, _, t in tokens[1:]), ""]
    before = ["", *(t for _, _, t in tokens)]
    for (a, b, t), n, last in zip(tokens, after, before, strict=False):
        if last == "^" and t.isdigit():
            changes += [(a, b, str(int(t) + 1)), *([(a, b, str(int(t) - 1))] if int(t) > 1 else [])]
        elif n not in ("^", "(") and "'" not in n and (t == ")" or re.match(r"[^\W\d]|'", t)):
            changes.append((b, b, "^2"))
    return changes


def _functions(tokens: Sequence[tuple[int, int, str]]) -> list[Change]:
    other = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh", "exp": "log", "log": "exp"}
    return [(a, b, other[t]) for a, b, t in tokens if t in other and t in FUNCTIONS]


def _names(tokens: Sequence[tuple[int, int, str]], names: Sequence[str]) -> list[Change]:
    """A name in the place of another."""
    return [(a, b, name) for a, b, t in tokens if t in names for name in names if name != t]


def _exchanged(text: str, tokens: Sequence[tuple[int, int, str]], one: str, other: str) -> str:
    swapped = {one: other, other: one}
    return _with(text, *((a, b, swapped[t]) for a, b, t in tokens if t in swapped))
