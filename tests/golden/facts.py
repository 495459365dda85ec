"""What chetaev says about a model, as values that another order or spelling of the answer leaves alone.

``facts("rolling-disc", "laws")`` is a dictionary of plain data: verdicts, kinds and counts as they are,
functions by their values at the recorded points of Q, linear spaces of functions as ``{"span": rows of such
values}``. An exception is a fact as well, by its class.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mpc, mpf

import chetaev as ch
from chetaev.expr.graph.evaluate import evaluate_mp
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import parse
from chetaev.laws.integrals import judged

Facts = dict[str, Any]
Point = Mapping[str, float]

HERE = Path(__file__).parent
RECORD = HERE / "record.json"
OTHERS = sorted(path.stem for path in (HERE / "models").glob("*.toml"))
"""Models besides the gallery's: of users, of textbooks, random ones, and one for each kind of dynamics."""
MODELS = [*ch.gallery(), *OTHERS]
POINTS = 12
FORMS = ("reduced", "chetaev", "hamel", "gibbs-appell", "gauss", "connection")

_MOVES = [{"x": 1}, {"y": 1}, {"x": "-y", "y": "x", "phi": 1}]
_TURNS = [{"x": "-y", "y": "x"}, {"y": "-z", "z": "y"}, {"z": "-x", "x": "z"}]
REDUCTIONS: dict[str, dict[str, Any]] = {
    "caratheodory-sleigh": {"symmetries": _MOVES},
    "central-force-constant-speed": {"symmetries": _TURNS},
    "heisenberg": {"symmetries": [{"x": 1}, {"z": 1}]},
    "knife-edge": {"symmetries": [{"y": 1}]},
    "leibniz-particle": {"symmetries": [{"x": 1}]},
    "nonholonomic-particle": {"symmetries": [{"x": 1}, {"z": 1}]},
    "particle": {"invariants": {"y": "y", "u": "x'", "v": "y'"}},
    "plane-spring": {"group": [{"x": "-x", "y": "-y"}]},
    "rolling-disc": {"symmetries": [*_MOVES, {"psi": 1}]},
    "snakeboard": {"symmetries": [{"x": 1}, {"y": 1}]},
    "textbook-pendulum-on-a-cart": {"symmetries": [{"x": 1}]},
    "textbook-two-driven-wheels": {"invariants": {"r": "right'", "l": "left'"}},
    "vertical-rolling-disc": {"symmetries": [{"x": 1}, {"y": 1}]},
}
"""What some models are reduced by."""


@cache
def model(name: str) -> ch.System:
    """The system of a name."""
    return ch.load(str(HERE / "models" / f"{name}.toml") if name in OTHERS else name)


@cache
def points(name: str) -> list[dict[str, float]]:
    """The points of Q at which functions of a model are evaluated, t, q and v by name: the recorded ones."""
    system = model(name)
    names = [system.time, *system.coordinates, *(f"{c}_dot" for c in system.coordinates)]
    rows = read().get(f"{name} points")
    if rows is None:
        return system.random_states(POINTS, seed=1)
    return [dict(zip(names, row, strict=True)) for row in rows]


def read() -> dict[str, Any]:
    """The record: points by ``"NAME points"``, facts and what they cost by ``"NAME VERB"``."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


# --- values of functions --------------------------------------------------------------------------


def rounded(x: Any) -> float | None:
    """A number to eleven digits; None where it is not real and finite."""
    if isinstance(x, mpc):
        x = x.real if abs(x.imag) <= 1e-20 * abs(x.real) else mpf("nan")
    x = float(x)
    if not np.isfinite(x):
        return None
    short = float(f"{x:.11g}")
    return int(short) if short.is_integer() and abs(short) < 1e11 else short


def listed(numbers: Iterable[Any]) -> list[float | None]:
    """Numbers to eleven digits."""
    return [rounded(x) for x in numbers]


def values(system: ch.System, e: Expr, point: Point, more: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression at a point, with thirty digits; not a number where it has none."""
    at: dict[Any, Any] = {**system.parameter_values, **point, **(more or {})}
    try:
        return evaluate_mp([e], at, 30)[0]
    except (ZeroDivisionError, ValueError, OverflowError):
        return mpf("nan")


def span(rows: Iterable[Sequence[Any]]) -> dict[str, list[list[float | None]]]:
    """Rows of which only the linear span is meant; each with 1 as its largest number."""
    found = []
    for row in rows:
        numbers = listed(row)
        size = max((abs(x) for x in numbers if x is not None), default=0.0) or 1.0
        found.append([None if x is None else rounded(x / size) for x in numbers])
    return {"span": found}


