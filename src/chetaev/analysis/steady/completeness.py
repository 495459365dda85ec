"""Are these all? What a search for equilibria or steady motions has seen, and the sentence made of it.

A search says `complete` only where nothing is left out; what is left out is counted or named here, and the
words are written from that, once.

>>> print(RealZeros(found=2, singular=1))
these are all, angles up to whole turns: real zeros of a Gröbner basis; 1 more where law or constraints are \
singular or have a kink
>>> RealZeros(found=2).complete, RealZeros(found=2, kinks=True).complete
(True, None)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from chetaev.expr.graph.node import Expr
from chetaev.remedy_words import listed

Name = tuple[str, int]
BESIDE = {
    "singular_members": "where law or constraints are singular nothing is said",
    "kinks": "where an absolute value, a sign or a root has its kink, nothing is said",
    "held": "a force jumps at rest, as dry friction does: states that it holds at rest are not found",
    "stops": "stops are left out of account: what rests against one is not found",
}
"""What is said where one of these is so."""


class Completeness(Protocol):
    """Whether a list is all there is: True or None, and why in a sentence."""

    @property
    def complete(self) -> bool | None:
        """True if there are no others, proved; None if that is not known."""
        ...


@dataclass(frozen=True, kw_only=True)
class RealZeros:
    """The real zeros of a Gröbner basis are all solutions, but for what stands here."""

    found: int
    """How many were found at which the motion has a linearisation."""
    singular: int = 0
    """How many at which it has none."""
    given_up: int = 0
    """How many were not looked at within the effort."""
    constant: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    """Of steady motions: the independent velocities that are constant and the coordinates at rest, or the
    generators along which they go.
    """
    solved_for: tuple[str, ...] = ()
    """Velocities for which the constraints are solved, where they cannot be everywhere."""
    elsewhere: tuple[str, ...] = ()
    """The independent velocities that are constant there instead, if there was looked in another chart."""
    at: tuple[tuple[str, Expr], ...] = ()
    """Values at which a family was looked at."""
    section: tuple[str, ...] = ()
    independent: bool = True
    """Coordinates that are 0 at one state of each orbit; whether there are such wherever the system is."""
    cut: tuple[str, ...] = ()
    """What families were cut at, one value of each."""
    left_out: tuple[str, ...] = ()
    """Along what families that are left out extend."""
    singular_members: bool = False
    """Whether members of a family are singular."""
    kinks: bool = False
    """Whether absolute values, signs or roots have kinks."""
    held: bool = False
    """Whether a force jumps at rest, and may hold states there."""
    stops: bool = False
    """Whether something may rest against a stop."""

    @property
    def complete(self) -> bool | None:
        """True if nothing is left out."""
        lost = self.solved_for and not self.elsewhere
        counted = (self.singular, self.given_up, lost, self.at, self.cut, self.left_out)
        said = (not self.independent, self.singular_members, self.kinks, self.held, self.stops)
        return None if any((*counted, *said)) else True

    def __str__(self) -> str:
        if self.cut:
            main = _cut(self.cut)
        elif _unlisted(self) and not self.found:
            others = "" if self.held else ", no others"
            main = f"{_unlisted(self)}{others}: real zeros of a Gröbner basis"
        elif not (self.found or self.constant or self.resting or self.along):
            main = "there are none: the equations of rest have no real solution (Gröbner basis)"
        else:
            main = f"{self._these}{self._where}: real zeros of a Gröbner basis"
        more = _unlisted(self, " more") if self.cut or self.found else ""
        families = (
            f"families along {', '.join(self.left_out)} beside them are left out" if self.left_out else ""
        )
        return "; ".join([main, *filter(None, (more, families)), *_beside(self)])

    @property
    def _these(self) -> str:
        along = f" along {' and '.join(self.along)}" if self.along else ""
        if not self.found:
            return f"there are no{'' if along else ' such'} steady motions{along}"
        acting = " in which no such force acts" if self.held else ""
        kinks = " off kinks" if self.kinks else ""
        if (self.constant or self.resting) and not self.at:
            said = [_they(self.constant, "is constant", "are constant"), _they(self.resting, "rests", "rest")]
            return f"these are all{kinks} in which {' and '.join(filter(None, said))}"
        return f"these are all{acting}{kinks}{along}" + (
            "" if along or self.at else ", angles up to whole turns"
        )

    @property
    def _where(self) -> str:
        values = ", ".join(f"{name} = {e}" for name, e in self.at)
        parts = [f" at {values}"] if self.at else []
        parts += [f", at {', '.join(f'{c} = 0' for c in self.section)}"] if self.section else []
        parts += [] if self.independent else [" and where the symmetries are independent there"]
        if self.elsewhere:
            constant = _they(self.elsewhere, "is constant", "are constant")
            parts.append(f", or {constant} where the constraints do not give {listed(self.solved_for)}")
        elif self.solved_for:
            parts.append(f", where the constraints can be solved for {listed(self.solved_for)}")
        return "".join(parts)


@dataclass(frozen=True, kw_only=True)
class InBox:
    """Interval Newton's method in a box: nothing is known about the outside."""

    box: Mapping[Name, tuple[float, float]]
    """Its ends by unknown."""
    undecided: int
    """How many small boxes were left in which there may be zeros."""
    why: str
    """Why the equations are not solved exactly."""
    cut: tuple[str, ...] = ()
    """What families were cut at, one value of each."""
    singular: int = 0
    given_up: int = 0
    held: bool = False
    stops: bool = False

    complete = None

    def __str__(self) -> str:
        within = ", ".join(_between(n + "'" * order, *ends) for (n, order), ends in self.box.items())
        left = f", {self.undecided} small boxes undecided" if self.undecided else ", all of them there"
        more = [*filter(None, (_unlisted(self, " more"), _cut(self.cut) if self.cut else ""))]
        outside = f"nothing is said about the outside ({self.why})"
        return "; ".join([f"interval Newton in {within}{left}", *more, outside, *_beside(self)])


@dataclass(frozen=True)
class ByDegree:
    """As many as the degree of the equation for the one unknown, for general values of a family."""

    unknown: str
    degree: int
    family: tuple[str, ...]

    complete = True

    def __str__(self) -> str:
        return (
            f"the equation for {self.unknown} has degree {self.degree}: there are no others for general "
            f"values of {', '.join(self.family)}"
        )


def _cut(names: tuple[str, ...]) -> str:
    it = "it" if len(names) == 1 else "them"
    where = f"families along {', '.join(names)} were cut at one value of {it}"
    return f"{where}: other members may have others beside them"


def _beside(seen: Completeness) -> list[str]:
    return [words for name, words in BESIDE.items() if getattr(seen, name, False)]


def _unlisted(seen: RealZeros | InBox, more: str = "") -> str:
    """What was found and is not listed."""
    parts = (
        (seen.singular, "where law or constraints are singular or have a kink"),
        (seen.given_up, "that could not be written down within the effort, or in doubles"),
    )
    return " and ".join(f"{count}{more} {words}" for count, words in parts if count)


def _they(names: tuple[str, ...], one: str, several: str) -> str:
    return f"{listed(names)} {several if len(names) > 1 else one}" if names else ""


def _between(name: str, low: float, high: float) -> str:
    return f"|{name}| ≤ {high:g}" if low == -high else f"{low:.4g} ≤ {name} ≤ {high:.4g}"
