"""The bodies of a made-up view: masses, rods, surfaces, wheels, blades, discs and balls.

>>> import chetaev as ch
>>> from chetaev.view.points_of_energy import read
>>> pendulum = ch.System(coordinates=["a"], lagrangian="m*l^2*a'^2/2 + m*g*l*cos(a)",
...     parameters={"m": 1, "l": 2, "g": 9.8}, initial={"a": 1, "a_dot": 0})
>>> [(b["shape"], b.get("to")) for b in Picture(pendulum, None, read(pendulum)).view()["body"]][1]
('rod', ['l*sin(a)', '-l*cos(a)', '0'])
"""

from __future__ import annotations

import re
from itertools import combinations, pairwise, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from chetaev.expr.language.sympy_bridge import convert, sympy_symbol
from chetaev.model.system import System
from chetaev.view.automatic import attitude, extent
from chetaev.view.names import is_angle, plain_name
from chetaev.view.palette import CYCLE
from chetaev.view.points_of_energy import Energy, MassPoint, phasors, rises, vanishes, whole

if TYPE_CHECKING:
    import xarray

Vector = tuple[Any, ...]
ZERO, ONE = sympy.Integer(0), sympy.Integer(1)
SHEET = sympy.symbols("u_1 v_1", real=True)
TURN = 6.28319


