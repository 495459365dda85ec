"""Mass points that a kinetic energy speaks of, as functions of the coordinates.

A term c L² with L = X'(t, q) a total derivative is the energy of a mass that has X among its coordinates, for
example (m/2)(x' + l a' cos a)² has X = x + l sin a. Where squares are multiplied out,

    T = ½ Σ G_uw cos(u − w) u' w' + Σ (p_u cos u + s_u sin u) x' u' + ½ M x'²

with constant G, p, s is a sum of squares |Σ_w r_uw d(sin w, −cos w)/dt + x'|², found by elimination from the
last u to the first. θ'² + sin²θ φ'² is a point of a sphere, r'² + r² φ'² one of a plane. Of two signs that
squares leave open, that one is taken for which the potential energy grows upwards.

>>> import chetaev as ch
>>> cart = ch.System(
...     coordinates=["x", "a"],
...     lagrangian="M*x'^2/2 + m/2*((x' + l*a'*cos(a))^2 + (l*a'*sin(a))^2) + m*g*l*cos(a)",
...     parameters={"M": 2, "m": 1, "l": 0.5, "g": 9.8},
... )
>>> [point.place for point in read(cart).points]
[(x,), (l*sin(a) + x, -l*cos(a))]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np
import sympy
from sympy.integrals.manualintegrate import manualintegrate

from chetaev.expr.graph.node import Expr, symbols
from chetaev.expr.language.sympy_bridge import convert, sympy_symbol
from chetaev.model.system import System
from chetaev.view.names import places

LARGEST = 200
"""Operations of an energy at most; longer ones were not written by hand."""
LONGEST = 24
"""Terms of a velocity at most."""


@dataclass(frozen=True)
class Square:
    """A term weight · (Σ form[v] v)², and the sum within which it stands."""

    weight: sympy.Expr
    form: dict[sympy.Symbol, sympy.Expr]
    within: int


@dataclass(frozen=True)
class MassPoint:
    """Where a mass is; `upward` is the number of the coordinate of space along which the potential grows."""

    place: tuple[sympy.Expr, ...]
    upward: int | None


@dataclass(frozen=True)
class Energy:
    """Points, angles and lengths with an energy of their own, and whether all of it was understood."""

    points: list[MassPoint]
    alone: list[tuple[sympy.Symbol, sympy.Expr]]
    potential: sympy.Expr
    lagrangian: sympy.Expr
    complete: bool


class _Reader:
    def __init__(self, system: System) -> None:
        self.system = system
        self.q = [sympy_symbol(c) for c in system.coordinates]
        self.v = [sympy_symbol(c, 1) for c in system.coordinates]
        self.rate = dict(zip(self.q, self.v, strict=True))
        self.squares: list[Square] = []
        self.rest = self.potential = sympy.Integer(0)
        self.sums = 0

    def moving(self, node: Expr) -> bool:
        return any(order for _, order in symbols(node))

    def known(self, node: Expr) -> Any:
        return convert([node], expand=True)[0]

    def terms(self, node: Expr, factor: Any, within: int) -> None:
        """Sorts the terms of factor · node into squares, the rest, and what has no velocities."""
        if not self.moving(node):
            self.potential -= factor * self.known(node)
            return
        match node.op:
            case "define":
                return self.terms(node.args[0], factor, within)
            case "neg":
                return self.terms(node.args[0], -factor, within)
            case "add":
                for part in node.args:
                    self.terms(part, factor, within)
                return None
            case "div" if not self.moving(node.args[1]):
                below = node.args[1]
                return self.product([node.args[0]], factor / self.known(below), within)
            case "mul":
                fixed = [a for a in node.args if not self.moving(a)]
                scale = sympy.Mul(*(self.known(a) for a in fixed))
                return self.product([a for a in node.args if self.moving(a)], factor * scale, within)
            case "pow" if node.args[1].op == "number" and node.args[1].value == 2:
                return self.product([node.args[0]] * 2, factor, within)
        return self.product([node], factor, within)

    def product(self, moving: Sequence[Expr], factor: Any, within: int) -> None:
        if len(moving) == 1 and moving[0].op not in ("symbol", "sin", "cos"):
            if moving[0].op == "add":
                self.sums += 1
                within = self.sums
            below = moving[0].args[1:]
            known = moving[0].op in ("add", "neg", "mul", "define")
            known |= moving[0].op == "div" and not self.moving(below[0])
            known |= moving[0].op == "pow" and below[0].op == "number" and below[0].value == 2
            if known:
                return self.terms(moving[0], factor, within)
        if len(moving) == 2 and moving[0] is moving[1]:
            base = self.known(moving[0])
            form = {v: sympy.diff(base, v) for v in self.v}
            if not any(c.has(*self.v) for c in form.values()):
                weight, root = _root(factor, self.q)
                form = {v: root * c for v, c in form.items() if c != 0}
                self.squares.append(Square(weight, form, within))
                return None
        self.rest += factor * sympy.Mul(*(self.known(a) for a in moving))
        return None


def _root(factor: Any, q: Sequence[Any]) -> tuple[Any, Any]:
    """weight and root with factor = weight · root²; the weight without coordinates where that is possible.

    >>> m, l = sympy.symbols("m l", real=True)
    >>> _root(m * l**2 / 2, [])
    (m/2, l)
    """
    weight = root = sympy.Integer(1)
    for base, power in sympy.factor(factor).as_powers_dict().items():
        if not base.is_number and power.is_Integer and power % 2 == 0:
            root *= base ** (power // 2)
        else:
            weight *= base**power
    return weight, root


def vanishes(expression: Any) -> bool:
    """Whether an expression is zero at three points with numbers that stand in no relation."""
    names = sorted(expression.free_symbols, key=str)
    if not names:
        return bool(abs(complex(expression.evalf())) < 1e-9)
    value = sympy.lambdify(names, [expression, sum(abs(t) for t in sympy.Add.make_args(expression))], "numpy")
    rng = np.random.default_rng(7)
    with np.errstate(all="ignore"):
        found = np.array([value(*rng.uniform(0.3, 1.3, len(names))) for _ in range(3)], dtype=complex)
    return bool(np.all(np.abs(found[:, 0]) <= 1e-9 * np.maximum(1e-3, np.abs(found[:, 1]))))


def whole(form: dict[Any, Any], rate: dict[Any, Any]) -> Any | None:
    """X with dX/dt = Σ form[v] v, if there is one that is found."""
    found, left = sympy.Integer(0), {q: sympy.expand(form.get(v, 0)) for q, v in rate.items()}
    if sum(len(sympy.Add.make_args(c)) for c in left.values()) > LONGEST:
        return None
    for q in sorted(rate, key=lambda q: sympy.count_ops(left[q])):
        part = sympy.Integer(0)
        for term in sympy.Add.make_args(left[q]):
            one = term * q if not term.has(q) else manualintegrate(term, q)
            if one.has(sympy.Integral):
                return None
            part += one
        found += part
        left = {p: sympy.expand(c - sympy.diff(part, p)) for p, c in left.items()}
        if not vanishes(left[q]):
            return None
    return found if all(vanishes(c) for c in left.values()) else None


def phasors(x: Any, q: Sequence[Any]) -> tuple[Any, dict[Any, tuple[Any, Any]]]:
    """x as what has no sine or cosine, and the factors (of cos u, of sin u) for every angle u.

    >>> a, l = sympy.symbols("a l", real=True)
    >>> phasors(3 + l * sympy.sin(-a), [a])
    (3, {a: (0, -l)})
    """
    base, found = sympy.Integer(0), dict[Any, tuple[Any, Any]]()
    for term in sympy.Add.make_args(sympy.expand(x)):
        turning = [f for f in sympy.Mul.make_args(term) if f.has(*q)]
        if len(turning) == 1 and isinstance(turning[0], (sympy.sin, sympy.cos)):
            (u,) = turning[0].args
            if all(not sympy.diff(u, c).has(*q) for c in q):
                factor, k = term / turning[0], int(isinstance(turning[0], sympy.sin))
                pair = list(found.get(u, (sympy.Integer(0),) * 2))
                pair[k] += factor
                found[u] = (pair[0], pair[1])
                continue
        base += term
    return (x, {}) if base.has(sympy.sin, sympy.cos) else (base, found)


def read(system: System) -> Energy:
    """The points of a system; none where it has no Lagrangian, or one that is longer than hands write."""
    reader = _Reader(system)
    lagrangian = system.dynamics.lagrangian
    if lagrangian is None or sympy.count_ops(reader.known(lagrangian)) > LARGEST:
        return Energy([], [], sympy.Integer(0), sympy.Integer(0), False)
    reader.terms(lagrangian, sympy.Integer(1), 0)
    kept, alone = list[tuple[int, Any, Any]](), list[tuple[Any, Any]]()
    squares, complete = reader.squares, True
    second = [sympy.diff(reader.rest, v, w) for v in reader.v for w in reader.v]
    if any(x.has(*reader.v) for x in second):  # not quadratic in the velocities
        return Energy([], [], reader.potential, reader.known(lagrangian), False)
    if any(not vanishes(x) for x in second):
        chain, squares = _chain(reader)
        lengths = [
            (u, sympy.expand(a**2 + b**2)) for p in chain for u, (a, b) in phasors(p[0], reader.q)[1].items()
        ]
        if len(set(lengths)) > len(dict(lengths)):
            return Energy([], [], reader.potential, reader.known(lagrangian), False)  # no rods between points
        complete = bool(chain) or not _translates(reader)
        kept += [(-1 - k, None, x) for k, pair in enumerate(chain) for x in pair if x != 0]
    squares, curved = _curved(squares, reader)
    lonely = (not kept and all(len(s.form) == 1 for s in squares)) or len(curved) == len(reader.squares) // 2
    curved = [(size, point) for size, point in curved if size != 1 or lonely]
    kept += [(-100 - k, None, x) for k, (_, point) in enumerate(curved) for x in point]
    for square in squares:
        if square.weight.could_extract_minus_sign():
            continue  # a time among the coordinates
        turned = [reader.q[reader.v.index(v)] for v in square.form]
        fixed = not any(c.has(*reader.q) for c in square.form.values())
        if len(turned) > 1 and fixed and all(_angular(q, reader) for q in turned):
            continue  # the rate of a rotation
        x = None if square.weight.has(*reader.q) else whole(square.form, reader.rate)
        peers = [s for s in squares if (s.within, s.weight) == (square.within, square.weight) and s.within]
        if x is None:
            complete = complete and len(square.form) > 1  # rates of rotation are no points
        elif (
            len(square.form) == 1
            and _angular(x, reader)
            and all(not c.has(*reader.q) for s in peers for c in s.form.values())
        ):
            alone.append((next(iter(x.free_symbols & set(reader.q))), x))
        else:
            kept.append((square.within, square.weight, x))
    for one in [k for k in kept if k[2] in reader.q]:  # R q is a length, and then q is an angle
        slopes = [sympy.diff(x, one[2]) for _, _, x in kept]
        if any(c not in (-1, 0, 1) and not c.has(*reader.q) for c in slopes):
            kept.remove(one)
            alone.append((one[2], one[2]))
    groups = [list(g) for g in _bodies(kept, reader.q)]
    points = [_oriented(g, reader) for g in groups]
    return Energy(points, alone, reader.potential, reader.known(lagrangian), complete)


def _translates(reader: _Reader) -> bool:
    """Whether the rest has a velocity that is no rate of an angle."""
    return any(
        not vanishes(sympy.diff(reader.rest, v)) and not _angular(q, reader) for q, v in reader.rate.items()
    )


def _angular(x: Any, reader: _Reader) -> bool:
    """Whether a coordinate alone is an angle: by its name or unit, or because it stands in a sine."""
    from chetaev.view.names import is_angle

    (q,) = x.free_symbols & set(reader.q)
    name = str(q)
    if vanishes(sympy.diff(x, q, 2)) and name in reader.system.units:
        return is_angle(name, reader.system.units)
    every = [reader.potential, reader.rest, *(c for s in reader.squares for c in s.form.values())]
    rows = [e.residual for e in reader.system.velocity_constraints]
    every += [reader.known(row) for row in rows]
    turned = any(f.has(q) for e in every for f in e.atoms(sympy.sin, sympy.cos))
    return bool(vanishes(sympy.diff(x, q, 2)) and (turned or is_angle(name, reader.system.units)))


def _bodies(kept: list[tuple[int, Any, Any]], q: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Coordinates of space that belong together: those that turn with the same rods, or x, y, z by name."""
    left = list(kept)
    named = [set(names) for names in places(tuple(map(str, q)))]

    def turning(x: Any) -> dict[Any, str]:
        return {u: str(a**2 + b**2) for u, (a, b) in phasors(x, q)[1].items()}

    def together(one: tuple[int, Any, Any], other: tuple[int, Any, Any]) -> bool:
        if one is other or one[:2] != other[:2]:
            return one is other
        if one[0] < 0:
            return True
        rods = turning(one[2]), turning(other[2])
        if rods[0] == rods[1] and any(rods):
            return True
        plain = [x for x in (one[2], other[2]) if x in q]
        if len(plain) < 2 and one[0] > 0 and sum(o[:2] == one[:2] for o in kept) < 4:
            return not (any(rods) and plain and one[2].has(plain[0]) and other[2].has(plain[0]))
        own = {str(s) for s in (one[2].free_symbols | other[2].free_symbols) & set(q)}
        return not any(rods) and any(own <= names for names in named)

    while left:
        found = [one for one in left if together(left[0], one)][:3]
        left = [one for one in left if all(one is not f for f in found)]
        yield tuple(x for _, _, x in found)


