"""Natural quasi-velocities of affine constraints, found by the machine (SCOPE D1, D5).

Frames of the admissible directions are proposed in four ways,

    chart        independent velocities, where the constraints can be solved for the others everywhere,
    kernel       short vectors of ∂f/∂v w = 0 without denominators (:mod:`.kernel`),
    forms        what the model itself calls a velocity: definitions and squares in its energy that are linear
                 in v, such as the components of an angular velocity,
    orthogonal   one of these made orthogonal in the kinetic metric, where that divides by constants only,

and judged by the length of all that is printed: the equations of motion, q' = W u + w, and the meaning of
u. A frame that is not proved to be regular on all of Q counts `HANDICAP` times as long, and one that is
singular at the initial state is left out. Everything is exact, and counted; where the effort is spent the
independent velocities of a chart stand in (`origin` is then ``chart``).

>>> import chetaev as ch
>>> frame = natural_frame(ch.load("damped-sleigh"))
>>> frame.labels, [str(V) for V in frame.velocities], frame.regular
(('u', "phi'"), ['u*cos(phi)', 'u*sin(phi)', "phi'"], True)
>>> str(frame.functions[0])
"x'*cos(phi) + y'*sin(phi)"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, islice
from typing import Any

import casadi
import numpy as np

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.positive_functions import positive
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.equations.quasi.applies import coefficients
from chetaev.equations.quasi.coframe import Coframe, scaled
from chetaev.equations.quasi.law_on_frame import law_in
from chetaev.equations.quasi.quasi_frame import QuasiFrame
from chetaev.equations.quasi.regular import failing, is_plainly_regular
from chetaev.equations.quasi.short_kernel import (
    CHARTS,
    Vector,
    combined,
    first_place,
    kernel_vectors,
    length,
    parameters_of,
)
from chetaev.errors import ModelError
from chetaev.expr.exact import Element
from chetaev.expr.exact.matrix import determinant, nullspace, rank, solve, solve_columns
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.evaluate import evaluate
from chetaev.expr.graph.node import Expr
from chetaev.expr.graph.sharing import text_length
from chetaev.model.system import System
from chetaev.numeric import balanced, numerical_rank

EFFORT = 500_000
"""What the search for a frame may cost."""
MOST_COORDINATES = 24
"""Systems with more coordinates have the independent velocities of a chart."""
HANDICAP = 1.25
"""How much longer a frame counts that is not proved to be regular everywhere."""
MOST_FRAMES = 12
"""Choices of kernel vectors that are looked at."""
MOST_FORMS = 12
"""Linear forms of the model that are looked at."""


@dataclass(frozen=True)
class Proposal:
    """A frame as elements: columns W_s, the affine part w, forms θ^s, and where it fails."""

    W: tuple[Vector, ...]
    w: Vector
    theta: tuple[Vector, ...]
    failing: tuple[Element, ...]

    @property
    def regular(self) -> bool:
        """Whether it is proved to be regular on all of Q."""
        return self.failing == ()


@lru_cache(maxsize=256)
def natural_frame(system: System) -> QuasiFrame:
    """The natural frame of a system whose constraints are affine in the velocities.

    Raises a ModelError where constraints are not affine, or are on accelerations.
    """
    if not (system.velocity_constraints or system.position_constraints):
        own = tuple(f"{c}'" for c in system.coordinates)
        velocities = tuple(graph.symbol(c, 1) for c in system.coordinates)
        return QuasiFrame(own, velocities, velocities, True, (), "chart")
    found = None
    if len(system.coordinates) <= MOST_COORDINATES:
        found = NaturalFrameSearch(system).best()
    return chart_frame(system) if found is None else found


def chart_frame(system: System) -> QuasiFrame:
    """The independent velocities of a chart that is regular at the initial state."""
    s = Setup(system)
    D, S = s.dependent, s.independent
    symbols = [s.velocities[i] for i in S]
    C, rest = coefficients(s, s.f)
    V = casadi.SX(s.v)
    if D:
        V[D] = s.solve(C[:, D], -(rest + C[:, S] @ s.v[S]))
    labels = tuple(str(e) for e in symbols)
    return QuasiFrame(labels, tuple(s.graphs(V)), tuple(symbols), None, (), "chart")


class NaturalFrameSearch:
    """The search for the natural frame of one system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.allowance = Allowance(EFFORT, EFFORT // 3)
        self.solved = False  # whether the constraints can be solved for some velocities everywhere
        self.Q = Constraint(system)
        self.m = len(system.coordinates)

    def best(self) -> QuasiFrame | None:
        """The shortest frame; None if none is found within the effort."""
        Q = self.Q
        if not Q.exact or not Q.is_affine_as_written:
            return None
        judged: list[tuple[Proposal, QuasiFrame, Judged]] = []
        for proposal in self._proposals():
            frame = self._frame(proposal)
            if not self._fits(frame):
                continue
            first = Judged(self, proposal, frame)
            judged.append((proposal, frame, first))
            improved = first.orthogonal
            if improved is not None:
                other = self._frame(improved)
                if self._fits(other):
                    judged.append((improved, other, Judged(self, improved, other)))
        if len(judged) < 2:
            return judged[0][1] if judged else None
        return min(judged, key=lambda entry: entry[2].size)[1]  # the first among equals

    @property
    def constants(self) -> frozenset[int]:
        """The generators that are parameters."""
        return parameters_of(self.Q.field, list(self.system.parameters))

    def _proposals(self) -> Iterator[Proposal]:
        attempt = self.allowance.attempt
        field = self.Q.field
        seen: list[Proposal] = []
        for step in (self._from_chart, self._from_kernel, self._from_forms):
            made = attempt(field, step)
            if made is not None and not any(_same(made, other) for other in seen):
                seen.append(made)
                yield made

    # --- kernel vectors ---------------------------------------------------------------------------

    def _from_chart(self) -> Proposal | None:
        """Independent velocities, where det C_D is a constant, or is seen to vanish nowhere: x' = y z'."""
        rows = [list(row) for row in self.Q.jacobian]
        for chart in self.Q.charts()[:CHARTS]:
            det = determinant([[row[j] for j in chart.D] for row in rows]) if rows else self.Q.field.one
            if self._is_constant(det) or positive(det) or positive(-det):
                W = nullspace(rows, chart.D) if rows else []
                self.solved = True
                return self._with_forms([tuple(w) for w in W], plain=True)
        return None

    def _is_constant(self, e: Element) -> bool:
        tower = e.field.tower
        return {*tower.used(e.numerator), *tower.used(e.denominator)} <= self.constants

    def _from_kernel(self) -> Proposal | None:
        """The shortest frame of kernel vectors that is plainly regular, else the shortest that fits."""
        n = self.m - self.Q.codimension
        vectors = kernel_vectors(self.Q)
        for more in (False, True):
            if more:
                vectors = sorted([*combined(vectors), *vectors], key=lambda w: (length(w), first_place(w)))
            sizes = [length(w) for w in vectors]
            choices = islice(combinations(range(len(vectors)), n), 50 * MOST_FRAMES)
            order = sorted(choices, key=lambda c: (sum(sizes[i] for i in c), c))
            frames = [[vectors[i] for i in c] for c in order[:MOST_FRAMES]]
            for W in frames:
                if is_plainly_regular(self.Q, W):
                    return self._with_forms(W)
            if n < 2 or self.solved:
                break
        if self.solved:
            return None
        return next((self._with_forms(W) for W in frames if self._fits_here(W)), None)

    def _fits_here(self, W: Sequence[Vector]) -> bool:
        """Whether vectors are independent at the initial state, or at a point of Q."""
        return self._is_regular_here([[w[i].to_expr() for w in W] for i in range(self.m)], {})

    def _with_forms(self, W: Sequence[Vector], plain: bool = False) -> Proposal:
        """A frame with its forms, scaled unless `plain`, and the affine part that goes with them."""
        W = sorted(W, key=first_place)
        if not W:
            w = self._affine_part(())
            return Proposal((), w, (), tuple(failing(self.Q, [], [w])))
        theta = Coframe(W, self.constants).forms
        pairs = list(zip(W, theta, strict=True))
        if not plain:
            pairs = [scaled(column, form, self.constants) for column, form in pairs]
        columns, forms = tuple(w for w, _ in pairs), tuple(form for _, form in pairs)
        w = self._affine_part(forms)
        return Proposal(columns, w, forms, tuple(failing(self.Q, columns, [w])))

    def _affine_part(self, forms: Sequence[Vector]) -> Vector:
        """One admissible velocity: 0, or the shortest solution of C w = −f(v = 0) that is found."""
        Q = self.Q
        field = Q.field
        rest = [Q.at_rest[a] for a in Q.survey.rows]
        if all(e.is_blank for e in rest):
            return (field.zero,) * self.m
        rows = [list(row) for row in Q.jacobian]
        made: list[Vector] = []
        for chart in Q.charts()[:4]:
            solution = solve([[row[j] for j in chart.D] for row in rows], [-e for e in rest])
            w = [field.zero] * self.m
            for j, x in zip(chart.D, solution, strict=True):
                w[j] = x
            made.append(tuple(w))
        gram = [[_dot(a, b) for b in rows] for a in rows]
        y = solve(gram, [-e for e in rest])
        made.append(tuple(_dot(y, [row[i] for row in rows]) for i in range(self.m)))

        def size(w: Vector) -> tuple[int, int]:
            shifts = [_dot(form, w) for form in forms]
            return sum(not e.is_polynomial for e in w), length(w) + 2 * length(shifts)

        return min(made, key=size)

    # --- forms of the model -----------------------------------------------------------------------

    def _from_forms(self) -> Proposal | None:
        """Quasi-velocities that the model writes down itself, completed by velocities of coordinates."""
        Q, n = self.Q, self.m - self.Q.codimension
        field = Q.field
        own = linear_forms(self.system)
        if not own or not n:
            return None
        rows = [list(row) for row in Q.jacobian]
        chosen: list[list[Element]] = []
        units = [[field.one if i == j else field.zero for i in range(self.m)] for j in range(self.m)]
        for form in [*([field(e) for e in form] for form in own), *units]:
            if len(chosen) == n:
                break
            if rank([*rows, *chosen, form]) == len(rows) + len(chosen) + 1:
                chosen.append(form)
        if len(chosen) < n:
            return None
        k, J = len(rows), [*chosen, *rows]
        rights = [[field.one if i == s else field.zero for i in range(n + k)] for s in range(n)]
        rest = [Q.at_rest[a] for a in Q.survey.rows]
        columns = solve_columns(J, [*rights, [*[field.zero] * n, *(-e for e in rest)]])
        W, w = tuple(tuple(c) for c in columns[:n]), tuple(columns[n])
        return Proposal(W, w, tuple(map(tuple, chosen)), tuple(failing(Q, W, [w])))

    # --- judging ----------------------------------------------------------------------------------

    def _frame(self, made: Proposal) -> QuasiFrame:
        """A proposal as graphs, with names."""
        system, field = self.system, self.Q.field
        v = [field.symbol(c, 1) for c in system.coordinates]
        shifted = [a - b for a, b in zip(v, made.w, strict=True)]
        functions = [_dot(form, shifted) for form in made.theta]
        known = {str(field(d.args[0]).to_expr()): name for name, d in system.definitions.items() if _moves(d)}
        texts = [f.to_expr() for f in functions]
        labels: list[str | None] = []
        for f in texts:
            plain = f.op == "symbol" and f.value[1] == 1
            labels.append(str(f) if plain else known.get(str(f)))
        count = sum(label is None for label in labels)
        fresh = iter(_names(system, count))
        names = tuple(next(fresh) if label is None else label for label in labels)
        meaning = tuple(
            system.definitions[name].args[0] if name in system.definitions else f
            for name, f in zip(names, texts, strict=True)
        )
        bare = [name.rstrip("'") for name in names]
        u = [field.symbol(b, len(name) - len(b)) for name, b in zip(names, bare, strict=True)]
        V = []
        for i in range(self.m):
            total = made.w[i]
            for s, column in enumerate(made.W):
                total = total + column[i] * u[s]
            V.append(total.to_expr())
        where = tuple(e.to_expr() for e in made.failing)
        regular = True if made.regular else None
        return QuasiFrame(names, tuple(V), meaning, regular, where, "found")

    def _fits(self, frame: QuasiFrame) -> bool:
        """Whether the frame is one at the initial state, or where there is none at a point of Q."""
        try:
            values = evaluate(frame.functions, self.place)
            more = {symbol.value: x for symbol, x in zip(frame.symbols, values, strict=True)}
            finite = np.isfinite(np.array(evaluate(frame.velocities, self.place | more), dtype=float)).all()
        except (ModelError, ArithmeticError, ValueError):
            return False
        return bool(finite) and self._is_regular_here(self.setup.matrix(_columns(self.setup, frame)), more)

    def _is_regular_here(self, rows: Sequence[Sequence[Expr]], more: dict[Any, Any]) -> bool:
        try:
            numbers = np.array(evaluate([e for row in rows for e in row], self.place | more), dtype=float)
        except (ModelError, ArithmeticError, ValueError):
            return False
        if not np.isfinite(numbers).all():
            return False
        table = numbers.reshape(len(rows), -1) if numbers.size else np.zeros((len(rows), 0))
        return numerical_rank(balanced(table), 1e-6) == table.shape[1] if table.size else True

    @cached_property
    def setup(self) -> Setup:
        """The system as engine nodes."""
        return Setup(self.system)

    @cached_property
    def place(self) -> dict[Any, Any]:
        """The initial state, or a point of Q."""
        return dict(self.setup.start if self.system.initial is not None else self.setup.sample)


class Judged:
    """The law in a frame, how long it is, and whether there is an orthogonal frame near it."""

    def __init__(self, search: NaturalFrameSearch, made: Proposal, frame: QuasiFrame) -> None:
        self.search, self.made, self.frame = search, made, frame
        s = search.setup
        law = law_in(s, frame.velocities, frame.symbols)
        self.matrix, self.right = s.matrix(law.matrix), s.graphs(law.right)

    @cached_property
    def metric(self) -> list[list[Element]] | None:
        """G = WᵀMW; None if that is too long."""
        field = self.search.Q.field
        return self.search.allowance.attempt(field, lambda: [[field(e) for e in row] for row in self.matrix])

    @property
    def size(self) -> float:
        """How long all that is printed is: the equations count twice, what is not proved regular more."""
        search, frame = self.search, self.frame
        field = search.Q.field
        pairs = zip(frame.velocities, search.setup.velocities, strict=True)
        size: float = text_length(*(V for V, own in pairs if V is not own))
        size += sum(text_length(frame.functions[i]) for i in frame.named)
        G = self.metric
        right = search.allowance.attempt(field, lambda: [field(e).to_expr() for e in self.right])
        if G is None or right is None:
            return 1e9 + size + text_length(*self.right)
        shown = [e.to_expr() for row in G for e in row if not e.is_blank]
        size += 2 * text_length(*shown, *(e for e in right if e is not graph.ZERO))
        return size * (1 if self.made.regular else HANDICAP)

    @cached_property
    def orthogonal(self) -> Proposal | None:
        """A frame that is orthogonal in the kinetic metric, if nothing new is divided by but constants."""
        G = self.metric
        if G is None:
            return None
        search = self.search
        return search.allowance.attempt(search.Q.field, lambda: orthogonal(self.made, G, search.constants))


def orthogonal(made: Proposal, G: list[list[Element]], constants: frozenset[int]) -> Proposal | None:
    """W_r − (G_sr/G_ss) W_s in the place of W_r, wherever nothing new is divided by but constants."""
    n = len(made.W)
    W, theta = [list(w) for w in made.W], [list(t) for t in made.theta]
    table = [list(row) for row in G]
    changed = False
    order = sorted(range(n), key=lambda s: (sum(not e.is_blank for e in table[s]) > 1, table[s][s].terms, s))
    for place, s in enumerate(order):
        if table[s][s].is_blank:
            continue
        for r in order[place + 1 :]:
            if table[s][r].is_blank:
                continue
            ratio = table[s][r] / table[s][s]
            if not _divides_by_known(ratio, made.failing, constants):
                continue
            changed = True
            W[r] = [a - ratio * b for a, b in zip(W[r], W[s], strict=True)]
            theta[s] = [a + ratio * b for a, b in zip(theta[s], theta[r], strict=True)]
            for i in range(n):
                table[i][r] = table[i][r] - ratio * table[i][s]
            table[r] = [a - ratio * b for a, b in zip(table[r], table[s], strict=True)]
    if not changed:
        return None
    return Proposal(tuple(map(tuple, W)), made.w, tuple(map(tuple, theta)), made.failing)


def _divides_by_known(ratio: Element, failing: Sequence[Element], constants: frozenset[int]) -> bool:
    """Whether the denominator holds constants only, and powers of what the frame divides by anyway."""
    below = ratio.field.polynomial(ratio.denominator)
    for e in failing:
        while not below.is_number and (smaller := below / e).is_polynomial:
            below = smaller
    return all(k in constants for k in below.field.tower.used(below.numerator))


def _columns(s: Setup, frame: QuasiFrame) -> Any:
    return casadi.jacobian(s.column(list(frame.velocities)), s.column(list(frame.symbols)))


def _dot(a: Sequence[Element], b: Sequence[Element]) -> Element:
    total = a[0].field.zero if a else b[0].field.zero
    for x, y in zip(a, b, strict=True):
        if not (x.is_blank or y.is_blank):
            total = total + x * y
    return total


def _same(a: Proposal, b: Proposal) -> bool:
    """Whether two frames have the same vectors."""

    def written(made: Proposal) -> list[list[str]]:
        return sorted([f"{e.numerator}/{e.denominator}" for e in w] for w in made.W)

    return written(a) == written(b)


def _names(system: System, count: int) -> tuple[str, ...]:
    """u for one quasi-velocity, u1, u2, … for several."""
    if count == 1 and "u" not in system.names:
        return ("u",)
    return fresh_names(system, count, "u", "")


def _moves(node: Expr) -> bool:
    return any(order == 1 for _, order in graph.symbols(node))


def linear_forms(system: System) -> list[list[Expr]]:
    """Coefficients of what the model writes as a velocity: linear definitions, and bases of squares.

    >>> import chetaev as ch
    >>> [[str(e) for e in form] for form in linear_forms(ch.load("suslov"))][:1]
    [['sin(phi)*sin(theta)', 'cos(phi)', '0']]
    """
    nodes = list(system.definitions.values())
    for node in graph.postorder(*system.dynamics.functions):
        if node.op == "pow" and node.args[1].op == "number" and node.args[1].value == 2:
            nodes.append(node.args[0])
    s = Setup(system)
    found: dict[tuple[Expr, ...], None] = {}
    for node in dict.fromkeys(nodes):
        if node.op == "symbol" or not _moves(node) or any(order > 1 for _, order in graph.symbols(node)):
            continue
        column: SX = s.column([node])
        if not casadi.is_linear(column, s.v):
            continue
        row = s.by_v(column)
        zero = casadi.SX.zeros(s.m)
        if not casadi.SX(casadi.simplify(casadi.substitute(column, s.v, zero))).is_zero():
            continue
        found[tuple(s.graphs(casadi.substitute(row, s.v, zero)))] = None
        if len(found) >= MOST_FORMS:
            break
    return [list(row) for row in found]
