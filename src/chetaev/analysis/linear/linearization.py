"""A linearised motion: δy' = A δy + B δu + X(y₀), outputs C δy + D δu, in a chart of Q.

`Linearization` is what :func:`chetaev.linearize` returns. Its matrices carry the names of states, inputs and
outputs; where exact numbers reach, they are also there as expressions in the parameters.

Eigenvectors u, (A − λ)·u = 0, are found by elimination in a fixed order. Pivots are the largest entries of
what is left, the first of those that are as good as equal, so that the same matrix has the same vectors on
every machine, also where an eigenvalue is multiple and any basis of its eigenspace would do.

>>> eigenspace([[2.0, 0.0], [0.0, 2.0]], 2.0)
[[(1+0j), 0j], [0j, (1+0j)]]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chetaev.analysis.linear.criteria import Criteria
from chetaev.analysis.linear.local_chart import LocalChart
from chetaev.analysis.linear.spectrum import Spectrum
from chetaev.errors import ModelError
from chetaev.expr.graph.node import Expr
from chetaev.numeric import CLEAR, first_largest
from chetaev.results import Table, TableResult, plain

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Linearization(TableResult):
    """The motion near one state, to first order.

    Attributes
    ----------
    states
        The coordinates of Q that the matrices are written in, velocities as ``x_dot``: dim Q of them, less
        those that are left out as cyclic.
    A, B, C, D
        Labelled matrices, (state, by), (state, input), (output, by), (output, input).
    drift
        X(y₀): the velocity of y at the state; zero at an equilibrium.
    kind
        ``"equilibrium"``, ``"relative equilibrium"`` (only coordinates of `relative_to` move), or
        ``"no equilibrium"``: then A belongs to the moving state alone, and eigenvalues decide nothing.
    point
        The state itself by name, time among them.
    relative_to
        The cyclic coordinates that were left out.
    exact
        A as expressions in the parameters; None where exact numbers do not reach.
    characteristic
        The factors of det(s − A), expressions in s and the parameters; None likewise.
    spectrum
        The eigenvalues with multiplicities and sides of the imaginary axis.
    autonomous
        Whether time occurs nowhere in law and constraints.
    evidence
        How all this is known, in a sentence.
    chart
        The chart of Q by numbers of coordinates.
    criteria
        At an equilibrium, what the parameters have to be for stability, as inequalities; None where the
        characteristic polynomial is not known for free parameters.
    notes
        What has to be said besides.
    """

    title: str
    states: tuple[str, ...]
    A: xarray.DataArray
    B: xarray.DataArray
    C: xarray.DataArray
    D: xarray.DataArray
    drift: xarray.DataArray
    kind: str
    point: Mapping[str, float]
    relative_to: tuple[str, ...]
    exact: tuple[tuple[Expr, ...], ...] | None
    characteristic: tuple[Expr, ...] | None
    spectrum: Spectrum
    autonomous: bool
    evidence: str
    chart: LocalChart
    criteria: Criteria | None = None
    notes: tuple[str, ...] = field(default=())

    facts = (
        "states inputs outputs kind point relative_to eigenvalues exact characteristic criteria autonomous "
        "evidence notes"
    )

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(str(x) for x in self.B["input"].values)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs as they were written."""
        return tuple(str(x) for x in self.C["output"].values)

    @property
    def eigenvalues(self) -> np.ndarray[Any, Any]:
        """The eigenvalues of A, largest real part first, repeated as often as they occur."""
        return np.array(self.spectrum.values, dtype=complex)

    @property
    def eigenvectors(self) -> xarray.DataArray:
        """One eigenvector for each eigenvalue (state, mode), largest entry 1; those of a multiple eigenvalue
        span its eigenspace and may repeat.
        """
        import xarray

        A, columns = self.A.values.tolist(), []
        for root in self.spectrum.roots:
            found = eigenspace(A, root.value)
            columns += [found[i % len(found)] for i in range(root.multiplicity)]
        table = np.array(columns).T if columns else np.zeros((0, 0), dtype=complex)
        return xarray.DataArray(
            table,
            dims=("state", "mode"),
            coords={"state": list(self.states), "eigenvalue": ("mode", self.eigenvalues)},
        )

    def to_scipy(self) -> Any:
        """The same as ``scipy.signal.StateSpace``."""
        self._expect_ports("to_scipy")
        from scipy.signal import StateSpace

        return StateSpace(*(x.values for x in (self.A, self.B, self.C, self.D)))

    def to_control(self) -> Any:
        """The same as a ``StateSpace`` of python-control, with names."""
        self._expect_ports("to_control")
        try:
            import control  # type: ignore[import-not-found]
        except ImportError:
            raise ModelError(
                "python-control is not installed", remedy="pip install control, or use to_scipy()"
            ) from None
        return control.ss(
            *(x.values for x in (self.A, self.B, self.C, self.D)),
            states=list(self.states), inputs=list(self.inputs), outputs=list(self.outputs),
        )  # fmt: skip

    def _expect_ports(self, asked: str) -> None:
        if not self.inputs:
            raise ModelError(
                f"{asked} needs at least one input",
                remedy="ch.linearize(system, inputs=[…]) takes parameters, or coordinates for forces on them",
            )
        if not self.outputs:
            raise ModelError(
                f"{asked} needs at least one output",
                remedy='ch.linearize(system, outputs=[…]) takes expressions such as "x" or "x\'"',
            )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        arrays = {name: plain(getattr(self, name).values) for name in (*"ABCD", "drift")}
        return super().to_json() | arrays

    def _table_(self) -> Table:
        """A by rows, with B beside it."""
        exact = self.exact
        head = ("rate of", *self.states, *self.inputs)
        rows = []
        for i, name in enumerate(self.states):
            entries = [f"{x:.6g}" for x in self.A.values[i]] if exact is None else [str(e) for e in exact[i]]
            rows.append((name, *entries, *(f"{x + 0.0:.6g}" for x in self.B.values[i])))
        notes = [("eigenvalues", ", ".join(written(z) for z in self.spectrum.values))]
        return Table(head, tuple(rows), f"{self.title}: {self.kind}; {self.evidence}", notes)

    def __str__(self) -> str:
        where = ", ".join(f"{n} = {x:.6g}" for n, x in self.point.items())
        lines = [f"{self.title}, linearised at {where}", f"this is {_article(self.kind)} ({self.evidence})"]
        table = self._table_()
        cells = [table.head, *([str(c) for c in row] for row in table.rows)]
        widths = [max(len(row[j]) for row in cells) for j in range(len(table.head))]
        lines += ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        if self.characteristic is not None:
            lines.append("det(s - A) = " + " * ".join(_powers(self.characteristic)))
        lines.append("eigenvalues: " + ", ".join(written(z) for z in self.spectrum.values))
        if self.criteria is not None:
            lines.append(str(self.criteria))
        return "\n".join([*lines, *self.notes])

    def _plot_(self, figure: Any) -> None:
        """The eigenvalues in the complex plane (for `ch.plot`)."""
        from chetaev.analysis.linear.spectrum_picture import draw_spectra

        draw_spectra(figure, [(f"{self.title}: {self.kind}", self.spectrum.values)])