def rises(x: Any, potential: Any, system: System) -> int:
    """1 or −1 where the potential energy has a term of x, with its sign; else 0."""
    q = [sympy_symbol(c) for c in system.coordinates]
    potential = sympy.expand(potential)
    values = {sympy_symbol(n): v for n, v in system.parameter_values.items()}
    for term in sympy.Add.make_args(sympy.expand(x)):
        shape = sympy.Mul(*(f for f in sympy.Mul.make_args(term) if f.has(*q)))
        if shape == 1:
            continue
        slope = sympy.Integer(0)
        for other in sympy.Add.make_args(potential):
            ratio = other / shape
            if not ratio.has(*q):
                slope += ratio
        slope = (slope * shape / term).subs(values)
        if slope.is_number and slope.is_real and slope != 0:
            return 1 if slope > 0 else -1
    return 0


def _oriented(place: list[Any], reader: _Reader) -> MassPoint:
    """The point with the signs that the potential says, and that turn x towards y."""
    for k, x in enumerate(place):
        sign = rises(x, reader.potential, reader.system)
        if sign:
            named = [str(s) for s in x.free_symbols & set(reader.q)]
            if sign < 0 and x not in reader.q and not (len(named) == 1 and x == sympy_symbol(named[0])):
                return MassPoint(tuple(-x if i == k else x for i, x in enumerate(place)), k)
            return MassPoint(tuple(place), k if sign > 0 else None)
    return MassPoint(tuple(place), None)


