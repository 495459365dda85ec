"""`ch.reversals`: maps R of the states that turn time around (SCOPE M6).

A map r of the coordinates is lifted to states by R(q, v) = (r(q), −∂r/∂q v). It reverses the motion if with
q(t) also r(q(−t)) is a motion; that is R_* X = −X on Q, where t goes to −t if it occurs. Then R carries an
attractor into a repeller: a steady motion with eigenvalues λ into one with −λ, a periodic orbit with
multipliers μ into one with 1/μ. It is no contradiction to a conserved energy: nonholonomic motions need not
preserve volume.

How it is known. *Refuted* by a state of Q where the two accelerations differ, or whose image misses a
constraint. *Proved*, if f∘R vanishes on Q for all constraints f, and the law is invariant: L∘TR = L and ∂rᵀ
F∘R = F, or more generally ∂rᵀ E∘R = E for the form E = M a + h − F. If no state refutes it and there is no
proof, it is only tested.

>>> import chetaev as ch
>>> sleigh = ch.load("caratheodory-sleigh")
>>> (R,) = ch.reversals(sleigh, {"y": "-y", "phi": "-phi"})
>>> R.holds, R.reason
(True, 'proved, for every value of the parameters')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product as choices
from typing import Any

import casadi
import numpy as np

from chetaev.analysis.orbits.reversal_evidence import StatesOfQ, in_doubles, proof
from chetaev.checked_arguments import shown
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.setup import Setup
from chetaev.errors import ModelError
from chetaev.expr.exact.vanishing import zero_tests
from chetaev.expr.graph.node import Expr, substitute, symbol, symbols
from chetaev.expr.language.parser import parse
from chetaev.model.reading.expression_values import graph_of
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list
from chetaev.remedy_words import listed
from chetaev.results import PlainData, Table, TableResult, plain

MOST = 10
"""With more coordinates, not all changes of sign are tried."""


@dataclass(frozen=True, repr=False)
class Reversal(PlainData):
    """A map of states, and whether it reverses the motion.

    Attributes
    ----------
    map
        The coordinates' images r(q), as expressions.
    holds
        True (proved), False (refuted by `witness`), None (tested at states of Q, not proved).
    reason
        How that is known.
    involution
        Whether r(r(q)) = q, proved; None if that is not.
    witness
        A state of Q at which it fails; None if there is none.
    """

    system: System
    map: Mapping[str, Expr]
    holds: bool | None
    reason: str
    involution: bool | None
    witness: Mapping[str, float] | None = field(default=None)

    facts = "map holds reason involution witness"

    @cached_property
    def _function(self) -> Any:
        return in_doubles(self.system, self.map)

    def __call__(self, state: Mapping[str, float]) -> dict[str, float]:
        """The image of a state, given by names of all coordinates and velocities (``x_dot``)."""
        names = list(self.system.coordinates)
        try:
            q, v = ([float(state[c + end]) for c in names] for end in ("", "_dot"))
        except (KeyError, TypeError, ValueError):
            raise ModelError(
                f"the state is {shown(state)}",
                expected="numbers for " + ", ".join([*names, *(f"{c}_dot" for c in names)]),
            ) from None
        x, u, _ = (np.array(a.full())[:, 0] for a in self._function(q, v, np.zeros(len(names))))
        found = {c: float(a) for c, a in zip(names, x, strict=True)}
        found.update({f"{c}_dot": float(a) for c, a in zip(names, u, strict=True)})
        if self.system.time in state:
            found[self.system.time] = -float(state[self.system.time])
        return found

    @property
    def fixed(self) -> list[Expr]:
        """Functions that vanish on the states which R leaves where they are."""
        s = Setup(self.system)
        r = s.column(list(self.map.values()))
        found = s.graphs(casadi.vertcat(r - s.q, -casadi.jtimes(r, s.q, s.v) - s.v))
        return [e for e in found if symbols(e)]

    @property
    def words(self) -> str:
        """The map in words."""
        same = [c for c, e in self.map.items() if e is symbol(c)]
        changed = [f"{c} -> {e}" for c, e in self.map.items() if c not in same]
        said = ", ".join(changed) + (", " if changed and same else "")
        if not same:
            return said
        rates, many = listed(f"{c}'" for c in same), len(same) > 1
        turned = f"velocities {rates} change their signs" if many else f"velocity {rates} changes its sign"
        return f"{said}{listed(same)} {'stay' if many else 'stays'}; the {turned}"

    def __str__(self) -> str:
        return f"reversal {self.words}: {self.reason}"

    __repr__ = __str__


class Reversals(TableResult, list[Reversal]):
    """Reversals that hold, or those that were asked for; `searched` says which maps were tried."""

    facts = "searched"

    def __init__(self, found: Iterable[Reversal], searched: str) -> None:
        super().__init__(found)
        self.searched = searched

    def __str__(self) -> str:
        return "\n".join([*(map(str, self) if self else ["no reversal was found"]), self.searched])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"reversals": plain(list(self))} | super().to_json()

    def _table_(self) -> Table:
        said = {True: "proved", False: "refuted", None: "tested"}
        return Table(
            ("reversal", "", "because"),
            tuple((r.words, said[r.holds], r.reason) for r in self),
            self.searched,
        )


def reversals(system: System, maps: Any = None, *, effort: int = EFFORT) -> Reversals:
    """Maps that reverse the motion in time.

    Parameters
    ----------
    system
        The system.
    maps
        A map of the coordinates such as ``{"x": "-x"}``, or several; coordinates that are left out stay,
        velocities follow. If left out, all changes of signs of coordinates are tried.
    effort
        What a proof may cost (:mod:`chetaev.effort`).

    Returns
    -------
    Reversals
        A list: of the maps given, each with its verdict; of the search, those that were not refuted.
    """
    expect_system(system, "ch.reversals")
    effort = expect_effort(effort)
    if system.tables:
        raise ModelError("reversals need a law in closed form, and this model has a table of data")
    if maps is None:
        return _search(system, effort)
    given = [maps] if isinstance(maps, Mapping) else as_list(maps, "the maps")
    read = [_read(system, m) for m in given]
    test = StatesOfQ(system)
    return Reversals((_judged(system, m, test, effort) for m in read), "these maps were given")


def expect_reversal(system: System, given: Any, effort: int = EFFORT) -> Reversal:
    """A reversal that was given, if it is not refuted."""
    if isinstance(given, Reversal):
        given = dict(given.map)
    found = reversals(system, given, effort=effort)
    if len(found) != 1:
        raise ModelError(f"{len(found)} reversals are given", expected="one")
    if found[0].holds is False:
        raise ModelError(f"this is no reversal: {found[0]}", remedy="ch.reversals(system) searches for some")
    return found[0]


def _search(system: System, effort: int) -> Reversals:
    names = system.coordinates
    free = names[:MOST]
    test = StatesOfQ(system)
    found = []
    tried = 0
    for signs in choices((1, -1), repeat=len(free)):
        tried += 1
        map_ = {c: symbol(c) for c in names}
        for c, sign in zip(free, signs, strict=True):
            if sign < 0:
                map_[c] = -symbol(c)
        if test.witness(map_)[0] is None:
            found.append(_judged(system, map_, test, effort))
    more = "" if len(free) == len(names) else f"; {', '.join(names[MOST:])} kept their signs in all of them"
    return Reversals(found, f"all {tried} changes of signs of coordinates were tried{more}")


def _read(system: System, given: Any) -> dict[str, Expr]:
    if not isinstance(given, Mapping):
        raise ModelError(
            f"a reversal is {shown(given)}",
            expected="a table of coordinates and expressions, such as {'x': '-x'}",
        )
    map_: dict[str, Expr] = {c: symbol(c) for c in system.coordinates}
    velocities: dict[str, Expr] = {}
    for key, value in given.items():
        name = str(key)
        e = parse(value, system.scope) if isinstance(value, str) else graph_of(value, system.scope)
        bare = name.removesuffix("'").removesuffix("_dot")
        if name in map_:
            map_[name] = e
        elif bare in map_ and bare != name:
            velocities[bare] = e
        else:
            raise ModelError(
                f"a reversal maps {name!r}, which is no coordinate", expected="one of " + ", ".join(map_)
            )
    allowed = {(c, 0) for c in system.coordinates} | {(n, 0) for n in system.parameters}
    for c, e in map_.items():
        odd = sorted(symbols(e) - allowed)
        if odd:
            raise ModelError(
                f"the image of {c} uses {odd[0][0] + chr(39) * odd[0][1]}",
                expected="an expression of the coordinates and parameters",
            )
    _expect_lifted(system, map_, velocities)
    return map_


def _expect_lifted(system: System, map_: Mapping[str, Expr], velocities: Mapping[str, Expr]) -> None:
    """Velocities that are given have to be those that follow from the coordinates."""
    if not velocities:
        return
    s = Setup(system)
    lifted = s.graphs(-casadi.jtimes(s.column(list(map_.values())), s.q, s.v))
    for c, e in velocities.items():
        right = lifted[system.coordinates.index(c)]
        (verdict,) = zero_tests([e - right])
        if verdict.is_zero is False:
            raise ModelError(
                f"a reversal maps {c}' to {e}, but the velocity of {map_[c]} in reversed time is {right}",
                remedy="leave the velocities out: they follow from the coordinates",
            )


def _judged(system: System, map_: Mapping[str, Expr], test: StatesOfQ, effort: int) -> Reversal:
    involution = _involution(map_)
    place, words = test.witness(map_)
    if place is not None:
        state = {k: float(x) for k, x in test.data[place].items()}
        at = ", ".join(f"{k} = {x:.6g}" for k, x in state.items())
        return Reversal(system, map_, False, f"refuted: at {at}, {words}", involution, state)
    proved, said = proof(system, map_, effort)
    if proved:
        return Reversal(system, map_, True, f"proved{said}", involution)
    return Reversal(
        system, map_, None, f"holds at {len(test.data)} states of Q, not proved: {said}", involution
    )


def _involution(map_: Mapping[str, Expr]) -> bool | None:
    put = {symbol(c): e for c, e in map_.items()}
    twice = substitute(list(map_.values()), put)
    verdicts = zero_tests([e - symbol(c) for c, e in zip(map_, twice, strict=True)])
    if all(v.is_zero and v.proved for v in verdicts):
        return True
    return False if any(v.is_zero is False for v in verdicts) else None
