"""`ch.killing`: the Killing fields of the kinetic metric, L_X g = 0 with g = ∂²L/∂v∂v (SCOPE L3).

The components are combinations of products of the coordinates, the functions in the metric, sines, cosines
and exponentials of coordinates that it does not contain by themselves, and inverses of the factors of its
determinant; to higher degrees without the coordinates and those exponentials. The condition is linear,

    X^l ∂_l g_ij + g_lj ∂_i X^l + g_il ∂_j X^l = 0,

and is solved as in every search. Degrees are raised until there are as many fields as the prolonged system
allows (:mod:`chetaev.laws.symmetry.prolongation_bound`): then these are all. Constraints play no part in
the metric; each field is told whether it lies in D = ker ∂f/∂v, for then, if it is a symmetry of L, its
momentum J_X = g(X, v) is conserved.

>>> import chetaev as ch
>>> sphere = ch.System(coordinates=["theta", "phi"], lagrangian="(theta'^2 + sin(theta)^2*phi'^2)/2")
>>> found = ch.killing(sphere)
>>> len(found), found.bound, found.complete
(3, 3, True)
>>> str(found[0].components["phi"])
'1'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import casadi

from chetaev.checked_arguments import count
from chetaev.effort import EFFORT, expect_effort
from chetaev.equations.law.setup import Setup
from chetaev.equations.law.sharp_constraints import sharp
from chetaev.equations.quasi.given_quasi_velocities import coefficients, is_affine
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, GivenUp, answer, ask
from chetaev.expr.graph.engine import SX
from chetaev.expr.graph.node import ZERO, Expr, add, call, mul, postorder, symbol, symbols
from chetaev.laws.search.atoms import bare_symbols
from chetaev.laws.search.function_space import Atom, Space
from chetaev.laws.search.motion_modulo_prime import Motion, PointOnQ
from chetaev.laws.search.nullspace import null_vectors
from chetaev.laws.standpoint import Standpoint, standpoints
from chetaev.laws.symmetry.algebra import algebra
from chetaev.laws.symmetry.examine import everywhere, of_lagrangian, on_q
from chetaev.laws.symmetry.field_space import SearchedFields, field_space, weights
from chetaev.laws.symmetry.given_fields import Components
from chetaev.laws.symmetry.killing_fields import Killing, KillingField
from chetaev.laws.symmetry.linearized import Linearized
from chetaev.laws.symmetry.prolongation_bound import bound
from chetaev.laws.symmetry.symmetry import NOT_ASKED, Answer
from chetaev.laws.symmetry.symmetry_search import FoundFields, solutions
from chetaev.laws.vanishing_on_q import plain_form
from chetaev.model.system import System, expect_system
from chetaev.numeric import is_regular

LIMIT = 1600
"""Unknown coefficients, if nothing else is said."""
MOST_DEGREE = 6


def killing(system: System, degree: int | None = None, *, effort: int = EFFORT) -> Killing:
    """The Killing fields of the kinetic metric of a system.

    Parameters
    ----------
    system
        A system with a Lagrangian that is quadratic in the velocities; constraints are set aside.
    degree
        Components are combinations of products of at most so many functions; raised step by step if left out.
    effort
        What each exact question may cost (:mod:`chetaev.effort`).
    """
    expect_system(system, "ch.killing")
    system = sharp(system)
    effort = expect_effort(effort)
    degree = None if degree is None else count(degree, "the degree", 0, MOST_DEGREE)
    s = Setup(system)
    g = metric(s)
    free = _free(system, s, g)
    views = standpoints(free)
    found: FoundFields | None = None
    remark = ""
    most, order = s.m * (s.m + 1) // 2, 0

    def searched(view: Standpoint) -> tuple[FoundFields, int, int]:
        motion, free_s = Motion(free, view), Setup(free)
        most_here, order_here = bound(motion, free_s, metric(free_s))
        parts = answer(ask(_in_factors, motion, free_s, degree, effort))
        if parts is None or parts.dimension < most_here:
            here = _search(motion, free_s, metric(free_s), degree, most_here, effort)
            parts = here if parts is None or parts.dimension < here.dimension else parts
        return parts, most_here, order_here

    for view in reversed(views):  # the values given first: they have at least as many
        here = ask(searched, view)
        if isinstance(here, GivenUp):
            if found is not None:
                break
            why = here.reason or "no points modulo a prime were found"
            return Killing([], most, order, None, None, f"the search was given up: {why}")
        if found is None or (here[0].dimension == found.dimension and not here[0].lost):
            found, most, order = here
    assert found is not None
    lin = _linearized(system)
    fields, kept = [], []
    for components in found.fields:
        one = _judged(system, s, g, lin, {n: e.to_expr() for n, e in components.items()}, effort)
        if one.metric.holds is not False:
            fields.append(one)
            kept.append(components)
    structure = algebra(found.motion, system.coordinates, kept, effort)
    if found.lost:
        remark = f"{found.lost} more, whose coefficients were not found exactly"
    return Killing(fields, most, order, found.searched, structure, remark)


def metric(s: Setup) -> SX:
    """g = ∂²L/∂v∂v as engine nodes, functions of t and q; a ModelError where L has no metric."""
    if s.system.dynamics.lagrangian is None:
        raise ModelError(
            s.system.dynamics.lacks("Lagrangian"), remedy="Killing fields are those of a kinetic metric"
        )
    p = casadi.gradient(s.L, s.v)
    if not is_affine(s, p):
        raise ModelError(
            "∂²L/∂v∂v depends on the velocities: there is no kinetic metric on the configurations",
            remedy="ch.symmetries looks for symmetries of any system",
        )
    g = casadi.densify(coefficients(s, p)[0])
    if not is_regular(s.number(g)):
        raise ModelError(
            "the kinetic metric ∂²L/∂v∂v is degenerate",
            expected="a metric that is invertible at generic configurations",
        )
    if (s.system.time, 0) in symbols(*(e for row in s.matrix(g) for e in row)):
        raise ModelError(
            f"the kinetic metric depends on {s.system.time}",
            remedy="ch.symmetries looks for symmetries of rheonomic systems",
        )
    return g


def _free(system: System, s: Setup, g: SX, places: Sequence[int] | None = None) -> System:
    """The system whose Lagrangian is the kinetic energy alone, of some coordinates."""
    rows = s.matrix(g) if places is None else _plain(s, g)
    v = [symbol(c, 1) for c in system.coordinates]
    chosen = range(s.m) if places is None else places
    terms = []
    for i in chosen:
        for j in chosen:
            if i <= j and rows[i][j] is not ZERO:
                weight = mul(rows[i][j], v[i], v[j])
                terms.append(weight / 2 if i == j else weight)
    return System(
        coordinates=[system.coordinates[i] for i in chosen],
        lagrangian=str(add(*terms)),
        parameters={n: str(e) for n, e in system.parameters.items()},
        time=system.time,
    )


def _search(motion: Motion, s: Setup, g: SX, degree: int | None, most: int, effort: int) -> FoundFields:
    """Fields of rising degree until there are as many as there can be, or the space is too large."""
    circular, extra = _circular(motion, s, g)
    system, n = motion.system, s.m
    d_g = [casadi.reshape(s.by_q(casadi.vec(g))[:, c], n, n) for c in range(n)]
    tables = s.matrices(g, *d_g)
    graphs = motion.standpoint.apply([e for t in tables for row in t for e in row])
    motion.meet(graphs)
    motion.function("0")
    best: FoundFields | None = None
    degrees = range(1, MOST_DEGREE + 1) if degree is None else [degree]
    # there are fewer products without the coordinates themselves and without exponentials: these go further
    wide, far = (("position", "function"), (*circular, *extra)), (("function",), circular)
    full: set[tuple[str, ...]] = set()
    for (kinds, more), d in product((wide, far), degrees):
        if kinds in full:
            continue
        space, reached = field_space(motion, d, n, LIMIT, kinds, more)
        if best is not None and reached < d:
            full.add(kinds)
            continue
        budget = Budget(40 * effort)
        found = null_vectors(motion.points(), n * len(space), _rows(space, graphs, n), budget)
        enough = len(found.vectors) >= most
        if best is not None and len(found.vectors) <= best.dimension and not enough:
            continue
        fields = solutions(
            motion, space, system.coordinates, found.vectors, partial(_rows, graphs=graphs, n=n), budget
        )
        atoms = tuple(str(a.function.to_expr()) for a in space.atoms)
        words = motion.standpoint.words
        searched = SearchedFields(reached, atoms, len(space), n * len(space), d, words)
        best = FoundFields(motion, fields, len(found.vectors), searched)
        if enough:
            break
    assert best is not None
    return best


def _in_factors(motion: Motion, s: Setup, degree: int | None, effort: int) -> FoundFields | None:
    """The fields of a product of metrics by those of its factors, all flat ones together; None if it is none.

    A field on a product of which at most one factor is flat is a sum of fields of the factors (de Rham).
    """
    system, view = motion.system, motion.standpoint
    parts = _factors(s)
    if len(parts) < 2:
        return None
    found: list[FoundFields] = []
    for places in parts:
        factor = _free(system, s, metric(s), places)
        own, own_s = Motion(factor, view), Setup(factor)
        most, _ = bound(own, own_s, metric(own_s))
        found.append(_search(own, own_s, metric(own_s), degree, most, effort))
    fields = [
        {n: motion.function(e.to_expr()) for n, e in field.items()} for part in found for field in part.fields
    ]
    motion.function("0")
    spaces = [part.searched for part in found]
    searched = SearchedFields(
        max(space.degree for space in spaces),
        tuple(dict.fromkeys(a for space in spaces for a in space.atoms)),
        sum(space.members for space in spaces),
        sum(space.unknowns for space in spaces),
        max(space.asked for space in spaces),
        view.words,
    )
    return FoundFields(motion, fields, sum(part.dimension for part in found), searched)


def _plain(s: Setup, g: SX) -> list[list[Expr]]:
    """The metric in normal forms, which show what does not occur in it."""
    return [[plain_form(e, 100_000) for e in row] for row in s.matrix(g)]


def _factors(s: Setup) -> list[list[int]]:
    """Coordinates that stand together in the metric, by number; those of constant entries are one factor."""
    rows, names = _plain(s, metric(s)), s.system.coordinates
    groups: list[set[int]] = []
    flat: set[int] = set()
    for i, row in enumerate(rows):
        inside = {n for n, _ in symbols(*row)}
        group = {i, *(j for j, e in enumerate(row) if e is not ZERO or names[j] in inside)}
        joined = [g for g in groups if g & group]
        groups = [g for g in groups if not g & group] + [group.union(*joined)]
    for group in list(groups):
        if not {n for i in group for n, _ in symbols(*rows[i])} & set(names):
            groups.remove(group)
            flat |= group
    return sorted(map(sorted, [*groups, *([flat] if flat else [])]))


def _circular(motion: Motion, s: Setup, g: SX) -> tuple[list[Atom], list[Atom]]:
    """Sines and cosines of coordinates that the metric has only inside of functions, with roots of the
    exponentials that it has; and exponentials of cyclic ones.
    """
    graphs = motion.standpoint.apply([e for row in s.matrix(g) for e in row])
    bare, present = bare_symbols(graphs, ("sqrt",)), symbols(*graphs)
    circular, extra = [], []
    for node in dict.fromkeys(e for e in postorder(*graphs) if e.op == "exp"):
        root = motion.function(call("exp", node.args[0] / 2))
        circular += [Atom(root, 1), Atom(1 / root, 1)]
    for n, name in enumerate(motion.system.coordinates):
        if (name, 0) in bare:
            continue
        x = symbol(name)
        circular += [Atom(motion.function(call("sin", x)), 99), Atom(motion.function(call("cos", x)), 1)]
        if (name, 0) not in present:
            e = motion.function(call("exp", x))
            extra += [Atom(e, 99, 1000 + n), Atom(1 / e, 99, 1000 + n)]
    return circular, extra


def _rows(space: Space, graphs: Sequence[Expr], n: int) -> Any:
    motion = space.motion

    def rows(point: PointOnQ) -> list[list[int]]:
        p = point.residues.p
        flat = point.residues.program(graphs)(point.values)
        g = [flat[i * n : (i + 1) * n] for i in range(n)]
        d_g = [
            [flat[n * n * (c + 1) + i * n : n * n * (c + 1) + (i + 1) * n] for i in range(n)]
            for c in range(n)
        ]
        values = space.values(point)
        slopes = [space.values_and_slopes(point, point.along({q: 1}))[1] for q in motion.positions]
        pairs = [(i, j) for i in range(n) for j in range(i, n)]
        of_b = [0] * n  # Σ_ij w_ij ∂_l g_ij, and Σ_ij w_ij (g_lj δ_ik + g_il δ_jk)
        of_slope = [[0] * n for _ in range(n)]
        for w, (i, j) in zip(weights(point, len(pairs)), pairs, strict=True):
            for k in range(n):
                of_b[k] = (of_b[k] + w * d_g[k][i][j]) % p
                of_slope[k][i] = (of_slope[k][i] + w * g[k][j]) % p
                of_slope[k][j] = (of_slope[k][j] + w * g[i][k]) % p
        row: list[int] = []
        for m, b in enumerate(values):
            by = [slope[m] for slope in slopes]
            row += [
                (b * of_b[k] + sum(c * x for c, x in zip(of_slope[k], by, strict=True))) % p for k in range(n)
            ]
        return [row]

    return rows


def _linearized(system: System) -> Linearized | None:
    try:
        return Linearized(system)
    except ModelError:
        return None


def _judged(
    system: System, s: Setup, g: SX, lin: Linearized | None, components: dict[str, Expr], effort: int
) -> KillingField:
    xi = casadi.densify(s.column([components.get(c, ZERO) for c in system.coordinates]))
    slope = s.by_q(xi)
    moved = casadi.reshape(casadi.jtimes(casadi.vec(g), s.q, xi), s.m, s.m)
    lie = moved + g @ slope + (g @ slope).T
    graphs = [e for i, row in enumerate(s.matrix(lie)) for e in row[: i + 1] if e is not ZERO]
    answer = everywhere(system, graphs, effort)
    momentum = s.graphs(casadi.dot(s.v, g @ xi))[0]
    if not int(s.f.numel()):
        horizontal = Answer(True, "there is no constraint", True)
    else:
        horizontal = on_q(system, s.graphs(s.by_v(s.f) @ xi), effort)
    lagrangian = NOT_ASKED
    if lin is not None:
        lagrangian, _ = of_lagrangian(system, lin, Components.of(system, components), effort)
    return KillingField(components, plain_form(momentum, 2_000_000), answer, horizontal, lagrangian)