def _curved(squares: list[Square], reader: _Reader) -> tuple[list[Square], list[tuple[Any, tuple[Any, ...]]]]:
    """Points of spheres and planes in polar coordinates: c (u'² + sin²u φ'²), c (u'² + u² φ'²)."""
    left, found = list(squares), []
    for one in squares:
        for other in squares:
            if len(one.form) != 1 or len(other.form) != 1 or one.weight != other.weight or one is other:
                continue
            ((v, a),), ((w, b),) = one.form.items(), other.form.items()
            u, phi = reader.q[reader.v.index(v)], reader.q[reader.v.index(w)]
            if a.has(*reader.q) or u == phi or one not in left or other not in left:
                continue
            for radius, height in (
                (a * sympy.sin(u), -a * sympy.cos(u)),
                (a * sympy.cos(u), a * sympy.sin(u)),
                (a * u, None),
            ):
                if vanishes(b**2 - radius**2):
                    flat = (radius * sympy.cos(phi), radius * sympy.sin(phi))
                    found.append((a, flat if height is None else (*flat, height)))
                    left = [s for s in left if s is not one and s is not other]
                    if height is None:  # and a height, in cylindrical coordinates
                        alike = (one.weight, one.within, [a])
                        third = [s for s in left if (s.weight, s.within, [*s.form.values()]) == alike]
                        left = [s for s in left if s not in third[:1]]
                        heights = [a * reader.q[reader.v.index(v)] for s in third[:1] for v in s.form]
                        found[-1] = (a, (*flat, *heights))
    return left, found


