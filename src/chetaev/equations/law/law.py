"""A law of motion: a linear system for the accelerations on the fibre of J²Y.

Every formulation ends in ``matrix · x = right`` with its own unknowns x (all accelerations and multipliers,
or a few independent ones), from which the accelerations are recovered, ``a = recover · x + offset``. The
entries are exact graphs on J¹Y. :class:`Equations` evaluates them with any number of digits, solves them
exactly for display, and carries the formulation's own objects (A, B, Γ, …) as attributes.

Sign of the multipliers, everywhere: d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v; the reaction force is μ_a
∂f^a/∂v, and f = lhs − rhs for a constraint written lhs = rhs. Position constraints come first, with f =
dφ/dt.

One row of a law as an equation: unknowns on the left, signs where people write them.

Objects of a formulation that are computed when asked for: tensors of m³ entries cost more than the law.

>>> objects = Lazy(g=lambda: "computed", P=lambda: 1 / 0)
>>> list(objects), objects["g"], "P" in objects
(['g', 'P'], 'computed', True)
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.effort import NORMAL_FORMS
from chetaev.equations.law.given_point import completed
from chetaev.errors import DivisionByZeroError
from chetaev.expr.exact.readable.shorter_sums import leads_with_minus, tidy
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, keeps_digits, mp_context, read_matrix
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.model.system import System
from chetaev.numeric import SingularMatrixError, many_digits

if TYPE_CHECKING:
    from chetaev.equations.law.validity import Validity

Rows = Sequence[Sequence[Expr]]


class SingularError(ArithmeticError):
    """The law does not determine the accelerations at a point."""


@dataclass(frozen=True)
class Equations:
    """The equations of motion of a system in one formulation.

    Attributes
    ----------
    form, system
        The formulation's name, and the system.
    unknowns
        Names of the unknowns x, such as ``x''`` or ``mu_1``.
    matrix, right
        The law ``matrix · x = right``; `matrix` may have more rows than columns if the rows are compatible.
    recover, offset
        Accelerations of all coordinates: ``a = recover · x + offset``.
    multiplier_rows, multiplier_offset
        Multipliers, where the formulation itself has them: ``μ = multiplier_rows · x + multiplier_offset``.
    objects
        The formulation's own objects by name; also attributes of this object.
    source
        Where the formulation comes from: paper, equation, SCOPE id.
    effort
        What its normal form may cost; beyond it expressions are left as they were derived.
    """

    form: str
    system: System
    unknowns: tuple[str, ...]
    matrix: Rows
    right: Sequence[Expr]
    recover: Rows
    offset: Sequence[Expr]
    multiplier_rows: Rows | None = None
    multiplier_offset: Sequence[Expr] = ()
    objects: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    effort: int = NORMAL_FORMS

    def __post_init__(self) -> None:
        if self.system.degrees_of_freedom == len(self.system.coordinates):  # no constraint, no multiplier
            object.__setattr__(self, "multiplier_rows", None)
            object.__setattr__(self, "multiplier_offset", ())

    def __getattr__(self, name: str) -> Any:
        objects = self.__dict__.get("objects", {})
        if name in objects:
            return objects[name]
        own = ", ".join(objects) or "no objects of their own"
        raise AttributeError(
            f"the equations in form {self.__dict__.get('form')!r} have no {name!r}; they have {own}"
        )

    # --- numbers ----------------------------------------------------------------------------------

    @cached_property
    def _roots(self) -> list[Expr]:
        rows = [e for row in self.matrix for e in row] + list(self.right)
        rows += [e for row in self.recover for e in row] + list(self.offset)
        if self.multiplier_rows is not None:
            rows += [e for row in self.multiplier_rows for e in row] + list(self.multiplier_offset)
        return rows

    @cached_property
    def _symbols(self) -> frozenset[tuple[str, int]]:
        return frozenset(graph.symbols(*self._roots))

    @cached_property
    def further_states(self) -> tuple[str, ...]:
        """Names of states beyond (t, q, v) in the law, such as the multipliers of vakonomic motion."""
        own = {(c, o) for c in self.system.coordinates for o in (0, 1)}
        own |= {(name, 0) for name in (self.system.time, *self.system.parameters)}
        return tuple(sorted(name for name, _ in self._symbols - own))

    def evaluate(self, point: Mapping[Any, Any], digits: int = 50) -> tuple[list[Any], list[Any]]:
        """Accelerations and multipliers (or an empty list) at a point, as mpmath numbers.

        The point has values for time, coordinates and velocities, and for parameters that are not to have the
        values of the model. Raises :class:`SingularError` where the law does not determine the accelerations.
        """
        point = completed(self.system, point, self._symbols, digits)
        try:
            return self._evaluate(evaluate_mp(self._roots, point, digits), digits, many_digits.solve)
        except SingularError:
            pass
        except DivisionByZeroError as error:
            raise SingularError(f"the law has no value at this point: {error}") from None
        # singular, or badly scaled: values that change their leading digits with the precision are zeros
        rough, fine = (evaluate_mp(self._roots, point, digits + extra) for extra in (0, 20))
        clean = [y if keeps_digits(x, y) else 0 * y for x, y in zip(rough, fine, strict=True)]
        return self._evaluate(clean, digits + 20, many_digits.solve_carefully)

    def _evaluate(self, roots: list[Any], digits: int, solve: Any) -> tuple[list[Any], list[Any]]:
        mp = mp_context(digits)
        if not all(mp.isfinite(x) for x in roots):
            raise SingularError("an entry of the law is not finite at this point")
        values = iter(roots)
        A = read_matrix(mp, values, len(self.matrix), len(self.unknowns))
        b = read_matrix(mp, values, len(self.right), 1)
        R = read_matrix(mp, values, len(self.recover), len(self.unknowns))
        r = read_matrix(mp, values, len(self.offset), 1)
        try:
            x = solve(mp, A, b)
        except SingularMatrixError:
            raise SingularError("the matrix of the law is singular at this point") from None
        a = R * x + r if len(self.unknowns) else r
        mu: list[Any] = []
        if self.multiplier_rows is not None:
            N = read_matrix(mp, values, len(self.multiplier_rows), len(self.unknowns))
            mu = list(N * x + read_matrix(mp, values, len(self.multiplier_offset), 1))
        return list(a), mu

    # --- exact ------------------------------------------------------------------------------------

    @cached_property
    def _solution(self) -> tuple[list[Expr], list[Expr]]:
        from chetaev.equations.law.solved_law import solve

        return solve(self)

    @property
    def accelerations(self) -> dict[str, Expr]:
        """The accelerations by coordinate, as expressions on Q."""
        return dict(zip(self.system.coordinates, self._solution[0], strict=True))

    @property
    def multipliers(self) -> list[Expr]:
        """The multipliers μ_a as expressions on Q; the reaction force is μ_a ∂f^a/∂v."""
        return self._solution[1]

    @property
    def rows(self) -> list[Equation]:
        """The law, row by row, as short equations in normal form."""
        from chetaev.equations.law.law_display import rows

        return rows(self)

    @cached_property
    def valid(self) -> Validity:
        """Where the rows hold as they are printed: everywhere on Q, or where some functions are not 0."""
        from chetaev.equations.law.law_display import with_validity

        return with_validity(self)[1]

    def latex(self) -> str:
        """The law as a LaTeX block, with where it holds if not everywhere."""
        from chetaev.equations.law.law_display import law_latex

        return law_latex(self)

    def to_json(self) -> dict[str, Any]:
        """Plain data: the rows, accelerations and multipliers, and where they hold."""
        from chetaev.equations.law.equation_facts import equation_facts

        return equation_facts(self)

    def _pairs(self) -> list[tuple[Expr, Expr]]:
        """Both sides of the rows, and of the definitions that occur in them."""
        sides = [(e.lhs, e.rhs) for e in self.rows]
        named = graph.definitions(*(side for pair in sides for side in pair))
        return sides + [(graph.symbol(d.value), d.args[0]) for d in named]

    def _repr_html_(self) -> str:
        """MathML, which needs nothing from the network."""
        from chetaev.expr.print import mathml, page
        from chetaev.expr.print.broken_lines import lines

        rows = (lines(page(left)[0], page(right)[0]) for left, right in self._pairs())
        parts = ["<br>".join(map(mathml, row)) for row in rows]
        valid = html.escape(str(self.valid))
        return "".join(f"<p>{part}</p>" for part in [*parts, *([valid] if self.valid.latex() else [])])

    def _repr_latex_(self) -> str:
        from chetaev.expr.print.latex import broken_latex

        pairs = self._pairs()
        below = self.valid.latex()
        return f"$$\n{broken_latex(pairs)}\n$$" + (f"\n\n${below}$" if below else "")

    def __str__(self) -> str:
        from chetaev.equations.law.law_display import to_text

        return to_text(self)

    @property
    def operations(self) -> int:
        """The number of operations in the law: nodes of its graph that are not leaves."""
        leaves = ("number", "constant", "symbol", "define")
        return sum(n.op not in leaves for n in graph.postorder(*self._roots))

    def __repr__(self) -> str:
        return f"<Equations {self.form!r} of {self.system.name!r}: {len(self.unknowns)} unknowns>"


def unknown(name: str) -> Expr:
    """The symbol of an unknown: ``x''`` or a plain name."""
    bare = name.rstrip("'")
    return graph.symbol(bare, len(name) - len(bare))


def row_equation(coefficients: Sequence[Expr], right: Expr, symbols: Sequence[Expr]) -> Equation:
    """Σ c·u = right, the first coefficient without a minus sign."""
    terms = [(c, s) for c, s in zip(coefficients, symbols, strict=True) if c is not graph.ZERO]
    if terms and leads_with_minus(terms[0][0]):
        terms = [(_minus(c), s) for c, s in terms]
        right = _minus(right)
    return Equation(tidy(graph.add(*(times(c, s) for c, s in terms))), tidy(right))


def _minus(expr: Expr) -> Expr:
    """Minus an expression, signs carried into sums."""
    if expr.op == "neg":
        return expr.args[0]
    if expr.op == "number":
        return graph.number(-expr.value)
    if expr.op == "add":
        return graph.add(*(_minus(a) for a in expr.args))
    if expr.op == "mul" and expr.args[0].op == "number" and expr.args[0].value < 0:
        number, *rest = expr.args
        return graph.mul(*rest) if number.value == -1 else graph.mul(graph.neg(number), *rest)
    if expr.op == "div" and expr.args[0].op in ("number", "mul"):
        return graph.div(_minus(expr.args[0]), expr.args[1])
    return graph.neg(expr)


def times(coefficient: Expr, symbol: Expr) -> Expr:
    """A coefficient times an unknown."""
    if coefficient is graph.ONE:
        return symbol
    if leads_with_minus(coefficient) and not leads_with_minus(opposite := _minus(coefficient)):
        return graph.neg(times(opposite, symbol))
    if coefficient.op == "mul":
        return graph.mul(*coefficient.args, symbol)
    return graph.mul(coefficient, symbol)


class Lazy(Mapping[str, Any]):
    """A mapping whose values are made by functions, once."""

    def __init__(self, **makers: Callable[[], Any]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __repr__(self) -> str:
        return f"<objects {', '.join(self._makers)}>"

    def __len__(self) -> int:
        return len(self._makers)
