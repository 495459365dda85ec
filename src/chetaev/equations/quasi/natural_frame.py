"""Natural quasi-velocities of affine constraints, found by the machine (SCOPE D1, D5).

Frames of the admissible directions are proposed in four ways,

    chart        independent velocities, where the constraints can be solved for the others everywhere,
    kernel       short vectors of ∂f/∂v w = 0 without denominators (:mod:`.short_kernel`),
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

from collections.abc import Sequence
from functools import cached_property, lru_cache

import casadi

from chetaev.constraint.submanifold.evidence import Allowance
from chetaev.constraint.submanifold.submanifold import Constraint
from chetaev.equations.law.setup import Setup, fresh_names
from chetaev.equations.quasi.frame_proposals import FrameProposals, Proposal, moves
from chetaev.equations.quasi.given_quasi_velocities import coefficients
from chetaev.equations.quasi.quasi_frame import QuasiFrame, law_in
from chetaev.equations.quasi.regular_frame import FramePlace
from chetaev.expr.exact import Element
from chetaev.expr.exact.linear.matrix import dot
from chetaev.expr.graph import node as graph
from chetaev.expr.graph.sharing import text_length
from chetaev.model.system import System

EFFORT = 500_000
"""What the search for a frame may cost."""
MOST_COORDINATES = 24
"""Systems with more coordinates have the independent velocities of a chart."""
HANDICAP = 1.25
"""How much longer a frame counts that is not proved to be regular everywhere."""


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
        self.Q = Constraint(system)
        self.proposals = FrameProposals(system, self.Q, self.allowance, lambda: self.place)

    def best(self) -> QuasiFrame | None:
        """The shortest frame; None if none is found within the effort."""
        Q = self.Q
        if not Q.exact or not Q.is_affine_as_written:
            return None
        judged: list[tuple[Proposal, QuasiFrame, Judged]] = []
        for proposal in self.proposals:
            frame = self._frame(proposal)
            if not self.place.fits(frame):
                continue
            first = Judged(self, proposal, frame)
            judged.append((proposal, frame, first))
            improved = first.orthogonal
            if improved is not None:
                other = self._frame(improved)
                if self.place.fits(other):
                    judged.append((improved, other, Judged(self, improved, other)))
        if len(judged) < 2:
            return judged[0][1] if judged else None
        return min(judged, key=lambda entry: entry[2].size)[1]  # the first among equals

    def _frame(self, made: Proposal) -> QuasiFrame:
        """A proposal as graphs, with names."""
        system, field = self.system, self.Q.field
        v = [field.symbol(c, 1) for c in system.coordinates]
        shifted = [a - b for a, b in zip(v, made.w, strict=True)]
        functions = [dot(form, shifted) for form in made.theta]
        known = {str(field(d.args[0]).to_expr()): name for name, d in system.definitions.items() if moves(d)}
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
        V = [
            sum((column[i] * x for column, x in zip(made.W, u, strict=True)), constant).to_expr()
            for i, constant in enumerate(made.w)
        ]
        where = tuple(e.to_expr() for e in made.failing)
        regular = True if made.regular else None
        return QuasiFrame(names, tuple(V), meaning, regular, where, "found")

    @cached_property
    def place(self) -> FramePlace:
        """Where the frame must be one."""
        return FramePlace(self.system)


class Judged:
    """The law in a frame, how long it is, and whether there is an orthogonal frame near it."""

    def __init__(self, search: NaturalFrameSearch, made: Proposal, frame: QuasiFrame) -> None:
        self.search, self.made, self.frame = search, made, frame
        s = search.place.setup
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
        pairs = zip(frame.velocities, search.place.setup.velocities, strict=True)
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
        return search.allowance.attempt(
            search.Q.field, lambda: orthogonal(self.made, G, search.proposals.constants)
        )


def _names(system: System, count: int) -> tuple[str, ...]:
    """u for one quasi-velocity, u1, u2, … for several."""
    if count == 1 and "u" not in system.names:
        return ("u",)
    return fresh_names(system, count, "u", "")


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