def _chain(reader: _Reader) -> tuple[list[tuple[Any, Any]], list[Square]]:
    """Points of a chain of rods whose squares are multiplied out; and the squares that are not of it."""
    mixed = {v for v in reader.v if not vanishes(sympy.diff(reader.rest, v))}
    still = [s for s in reader.squares if not any(c.has(*reader.q) for c in s.form.values())]
    own = [s for s in still if set(s.form) <= mixed]
    others = [s for s in reader.squares if s not in own]
    waves = reader.rest.atoms(sympy.sin, sympy.cos)
    linear = all(sympy.diff(f.args[0], q).is_number for f in waves for q in reader.q)
    rods = {q for f in waves for q in f.free_symbols & set(reader.q)}
    bare = reader.rest.subs({f: sympy.Dummy() for f in waves})
    linear = linear and not bare.has(*reader.q)
    if not linear or len(rods) > 4 or sympy.count_ops(reader.rest) > 80:
        return [], others  # no chain of rods that hands write
    energy = sympy.expand(
        reader.rest + sum(s.weight * sum(c * v for v, c in s.form.items()) ** 2 for s in own), trig=True
    )
    angles = [q for q in reader.q if any(f.has(q) for f in energy.atoms(sympy.sin, sympy.cos))]
    angles += [q for q, v in reader.rate.items() if v in mixed and q not in angles and _angular(q, reader)]
    angles = [q for q in reader.q if q in angles]
    shifts = [q for q, v in reader.rate.items() if v in mixed and q not in angles][:2]
    for turning in ([*angles], list(accumulate(angles, add))) if angles else ():
        for quarter in (0, 1):
            points = _eliminated(energy, turning, shifts, quarter, reader)
            if points:
                return points, others
    return [], others