class Picture:
    """The view of a system from what its energy says."""

    def __init__(self, system: System, motion: xarray.Dataset | None, energy: Energy) -> None:
        self.system, self.motion, self.energy = system, motion, energy
        self.q = [sympy_symbol(c) for c in system.coordinates]
        self.v = [sympy_symbol(c, 1) for c in system.coordinates]
        self.clock = sympy_symbol(system.time)
        self.values = {sympy_symbol(n): v for n, v in system.parameter_values.items()}
        state = None if system.initial is None else system.state
        self.values[self.clock] = 0.0 if state is None else state.t
        place = {} if state is None else state.position
        self.start = self.values | {q: place.get(str(q), 0.0) for q in self.q}
        self.held = convert([e.residual for e in system.position_constraints], expand=True)
        rows = convert([e.residual for e in system.velocity_constraints], expand=True)
        slopes = [[sympy.diff(row, v) for v in self.v] for row in rows]
        self.rows = [row for row in slopes if not any(x.has(*self.v, self.clock) for x in row)]
        self.points = list(energy.points)
        self.bodies: list[dict[str, Any]] = []
        self.explained: set[Any] = set()  # coordinates that are seen
        self.solid = False  # whether bodies stand on a floor
        self.rods: set[tuple[Vector, Vector]] = set()
        self.lengths: list[float] = []  # those of rods and of the arms that hold wheels
        self.shifts: dict[Vector, Any] = {}  # of masses on lines that are drawn below each other
        self.blades: list[tuple[Vector, Vector, list[Any]]] = []  # the body's place, the blade's, its normal

    # --- numbers and words ------------------------------------------------------------------------

    def add(self, shape: str, **keys: Any) -> None:
        """One more body."""
        self.bodies.append({"shape": shape} | {k.rstrip("_"): x for k, x in keys.items()})

    def at(self, place: Vector, upward: int | None = None) -> list[str]:
        """A place in space, in the model language."""
        x = list(place)
        if len(x) == 1:
            x = [ZERO, x[0]] if upward == 0 else [x[0], ZERO]
        elif len(x) == 2 and upward == 0 and not self.solid:
            x = x[::-1]
        return [text(c) for c in (*x, ZERO)[:3]]

    def number(self, x: Any) -> float:
        """A value that no coordinate changes."""
        return float(sympy.N(sympy.sympify(x).subs(self.values)))

    def range(self, name: str) -> tuple[float, float]:
        """How far a coordinate goes, and a little more."""
        x = np.zeros(1) if self.motion is None else np.asarray(self.motion[name].values, float)
        low, high = float(np.nanmin(x)), float(np.nanmax(x))
        margin = 0.15 * (high - low) or 1.0
        return low - margin, high + margin

    def still(self, x: Any) -> bool:
        """Whether no coordinate changes a value."""
        return all(vanishes(sympy.diff(x, q)) for q in self.q)

    def ratio(self, x: Any, y: Any = ONE) -> Any | None:
        """x / y if that is finite, not zero, and no coordinate changes it."""
        for angle, other in product((ZERO, sympy.pi / 2), repeat=2):
            at = {q: angle if k % 2 else other for k, q in enumerate(self.q)}
            below = sympy.simplify(sympy.sympify(y).subs(at))
            above = sympy.sympify(x).subs(at)
            if below != 0 and not (above / below).has(sympy.zoo, sympy.nan, sympy.oo):
                found = sympy.simplify(above / below)
                return found if found != 0 and vanishes(x - found * y) else None
        return None

    def length(self) -> float:
        """A length of the scene: the longest rod, or a part of the way."""
        plain = tuple(str(x) for p in self.points for x in p.place if x in self.q)
        away = 0.1 * extent(self.motion, plain) if self.motion is not None and plain else 0.3
        return max(self.lengths, default=0.0) or away

    # --- the whole --------------------------------------------------------------------------------

    def view(self) -> dict[str, Any] | None:
        """The table, or None if there is nothing to draw."""
        rolls = self.rolling()
        if not self.energy.complete and not rolls:
            return None
        lone = [p for p in self.points if len(p.place) == 1]
        if len(lone) < len(self.points) or self.solid:  # what moves on a line has no place beside bodies on a
            odd = [p for p in lone if self.solid or not self.is_place(p)]  # floor, and no letter is a place
            self.points = [p for p in self.points if p not in odd]
        self.place_blades()
        chains = [self.chain(p) for p in self.points]
        self.explained |= {s for p in self.points for x in p.place for s in x.free_symbols}
        alone = [(q, x) for q, x in self.energy.alone if q not in self.explained]
        if not self.points:
            self.points = [self.swinging(q, x, k) for k, (q, x) in enumerate(alone)]
            chains = [self.chain(p) for p in self.points]
        lines = all(len(p.place) == 1 for p in self.points)
        if not self.points or (lines and not all(map(self.is_place, self.points))):
            return None
        self.lines()
        self.joined()
        for k, (point, chain) in enumerate(zip(self.points, chains, strict=True)):
            self.mass(point, chain, CYCLE[k % len(CYCLE)])
        return self.table()

    def is_place(self, point: MassPoint) -> bool:
        """Whether the name of a single coordinate is that of a place, and not one that may be anything."""
        return bool(re.fullmatch(r"[xyzrs]_?\d*", str(point.place[0])))

    def table(self) -> dict[str, Any]:
        """Camera, floor and bodies."""
        depth = max(len(p.place) for p in self.points)
        upward = next((p.upward for p in self.points if p.upward is not None), None)
        if depth == 1 or (depth == 2 and upward is not None and not self.solid):
            return {"up": "y", "camera": {"from": "front", "projection": "flat"}, "body": self.bodies}
        camera: Any = "oblique"
        if not self.solid and depth == 2:
            camera = {"from": "top", "projection": "flat"}
        elif self.solid and self.lengths and self.motion is not None:
            place, size = self.points[0].place, self.length()
            shifts = tuple(str(q) for x in place for q in self.q if sympy.diff(x, q) == 1)
            if extent(self.motion, shifts) > 15 * size:  # a small body that goes far
                camera = {"from": "oblique", "follow": self.at(place), "span": f"{5 * size:.4g}"}
        held = {b["shape"] for b in self.bodies} & {"surface", "rod"} and depth == 3
        floor = [] if held else [{"shape": "plane", "below": depth == 3}]
        up = "xyz"[upward] if upward is not None and depth == 3 else "z"
        return {"up": up, "camera": camera, "body": [*floor, *self.bodies]}

    # --- masses -----------------------------------------------------------------------------------

    def chain(self, point: MassPoint) -> list[Vector]:
        """The joints from the base to a planar point along rods; none where it is not at their end."""
        parts = [phasors(x, self.q) for x in point.place]
        angles = dict.fromkeys(u for _, turning in parts for u in turning)
        joints, lengths = [tuple(base for base, _ in parts)], []
        if any(x.has(q) for x in joints[0] for u in angles for q in u.free_symbols & set(self.q)):
            return []  # a curve, such as a cycloid

        def rank(u: Any) -> tuple[int, int]:
            shared = sum(any(u in phasors(x, self.q)[1] for x in p.place) for p in self.points)
            return -shared, max(self.q.index(q) for q in u.free_symbols & set(self.q))

        for u in sorted(angles, key=rank):
            pairs = [turning.get(u, (ZERO, ZERO)) for _, turning in parts]
            size = sum(a**2 for a, _ in pairs)
            if not vanishes(sum(a * b for a, b in pairs)) or not vanishes(size - sum(b**2 for _, b in pairs)):
                return []
            arm = [a * sympy.cos(u) + b * sympy.sin(u) for a, b in pairs]
            joints.append(tuple(x + y for x, y in zip(joints[-1], arm, strict=True)))
            lengths.append(self.number(sympy.sqrt(size)))
        self.lengths += lengths
        return joints if lengths and len(parts) == 2 else []

    def mass(self, point: MassPoint, chain: list[Vector], color: str) -> None:
        """A point with its rods, or with its path and what it stays on."""
        at, place = self.at(point.place, point.upward), point.place
        if len(place) == 1:
            size = 0.3 * self.length()
            shift = self.shifts.get(place)
            at = self.at((*place, shift)) if shift else at
            self.add("box", position=at, size=[f"{k * size:.4g}" for k in (1.2, 1, 1)], color=color)
            return
        if chain:
            self.rodded(point, chain, color)
        else:
            held = self.stays(point)
            self.add("trace", of=at, color=color)
            bent = [sympy.diff(self.energy.potential, q, 2) for q in self.q if self.is_away(place, q)]
            if any(self.still(k) and not vanishes(k) for k in bent):
                self.add("spring", from_=["0", "0", "0"], to=at)
            if (not held or self.rows) and not self.solid:
                rates = [zip(self.q, self.v, strict=True) for _ in place]
                speed = tuple(
                    sum(sympy.diff(x, q) * v for q, v in r) for x, r in zip(place, rates, strict=True)
                )
                self.add("vector", at=at, of=self.at(speed, point.upward), color="green")
                if len(place) == 2 and at[:2] == [str(x) for x in place if x in self.q]:
                    self.bodies += attitude((at[0], at[1]), len(self.points), self.system, self.motion)
        sized = {"radius": f"{0.12 * self.length():.4g}"} if self.solid else {}
        self.add("point", position=at, color=color, **sized)

    def is_away(self, place: Vector, q: Any) -> bool:
        """Whether a coordinate is the distance from the origin."""
        return vanishes(sum(x**2 for x in place) - q**2)

    def rodded(self, point: MassPoint, chain: list[Vector], color: str) -> None:
        """The rods to a point, and the wheel or the pivot that holds them."""
        first = self.at(chain[0], point.upward)
        moving = tuple(x for x in chain[0] if x.free_symbols & set(self.q))
        rolling = [(sympy.diff(x, q), q) for q, _ in self.energy.alone for x in moving]
        wheels = [(r, q) for r, q in rolling if r not in (0, 1) and self.still(r) and self.number(r) > 0]
        if len(moving) == 1 and wheels:  # its abscissa is radius · angle
            radius, q = wheels[0]
            turn = ["z", f"-({q})", "x", "pi/2"]
            self.add("wheel", position=first, rotation=turn, radius=text(radius))
        elif not any(p.place in (chain[0], moving) for p in self.points):
            self.add("point", position=first, color="ink", radius=f"{0.03 * self.length():.4g}")
        for a, b in pairwise(chain):
            self.rod(self.at(a, point.upward), self.at(b, point.upward))
        longest = max(len(phasors(p.place[0], self.q)[1]) for p in self.points)
        if len(chain) > longest and (point in self.energy.points or len(self.points) == 1):
            span = 8.0 if self.motion is None else abs(float(self.motion.time[-1] - self.motion.time[0]))
            of = self.at(point.place, point.upward)
            self.add("trace", of=of, color=color, fade=float(f"{span / 4 or 1.0:.3g}"))

    def rod(self, start: list[str], end: list[str]) -> None:
        """A rod, once."""
        if start != end and not {(tuple(start), tuple(end)), (tuple(end), tuple(start))} & self.rods:
            self.rods.add((tuple(start), tuple(end)))
            self.add("rod", from_=start, to=end)

    def swinging(self, q: Any, x: Any, k: int) -> MassPoint:
        """A pendulum for an angle that has a potential, a turning hand for one that has none."""
        size = sympy.diff(x, q) if self.number(sympy.diff(x, q)) > 0 else ONE
        signs = {h: rises(h, self.energy.potential, self.system) for h in (sympy.cos(q), sympy.sin(q))}
        up = next((sign * h for h, sign in signs.items() if sign), -sympy.cos(q))
        shift = sympy.Float(3 * k * self.number(size), 4) if k else ZERO
        if len(self.energy.alone) > 1 or not any(signs.values()):
            self.add("label", position=[str(shift), str(-1.35 * size), "0"], text=plain_name(str(q)))
        return MassPoint((shift + size * sympy.diff(up, q), size * up), 1)

    def lines(self) -> None:
        """The tracks of masses that move on lines; where there is nothing else, below each other."""
        own = [p for p in self.points if len(p.place) == 1]
        for k, point in enumerate(own):
            (q, *_) = sorted(point.place[0].free_symbols & set(self.q), key=str)
            low, high = self.range(str(q))
            shift = sympy.Float(-1.1 * k * self.length(), 4) if len(own) == len(self.points) else ZERO
            self.shifts[point.place] = shift
            below = (shift,) if shift else ()
            at = self.at((point.place[0].subs(q, SHEET[0]), *below), point.upward)
            self.add("curve", point=at, u=[low, high], names=["u_1"])
            if len(own) > 1:
                end = self.at((sympy.Float(high, 4), *below), point.upward)
                self.add("label", position=end, text=plain_name(str(q)))

    # --- what a point stays on --------------------------------------------------------------------

    def joined(self) -> None:
        """Rods between points, or to the origin, whose distance a position constraint fixes."""
        places = [p.place for p in self.points if len(p.place) > 1]
        for i, place in enumerate(places):
            origin = tuple(ZERO for _ in place)
            for other in [*places[:i], *([origin] if len(place) == 2 else [])]:
                kept = (self.distance(place, other, row) for row in self.held if len(other) == len(place))
                if any(d is not None for d in kept):
                    self.rod(self.at(other), self.at(place))
                    if other == origin:
                        self.add("point", position=self.at(origin), color="ink")

    def distance(self, place: Vector, other: Vector, row: Any) -> Any | None:
        """|place − other|² where a residual vanishes, if that fixes it."""
        squares = sum((x - y) ** 2 for x, y in zip(place, other, strict=True))
        for q in self.q:
            if sympy.diff(row, q) != 0:
                factor = self.ratio(sympy.cancel(sympy.diff(squares, q) / sympy.diff(row, q)))
                return None if factor is None else self.ratio(sympy.expand(squares - factor * row))
        return None

    def stays(self, point: MassPoint) -> bool:
        """Draws the surface or curve on which a point stays; whether there is one."""
        place, upward = point.place, point.upward
        own = [q for q in self.q if any(x.has(q) for x in place)]
        if self.solid or self.rods:
            return bool(self.rods)
        if len(own) >= len(place):
            return any(self.level(place, row, upward) for row in self.held)
        sheet = [x.subs(dict(zip(own, SHEET, strict=False))) for x in place]
        if len(place) == 3 and len(own) == 2 and self.still(sum(x**2 for x in place)):
            tip = sum(a**2 + b**2 for a, b in phasors(place[2], self.q)[1].values())
            if not self.rows and vanishes(tip - sum(x**2 for x in place)):
                self.rod(["0", "0", "0"], self.at(place))
                self.add("point", position=["0", "0", "0"], color="ink")
            else:
                turns = [vanishes(sympy.diff(place[2], q)) for q in own]
                self.sheet(sheet, [(0.0, TURN if full else TURN / 2) for full in turns], upward)
            return True
        if sum(x in own for x in place) == len(own):
            (top,) = (k for k, x in enumerate(place) if x not in own)
            return self.graph(place, top, place[top], upward)
        self.sheet(sheet, [self.range(str(q)) for q in own], upward)
        return True

    def sheet(self, at: list[Any], ranges: list[tuple[float, float]], upward: int | None = None) -> None:
        """A surface, or a curve where there is one range."""
        keys = {name: [f"{x:.6g}" for x in r] for name, r in zip("uv", ranges, strict=False)}
        if len(ranges) == 2:
            keys |= {"color": "steel", "opacity": "0.4"}  # type: ignore[dict-item]
        shape, names = ("curve", "surface")[len(ranges) - 1], [str(s) for s in SHEET[: len(ranges)]]
        self.add(shape, point=self.at(tuple(at), upward), names=names, **keys)

    def level(self, place: Vector, row: Any, upward: int | None) -> bool:
        """The surface or curve F(x, y, z) = 0 of a point with these coordinates."""
        own = row.free_symbols & {*self.q, self.clock}
        if not all(x in self.q for x in place) or not own <= set(place):
            return False
        square = self.distance(place, tuple(ZERO for _ in place), row)
        if square is not None and len(place) == 3:
            u, v = SHEET
            flat = sympy.sqrt(square) * sympy.sin(u)
            ball = [flat * sympy.cos(v), flat * sympy.sin(v), sympy.sqrt(square) * sympy.cos(u)]
            self.sheet(ball, [(0.0, TURN / 2), (0.0, TURN)])
            return True
        for k in range(len(place) - 1, -1, -1):
            if not row.is_polynomial(place[k]) or sympy.degree(row, place[k]) not in (1, 2):
                continue
            branches = sympy.solve(row, place[k])
            missed = [abs(complex(sympy.N((b - place[k]).subs(self.start)))) for b in branches]
            if self.graph(place, k, branches[int(np.argmin(missed))], upward):
                return True
        return False

    def graph(self, place: Vector, k: int, height: Any, upward: int | None) -> bool:
        """The surface or curve on which the k-th coordinate of space is a function of the others."""
        below = [x for i, x in enumerate(place) if i != k]
        ranges = [self.range(str(x)) for x in below]
        at = dict(zip(below, SHEET, strict=False))
        if len(below) == 2:
            (x, y), (u, v) = below, SHEET
            if vanishes(sympy.diff(height, x) * y - sympy.diff(height, y) * x):  # of revolution
                ways = [1.0] if self.motion is None else [self.motion[str(c)].values for c in below]
                at = {x: u * sympy.cos(v), y: u * sympy.sin(v)}
                ranges = [(0.0, 1.15 * float(np.nanmax(np.linalg.norm(ways, axis=0)))), (0.0, TURN)]
        top = sympy.simplify(height.subs(at, simultaneous=True))
        grid = (dict(zip(SHEET, e, strict=False)) for e in product(*(np.linspace(*r, 5) for r in ranges)))
        heights = [complex(sympy.N(top.subs(self.values).subs(e))) for e in grid]
        if all(abs(x.imag) < 1e-12 and np.isfinite(x.real) for x in heights):
            self.sheet([top if i == k else at[x] for i, x in enumerate(place)], ranges, upward)
            return True
        return False

    # --- bodies that roll -------------------------------------------------------------------------

    def rolling(self) -> bool:
        """Blades, wheels, discs, balls from the velocity constraints; whether all is one disc or ball."""
        plain = [p.place for p in self.points if len(p.place) == 2 and all(x in self.q for x in p.place)]
        alone = [p.place[0] for p in self.points if len(p.place) == 1 and p.place[0] in self.q]
        xy = tuple(q for q in self.q if str(q) in ("x", "y"))
        pairs = [*plain, *([xy] if len(xy) == 2 and xy not in plain else []), *combinations(alone, 2)]
        for k, place in enumerate(pairs):
            columns = [self.q.index(x) for x in place]
            rows = [r for r in self.rows if any(r[c] != 0 for c in columns)]
            if len(rows) == 2 and self.disc_or_ball(place, columns, rows):
                return True
            for row in rows if k < max(1, len(plain)) and place not in combinations(alone, 2) else ():
                self.solid |= self.blade_or_wheel(place, columns, row)
        return False

    def blade_or_wheel(self, place: Vector, columns: list[int], row: list[Any]) -> bool:
        """Draws the body of n·(place + ξ)' = r s': ξ a sum of rods; whether the row is of that kind."""
        size = self.ratio(sum(row[c] ** 2 for c in columns))
        if size is None or not any(row[c].has(*self.q) for c in columns):
            return False
        n = [row[c] / sympy.sqrt(size) for c in columns]
        at, spin, arms = list(place), None, []
        for j, q in enumerate(self.q):
            rest = row[j] / sympy.sqrt(size)
            if j in columns or rest == 0:
                continue
            c, s = sympy.cos(q), sympy.sin(q)
            for arm in ((c, s), (-s, c)):
                turned = sum(x * sympy.diff(y, q) for x, y in zip(n, arm, strict=True))
                length = None if vanishes(turned) else self.ratio(rest, turned)
                if length is not None:
                    at = [x + length * y for x, y in zip(at, arm, strict=True)]
                    arms.append(abs(self.number(length)))
                    break
            else:
                if spin is not None or not self.still(rest) or any(x.has(q) for x in n):
                    return False
                spin = (rest, q)
        self.lengths += arms
        self.explained |= {q for x in (*n, *at) for q in x.free_symbols}
        if spin is None:
            self.blades.append((place, tuple(at), n))
            return True
        self.explained.add(spin[1])
        sign = -1 if self.number(spin[0]) > 0 else 1
        radius = -sign * spin[0]
        self.rod(self.at((*place, radius)), self.at((*at, radius)))
        frame = _turned([*n, ZERO], [ZERO, ZERO, ONE], sign * spin[1])
        self.add("wheel", position=self.at((*at, radius)), radius=text(radius), frame=frame)
        return True

    def place_blades(self) -> None:
        """Blades, as large as suits the rest."""
        for place, at, n in self.blades:
            size = self.length()
            height = sympy.Float(0.12 * size, 4)
            self.rod(self.at((*place, height)), self.at((*at, height)))
            thick = [f"{k * size:.4g}" for k in (0.5, 0.08, 0.24)]
            frame = _turned([-n[1], n[0], ZERO], [ZERO, ZERO, ONE], ZERO)
            here = self.at((*at, height))
            self.add("box", name="blade", position=here, frame=frame, size=thick, color="dark")

    def disc_or_ball(self, place: Vector, columns: list[int], rows: list[list[Any]]) -> bool:
        """Draws the body whose contact moves as two rows say: R s' (cos φ, sin φ), or that of a ball."""
        matrix = sympy.Matrix([[r[c] for c in columns] for r in rows])
        if vanishes(matrix.det()):
            return False
        others = [j for j in range(len(self.q)) if any(r[j] != 0 for r in rows) and j not in columns]
        slopes = -matrix.inv() * sympy.Matrix([[r[j] for j in others] for r in rows])
        found = None
        if len(others) == 1:
            found = self.disc(place, columns, slopes, self.q[others[0]])
        elif len(others) in (2, 3):
            angles = {self.q[j]: slopes[:, k] for k, j in enumerate(others)}
            further = [q for q in self.q if q not in angles and q not in place]
            tried = [[*angles], *([*angles, q] for q in further)]
            balls = (self.ball(a, angles, place) for a in tried if len(a) == 3)
            found = next((ball for ball in balls if ball), None)
        if found is None:
            return False
        self.bodies.append(found)
        self.explained |= set(self.q) - set(place)
        self.solid, self.points = True, [MassPoint(place, None)]
        return True

    def disc(self, place: Vector, columns: list[int], slopes: Any, spin: Any) -> dict[str, Any] | None:
        """A disc with the contact velocity R s' h, |h| = 1; it stands upright only if nothing may lean it."""
        size = self.ratio(slopes[0] ** 2 + slopes[1] ** 2)
        if size is None:
            return None
        radius = sympy.sqrt(size).replace(sympy.Abs, lambda x: x)
        radius = radius if self.number(radius) > 0 else -radius
        angle = size != 1 or is_angle(str(spin), self.system.units)  # with x' = s' cos φ, s is a length
        if not angle or slopes.has(spin):
            return None
        along, upright = [slopes[0] / radius, slopes[1] / radius, ZERO], [ZERO, ZERO, ONE]
        spatial = [p.place for p in self.points if len(p.place) == 3]
        for centre in [*spatial, *self.centre(place, columns, size)]:
            arm = [x - y for x, y in zip(centre, (*place, ZERO), strict=True)]
            across = sum(x * y for x, y in zip(arm, along, strict=True))
            if vanishes(sum(x**2 for x in arm) - size) and vanishes(across):
                upright = [x / radius for x in arm]
                break
        seen = {spin, *place, *(q for x in (*along, *upright) for q in x.free_symbols)}
        if not set(self.q) <= seen:
            return None
        middle = tuple(x + radius * y for x, y in zip((*place, ZERO), upright, strict=True))
        frame = _turned(along, upright, spin)
        return {"shape": "disc", "position": self.at(middle), "radius": text(radius), "frame": frame}

    def centre(self, place: Vector, columns: list[int], size: Any) -> list[Vector]:
        """The centre of mass at the distance √size from a place, from the momenta m (X', Y') of x and y."""
        found = []
        for c in columns:
            momentum = [sympy.diff(self.energy.lagrangian, self.v[c], v) for v in self.v]
            if not self.still(momentum[c]) or vanishes(momentum[c]):
                return []
            form = {v: sympy.simplify(x / momentum[c]) for v, x in zip(self.v, momentum, strict=True)}
            found.append(whole(form, dict(zip(self.q, self.v, strict=True))))
        if any(x is None for x in found):
            return []
        square = size - sum((x - y) ** 2 for x, y in zip(found, place, strict=True))
        height = sympy.sqrt(sympy.simplify(square)).replace(sympy.Abs, lambda x: x)
        value = complex(sympy.N(height.subs(self.start)))
        return [(*found, height if value.real >= 0 else -height)]

    def ball(self, angles: list[Any], slopes: dict[Any, Any], place: Vector) -> dict[str, Any] | None:
        """A ball on the plane z = 0: x' = R ω_y, y' = −R ω_x with three turns about z, x or y, and z."""
        none, z = sympy.zeros(2, 1), sympy.Matrix([0, 0, 1])
        for order, axis in product(permutations(angles), "xy"):
            p, t, s = order
            first, turned = sympy.rot_axis3(-p), sympy.rot_axis1 if axis == "x" else sympy.rot_axis2
            node = sympy.Matrix([1, 0, 0] if axis == "x" else [0, 1, 0])
            rates = {p: z, t: first * node, s: first * turned(-t) * z}
            pairs = [(slopes.get(q, none)[i], (w[1], -w[0])[i]) for q, w in rates.items() for i in (0, 1)]
            radius = next((self.ratio(x, y) for x, y in pairs if not vanishes(y)), None)
            if (
                radius is not None
                and self.number(radius) > 0
                and all(vanishes(x - radius * y) for x, y in pairs)
            ):
                turns, at = ["z", str(p), axis, str(t), "z", str(s)], self.at((*place, radius))
                return {"shape": "ball", "position": at, "radius": text(radius), "rotation": turns}
        return None


def text(x: Any) -> str:
    """An expression in the model language."""
    return str(x).replace("Abs(", "abs(")


def _turned(along: list[Any], up: list[Any], spin: Any) -> list[list[str]]:
    """Axes of a wheel that rolls along a direction and has turned by an angle about its axle up × along."""
    c, s = sympy.cos(spin), sympy.sin(spin)
    axle = sympy.Matrix(up).cross(sympy.Matrix(along))
    x = [c * a - s * b for a, b in zip(along, up, strict=True)]
    z = [s * a + c * b for a, b in zip(along, up, strict=True)]
    return [[text(e) for e in axis] for axis in (x, axle, z)]
