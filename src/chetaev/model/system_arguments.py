"""Arguments of `System` in the shape of a model file: names, lists, flat initial data; and fields as such."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from typing import Any

from chetaev.checked_arguments import shown
from chetaev.errors import ModelError, clipped, did_you_mean
from chetaev.expr.graph.node import symbols
from chetaev.expr.graph.program import key_name
from chetaev.expr.language.scope import DERIVATIVE_SUFFIXES, normal_name
from chetaev.model.checked_fields import Fields, Initial

_EXAMPLES = {
    "forces": 'forces={"x": "-k*x"}',
    "initial": 'initial={"x": 1, "x_dot": 0}',
    "parameters": 'parameters={"m": 1}',
    "define": 'define={"r2": "x^2 + y^2"}',
    "units": 'units={"x": "m"}',
}
DEEPEST = 3
"""How deep tables and lists nest in a dynamics: the entries of a row of B."""


def data_of(fields: Fields) -> dict[str, Any]:
    """The nested data that build these fields again, expressions as graphs."""
    own = fields.dynamics
    dynamics = {
        **(own.table() if own.section == "dynamics" else {}),
        "forces": dict(own.forces),
        "degenerate": fields.degenerate,
    }
    data: dict[str, Any] = {
        "name": fields.name,
        "summary": fields.summary,
        "source": fields.source,
        "time": fields.time,
        "coordinates": list(fields.coordinates),
        "parameters": dict(fields.parameters),
        "define": {n: d.args[0] for n, d in fields.definitions.items()},
        "units": dict(fields.units),
        "data": dict(fields.tables),
        "dynamics": dynamics,
        "constraints": {
            "position": list(fields.position_constraints[len(own.relations) :]),
            "velocity": [] if own.states_constraints else list(fields.velocity_constraints),
            "acceleration": list(fields.acceleration_constraints),
        },
        "quasi": dict(fields.quasi),
        "run": {k: v for k, v in (("until", fields.until), ("tolerance", fields.tolerance)) if v is not None}
        | ({"gauge": list(fields.gauge)} if fields.gauge else {}),
        "stops": list(fields.stops),
        "view": fields.view,
        "claims": list(fields.claims),
    }
    if own.section != "dynamics":
        data[own.section] = own.table()
    if fields.initial is not None:
        initial = fields.initial
        data["initial"] = {
            "t": initial.t,
            "position": dict(initial.position),
            "velocity": dict(initial.velocity),
        }
    return data


def nested_initial(values: Mapping[Any, Any], coordinates: Iterable[str], time: str) -> dict[str, Any]:
    """Flat initial data ``{"x": 1, "y_dot": 2, "t": 0}`` in the shape of a model file.

    >>> nested_initial({"x": 1, "y_dot": 2}, ["x", "y"], "t")
    {'position': {'x': 1}, 'velocity': {'y': 2}}
    """
    known = dict.fromkeys(map(normal_name, coordinates))
    nested: dict[str, Any] = {"position": {}, "velocity": {}}
    if set(values) <= {"t", "position", "velocity"} and any(isinstance(v, Mapping) for v in values.values()):
        for part in nested:
            table = as_mapping(values.get(part), part)
            nested[part] = {normal_name(name_of(k)): v for k, v in table.items()}
        return {**nested, **{k: v for k, v in values.items() if k == "t"}}
    strange = [key for key in values if not _is_initial(key, known, time)]
    if strange:
        raise _not_initial(strange, list(known), time)
    for key, value in values.items():
        name, order = _split(key, known)
        if name in known and order < 2:
            table = nested["velocity" if order else "position"]
            if name in table:
                raise ModelError(
                    f"initial data give the {'velocity' if order else 'position'} of {name!r} twice",
                    remedy=f"leave out {str(key)!r} or its other spelling",
                )
            table[name] = value
        else:
            nested["t"] = value
    return nested


def _is_initial(key: Any, known: Container[str], time: str) -> bool:
    name, order = _split(key, known)
    return (name in known and order < 2) or (name in ("t", time) and not order)


def _not_initial(keys: list[Any], known: list[str], time: str) -> ModelError:
    """The error for all keys of initial data that are no names of a state."""
    names = [key_name(c, o) for o in (0, 1) for c in known]
    remedies = [_initial_meant(clipped(str(key), 100), known, names) for key in keys[:12]]
    listed = ", ".join(repr(str(key)) for key in keys[:12]) + (", …" if len(keys) > 12 else "")
    what = "is neither a coordinate nor a velocity" if len(keys) == 1 else "are no names of the state"
    return ModelError(
        f"initial data are given for {listed}, which {what}",
        expected="one of " + ", ".join([*names[:20], time]),
        remedy="; ".join(filter(None, remedies)),
    )


def _initial_meant(key: str, known: list[str], names: list[str]) -> str:
    from chetaev.expr.language.unknown_names import derivative_meant, plain_spelling

    spelled = [n for n in names if plain_spelling(n) == plain_spelling(key)]
    meant = derivative_meant(key, known)
    near = [key_name(*meant)] if meant and meant[1] == 1 else spelled
    return f"did you mean {near[0]!r}?" if near else did_you_mean(key, names)


def _split(key: Any, known: Container[str]) -> tuple[str, int]:
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], int):
        return str(key[0]), key[1]
    name = normal_name(name_of(key))
    if name in known:
        return name, 0
    if name.endswith("'"):
        return name.rstrip("'"), len(name) - len(name.rstrip("'"))
    for suffix, order in DERIVATIVE_SUFFIXES.items():
        if name.endswith(suffix):
            return name[: -len(suffix)], order
    return name, 0


def dynamics_of(value: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """The table [dynamics] from the argument `dynamics` and from arguments for its entries.

    >>> dynamics_of({"form": {"F": ["-x"], "Pi": ["x'"]}}, {"lagrangian": None, "forces": {}})
    {'form': {'F': ['-x'], 'Pi': ["x'"]}}
    """
    table = {str(k): _nested(v, str(k)) for k, v in as_mapping(value, "dynamics").items()}
    for key, entry in named.items():
        if entry is None or entry is False or (isinstance(entry, Mapping) and not entry):
            continue
        if key in table:
            raise ModelError(
                f"{key!r} is given twice: by itself and in dynamics", remedy="leave out one of them"
            )
        table[key] = entry
    return table


def poisson_of(value: Any) -> dict[str, Any]:
    """The table [poisson]; a pair of names may be a tuple.

    >>> poisson_of({"bracket": {("x", "p"): 1}, "hamiltonian": "p^2/2"})
    {'bracket': {'x, p': 1}, 'hamiltonian': 'p^2/2'}
    """
    table = {str(k): _nested(v, "B") for k, v in as_mapping(value, "poisson").items() if k != "bracket"}
    bracket = value.get("bracket")
    if isinstance(bracket, Mapping):
        pairs = {k if isinstance(k, tuple) else (k,): v for k, v in bracket.items()}
        bracket = {", ".join(map(name_of, k)): v for k, v in pairs.items()}
    return ({} if bracket is None else {"bracket": _nested(bracket, "B")}) | table


def _nested(value: Any, key: str, depth: int = 0) -> Any:
    """Tables by name, lists and entries, whatever types hold them; only B is a matrix.

    What nests deeper than any dynamics does stays as it is, to be refused with its place.
    """
    if depth > DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {(name := name_of(k)): _nested(v, name, depth + 1) for k, v in value.items()}
    if hasattr(value, "tolist") and getattr(value, "shape", None):  # an array or a matrix
        value = value.tolist()
        if key != "B" and all(isinstance(row, list) for row in value):
            value = [entry for row in value for entry in row]
    if isinstance(value, (list, tuple)):
        return [_nested(v, key, depth + 1) for v in value]
    return value


def name_of(value: Any) -> str:
    """The name of a coordinate or parameter given as text, SymPy symbol, function of time, or derivative."""
    if isinstance(value, str):
        return str(value)  # of NumPy, too
    if type(value).__name__ == "Derivative" and hasattr(value, "expr"):
        order = sum(n for _, n in value.variable_count)
        return name_of(value.expr) + "'" * int(order)
    for attribute in ("name", "func"):
        found = getattr(value, attribute, None)
        if isinstance(found, str):
            return found
        if attribute == "func" and found is not None and getattr(value, "args", None):
            return str(found.__name__)
    raise ModelError(
        f"a name was expected, got {shown(value)}", expected="a text, a SymPy symbol or a function of time"
    )


def as_list(value: Any, what: str) -> list[Any]:
    """A list from any iterable but a text."""
    if type(value) in (list, tuple):
        return list(value)
    if not isinstance(value, (str, bytes, Mapping)):
        with suppress(TypeError):
            return list(value)
    remedy = ""
    if isinstance(value, str) and len(value) < 100:
        parts = re.split(r"[,\s]+", value.strip()) if what == "coordinates" else [value]
        remedy = f"write {what}=[{', '.join(map(repr, parts))}]"
    raise ModelError(f"{what} is {shown(value)}", expected="a list", remedy=remedy)


def as_mapping(value: Any, what: str) -> Mapping[Any, Any]:
    """A mapping; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        example = _EXAMPLES.get(what, "")
        raise ModelError(
            f"{what} is {shown(value)}",
            expected="a dictionary",
            remedy=f"such as {example}" if example else "",
        )
    return value


