r"""Charts: coordinates as symbols of one exact field of functions, and jet charts of any order.

A function on a chart is an :class:`~chetaev.expr.exact.Element`; symbols that are not coordinates are
parameters, that is constants. On the r-th jet prolongation J^r Y of a fibred manifold Y → R the coordinates
are (t, q^σ, q^σ_1, …, q^σ_r), with q_1 = q̇ and q_2 = q̈. The total derivative leads one order up,

    d/dt = ∂/∂t + q̇^σ ∂/∂q^σ + q̈^σ ∂/∂q̇^σ + …                                            (3),

the cut total derivative leaves out the highest new coordinates:  d'f/dt = df/dt − q^σ_{r+1} ∂f/∂q^σ_r   (18).

SCOPE K1; equation numbers of O. Krupková, Geometric mechanics on nonholonomic submanifolds (2010).

>>> J = JetChart(["x", "y"], order=1)
>>> J
JetChart(t, x, y, x', y')
>>> J.total_derivative("x*y'") == J.at_order(2)("x*y'' + x'*y'")
True
>>> print(J.cut_total_derivative("x*y'"))
x'*y'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from chetaev.errors import did_you_mean
from chetaev.expr.exact import Element, Field
from chetaev.expr.exact.field.field import parse_name
from chetaev.expr.language.scope import check_name
from chetaev.geometry.chart.functions import Function, GeometryError, Symbol, read

if TYPE_CHECKING:
    from chetaev.geometry.calculus.form import Form
    from chetaev.geometry.calculus.vector_field import VectorField

CoordinateLike = str | Symbol | Element | int


class Chart:
    """Coordinates on an open set.

    Parameters
    ----------
    names
        The coordinates: names with primes (``"x'"``), or pairs ``(name, order)``.
    field
        The field that functions live in; charts that are to be used together share one.
    parameters
        Names of constants that text may use; names already known to the field may be used as well.

    Examples
    --------
    >>> plane = Chart(["x", "y"])
    >>> x, y = plane.coordinates
    >>> plane.d("x").wedge(plane.d("y"))(plane.partial("x"), x * plane.partial("y")) == x
    True
    """

    def __init__(
        self,
        names: Iterable[str | Symbol],
        field: Field | None = None,
        parameters: Iterable[str] = (),
    ) -> None:
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        symbols = tuple(parse_name(n) if isinstance(n, str) else (n[0], n[1]) for n in names)
        if len(set(symbols)) != len(symbols):
            raise GeometryError("a chart has the same coordinate twice")
        for name, _ in symbols:
            check_name(name, "coordinate")
        self.field = field if field is not None else Field()
        self.symbols: tuple[Symbol, ...] = symbols
        self.parameters = tuple(parameters)
        self._index = {s: i for i, s in enumerate(symbols)}
        self._names = frozenset(n for n, _ in symbols)
        for s in symbols:
            self.field.symbol(*s)

    # -- what it is ----------------------------------------------------------------------------------
    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.symbols)

    @property
    def coordinates(self) -> tuple[Element, ...]:
        """The coordinate functions."""
        return tuple(self.field.symbol(*s) for s in self.symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chart) and self.field is other.field and self.symbols == other.symbols

    def __hash__(self) -> int:
        return hash((id(self.field), self.symbols))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()})"

    def describe(self) -> str:
        """The coordinates in a line."""
        return ", ".join(n + "'" * k for n, k in self.symbols)

    def require(self, other: Chart, what: str) -> None:
        """Stop with a sentence unless `other` is this chart."""
        if self == other:
            return
        if self.field is not other.field:
            remedy = "make both charts with the same field: Chart(names, field=chart.field)"
        else:
            remedy = (
                "bring one to the other's chart first, with Map.pullback, Map.pushforward or JetChart.lift"
            )
        raise GeometryError(
            f"{what} belongs to the chart ({other.describe()}), not to ({self.describe()})", remedy=remedy
        )

    # -- coordinates ---------------------------------------------------------------------------------
    def index(self, coordinate: CoordinateLike) -> int:
        """The number of a coordinate, given by name, pair, element or number."""
        if isinstance(coordinate, int):
            if 0 <= coordinate < self.dimension:
                return coordinate
            raise GeometryError(
                f"there is no coordinate number {coordinate} in the chart ({self.describe()})",
                expected=f"0 to {self.dimension - 1}",
            )
        symbol: Symbol | None = None
        if isinstance(coordinate, str):
            symbol = parse_name(coordinate)
        elif isinstance(coordinate, tuple):
            symbol = coordinate
        elif isinstance(coordinate, Element):
            symbol = next((s for s in coordinate.symbols if self.field.symbol(*s) == coordinate), None)
        found = self._index.get(symbol) if symbol is not None else None
        if found is None:
            written = coordinate if isinstance(coordinate, str) else str(coordinate)
            known = [n + "'" * k for n, k in self.symbols]
            raise GeometryError(
                f"{written!r} is not a coordinate of the chart ({self.describe()})",
                expected="one of " + ", ".join(known[:12]),
                remedy=did_you_mean(written, known),
            )
        return found

    # -- functions -----------------------------------------------------------------------------------
    def __call__(self, value: Function) -> Element:
        """A function on this chart, checked: it may not use coordinates of higher jets."""
        element = read(value, self)
        for name, order in element.symbols:
            if (name, order) not in self._index and (order or name in self._names):
                raise GeometryError(
                    f"{name + chr(39) * order} is not a coordinate of the chart ({self.describe()}), "
                    f"so {element} is no function on it"
                )
        return element

    # -- the coordinate bases ------------------------------------------------------------------------
    def partial(self, coordinate: CoordinateLike) -> VectorField:
        """The coordinate field ∂/∂x."""
        from chetaev.geometry.calculus.vector_field import VectorField

        i = self.index(coordinate)
        one, zero = self.field.one, self.field.zero
        return VectorField.of(self, [one if j == i else zero for j in range(self.dimension)])

    def d(self, value: Function) -> Form:
        """The differential df of a function; of a coordinate's name the basis form dx."""
        from chetaev.geometry.calculus.form import Form

        if isinstance(value, str) and value.rstrip("'").isidentifier():
            return Form.of(self, 1, {(self.index(value),): self.field.one})
        f = self(value)
        terms: dict[tuple[int, ...], Element] = {(i,): f.diff(s) for i, s in enumerate(self.symbols)}
        return Form.of(self, 1, terms)

    def partials(self) -> tuple[VectorField, ...]:
        """The coordinate frame."""
        return tuple(self.partial(i) for i in range(self.dimension))

    def differentials(self) -> tuple[Form, ...]:
        """The coordinate coframe."""
        from chetaev.geometry.calculus.form import Form

        return tuple(Form.of(self, 1, {(i,): self.field.one}) for i in range(self.dimension))