def _eliminated(
    energy: Any, turning: list[Any], shifts: list[Any], quarter: int, reader: _Reader
) -> list[tuple[Any, Any]]:
    """The points if energy = ½ Σ G d·d over vectors of rods and shifts, the last rod eliminated first."""
    c, s = sympy.cos, sympy.sin
    rods = [(c(u), s(u)) if quarter else (s(u), -c(u)) for u in turning]
    vectors = [(x, 0) if k == 0 else (0, x) for k, x in enumerate(shifts)] + rods
    rates = [[sum(sympy.diff(x, q) * v for q, v in reader.rate.items()) for x in pair] for pair in vectors]
    n = len(vectors)
    G = sympy.Matrix(n, n, lambda i, j: sympy.Symbol(f"G{min(i, j)}_{max(i, j)}"))
    ansatz = sum(
        G[i, j] * (rates[i][0] * rates[j][0] + rates[i][1] * rates[j][1]) / 2
        for i in range(n)
        for j in range(n)
    )
    difference = sympy.expand(ansatz - energy, trig=True)
    difference = sympy.expand(difference.subs({s(q) ** 2: 1 - c(q) ** 2 for q in reader.q}))
    waves = {f(q): sympy.Dummy() for q in reader.q for f in (s, c)}
    difference, atoms = difference.subs(waves), [*reader.v, *waves.values()]
    if difference.has(*reader.q) or not difference.is_polynomial(*atoms):
        return []
    unknown = sorted({*G} & difference.free_symbols, key=str)
    rows = sympy.Poly(difference, *atoms).coeffs()
    found = sympy.solve(rows, unknown, dict=True) if unknown else []
    if not found or not all(vanishes(row.subs(found[0])) for row in rows):
        return []
    G = G.subs(found[0]).subs(dict.fromkeys(G.free_symbols, 0))
    points = []
    for k in range(n - 1, len(shifts) - 1, -1):
        pivot = sympy.factor(G[k, k])
        if pivot == 0:
            return []
        row = [sympy.cancel(G[k, j] / pivot) for j in range(n)]
        scale = next((1 / row[j] for j in range(len(shifts)) if row[j] != 0), _root(pivot, [])[1])
        parts = [(sympy.cancel(scale * r), x) for r, x in zip(row, vectors, strict=True)]
        point = [sympy.expand(sum(r * x[i] for r, x in parts)) for i in (0, 1)]
        points.append((point[0], point[1]))
        G = (G - pivot * sympy.Matrix(row) * sympy.Matrix([row])).applyfunc(sympy.cancel)
    if any(G[i, i] != 0 for i in range(len(shifts))):
        held = [sympy.Add(*(x[i] for x in vectors[: len(shifts)])) for i in (0, 1)]
        points.append((held[0], held[1]))
    return points[::-1]
