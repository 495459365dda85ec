"""Names and expressions in the data of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chetaev.errors import ModelError
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation, parse, parse_equation
from chetaev.expr.language.scope import Scope, check_name
from chetaev.model.reading.exact_numbers import exact_number
from chetaev.model.reading.expression_values import graph_of, kind_of
from chetaev.model.reading.nested_data import Data
from chetaev.model.reading.text_places import Path, Source


class Reader(Data):
    """Reads names, expressions and equations, each with the place of its mistakes."""

    def __init__(self, data: Mapping[str, Any], source: Source) -> None:
        super().__init__(data, source)
        self.used: dict[str, str] = {}
        """All names so far, with what they are."""
        self.below: dict[str, set[tuple[str, int]]] = {}
        """The symbols in the meaning of each definition, found once."""

    def claim(self, name: object, what: str, path: Path) -> str:
        """A checked name that nothing else bears yet."""
        try:
            checked = check_name(name, what)
        except ModelError as error:
            raise error.at(self.source.key_place(path)) from None
        if checked in self.used:
            both = self.used[checked]
            twice = f"as {both} and as {what}" if both != what else f"each time as {what}"
            self.fail(
                f"the name {checked!r} is used twice: {twice}",
                path,
                remedy="rename one of them",
                key=True,
            )
        self.used[checked] = what
        return checked

    def symbols(self, *roots: Expr) -> set[tuple[str, int]]:
        """All ``(name, order)`` that occur, also inside definitions."""
        found: set[tuple[str, int]] = set()
        for node in graph.postorder(*roots, through_definitions=False):
            if node.op == "symbol":
                found.add(node.value)
            elif node.op == "define":
                found |= self.below[node.value]
        return found

    def expression(self, path: Path, scope: Scope) -> Expr:
        """The expression at a path."""
        value = self.get_any(path)
        try:
            if isinstance(value, str):
                return parse(value, scope, self.source.origin(path))
            return graph_of(value, scope)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None

    def get_any(self, path: Path) -> Any:
        """The value at a path that is there."""
        value: Any = self.data
        for part in path:
            value = value[part]
        return value

    def optional(self, path: Path, scope: Scope) -> Expr | None:
        """The expression at a path; None if there is none."""
        return None if self.get(path) is None else self.expression(path, scope)

    def equation(self, path: Path, scope: Scope) -> Equation:
        """The equation at a path; an expression alone means that it vanishes."""
        value = self.get_any(path)
        try:
            if isinstance(value, str):
                return parse_equation(value, scope, self.source.origin(path))
            if isinstance(value, Equation) or type(value).__name__ == "Equality":  # sympy.Eq
                return Equation(graph_of(value.lhs, scope), graph_of(value.rhs, scope))
            if isinstance(value, bool) or exact_number(value) is not None:
                self.fail(
                    f"the constraint is {kind_of(value)}",
                    path,
                    expected="an equation in quotes, \"x' = R*psi'\"",
                )
            return Equation(graph_of(value, scope), graph.ZERO)
        except ModelError as error:
            raise error.at(self.source.value_place(path)) from None
