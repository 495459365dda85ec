"""The layout tree: what stands where in a formula, with every sign and bracket in its place.

A layout is small and does not change. Parts may be shared, as nodes of a graph are; two layouts are equal if
they are one object. :func:`fold` goes through a tree, or several that share parts, without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")


class Layout:
    """A part of a formula."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Layout, ...]:
        """The layouts inside of this one, in the order of its fields."""
        found: tuple[Layout, ...] = ()
        for name in self.__match_args__:
            value = getattr(self, name)
            if isinstance(value, tuple):
                found += value
            elif isinstance(value, Layout):
                found += (value,)
        return found


@dataclass(frozen=True, eq=False, slots=True)
class Name(Layout):
    """A name with its dots: ``theta_1`` of order 1 is the velocity of θ₁."""

    name: str
    order: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Word(Layout):
    """An upright word, such as the constant e."""

    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Number(Layout):
    """An exact number that is not negative."""

    value: Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Sign(Layout):
    """An operator or a bracket by itself, as where a formula is broken: ``+``, ``=``, ``/``, ``(``, ``)``."""

    sign: str


@dataclass(frozen=True, eq=False, slots=True)
class Minus(Layout):
    """−a; as a later term of a sum it is subtracted."""

    inside: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Bracketed(Layout):
    """(a), as large as what is in it."""

    inside: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Radical(Layout):
    """√a."""

    inside: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Bars(Layout):
    """|a|."""

    inside: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Barred(Layout):
    """ā."""

    inside: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Sum(Layout):
    """a + b − c; may be broken before a sign."""

    members: tuple[Layout, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Product(Layout):
    """a b c."""

    members: tuple[Layout, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Row(Layout):
    """Parts one after the other, such as those of one line of several."""

    members: tuple[Layout, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Over(Layout):
    """a/b; on a page one above the other."""

    above: Layout
    below: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Power(Layout):
    """a to the b."""

    base: Layout
    exponent: Layout


@dataclass(frozen=True, eq=False, slots=True)
class Call(Layout):
    """A function of its arguments, with a power of it between: sin² x.

    `brackets` are ``""`` for sin x, ``"()"`` for sin(x) before another factor, ``"fit"`` for those that grow.
    """

    function: str
    arguments: tuple[Layout, ...]
    brackets: str = "fit"
    exponent: Layout | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Indexed(Layout):
    """A letter with an index below or above."""

    base: Layout
    index: Layout
    above: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Relation(Layout):
    """a = b, or with another sign: ``!=``, ``>=``."""

    left: Layout
    right: Layout
    sign: str = "="


def fold(
    roots: Iterable[Layout], write: Callable[[Layout, list[T]], T], done: dict[Layout, T] | None = None
) -> list[T]:
    """What `write` makes of each root from what it made of the parts; each part is written once."""
    done = {} if done is None else done
    roots = list(roots)
    stack: list[tuple[Layout, tuple[Layout, ...] | None]] = [(r, None) for r in roots]
    while stack:
        layout, parts = stack.pop()
        if parts is not None:  # the parts are written
            done[layout] = write(layout, [done[p] for p in parts])
        elif layout not in done:
            parts = layout.parts
            if parts:
                stack.append((layout, parts))
                stack += [(p, None) for p in parts if p not in done]
            else:
                done[layout] = write(layout, [])
    return [done[r] for r in roots]
