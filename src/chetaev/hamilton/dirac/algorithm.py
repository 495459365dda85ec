"""Dirac's algorithm with constraints on velocities (SCOPE B7; Dirac 1964; Bates and Nester, section 4).

The total Hamiltonian H + u^α Φ_α and the forces F + λ_A φ^A, φ^A_k = ∂f^A/∂v^k, move phase space by

    q̇ = ∂H/∂p + u^α ∂Φ_α/∂p,      ṗ = −∂H/∂q − u^α ∂Φ_α/∂q + F + λ_A φ^A.

All constraints χ must stay 0, and f^A(t, q, q̇) = 0 must hold. These are linear equations for u and λ with
coefficients on the surface χ = 0: combinations of them without u and λ are new constraints, and so on until
nothing new comes. A condition that factors makes branches; one that vanishes nowhere ends its branch in
contradiction. What is left undetermined of u is gauge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from chetaev.constraint.submanifold.plainer_equations import primitive
from chetaev.errors import ModelError
from chetaev.expr.exact.effort.ask import GivenUp, answer, ask
from chetaev.expr.exact.effort.budget import Budget
from chetaev.expr.exact.field.differentiation import replace_generators
from chetaev.expr.exact.field.element import Element
from chetaev.expr.exact.functions.radicals import factors
from chetaev.expr.exact.linear import matrix as linear
from chetaev.hamilton.dirac.constraint_surface import Surface, UnsolvedError
from chetaev.hamilton.legendre import Legendre
from chetaev.hamilton.phase_space import PhaseSpace

MOST_BRANCHES = 24
MOST_SIGNS = 6
IMAGE = 1_000_000
"""What it may cost to see that ∂L/∂v has a value, where its difference to p is known in general."""


@dataclass(frozen=True)
class Condition:
    """A constraint on phase space: a function, and the step at which it came (0 for primary ones)."""

    function: Element
    step: int
    origin: str


@dataclass(frozen=True)
class Branch:
    """One branch at its end, or at a contradiction."""

    surface: Surface
    """Where its motions are."""
    conditions: tuple[Condition, ...] = ()
    """All constraints, primary ones first."""
    multipliers: dict[str, Element] = field(default_factory=dict)
    """What u and λ are, by name; those left out are free."""
    contradiction: Element | None = None
    """The function that would have to vanish and vanishes nowhere; None where there is none."""


class PhaseRates:
    """Rates on phase space, linear in the multipliers u and λ."""

    def __init__(self, space: PhaseSpace, legendre: Legendre) -> None:
        self.space, self.legendre = space, legendre
        space.excluded = legendre.drops  # H has them in its denominator
        space.real = (legendre.hamiltonian,)
        system, F = space.system, space.field
        taken = {*system.names, *space.momenta}
        self.u_names = _fresh("u", len(legendre.primary), taken)
        self.u = [F.symbol(name) for name in self.u_names]
        self.velocities = []
        for p in space.p:
            total = legendre.hamiltonian.diff(p)
            for u, phi in zip(self.u, legendre.primary, strict=True):
                total = total + u * phi.diff(p)
            self.velocities.append(total)
        self.moving = dict(zip(space.v, self.velocities, strict=True))
        at = self.moving
        self.positions = [space.element(e.residual) for e in system.position_constraints]
        given = [space.element(e.residual) for e in system.velocity_constraints]
        forms = [[phi.diff(q) for q in space.q] for phi in self.positions]
        forms += [[f.diff(v) for v in space.v] for f in given]
        self.forms = [[e.subs(at) for e in row] for row in forms]
        self.velocity_conditions = [f.subs(at) for f in given]
        self.l_names = _fresh("lambda", len(forms), taken)
        self.l = [F.symbol(name) for name in self.l_names]
        applied = system.forces
        forces = [space.element(applied[c]) if c in applied else F.zero for c in system.coordinates]
        self.forces = [force.subs(at) for force in forces]
        for multiplier, row in zip(self.l, self.forms, strict=True):
            self.forces = [total + multiplier * e for total, e in zip(self.forces, row, strict=True)]

    @property
    def unknowns(self) -> list[str]:
        """The names of all multipliers."""
        return [*self.u_names, *self.l_names]

    def rate(self, function: Element) -> Element:
        """d/dt of a function of t, q, p."""
        space = self.space
        total = function.diff(space.t) + space.bracket(function, self.legendre.hamiltonian)
        for u, phi in zip(self.u, self.legendre.primary, strict=True):
            total = total + u * space.bracket(function, phi)
        return total + space.along(function, self.forces)

    @cached_property
    def misses(self) -> list[Element] | None:
        """p − ∂L/∂v at the velocities where the primary constraints hold, multipliers being symbols: 0, or
        what vanishes for some of their signs. None where it was not found.
        """
        space = self.space
        L = space.element(space.system.lagrangian)

        def found() -> list[Element]:
            surface = Surface(space)
            for function in self.legendre.primary:
                (surface,) = surface.solve(surface.restrict(function))
            on, at = surface.restrict, {v: surface.restrict(x) for v, x in self.moving.items()}
            pairs = zip(space.p, space.v, strict=True)
            return [surface.lifted(on(p) - on(L.diff(v).subs(at))) for p, v in pairs]

        return answer(ask(found))

    @cached_property
    def equations(self) -> dict[str, Element]:
        """q̇ and ṗ by name."""
        names = (*self.space.system.coordinates, *self.space.momenta)
        return {n: self.rate(x) for n, x in zip(names, (*self.space.q, *self.space.p), strict=True)}


def _fresh(stem: str, count: int, taken: set[str]) -> list[str]:
    while any(f"{stem}_{i + 1}" in taken for i in range(count)):
        stem += "_"
    return [f"{stem}_{i + 1}" for i in range(count)]


def explore(motion: PhaseRates, notes: tuple[str, ...] = ()) -> list[Branch]:
    """All branches, consistent or not, in the order in which they are met; none where no velocities that they
    leave satisfy p = ∂L/∂v.

    Where there are none at all, parts of the branches are looked at that determine fewer of the multipliers.
    """
    pending = [Branch(Surface(motion.space, notes=notes))]
    for step, functions, origin in (
        (0, motion.legendre.primary, "primary"),
        (0, motion.positions, "position"),
    ):
        for function in functions:
            pending = [b for branch in pending for b in _imposed(branch, function, step, origin)]
    kept: list[Branch] = []
    missed: list[Branch] = []
    looked = 0
    while pending or (missed and not kept):
        if not pending:
            pending, missed = [b for branch in missed for b in _less_determined(motion, branch)], []
            continue
        looked += 1
        if looked > 4 * MOST_BRANCHES or len(pending) + len(kept) > MOST_BRANCHES:
            raise ModelError(f"Dirac's algorithm has more than {MOST_BRANCHES} branches here")
        branch = pending.pop(0)
        if branch.contradiction is not None:
            kept.append(branch)
            continue
        after = _step(motion, branch)
        if after is not None:
            pending = [*after, *pending]
            continue
        image = _image(motion, _solved(motion, branch))
        if image is None:
            missed.append(branch)
        elif not any(_same(image, k) for k in kept):
            kept.append(image)
    return kept


def _less_determined(motion: PhaseRates, branch: Branch) -> list[Branch]:
    """The parts of a branch where the conditions determine fewer of the multipliers: a largest minor of their
    coefficients vanishes there.
    """
    rates = [motion.rate(c.function) for c in branch.conditions]
    rows = [_row(motion, branch, rate)[0] for rate in rates]
    moving = [i for i, row in enumerate(rows) if any(not e.is_zero for e in row)]
    if not moving:
        return []
    columns = linear.echelon([rows[i] for i in moving]).pivots
    chosen = linear.echelon([[rows[i][j] for i in moving] for j in columns]).pivots
    names = [motion.unknowns[j] for j in columns]  # before the surface is put in the functions are shorter
    determinant = linear.determinant([[rates[moving[i]].diff(n) for n in names] for i in chosen])
    field, step = determinant.field, 1 + max(c.step for c in branch.conditions)
    found = []
    for factor, _ in factors(field, determinant.numerator)[1]:
        anew = list(_solved_anew(branch, factor, step, "secondary"))
        found += anew or [b for b in _imposed(branch, factor, step, "secondary") if b.contradiction is None]
    return found


def _same(one: Branch, other: Branch) -> bool:
    """Whether two branches, met on different ways, are one: each lies in the other and they move alike."""
    if other.contradiction is not None or one.multipliers.keys() != other.multipliers.keys():
        return False
    for a, b in ((one, other), (other, one)):
        on = b.surface.restrict
        values = ask(_differences, on, a, b)
        if isinstance(values, GivenUp):  # one has no value where the other is: they are kept apart
            return False
        if not all(e.is_zero for e in values):
            return False
    return True


def _differences(on: Callable[[Element], Element], a: Branch, b: Branch) -> list[Element]:
    """What vanishes on b where a contains it and moves alike."""
    return [
        on(e)
        for e in (
            *(c.function for c in a.conditions),
            *(x - b.multipliers[n] for n, x in a.multipliers.items()),
        )
    ]


def _image(motion: PhaseRates, branch: Branch) -> Branch | None:
    """The branch if p = ∂L/∂v holds for its velocities, and where if only for some signs; else None:
    squaring may have brought others in.
    """
    if motion.legendre.is_quadratic:
        return branch
    space, on, known = motion.space, branch.surface.restrict, motion.misses
    L = space.element(space.system.lagrangian)
    at = {v: on(x.subs(branch.multipliers)) for v, x in motion.moving.items()}
    with space.field.limit(Budget(IMAGE) if known is not None else space.field.tower.budget):
        slopes = ask(lambda: [L.diff(v).subs(at) for v in space.v])
    if isinstance(slopes, GivenUp):
        if slopes.undefined:  # a free multiplier that is 0 where the root is; else L has no slope
            return branch if any(n not in branch.multipliers for n in motion.u_names) else None
        if known is None:
            raise ModelError(f"whether p = ∂L/∂v holds for the velocities was not decided: {slopes.reason}")
    if known is not None:
        misses = [on(e.subs(branch.multipliers)) for e in known]
    else:
        misses = [on(p) - on(e) for p, e in zip(space.p, answer(slopes) or (), strict=True)]
    # with a multiplier that is still free, the sign is still to be chosen
    wrong = [e for e in misses if e.is_zero is False and _free_of(e, motion.unknowns)]
    field = space.field
    used = sorted({k for e in wrong for k in field.tower.used(e.numerator)})
    signs = [k for k in used if field.generators[k].kind == "sign"]
    signs = [k for k in signs if not space.is_constant(field.generators[k].args[0])][:MOST_SIGNS]
    for values in product((1, -1), repeat=len(signs)):
        chosen = {k: field.number(Fraction(s)) for k, s in zip(signs, values, strict=True)}
        if all(replace_generators(field, e.numerator, chosen).is_zero for e in wrong):
            inner = [branch.surface.lifted(field.generators[k].args[0]) for k in signs]
            where = " and ".join(f"{e} {'>' if s > 0 else '<'} 0" for e, s in zip(inner, values, strict=True))
            notes = (*branch.surface.notes, *([f"p = ∂L/∂v holds where {where}"] if where else []))
            return replace(branch, surface=replace(branch.surface, notes=notes))
    return None


def _imposed(branch: Branch, function: Element, step: int, origin: str) -> Iterator[Branch]:
    """The branch with one more condition: one for each factor that can vanish, or a contradiction."""
    if branch.contradiction is not None:
        yield branch
        return
    met = False
    try:
        for surface, equations in branch.surface.where(function):
            met = True
            if not equations:
                yield branch
                continue
            conditions = tuple(Condition(e, step, origin) for e in equations)
            yield replace(branch, surface=surface, conditions=(*branch.conditions, *conditions))
    except UnsolvedError as error:
        found = list(_solved_anew(branch, function, step, origin))
        if not found:
            raise ModelError(
                f"{error.equation} = 0 was solved for no coordinate and no momentum in closed form",
                remedy="other coordinates may make it polynomial of degree one or two in one of them",
            ) from None
        met = True
        yield from found
    if not met:
        yield replace(branch, contradiction=branch.surface.restrict(function))


def _solved_anew(branch: Branch, function: Element, step: int, origin: str) -> Iterator[Branch]:
    """The branch with one more condition, all of them solved together, in another order."""
    surface = branch.surface
    for factor, _ in factors(function.field, function.numerator)[1]:
        if surface.never_zero(factor):
            continue
        whole = surface.anew([factor, *(c.function for c in branch.conditions)])
        if whole is not None:
            conditions = (*branch.conditions, Condition(primitive(factor), step, origin))
            yield replace(branch, surface=whole, conditions=conditions)


def _row(motion: PhaseRates, branch: Branch, whole: Element) -> tuple[list[Element], Element]:
    """Coefficients of the multipliers in a condition on the surface, and what stands without them."""
    e = branch.surface.restrict(whole.subs(branch.multipliers) if branch.multipliers else whole)
    parts = linear_parts(e, motion.unknowns)
    if parts is None:
        raise _NonlinearError(e)
    return list(parts[0].values()), parts[1]


def linear_parts(e: Element, names: Sequence[str]) -> tuple[dict[str, Element], Element] | None:
    """Coefficients of multipliers in a condition, and what stands without them; None if it is not linear."""
    if not names:
        return {}, e
    parts = e.coefficients(*names)
    if parts is None or any(sum(k) > 1 for k in parts):
        return None
    unit = {n: tuple(int(n == m) for m in names) for n in names}
    zero = e.field.zero
    return {n: parts.get(k, zero) for n, k in unit.items()}, parts.get((0,) * len(names), zero)


class _NonlinearError(Exception):
    def __init__(self, equation: Element) -> None:
        self.equation = equation


def _step(motion: PhaseRates, branch: Branch) -> list[Branch] | None:
    """The branches after one more step; None at the end."""
    step = 1 + max((c.step for c in branch.conditions), default=0)
    speeds = [(f, "velocity") for f in motion.velocity_conditions]
    after = _with_speeds(motion, branch, [f for f, _ in speeds])
    if after is not None:
        return after
    wholes = [*speeds, *((motion.rate(c.function), "secondary") for c in branch.conditions)]
    try:
        rows = [_row(motion, branch, whole) for whole, _ in wholes]
    except _NonlinearError as error:
        raise _not_linear(error.equation) from None
    moving = [i for i, (row, _) in enumerate(rows) if any(not e.is_zero for e in row)]
    fresh = [
        (whole if _free_of(whole, motion.unknowns) else right, origin)
        for i, ((whole, origin), (_, right)) in enumerate(zip(wholes, rows, strict=True))
        if i not in moving and not right.is_zero
    ]
    if moving:
        transposed = [[rows[i][0][j] for i in moving] for j in range(len(motion.unknowns))]
        for weights in linear.nullspace([r for r in transposed if any(not e.is_zero for e in r)]):
            total = motion.space.field.zero
            for weight, i in zip(weights, moving, strict=True):
                total = total + weight * rows[i][1]
            if not branch.surface.restrict(total).is_zero:
                fresh.append((total, "secondary"))
    if not fresh:
        return None
    pending = [branch]
    for function, origin in fresh:
        pending = [b for one in pending for b in _imposed(one, function, step, origin)]
    return pending


def _with_speeds(motion: PhaseRates, branch: Branch, conditions: Sequence[Element]) -> list[Branch] | None:
    """The branches in which conditions on velocities have determined multipliers u; None without any."""
    for whole in conditions:
        e = whole.subs(branch.multipliers) if branch.multipliers else whole
        e = _without_signs(branch.surface.restrict(e), motion.u_names)
        present = [n for n in motion.u_names if (n, 0) in e.symbols]
        if e.is_zero or not present:
            continue
        return _choose(branch, e, present)
    return None


def _free_of(function: Element, names: Sequence[str]) -> bool:
    return not any(name in names for name, _ in function.symbols)


def _choose(branch: Branch, equation: Element, present: Sequence[str]) -> list[Branch]:
    """A condition on velocities solved for a multiplier, in each of its factors."""
    after = []
    for factor, _ in factors(equation.field, equation.numerator)[1]:
        linear_in = []
        for place, name in enumerate(n for n in present if (n, 0) in factor.symbols):
            parts = factor.coefficients(name)
            if parts is not None and max(k[0] for k in parts) == 1:
                linear_in.append((not branch.surface.never_zero(parts[(1,)]), place, name, parts))
        if linear_in:
            _, _, name, parts = min(linear_in, key=lambda c: c[:2])
            value = -parts.get((0,), factor.field.zero) / parts[(1,)]
            known = {n: x.subs({name: value}) for n, x in branch.multipliers.items()}
            after.append(replace(branch, multipliers={**known, name: value}))
        elif any((n, 0) in factor.symbols for n in present):
            raise _not_linear(equation)
    return after


def _not_linear(equation: Element) -> ModelError:
    return ModelError(
        f"a condition is not linear in the multipliers: {equation} = 0",
        remedy="write the constraint so that it is of degree one in the velocities, if that is possible",
    )


def _without_signs(e: Element, names: Sequence[str]) -> Element:
    """A function that vanishes where e does for some sign of what depends on the multipliers."""
    field = e.field
    for k in field.tower.used(e.numerator):
        generator = field.generators[k]
        if generator.kind == "sign" and any(field.base(n) in generator.depends for n in names):
            up, down = (replace_generators(field, e.numerator, {k: field.number(s)}) for s in (1, -1))  # type: ignore[arg-type]
            e = up * down
    return e


def _solved(motion: PhaseRates, branch: Branch) -> Branch:
    """The branch with the multipliers that its conditions determine."""
    names = motion.unknowns
    rows = [_row(motion, branch, motion.rate(c.function)) for c in branch.conditions]
    useful = [(row, right) for row, right in rows if any(not e.is_zero for e in row)]
    known = dict(branch.multipliers)
    if useful:
        found = linear.echelon([[*row, -right] for row, right in useful], range(len(names)))
        for place, column in enumerate(found.pivots):
            value = found.entry(place, len(names))
            for j in range(len(names)):
                if j != column and not found.entry(place, j).is_zero:
                    value = value - found.entry(place, j) * motion.space.field.symbol(names[j])
            known[names[column]] = value
    final = {n: x.subs({m: y for m, y in known.items() if m != n}) for n, x in known.items()}
    return replace(branch, multipliers=final)
