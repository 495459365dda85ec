"""A law of motion: a linear system for the accelerations on the fibre of J²Y.

Every formulation ends in ``matrix · x = right`` with its own unknowns x (all accelerations and multipliers,
or a few independent ones), from which the accelerations are recovered, ``a = recover · x + offset``. The
entries are exact graphs on J¹Y. :class:`Equations` evaluates them with any number of digits, solves them
exactly for display, and carries the formulation's own objects (A, B, Γ, …) as attributes.

Sign of the multipliers, everywhere: d/dt ∂L/∂v − ∂L/∂q = F + μ_a ∂f^a/∂v; the reaction force is μ_a
∂f^a/∂v, and f = lhs − rhs for a constraint written lhs = rhs. Position constraints come first, with f =
dφ/dt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chetaev.effort import NORMAL_FORMS
from chetaev.equations.law.point import completed
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.evaluate import evaluate_mp, keeps_digits, mp_context, read_matrix
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.model.system import System

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
            return self._evaluate(evaluate_mp(self._roots, point, digits), digits, _solve)
        except SingularError:
            pass
        except (ZeroDivisionError, ValueError, OverflowError) as error:
            reason = str(error) or "division by zero"
            raise SingularError(f"the law has no value at this point: {reason}") from None
        # singular, or badly scaled: values that change their leading digits with the precision are zeros
        rough, fine = (evaluate_mp(self._roots, point, digits + extra) for extra in (0, 20))
        clean = [y if keeps_digits(x, y) else 0 * y for x, y in zip(rough, fine, strict=True)]
        return self._evaluate(clean, digits + 20, _solve_carefully)

    def _evaluate(self, roots: list[Any], digits: int, solve: Any) -> tuple[list[Any], list[Any]]:
        mp = mp_context(digits)
        if not all(mp.isfinite(x) for x in roots):
            raise SingularError("an entry of the law is not finite at this point")
        values = iter(roots)
        A = read_matrix(mp, values, len(self.matrix), len(self.unknowns))
        b = read_matrix(mp, values, len(self.right), 1)
        R = read_matrix(mp, values, len(self.recover), len(self.unknowns))
        r = read_matrix(mp, values, len(self.offset), 1)
        x = solve(mp, A, b)
        a = R * x + r if len(self.unknowns) else r
        mu: list[Any] = []
        if self.multiplier_rows is not None:
            N = read_matrix(mp, values, len(self.multiplier_rows), len(self.unknowns))
            mu = list(N * x + read_matrix(mp, values, len(self.multiplier_offset), 1))
        return list(a), mu

    # --- exact ------------------------------------------------------------------------------------

    @cached_property
    def _solution(self) -> tuple[list[Expr], list[Expr]]:
        from chetaev.equations.law.solved import solve

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

    def _repr_latex_(self) -> str:
        from chetaev.expr.print.broken import broken_latex

        rows = self.rows
        named = graph.definitions(*(side for e in rows for side in (e.lhs, e.rhs)))
        pairs = [(e.lhs, e.rhs) for e in rows] + [(graph.symbol(d.value), d.args[0]) for d in named]
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


def _solve(mp: Any, A: Any, b: Any) -> Any:
    """Solve a square system by LU, an overdetermined compatible one by least squares.

    Rows and columns are scaled first. What then is left for a pivot may be rounding error where it is below
    10^(−2d/3) with d digits: there the matrix counts as singular.
    """
    if A.cols == 0:
        return mp.matrix(0, 1)
    A, b, columns = _scaled(mp, A, b)
    if A.rows != A.cols:
        A, b = A.T * A, A.T * b
    smallest = mp.mpf(10) ** (-2 * mp.dps // 3)
    try:
        LU, _ = mp.LU_decomp(A)
        if min(abs(LU[i, i]) for i in range(A.rows)) > smallest:
            x = mp.lu_solve(A, b)
            return mp.matrix([x[j] * columns[j] for j in range(A.cols)])
    except (ZeroDivisionError, TypeError):  # mpmath finds no pivot in a column of zeros, and says either
        pass
    raise SingularError("the matrix of the law is singular at this point")


def _solve_carefully(mp: Any, A: Any, b: Any) -> Any:
    """Solve a system whose entries differ by many orders of magnitude, by elimination with full pivoting.

    An entry left by elimination counts as zero where it is a rounding error of the terms it came from, so
    that scaling rows or columns changes nothing.
    """
    n, rows = A.cols, list(range(A.rows))
    work = [[A[i, j] for j in range(n)] + [b[i]] for i in rows]
    terms = [[abs(x) for x in row] for row in work]
    limit = mp.mpf(10) ** (-2 * mp.dps // 3)
    order: list[tuple[int, int]] = []
    columns = list(range(n))
    for _ in range(n):
        size = {i: max((abs(work[i][j]) for j in columns), default=mp.zero) for i in rows}
        places = [(i, j) for i in rows for j in columns if abs(work[i][j]) > limit * terms[i][j]]
        if not places:
            raise SingularError("the matrix of the law is singular at this point")
        p, q = max(places, key=lambda ij: abs(work[ij[0]][ij[1]]) / size[ij[0]])
        rows.remove(p)
        columns.remove(q)
        order.append((p, q))
        for i in rows:
            factor = work[i][q] / work[p][q]
            for j in (*columns, n):
                change = factor * work[p][j]
                terms[i][j] = max(terms[i][j], abs(factor) * terms[p][j])
                work[i][j] -= change
    x = mp.matrix(n, 1)
    for p, q in reversed(order):
        x[q] = (work[p][n] - sum(work[p][j] * x[j] for _, j in order[order.index((p, q)) + 1 :])) / work[p][q]
    return x


def _scaled(mp: Any, A: Any, b: Any) -> tuple[Any, Any, list[Any]]:
    """The system with columns and rows divided by powers of two near their largest entries."""
    A, b = A.copy(), b.copy()
    columns = [_unit(mp, [A[i, j] for i in range(A.rows)]) for j in range(A.cols)]
    for i in range(A.rows):
        for j in range(A.cols):
            A[i, j] *= columns[j]
        row = _unit(mp, [A[i, j] for j in range(A.cols)])
        b[i] *= row
        for j in range(A.cols):
            A[i, j] *= row
    return A, b, columns


def _unit(mp: Any, entries: list[Any]) -> Any:
    largest = max(abs(x) for x in entries)
    return mp.ldexp(1, -mp.mag(largest)) if largest else mp.one