def fields(
    system: ch.System, components: Sequence[Mapping[str, Expr]], points: Sequence[Point]
) -> dict[str, list[list[float | None]]]:
    """The span of vector fields."""
    names = [system.time, *system.coordinates]
    some = points[: max(4, 24 // len(names))]
    return span([values(system, c[n], p) if n in c else 0.0 for p in some for n in names] for c in components)


def characteristic(A: Any) -> list[float | None]:
    """The coefficients of det(s − A), which multiple eigenvalues do not make uncertain."""
    return listed(np.real(np.poly(np.asarray(A)))) if len(A) else []


def how(answer: object, proved: bool) -> str:
    """A verdict with its evidence in a word."""
    return f"{answer} {'proved' if proved else 'tested' if answer is not None else 'undecided'}"


def counted(words: Iterable[Any]) -> list[str]:
    """Words of which the order does not count, but the number."""
    return sorted(map(str, words))


def refused(question: Callable[[], Any]) -> Any:
    """The answer to a question, or the class of the error that it ends with."""
    try:
        return question()
    except ch.ChetaevError as error:
        return f"refused: {type(error).__name__}"
    except Exception as error:  # a defect of the program is a fact to be recorded, too
        return f"failed: {type(error).__name__}"


# --- the verbs ------------------------------------------------------------------------------------


def _classify(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.classify(system)
    plain = (
        "holonomy velocities written degree time homogeneous projectable regular degrees_of_freedom "
        "growth_on integrable codimension integrable_dimension"
    )
    return {name: getattr(found, name) for name in plain.split()} | {
        "growth_vector": list(found.growth_vector),
        "integrals": len(found.integrals),
        "branches": counted(branch.holonomy for branch in found.branches),
        "evidence": {f.question: how(f.answer, f.evidence.proved) for f in found.findings},
    }


def _equations(system: ch.System, points: Sequence[Point]) -> Facts:
    forms = ("reduced", "chetaev", FORMS[2 + zlib.crc32(system.name.encode()) % 4])
    return {form: refused(lambda form=form: _accelerations(system, form, points)) for form in forms}  # type: ignore[misc]


def _accelerations(system: ch.System, form: str, points: Sequence[Point]) -> list[list[float | None]]:
    law = ch.field(system, form)
    q, v = ([[p[f"{c}{dot}"] for c in system.coordinates] for p in points[:4]] for dot in ("", "_dot"))
    return [
        listed(row) for row in law(np.array([p[system.time] for p in points[:4]]), np.array(q), np.array(v))
    ]


def _closed(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.equations(system)
    accelerations = found.accelerations
    return {
        "accelerations": [listed(values(system, e, p) for e in accelerations.values()) for p in points[:4]],
        "multipliers": refused(
            lambda: [
                listed(values(system, e, p) for e in ch.equations(system, "chetaev").multipliers)
                for p in points[:4]
            ]
        ),
    }


def _compare(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.compare(system, samples=4)
    return {
        "agree": found.agree,
        "evaluated": found.evaluated,
        "forms": {row.form: row.agrees for row in found.rows},
        "excluded": sorted(found.excluded),
    }


def _laws(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.integrals(system)
    ones = [1.0] * len(points)  # a law and a constant beside it are the same law
    return {
        "theory": {law.name: how(law.conserved, law.proof.proved) for law in judged(system)},
        "found": counted(how(law.conserved, law.proof.proved) for law in found),
        "theorems": sorted({reason.theorem for law in found for reason in law.reasons}),
        "unexplained": sum(not law.reasons for law in found),
        "by equation": sum(one.new for one in found.by_equation),
        "complete": None if found.searched is None else not found.searched.cut or None,
        "space": span([ones, *([values(system, law.expression, p) for p in points] for law in found)]),
    }


def _symmetries(system: ch.System, points: Sequence[Point]) -> Facts:
    said: Facts = {}
    for kind in ("point", "dynamical", "adjoint"):
        said[kind] = refused(lambda kind=kind: _symmetries_of(system, kind, points))  # type: ignore[misc]
    return said


def _symmetries_of(system: ch.System, kind: str, points: Sequence[Point]) -> Facts:
    found = ch.symmetries(system, kind=kind)
    questions = ("dynamics", "lagrangian", "constraint", "connection")
    return {
        q: counted(how(getattr(one, q).holds, getattr(one, q).proved) for one in found) for q in questions
    } | {"space": fields(system, [one.components for one in found], points)}


def _killing(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.killing(system)
    return {
        "complete": found.complete,
        "bound": found.bound,
        "metric": counted(how(one.metric.holds, one.metric.proved) for one in found),
        "horizontal": counted(one.horizontal.holds for one in found),
        "of lagrangian": counted(one.lagrangian.holds for one in found),
        "space": fields(system, [one.components for one in found], points),
    }


def _measure(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.measure(system)
    said: Facts = {"preserved": found.preserved, "chart": list(found.chart)}
    if found.density is not None:
        said["density"] = span([[values(system, found.density, p) for p in points[:4]]])
        said["proved"] = found.evidence.startswith("proved")
    if found.obstruction is not None:
        said["obstruction"] = [found.obstruction.kind, how(True, found.obstruction.proof.proved)]
    return said | {"divergence": listed(values(system, found.divergence, p) for p in points[:4])}


def _helmholtz(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.helmholtz(system)
    return {
        "variational": found.variational,
        "conditions": counted(how(one.holds, one.verdict.proved) for one in found.conditions),
        "defects": len(found.defects),
        "lagrangian": found.lagrangian is not None,
    }


def _simulate(system: ch.System, points: Sequence[Point]) -> Facts:
    initial = dict(points[0]) if system.initial is None else None
    start = points[0][system.time] if system.initial is None else float(values(system, system.initial.t, {}))
    end = start + (2.0 if system.until is None else min(2.0, float(values(system, system.until, {}))))
    motion = ch.simulate(system, until=end, at=[end], initial=initial, tolerance=1e-11)
    last = motion.isel(time=-1)
    names = [n for c in system.coordinates for n in (c, f"{c}_dot") if n in last] + ["energy"] * (
        "energy" in last
    )
    return {
        "status": motion.attrs["status"],
        "time": [rounded(last["time"])],
        "end": [rounded(f"{float(last[n]):.9g}") for n in names],
        "events": len(motion.attrs["events"]),
    }


def _linearize(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.linearize(system, at=dict(points[0]) if system.initial is None else None)
    return {
        "kind": found.kind,
        "autonomous": found.autonomous,
        "states": len(found.states),
        "exact": found.exact is not None,
        "characteristic": characteristic(found.A),
        "criteria": None if found.criteria is None else [found.criteria.says, found.criteria.holds],
    }


def _equilibria(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.equilibria(system)
    each = [
        {
            "kind": one.kind,
            "stable": one.stable,
            "free": len(one.free),
            "cut": len(one.cut),
            "state": listed(one.state.values()) if one.isolated else [],
            "characteristic": [] if one.linearization is None else characteristic(one.linearization.A),
        }
        for one in found
    ]
    each.sort(
        key=lambda one: repr([[f"{x:.6f}" for x in part] for part in (one["state"], one["characteristic"])])
    )
    return {"complete": found.complete, "number": len(found), "each": each}


def _hamilton(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.hamilton(system)
    said: Facts = {
        "condition": how(found.condition.is_zero, found.condition.proved),
        "exists": found.exists,
        "regular": found.regular,
        "independent": list(found.independent),
        "exact": refused(lambda: found.energy_form.exact),
    }

    def at(expressions: Iterable[Expr]) -> list[list[float | None]]:
        expressions = list(expressions)
        rows = []
        for p in points[:4]:
            momenta = {n: values(system, e, p) for n, e in found.momenta.items()}
            rows.append(listed(values(system, e, p, momenta) for e in expressions))
        return rows

    said["hamiltonian"] = refused(lambda: at([found.hamiltonian]))
    said["rates"] = refused(lambda: at(found.equations.values()))
    return said


def _dirac(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.dirac(system)
    plain = "outcome first_class second_class degrees_of_freedom"
    return {name: getattr(found, name) for name in plain.split()} | {
        "primary": len(found.primary),
        "secondary": len(found.secondary),
        "gauge": len(found.gauge),
        "branches": counted(branch.outcome for branch in found.branches),
    }


def _bracket(system: ch.System, points: Sequence[Point]) -> Facts:
    found = ch.bracket(system)
    tensor = [e for row in found.tensor for e in row]
    return {
        "jacobi": found.jacobi,
        "coordinates": list(found.coordinates),
        "casimirs": [len(found.casimirs), found.casimirs.complete],
        "tensor": [listed(values(system, e, p) for e in tensor) for p in points[:2]],
    }


def _reduce(system: ch.System, points: Sequence[Point], given: Mapping[str, Any]) -> Facts:
    found = ch.reduce(system, **given)
    said: Facts = {
        "closed": found.closed,
        "invariants": len(found.invariants),
        "rank": found.rank,
        "relations": len(found.relations),
        "rates": counted(rate.closed for rate in found.rates.values()),
    }
    if "invariants" in given:
        rows = []
        for p in points[:4]:
            sigma = {n: values(system, parse(e, system.scope), p) for n, e in given["invariants"].items()}
            rows.append(listed(values(system, e, p, sigma) for e in found.field.values()))
        said["field"] = rows
    return said


VERBS: dict[str, Callable[[ch.System, Sequence[Point]], Facts]] = {
    "classify": _classify,
    "equations": _equations,
    "closed": _closed,
    "compare": _compare,
    "laws": _laws,
    "symmetries": _symmetries,
    "killing": _killing,
    "measure": _measure,
    "helmholtz": _helmholtz,
    "simulate": _simulate,
    "linearize": _linearize,
    "equilibria": _equilibria,
    "hamilton": _hamilton,
    "dirac": _dirac,
    "bracket": _bracket,
}
KEYS = [f"{name} {verb}" for name in MODELS for verb in [*VERBS, *(["reduce"] if name in REDUCTIONS else [])]]
"""All questions, as ``"rolling-disc laws"``."""


def facts(name: str, verb: str) -> Facts | str:
    """What chetaev says about a model: values by name, or the class of an error.

    Parameters
    ----------
    name
        One of `MODELS`.
    verb
        One of `VERBS`, or ``reduce`` for those in `REDUCTIONS`.
    """
    if verb == "reduce":
        return refused(lambda: _reduce(model(name), points(name), REDUCTIONS[name]))  # type: ignore[no-any-return]
    return refused(lambda: VERBS[verb](model(name), points(name)))  # type: ignore[no-any-return]