class JetChart(Chart):
    """The chart (t, q, q_1, …, q_r) of J^r Y  (K1).

    Parameters
    ----------
    coordinates
        Names of the fibre coordinates q^σ.
    order
        r ≥ 0; J^0 Y = Y.
    time
        The name of the base coordinate.
    """

    def __init__(
        self,
        coordinates: Iterable[str],
        order: int = 1,
        time: str = "t",
        field: Field | None = None,
        parameters: Iterable[str] = (),
    ) -> None:
        if isinstance(coordinates, str):
            coordinates = coordinates.replace(",", " ").split()
        names = tuple(coordinates)
        if not isinstance(order, int) or order < 0:
            raise GeometryError(f"a jet has an order 0, 1, 2, …; got {order!r}")
        if time in names:
            raise GeometryError(
                f"{time!r} is both the time and a coordinate", remedy="give time= another name"
            )
        bad = [n for n in names if n.endswith("'")]
        if bad:
            raise GeometryError(
                f"{bad[0]} is a derivative; a jet chart is made from the coordinates of Y",
                remedy="give the names without primes and the order r",
            )
        self.names = names
        self.order = order
        self.time_name = time
        symbols = [(time, 0), *((n, k) for k in range(order + 1) for n in names)]
        super().__init__(symbols, field, parameters)

    @classmethod
    def of(cls, chart: Chart, so: str = "", remedy: str = "") -> JetChart:
        """The chart, if it is one of jets; else an error that says what does not follow."""
        if not isinstance(chart, JetChart):
            raise GeometryError(f"the chart ({chart.describe()}) is no jet chart{so}", remedy=remedy)
        return chart

    @property
    def time(self) -> Element:
        """The base coordinate t."""
        return self.field.symbol(self.time_name, 0)

    def q(self, order: int = 0) -> tuple[Element, ...]:
        """The coordinates q^σ_k of one order k, also beyond the order of the chart."""
        return tuple(self.field.symbol(n, order) for n in self.names)

    def at_order(self, order: int) -> JetChart:
        """The chart of J^s Y over the same Y."""
        return JetChart(self.names, order, self.time_name, self.field, self.parameters)

    def total_derivative(self, f: Function) -> Element:
        """df/dt on J^{r+1} Y, (3)."""
        return self._along(self(f), self.order)

    def cut_total_derivative(self, f: Function) -> Element:
        """d'f/dt on J^r Y, without the coordinates of order r + 1, (18)."""
        return self._along(self(f), self.order - 1)

    def _along(self, f: Element, highest: int) -> Element:
        result = f.diff((self.time_name, 0))
        for k in range(highest + 1):
            for n in self.names:
                slope = f.diff((n, k))
                if not slope.is_blank:
                    result = result + slope * self.field.symbol(n, k + 1)
        return result

    def lift(self, value: Form) -> Form:
        """The pullback π*_{r,s} of a form on a lower jet J^s Y to this one: the same terms, read here."""
        from chetaev.geometry.calculus.form import Form

        source = value.chart
        if (
            not isinstance(source, JetChart)
            or source.at_order(self.order) != self
            or source.order > self.order
        ):
            raise GeometryError(
                f"a form on ({source.describe()}) cannot be lifted to ({self.describe()})",
                expected="a form on a lower jet of the same fibred manifold, in the same field",
            )
        move = [self.index(s) for s in source.symbols]
        return Form.of(self, value.degree, {tuple(move[i] for i in k): e for k, e in value.terms.items()})


__all__ = ["Chart", "CoordinateLike", "Function", "JetChart", "Symbol"]