def _powers(factors: tuple[Expr, ...]) -> list[str]:
    """Factors in words, equal ones as a power, in the order of the first of them."""
    counts: dict[str, int] = {}
    for e in factors:
        counts[str(e)] = counts.get(str(e), 0) + 1
    return [f"({e})" if n == 1 else f"({e})^{n}" if len(e) > 1 else f"{e}^{n}" for e, n in counts.items()]


def _article(kind: str) -> str:
    return {"equilibrium": "an equilibrium", "relative equilibrium": "a relative equilibrium"}.get(kind, kind)


def written(z: complex) -> str:
    """A complex number in six digits.

    >>> written(2j), written(-1j), written(-0.5 + 1j), written(3 + 0j)
    ('2i', '-i', '-0.5 + i', '3')
    """
    if z.imag == 0:
        return f"{z.real:.6g}"
    digits = f"{abs(z.imag):.6g}"
    size = "i" if digits == "1" else f"{digits}i"
    if z.real == 0:
        return size if z.imag > 0 else f"-{size}"
    return f"{z.real:.6g} {'+' if z.imag > 0 else '-'} {size}"


def eigenspace(A: Sequence[Sequence[float]], value: complex) -> list[list[complex]]:
    """A basis of the eigenspace, at least one vector, each with its largest entry 1."""
    n = len(A)
    rows = [[complex(x) - (value if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(A)]
    smallest = CLEAR * max([1.0, *(abs(x) for row in rows for x in row)])
    places: list[int] = []  # the column of the pivot of each row
    while len(places) < n - 1:
        k, free = len(places), [j for j in range(n) if j not in places]
        sizes = np.array([[abs(rows[i][j]) for j in free] for i in range(k, n)])
        i, j = divmod(first_largest(sizes.ravel()), len(free))
        if sizes[i, j] <= smallest:
            break
        rows[k], rows[k + i] = rows[k + i], rows[k]
        places.append(free[j])
        pivot = rows[k][free[j]]
        rows[k] = [x / pivot for x in rows[k]]
        for other in range(n):
            factor = rows[other][free[j]]
            if other != k and factor:
                rows[other] = [x - factor * y for x, y in zip(rows[other], rows[k], strict=True)]
    found = []
    for j in (j for j in range(n) if j not in places):
        vector = [0j] * n
        vector[j] = 1 + 0j
        for k, place in enumerate(places):
            vector[place] = -rows[k][j]
        largest = vector[first_largest(np.array([abs(x) for x in vector]))]
        found.append([x / largest if x else 0j for x in vector])
    return found
