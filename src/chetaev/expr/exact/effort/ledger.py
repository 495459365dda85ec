"""What was computed before costs what it cost: remembered results and their price.

A field remembers elements of expressions, derivatives, charts. Within one question a remembered result is
paid once, as if the question were the first one ever asked: so the effort that is left, and with it the
verdict, does not depend on what was asked before.

>>> from chetaev.expr.exact import Budget, Field
>>> from chetaev.expr.graph.node import symbol
>>> field, x = Field(), symbol("x")
>>> costs = []
>>> for _ in range(2):
...     with field.limit(Budget(10**6)):
...         _ = field((1 + x) ** 9)
...         costs.append(field.tower.budget.spent)
>>> costs[0] == costs[1] > 0
True
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass
from dataclasses import field as data
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from chetaev.expr.exact.effort.budget import Budget
    from chetaev.expr.exact.field.field import Field

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Remembered(Generic[T]):
    """A result, its cost without that of the remembered results it was made from, and these."""

    value: T
    cost: int
    needs: tuple[Remembered[Any], ...] = ()


@dataclass(slots=True)
class _Page:
    """What a computation under way has used: the cost of remembered parts, and these."""

    inner: int = 0
    needs: list[Remembered[Any]] = data(default_factory=list)


class Ledger:
    """The prices of a field's remembered results."""

    def __init__(self) -> None:
        self._open: list[_Page] = []

    def recall(
        self,
        budget: Budget,
        store: MutableMapping[Any, Remembered[T]],
        key: Hashable,
        make: Callable[[], T],
    ) -> T:
        """The value in a store, made if it is not there; paid in either case."""
        before = budget.spent
        entry = store.get(key)
        if entry is not None:
            budget.charge(entry)
        else:
            page = _Page()
            self._open.append(page)
            try:
                value = make()
            except BaseException:
                self._open.pop()
                self._note(page.inner, page.needs)
                raise
            self._open.pop()
            entry = store[key] = Remembered(value, budget.spent - before - page.inner, tuple(page.needs))
            if budget.effort is not None:
                budget.charged.add(entry)
        self._note(budget.spent - before, [entry])
        return entry.value

    def _note(self, cost: int, needs: list[Remembered[Any]]) -> None:
        if self._open:
            self._open[-1].inner += cost
            self._open[-1].needs += needs


class remembered(Generic[T]):  # noqa: N801 (a decorator, named like the property it makes)
    """A property that is computed once and paid once in every question; its owner has a ``field``."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, owner: None, kind: type) -> remembered[T]: ...
    @overload
    def __get__(self, owner: Any, kind: type) -> T: ...

    def __get__(self, owner: Any, kind: type) -> remembered[T] | T:
        if owner is None:
            return self
        field: Field = owner.field
        store: dict[str, Remembered[T]] = owner.__dict__.setdefault("_remembered", {})
        return field.ledger.recall(field.tower.budget, store, self.name, lambda: self.make(owner))