def constraints_of(value: Any) -> dict[str, list[Any]]:
    """Constraints by level; a plain list means velocity constraints."""
    if isinstance(value, Mapping):
        return {k: as_list(v, f"constraints[{k!r}]") for k, v in value.items()}
    return {"velocity": [] if value is None else as_list(value, "constraints")}


def other_parameters(
    system: Fields, written: Mapping[str, Any], given: Mapping[Any, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of the model with other parameter values: to be read, and as they are written."""
    changes = {normal_name(name_of(k)): v for k, v in given.items()}
    for name in changes:
        if name not in system.parameters:
            said = f"the model {system.name!r} has no parameter {name!r}"
            raise ModelError.unknown(said, name, system.parameters, "a model with parameters")
    texts = {normal_name(k): v for k, v in (written.get("parameters") or {}).items()}
    return {"parameters": {**system.parameters, **changes}}, {"parameters": {**texts, **changes}}


def other_initial(system: Fields, given: Mapping[Any, Any]) -> dict[str, Any]:
    """The entry of the model with other initial data."""
    changes = nested_initial(given, system.coordinates, system.time)
    own = system.initial or Initial()
    merged: dict[str, Any] = {"t": changes.get("t", own.t)}
    for part in ("position", "velocity"):
        both = {**getattr(own, part), **changes[part]}
        merged[part] = {k: v for k, v in both.items() if v is not None}
    held = {name for e in system.position_constraints for name, _ in symbols(e.residual)}
    for name, value in changes["position"].items():
        if value is None and name not in held:
            raise ModelError(
                f"the initial position of {name!r} is None, and no position constraint determines it",
                expected="a number",
            )
    if merged["t"] is None:
        raise ModelError("the initial time is None", expected="a number")
    return {"initial": merged}
