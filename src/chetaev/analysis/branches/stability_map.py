"""`ch.stability_map`: how many eigenvalues lie on the right, over two parameters (SCOPE M3, M6).

Where a family is known by symbols (an :class:`Equilibrium` with ``characteristic``), its characteristic
polynomial is evaluated; else the equations of steady motions are solved at every point of a grid, from a
neighbour at which they are solved already, and A is formed there. Boundaries are the zeros of exact
criteria.

>>> import chetaev as ch
>>> disc = ch.load("rolling-disc")
>>> (circles,) = ch.relative_equilibria(disc, ["x", "y", "psi", "phi"], free=["theta", "phi'"])
>>> found = ch.stability_map(disc, circles, {"theta": (0.05, 1.5), "phi'": (0.5, 6)}, points=5)
>>> found.unstable[:, 0].tolist()
[1, 0, 0, 0, 0]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import casadi
import numpy as np
from flint import fmpq, fmpq_poly
from numpy.typing import NDArray

from chetaev.analysis.branches.branch_starts import Start, parameter_name, starts
from chetaev.analysis.branches.nearby_spectrum import ON_AXIS, Nearby
from chetaev.analysis.branches.steady_set import SteadySet
from chetaev.analysis.linear.criteria import Criteria
from chetaev.analysis.linear.residual import Residual
from chetaev.analysis.linear.state_matrices import Asked, decoupled
from chetaev.analysis.linear.steady_directions import Moving, moving_of
from chetaev.analysis.steady.equilibria import expect_autonomous
from chetaev.analysis.steady.equilibrium import Equilibrium
from chetaev.checked_arguments import count, number, shown, table
from chetaev.effort import EFFORT, expect_effort
from chetaev.errors import ModelError
from chetaev.expr.exact import Field
from chetaev.expr.graph.engine import Engine
from chetaev.expr.graph.evaluate import key_name
from chetaev.expr.graph.node import Expr, symbol, symbols
from chetaev.model.system import System, expect_system
from chetaev.model.system_arguments import as_list
from chetaev.results import TextResult

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
HALVINGS = 6


class StabilityMap(TextResult):
    """The number of eigenvalues on the right over two parameters.

    Attributes
    ----------
    names
        The two parameters.
    x, y
        Their values, the points of the grid.
    unstable
        How many eigenvalues lie on the right, shape (x, y); −1 where no steady motion was reached.
    criteria
        The exact inequalities, where they are known.
    evidence
        How it was found, in a sentence.
    """

    facts = "names x y unstable criteria evidence"

    def __init__(
        self, system: System, names: tuple[str, str], x: Array, y: Array, unstable: NDArray[np.int64],
        criteria: Criteria | None, evidence: str,
    ) -> None:  # fmt: skip
        self.title, self.names, self.x, self.y = system.name or "Unnamed system", names, x, y
        self.unstable, self.criteria, self.evidence = unstable, criteria, evidence
        self._values = dict(system.parameter_values)

    def boundaries(self, x: Array, y: Array) -> list[tuple[str, Array]]:
        """The left sides of the criteria on a grid, with their texts; where they are known."""
        found = []
        for e in self.criteria.conditions if self.criteria is not None else ():
            values = _on_grid([e], self.names, self._values, x, y)
            if values is not None:
                found.append((f"{e} = 0", values[0]))
        return found

    def to_xarray(self) -> xarray.Dataset:
        """The numbers over the grid."""
        import xarray

        return xarray.Dataset(
            {"unstable": (self.names, self.unstable)},
            coords={self.names[0]: self.x, self.names[1]: self.y},
            attrs={"title": self.title, "evidence": self.evidence},
        )

    def __str__(self) -> str:
        sizes = ", ".join(
            f"{int((self.unstable == k).sum())} points with {k} on the right"
            if k >= 0
            else f"{int((self.unstable == k).sum())} without a steady motion"
            for k in sorted({int(k) for k in self.unstable.ravel()})
        )
        lines = [f"{self.title} over {self.names[0]} and {self.names[1]}: {sizes}", self.evidence]
        return "\n".join([*lines, *([] if self.criteria is None else [str(self.criteria)])])

    def _plot_(self, figure: Any) -> None:
        """The map (for `ch.plot`)."""
        from chetaev.analysis.branches.branch_pictures import draw_map

        draw_map(figure.add_subplot(1, 1, 1), self)
        figure.suptitle(self.title)


def stability_map(
    system: System,
    start: Any = None,
    over: Mapping[str, Any] | None = None,
    *,
    symmetries: Any = (),
    hold: Any = (),
    points: int = 41,
    effort: int = EFFORT,
) -> StabilityMap:
    """How many eigenvalues lie on the right of the imaginary axis, over two parameters.

    Parameters
    ----------
    system
        A system that does not depend on time.
    start
        An :class:`Equilibrium`, or a state near one. If it is a member of a family whose characteristic
        polynomial is known in the two parameters, that is evaluated.
    over
        Two ranges by name: parameters of the model, positions, or speeds such as ``"phi'"``.
    symmetries
        What moves in a steady motion, as for :func:`chetaev.follow`.
    hold
        Positions or speeds that keep their values, as for :func:`chetaev.follow`.
    points
        Points of the grid in each direction.
    effort
        What an exact search for a start may cost (:mod:`chetaev.effort`).

    Returns
    -------
    StabilityMap
        With ``.unstable``, ``.criteria``, ``to_xarray()`` and ``to_json()``; `ch.plot` draws it.
    """
    expect_system(system, "ch.stability_map")
    effort = expect_effort(effort)
    most = count(points, "the number of points", 2, 2000)
    names, ranges = _ranges(system, over)
    x, y = (np.linspace(low, high, most) for low, high in ranges)
    expect_autonomous(system)
    limits = None
    if isinstance(start, Equilibrium) and start.characteristic is not None:
        counted = _by_symbols(system, start, names, x, y)
        limits = start.criteria
        if counted is not None:
            return StabilityMap(
                system, names, x, y, counted, limits,
                "the exact characteristic polynomial of the family, its roots at the points of the grid",
            )  # fmt: skip
    moving = moving_of(system, symmetries)
    found, moving = starts(system, start, moving, None, names[0], ranges[0], effort)
    if len(found) != 1:
        raise ModelError(
            f"there are {len(found)} equilibria",
            expected="one of them as the start: ch.equilibria(system)[0]",
        )
    grid = _Grid(system, moving, names, found[0], [str(n) for n in as_list(hold, "hold")])
    return StabilityMap(
        system, names, x, y, grid.counted(x, y), limits,
        "equations of steady motions solved at the points of the grid, derivatives in doubles",
    )  # fmt: skip


def _ranges(
    system: System, over: Any
) -> tuple[tuple[str, str], tuple[tuple[float, float], tuple[float, float]]]:
    given = table(over, "over", "two ranges by name, such as {'m': (1, 2), 'k': (0, 3)}")
    if len(given) != 2:
        raise ModelError(
            f"over has {len(given)} ranges", expected="two, by name, such as {'m': (1, 2), 'k': (0, 3)}"
        )
    names, ranges = [], []
    for key, ends in given.items():
        names.append(parameter_name(system, key))
        pair = [] if isinstance(ends, str) else as_list(ends, f"the range of {key}")
        if len(pair) != 2:
            raise ModelError(f"the range of {key} is {shown(ends)}", expected="two numbers, such as (0, 2)")
        low, high = (number(e, f"an end of the range of {key}", -1e9, 1e9) for e in pair)
        if not low < high:
            raise ModelError(
                f"the range of {key} is {shown(ends)}", expected="two numbers, the smaller one first"
            )
        ranges.append((low, high))
    if names[0] == names[1]:
        raise ModelError(f"over has {names[0]} twice", expected="two different names")
    return (names[0], names[1]), (ranges[0], ranges[1])


def _key(name: str) -> tuple[str, int]:
    return (name.removesuffix("_dot"), 1) if name.endswith("_dot") else (name, 0)


def _on_grid(
    exprs: list[Expr], names: tuple[str, str], values: Mapping[str, float], x: Array, y: Array
) -> list[Array] | None:
    """Expressions on a grid; None where others than the two names and the parameters occur."""
    keys = [_key(n) for n in names]
    others = sorted({k for e in exprs for k in symbols(e)} - set(keys))
    if any(order or n not in values for n, order in others):
        return None
    engine = Engine()
    arguments = [engine(symbol(*k)) for k in [*keys, *others]]
    function = casadi.Function("e", arguments, engine.convert(exprs))
    X, Y = np.meshgrid(x, y, indexing="ij")
    numbers = [np.full((1, X.size), float(values[n])) for n, _ in others]
    found = function(X.reshape(1, -1), Y.reshape(1, -1), *numbers)
    found = found if isinstance(found, list | tuple) else [found]
    return [np.array(f.full()).reshape(X.shape) for f in found]


def _by_symbols(
    system: System, start: Equilibrium, names: tuple[str, str], x: Array, y: Array
) -> NDArray[np.int64] | None:
    """From the characteristic polynomial of a family, if the two names are among its symbols."""
    assert start.characteristic is not None
    s = "s" if "s" not in system.names else "lambda"
    used = {k for e in start.characteristic for k in symbols(e)} - {(s, 0)}
    given = {n: v for n, v in system.parameter_values.items() if n not in names}
    follows = {n for n in given if symbols(system.parameters[n])}
    if not used & {_key(n) for n in names} or follows & {n for n, _ in used}:
        return None
    coefficients = [_coefficients(e, s) for e in start.characteristic]
    flat = [c for part in coefficients for c in part]
    values = _on_grid(flat, names, given, x, y)
    if values is None:
        return None
    counts = np.full((len(x), len(y)), -1, dtype=np.int64)
    for place in np.ndindex(*counts.shape):
        at = iter([float(v[place]) for v in values])
        parts = [[next(at) for _ in part] for part in coefficients]
        if all(np.isfinite(part).all() and part[-1] != 0 for part in parts):
            counts[place] = sum(_on_the_right(part) for part in parts)
    return counts


def _coefficients(e: Expr, name: str) -> list[Expr]:
    """The coefficients of a polynomial in one symbol, from the constant one upwards."""
    field = Field()
    p = field(e)
    found, factorial, zero = [], 1, field.zero
    for k in range(64):
        found.append((p.subs({(name, 0): zero}) / factorial).to_expr())
        p = p.diff((name, 0))
        factorial *= k + 1
        if p.is_zero:
            break
    return found


def _on_the_right(coefficients: list[float]) -> int:
    p = fmpq_poly([fmpq(*c.as_integer_ratio()) for c in coefficients])
    roots: Any = p.complex_roots() if p.degree() > 0 else []
    values = [(complex(z), int(m)) for z, m in roots]
    size = max((abs(z) for z, _ in values), default=0.0)
    return sum(m for z, m in values if z.real > ON_AXIS * size)


class _Grid:
    """The steady motions over a grid, each solved from a neighbour."""

    def __init__(
        self, system: System, moving: Moving, names: tuple[str, str], start: Start, hold: list[str]
    ) -> None:
        self.residual = Residual(system)
        self.nearby = Nearby(system, self.residual, moving)
        coordinates = system.coordinates
        q = np.array([start.values[c] for c in coordinates])
        v = np.array([start.values[key_name(c, 1)] for c in coordinates])
        p = np.array([start.values[n] for n in self.residual.model.parameters])
        dependent: tuple[int, ...] = ()
        if moving.cyclic:
            slopes = self.residual.at(0.0, q, v, p)
            asked = Asked(moving.cyclic, (), (), ())
            dependent = next(decoupled(system, self.residual, asked, slopes, p)).dependent_velocities
        self.set = SteadySet(
            system, self.residual, moving, dependent, names[0], start.values, further=names[1:]
        )
        listed = [u.name for u in self.set.unknowns]
        missing = [n for n in (*names, *hold) if n not in listed]
        if missing:
            raise ModelError(
                f"{missing[0]} does not change in these motions",
                expected="one of " + ", ".join(u.name for u in self.set.unknowns if u.shown),
            )
        self.places = [listed.index(n) for n in names]
        fixed = {*self.places, *(listed.index(n) for n in hold)}
        self.free = [i for i in range(len(listed)) if i not in fixed]
        self.start = np.array([start.values.get(n, 0.0) for n in listed])

    def counted(self, x: Array, y: Array) -> NDArray[np.int64]:
        """The numbers on the grid, from the point nearest to the start outwards."""
        counts = np.full((len(x), len(y)), -1, dtype=np.int64)
        first = self.set.reached(self.start, self.free)
        if first is None:
            raise ModelError(
                "there is no steady motion near the start",
                remedy="ch.equilibria(system) and ch.relative_equilibria(system, …) look for all of them",
            )
        i, j = (int(np.argmin(np.abs(a - first[k]))) for a, k in zip((x, y), self.places, strict=True))
        known: dict[tuple[int, int], Array] = {}
        queue: list[tuple[tuple[int, int], Array]] = [((i, j), first)]
        while queue:
            (i, j), near = queue.pop(0)
            if (i, j) in known:
                continue
            w = self._moved(near, float(x[i]), float(y[j]), HALVINGS)
            if w is None:
                continue
            known[i, j] = w
            spectrum = self.nearby.at(*self.set.state(w))
            counts[i, j] = -1 if spectrum is None else spectrum.unstable()
            for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= a < len(x) and 0 <= b < len(y) and (a, b) not in known:
                    queue.append(((a, b), w))
        return counts

    def _moved(self, near: Array, x: float, y: float, halvings: int) -> Array | None:
        w = near.copy()
        w[self.places] = x, y
        end = self.set.reached(w, self.free)
        if end is not None and np.abs(end - w).max() < 1 + np.abs(near).max():
            return end
        if not halvings:
            return None
        x_middle, y_middle = (float(e) for e in (near[self.places] + [x, y]) / 2)
        middle = self._moved(near, x_middle, y_middle, halvings - 1)
        return None if middle is None else self._moved(middle, x, y, halvings - 1)
