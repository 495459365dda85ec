"""Why a quantity is conserved: the theorems that give it, each by a computation of its own.

For a first integral F on Q put W for a basis of the virtual displacements, ker ∂f/∂v, and

    X = W (Wᵀ M W)⁻¹ Wᵀ ∂F/∂v,      G = p·X − F,      p = ∂L/∂v:

the virtual displacement whose momentum p·X has the same velocities in it as F. With the variation of L
along it, δL = X·∂L/∂q + Ẋ·p, and applied forces F_i, constraint forces do no work on X and d(p·X)/dt = δL +
F·X. So F is constant if and only if δL + F·X = dG/dt on Q. What X is, and how δL vanishes, names the
theorem:

- without constraints: Noether, for a point symmetry X(t, q) or a generalized one (SCOPE K10);
- X(t, q) with δL = 0 everywhere and G constant: a horizontal symmetry (B10);
- X(t, q) with δL = 0 on Q only: a gauge momentum;
- X with δL + F·X = dG/dt on Q: the nonholonomic Noether theorem (K22, L11).

Besides: the *moving energy* E − p·Z + G, with Z(t, q) a field that satisfies the affine constraints, whose
work C v = C Z is that of the motion itself, so that only −∂L/∂t − δ_Z L + F·(v − Z) is left; a function of
t and q alone on Q, which is *a constraint in disguise*; and an integral of the *free motion* that the
constraint forces leave unchanged, for example because their multipliers vanish.

Generalized symmetries belong to every integral of a regular system, and the *adjoint symmetry* a_s = ∂F/∂v^s,
c_a = ∂F/∂q^a on Q (Sa8) to every integral of any: each is named only where no other theorem explains the law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations_with_replacement

import casadi

from chetaev.equations.law.hypotheses import Plane
from chetaev.equations.law.normal_law import OnConstraint
from chetaev.equations.law.setup import Setup
from chetaev.equations.registry import equations
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.vanishing import Verdict, zero_tests
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ZERO, Expr, add, mul, neg, symbols
from chetaev.expr.graph.sharing import text_length
from chetaev.laws.law import DISGUISE, Law, Reason
from chetaev.laws.rate import EFFORT, solved_accelerations
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import exact, null_vectors
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.affine_symmetries import change_by_terms
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.vanishing_on_q import vanish
from chetaev.model.dynamics.poisson import Poisson
from chetaev.model.system import System

TRIVIAL = ("Noether, for a generalized symmetry", "Noether, nonholonomic, for a generalized symmetry")
"""Every integral of a regular system has such a symmetry: it is named where nothing else explains the law."""
NO_OTHER = "no other theorem of the list explains it"
OPEN = "whether another theorem of the list explains it was not decided with this effort"
LONG_FIELD = 160
"""Symmetries with longer texts are named, not written."""


def reasons(system: System, law: Law, effort: int = EFFORT, known: Sequence[Expr] = ()) -> tuple[Reason, ...]:
    """Every theorem of the list that gives a law, or a function of it and of what is known to be constant;
    empty if none of them explains it.

    >>> import chetaev as ch
    >>> from chetaev.laws.integrals import integrals
    >>> laws = integrals(ch.load("nonholonomic-particle"))
    >>> print(laws[2].expression, "|", laws[2].reasons[0].theorem)
    y*z' - z*y' + x' | horizontal symmetry
    """
    if not law.conserved:
        return ()
    why = _Why(system, law, effort, known)
    found: list[Reason] = []
    asked = [why.disguise, why.symmetry, why.moving_energy, why.free_motion]
    if law.row:
        name = {"B4": "energy", "K10": "ignorable coordinate"}.get(law.row, law.name)
        found.append(Reason(name, law.cause, law.row, law.proof.proved))
        asked = [] if law.row == "B4" else [why.symmetry, why.free_motion]
    for theorem in asked:
        found += _answered(why, theorem)
    telling = [reason for reason in found if reason.theorem not in TRIVIAL]
    if telling:
        return tuple(telling)
    left = why.left_open
    found = found or _answered(why, why.adjoint)
    return tuple(replace(r, words=f"{r.words}; {OPEN if left else NO_OTHER}") for r in found)


def _answered(why: _Why, theorem: Callable[[], list[Reason]]) -> list[Reason]:
    try:
        found = answer(ask(theorem))
    except ModelError:  # there are no accelerations, or no chart, to ask it with
        found = None
    why.unanswered |= found is None  # a computation that does not come to an end explains nothing
    return found or []


class _Why:
    def __init__(self, system: System, law: Law, effort: int, known: Sequence[Expr] = ()) -> None:
        self.known = [e for e in known if any(order for _, order in symbols(e))]
        self.system, self.law, self.effort = system, law, max(1, effort // 2)
        first, *rest = standpoints(system)
        self.standpoint: Standpoint = rest[0] if rest and law.parameters == rest[0].words else first
        self.s = Setup(system)
        self.F = self.s(law.expression)
        self.speeds = any(order for _, order in symbols(law.expression))
        self.unanswered = False
        self.field_on_q: SX | None = None

    # -- what the tests need -------------------------------------------------------------------------
    @cached_property
    def has_forces(self) -> bool:
        """Whether the constraint forces act by multipliers on a Lagrangian system."""
        dynamics = self.system.dynamics
        return dynamics.lagrangian is not None and dynamics.constraints_react and not self.s.alpha.numel()

    @cached_property
    def W(self) -> SX:
        """A basis of ker ∂f/∂v: the identity on independent velocities, B on the others."""
        s = self.s
        if not s.k:
            return casadi.SX.eye(s.m)
        C = s.by_v(s.f)
        D, S = s.dependent, s.independent
        B = -s.solve(C[:, D], C[:, S]) if S else casadi.SX(len(D), 0)
        rows = [casadi.SX(1, len(S)) for _ in range(s.m)]
        for n, i in enumerate(S):
            rows[i][0, n] = 1
        for n, i in enumerate(D):
            rows[i] = B[n, :]
        return casadi.vertcat(*rows)

    @cached_property
    def show(self) -> OnConstraint:
        """Normal forms on Q."""
        return OnConstraint(self.system, self.effort)

    def asked(self, *functions: Expr) -> list[Verdict]:
        """Which functions vanish on Q."""
        return vanish(self.system, list(functions), self.standpoint, self.effort)

    def zero(self, *functions: Expr) -> tuple[bool, bool]:
        """Whether all vanish on Q, and whether that is proved."""
        verdicts = self.asked(*functions)
        self.unanswered |= all(v.is_zero or v.answer == "undecided" for v in verdicts) and not all(
            v.is_zero for v in verdicts
        )
        return all(v.is_zero for v in verdicts), all(v.proved for v in verdicts)

    def accelerated(self, function: SX) -> Expr:
        """Γ of a function."""
        s = self.s
        cut, by_v = s.matrices(s.along(function), casadi.gradient(function, s.v))
        pairs = zip(by_v, solved_accelerations(self.system), strict=True)
        return add(cut[0][0], *(mul(row[0], a) for row, a in pairs if row[0] is not ZERO))

    def short(self, field: SX) -> tuple[list[Expr], SX]:
        """Components of a field in normal form on Q, and the same as engine nodes."""
        components = [self.show.short(e) for e in self.s.graphs(field)]
        return components, self.s.column(components)

    def reduced(self, function: SX) -> Expr:
        """A function on Q with the velocities that the constraints give put in, in normal form."""
        (expression,) = self.s.graphs(function)
        return self.show.element(expression).to_expr()

    def written(self, name: str, components: list[Expr]) -> str:
        """A field with its name, as people write it; only the name if it is long."""
        terms = []
        for q, e in zip(self.system.coordinates, components, strict=True):
            if e is ZERO:
                continue
            text = f"({e})" if e.op == "add" else str(e)
            terms.append({"1": "", "-1": "-"}.get(text, f"{text} ") + f"∂/∂{q}")
        text = " + ".join(terms).replace("+ -", "− ")
        return f"{name} = {text}" if len(text) <= LONG_FIELD else f"{name} (a long field)"

    @property
    def left_open(self) -> bool:
        """Whether a theorem was not decided: a test has no answer, or a field X with velocities in it is not
        seen to depend on them.
        """
        if self.unanswered or self.field_on_q is None:
            return self.unanswered
        bent = casadi.jacobian(self.field_on_q, self.s.v) @ self.W
        return not any(v.answer == "nonzero" for v in self.asked(*self.s.graphs(casadi.vec(bent))))

    # -- the theorems --------------------------------------------------------------------------------
    def disguise(self) -> list[Reason]:
        """A function of t and q alone, if only on Q, is constant because of the constraints alone; so is one
        whose rate is a combination of constraints on accelerations.
        """
        s = self.s
        if isinstance(self.system.dynamics, Poisson):
            return self._on_phase_space(self.system.dynamics) if s.k and not self.speeds else []
        if not s.rows.C.shape[0]:
            return []
        proved, where, row = True, "it depends on t and the coordinates alone", "K18"
        if self.speeds:
            slope = casadi.gradient(self.F, s.v)
            across = s.graphs(Plane(s).directions.T @ slope)
            holds, proved = self.zero(*across) if across else (True, True)
            if not holds:
                return []
            where = "on Q " + where
        words = f"{where}: the constraints can be integrated to it, whatever the forces are"
        if self.speeds and s.alpha.numel():
            words, row = "its rate is a combination of the constraints, whatever the forces are", "L9"
        return [Reason(DISGUISE, words, row, self.law.proof.proved and proved)]

    def _on_phase_space(self, dynamics: Poisson) -> list[Reason]:
        """A Casimir function, or Noether's theorem: the Hamiltonian vector field of F preserves H (B13)."""
        bracket = dynamics.rates.bracket
        F, H = bracket.field(self.law.expression), bracket.field(dynamics.H)
        if any(name == self.system.time for name, _ in F.symbols):
            return []
        moved = [bracket(z, F) for z in bracket.z]
        if all(e.is_zero for e in moved):
            return [Reason("Casimir function", "its bracket with every variable vanishes", "B13", True)]
        if not bracket(F, H).is_zero or dynamics.multipliers or dynamics.added:
            return []
        field = self.written("X", [e.to_expr() for e in moved])
        return [Reason("Noether", f"{field}, generated by it, preserves H: {{F, H}} = 0", "B13", True)]

    def symmetry(self) -> list[Reason]:
        """Noether's theorem, in the form that applies."""
        if not self.has_forces or not self.speeds:
            return []
        s = self.s
        M, W = s.by_v(s.Pi), self.W
        if not W.shape[1]:
            return []
        slope = casadi.gradient(self.F, s.v)
        X = W @ s.solve(W.T @ M @ W, W.T @ slope)
        components, X = self.short(X)
        if all(e.op == "number" and e.value == 0 for e in components):
            return []  # on Q it is a function of t and q: a constraint in disguise
        point = not any(order for _, order in symbols(*components))
        G = casadi.dot(s.Pi, X) - self.F
        gauge = self.reduced(G)
        if point:
            push = casadi.dot(casadi.gradient(s.L, s.q), X) + casadi.dot(s.Pi, s.along(X))
            work = casadi.dot(s.F, X)
            variation, power = s.graphs(push), s.graphs(work)
            rate = self.accelerated(s(gauge))
            holds, proved = self._term_by_term(X, gauge)
            if not holds:
                holds, proved = self.zero(add(variation[0], power[0], neg(rate)))
            if not holds:
                return []
            constant, _ = self.zero(rate)
            return [self._named(components, gauge, variation[0], constant, proved)]
        rates = [self.accelerated(X[i]) for i in range(s.m)]
        momenta = s.graphs(s.Pi)
        terms = [mul(p, r) for p, r in zip(momenta, rates, strict=True)]
        push = casadi.dot(casadi.gradient(s.L, s.q), X) + casadi.dot(s.F, X)
        holds, proved = self.zero(add(*s.graphs(push), *terms, neg(self.accelerated(s(gauge)))))
        if not holds:
            return []
        kind = "field of virtual displacements" if s.k else "field"
        words = f"the {kind} {self.written('X', components)}, which depends on velocities, changes L by "
        words += "a total derivative" + (" on Q" if s.k else "")
        words += ", as such a field does for every integral"
        self.field_on_q = X
        name = TRIVIAL[1] if s.k else TRIVIAL[0]
        return [Reason(name, words, "K22" if s.k else "K10", proved)]

    def _term_by_term(self, X: SX, gauge: Expr) -> tuple[bool, bool]:
        """Whether the terms of L are seen to change by dG one by one, if nothing else acts; and proved."""
        L = self.system.dynamics.lagrangian
        if L is None or self.s.k or any(f is not ZERO for f in self.system.forces.values()):
            return False, False
        verdict = change_by_terms(self.s, L, self.s(ZERO), X, gauge, self.standpoint, self.effort)
        return bool(verdict.is_zero and verdict.proved), True

    def _named(self, X: list[Expr], gauge: Expr, variation: Expr, constant: bool, proved: bool) -> Reason:
        field, k = self.written("X", X), self.s.k
        if constant:
            (everywhere,) = zero_tests(self.standpoint.apply([variation]), effort=self.effort)
            if not k:
                return Reason("Noether", f"the point symmetry {field} preserves L", "K10", proved)
            if everywhere.is_zero:
                words = f"{field} is a virtual displacement and preserves L: its momentum p·X is conserved"
                return Reason("horizontal symmetry", words, "B10", proved)
            words = f"{field} is a virtual displacement and preserves L on Q, though not elsewhere"
            return Reason("gauge momentum", words, "K22", proved)
        text = str(gauge) if text_length(gauge) <= LONG_FIELD else "a function of t and q"
        forces = any(f is not ZERO for f in self.system.forces.values())
        doing = "δL + F·X" if forces else "δL"
        if not k:
            words = f"along the point symmetry {field}, {doing} is the total derivative of {text}"
            return Reason("Noether", words, "K10", proved)
        words = f"along the virtual displacement {field}, {doing} is on Q the total derivative of {text}"
        return Reason("Noether, nonholonomic", words, "K22, L11", proved)

    def moving_energy(self) -> list[Reason]:
        """F = λ(E − p·Z + G) with Z a field that satisfies the affine constraints."""
        s = self.s
        if not self.has_forces or not self.speeds:
            return []
        C = s.by_v(s.f)
        if any(order for _, order in symbols(*s.graphs(C))):
            return []
        W, M = self.W, s.by_v(s.Pi)
        if not W.shape[1]:
            return []
        energy = casadi.dot(s.Pi, s.v) - s.L
        ratio, F, beside = self._ratio(W.T @ casadi.hessian(self.F, s.v)[0] @ W, W.T @ M @ W), self.F, ""
        if ratio is None:
            completed = self._completed(energy)
            if completed is None:
                return []
            ratio, F, beside = *completed, "up to products of other laws "
        rest = energy - F / s(ratio)
        drift = casadi.SX.zeros(s.m)
        if s.k:
            at_rest = casadi.substitute(s.f, s.v, casadi.SX.zeros(s.m))
            drift[s.dependent] = -s.solve(C[:, s.dependent], at_rest)
        xi = s.solve(W.T @ M @ W, W.T @ (casadi.gradient(rest, s.v) - M @ drift))
        Z, field = self.short(drift + W @ xi)
        if any(order for _, order in symbols(*Z)) or all(e is ZERO for e in Z):
            return []
        gauge = self.reduced(casadi.dot(s.Pi, field) - rest)
        if any(order for _, order in symbols(gauge)):
            return []
        push = casadi.dot(casadi.gradient(s.L, s.q), field) + casadi.dot(s.Pi, s.along(field))
        balance = -s.by_t(s.L) - push + casadi.dot(s.F, s.v - field)
        holds, proved = self.zero(add(s.graphs(balance)[0], self.accelerated(s(gauge))))
        if not holds:
            return []
        name = "moving energy" if s.k else "Jacobi's energy"
        words = f"{beside}it is the energy less the momentum along {self.written('Z', Z)}"
        words += ", a field that satisfies the constraints" if s.k else ""
        return [Reason(name, words, "B4", proved)]

    def _completed(self, energy: SX) -> tuple[Expr, SX] | None:
        """λ and F + Σ μ_kl K_k K_l with the second derivatives of λ E by velocities on Q, K being known laws
        that are affine in them; None if there is none. A law is found up to functions of those before it.
        """
        s, W = self.s, self.W
        hessians = [casadi.hessian(s(K), s.v)[0] for K in self.known]
        flat = [K for K, H in zip(self.known, hessians, strict=True) if not H.nnz()]
        if not s.k or not flat:
            return None
        products = [mul(a, b) for a, b in combinations_with_replacement(flat, 2)]
        columns = [*map(s, products), energy, self.F]
        tables = [casadi.vec(casadi.densify(W.T @ casadi.hessian(e, s.v)[0] @ W)) for e in columns]
        graphs = self.standpoint.apply([e for table in tables for e in s.graphs(table)])
        n, size = len(columns), W.shape[1] ** 2
        motion = Motion(self.system, self.standpoint, Budget(self.effort))
        motion.meet(graphs)

        def rows(point: PointOnQ) -> list[list[int]]:
            values = point.residues.program(graphs)(point.values)
            return [values[entry::size] for entry in range(size)]

        found = null_vectors(motion.points(), n, rows, Budget(self.effort))
        vector = next((v for v, free in zip(found.vectors, found.free, strict=True) if free == n - 1), None)
        if vector is None or n - 2 not in vector:
            return None
        combination = exact(motion, rows, vector, budget=Budget(self.effort))
        if combination is None:
            return None
        weights = {i: c.to_expr() for i, c in combination.items()}
        added = [mul(weights[i], products[i]) for i in weights if i < n - 2]
        return neg(weights[n - 2]), s(add(self.law.expression, *added))

    def adjoint(self) -> list[Reason]:
        """dF by velocities and dependent coordinates satisfies the adjoint equation of the motion."""
        lin = Linearized(self.system)
        s, F = lin.s, lin.s(self.law.expression)
        by_v, by_q = s.matrices(lin.on_q.by_v(F), lin.on_q.by_q(F))
        form = [by_q[0][i] for i in range(s.m)]
        for n, i in enumerate(lin.independent):
            form[i] = by_v[0][n]
        holds, proved = self.zero(*lin.adjoint_defects(form))
        if not holds:
            return []
        words = (
            "its derivatives by independent velocities and dependent coordinates are an adjoint symmetry, "
        )
        words += "as those of every integral"
        return [Reason("adjoint symmetry", words, "Sa8", proved)]

    def _ratio(self, top: SX, bottom: SX) -> Expr | None:
        """λ with top = λ·bottom, a constant; None if there is none or it is 0."""
        s = self.s
        T, B = (s.graphs(casadi.vec(casadi.densify(x))) for x in (top, bottom))
        pairs = [(self.show.short(t), self.show.short(b)) for t, b in zip(T, B, strict=True)]
        first = next(((t, b) for t, b in pairs if b is not ZERO), None)
        if first is None or first[0] is ZERO:
            return None
        ratio = self.show.short(first[0] / first[1])
        moving = {self.system.time, *self.system.coordinates}
        if {name for name, _ in symbols(ratio)} & moving:
            return None
        holds, _ = self.zero(*(t - ratio * b for t, b in pairs))
        return ratio if holds else None

    def free_motion(self) -> list[Reason]:
        """It is constant along the free motion, and constraint forces leave it unchanged."""
        s = self.s
        if not self.has_forces or not s.k or not self.speeds:
            return []
        M, h = s.inertia
        slope = casadi.gradient(self.F, s.v)
        lowered = s.solve(M, casadi.horzcat(slope, s.F - h))
        free = s.along(self.F) + casadi.dot(slope, lowered[:, 1])
        along = s.by_v(s.f) @ lowered[:, 0]
        holds, proved = self.zero(s.graphs(free)[0])
        if not holds:
            return []
        quiet, sure = self.zero(*s.graphs(along))
        if quiet:
            words = "it is constant along the free motion, and the constraint forces do not act on it"
            (everywhere,) = zero_tests(self.standpoint.apply(s.graphs(free)), effort=self.effort)
            if not everywhere.is_zero:
                words = "on Q neither the free motion nor the constraint forces change it"
            return [Reason("integral of the free motion", words, "L11", proved and sure)]
        try:
            idle, sure = self.zero(*equations(self.system, "chetaev").multipliers)
        except ModelError:
            return []
        if not idle:
            return []
        words = (
            "it is constant along the free motion, and the multipliers vanish: the constraint is kept by it"
        )
        return [Reason("vanishing multipliers", words, "B4", proved and sure)]
