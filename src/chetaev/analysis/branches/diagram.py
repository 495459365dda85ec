"""What :func:`chetaev.follow` returns: branches with their spectra, and points at which something happens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.linear.linearization import written
from chetaev.results import PlainData, Table, TableResult

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class SpecialPoint(PlainData):
    """A point of a branch at which something happens.

    Attributes
    ----------
    kind
        ``"fold"``, ``"pitchfork"``, ``"transcritical"``, ``"branch point"`` (of another kind),
        ``"vertical family"`` (others leave at this one value of the parameter), ``"Hopf"``,
        ``"Hamiltonian Hopf"`` (two pairs meet on the imaginary axis and leave it) or ``"zero"`` (an
        eigenvalue, or a pair ±λ, passes through zero and no branch leaves).
    parameter
        The value of the parameter.
    state
        Values by name.
    eigenvalues
        The spectrum there, with the zeros that belong to the whole branch.
    frequency
        Of the pair on the axis at a Hopf point; else nan.
    criticality
        Of a pitchfork: ``"supercritical"``, ``"subcritical"`` or ``""`` where that is not decided.
    branch
        The number of the branch it was found on.
    """

    kind: str
    parameter: float
    state: Mapping[str, float]
    eigenvalues: tuple[complex, ...]
    frequency: float
    criticality: str
    branch: int

    def words(self, name: str) -> str:
        """In a line."""
        parts = [f"{self.criticality} {self.kind}".strip(), f"at {name} = {self.parameter:.12g}"]
        if math.isfinite(self.frequency):
            parts.append(f"with the frequency {self.frequency:.8g}")
        return " ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        data = super().to_json() | {"criticality": self.criticality or None}
        return data | ({"frequency": None} if math.isnan(self.frequency) else {})


@dataclass(frozen=True)
class SteadyBranch(PlainData):
    """One curve of equilibria or steady motions, in the order in which it is followed.

    Attributes
    ----------
    parameter
        Values of the parameter.
    values
        Everything else by name, arrays of the same length.
    eigenvalues
        The spectra, shape (points, states); nan where the motion has no linearisation.
    unstable
        How many eigenvalues lie on the right; −1 where that is not known.
    stable
        By linear theory: False with an eigenvalue on the right; True with all on the left, zeros along the
        family aside; None where eigenvalues lie on the axis, or nothing is known.
    zeros
        How many zeros of the spectrum belong to every point: the family itself, integrals, symmetries.
    held
        What was held, with its value.
    began, ended
        Why it ends on either side.
    """

    parameter: NDArray[np.float64]
    values: Mapping[str, NDArray[np.float64]]
    eigenvalues: NDArray[np.complex128]
    unstable: NDArray[np.int64]
    stable: tuple[bool | None, ...]
    zeros: int
    held: Mapping[str, float]
    began: str
    ended: str

    def __len__(self) -> int:
        return len(self.parameter)


class Diagram(TableResult):
    """Branches of equilibria or steady motions over a parameter.

    Attributes
    ----------
    name
        The parameter.
    over
        Its range.
    branches
        The branches, those through the starts first, then those that leave them.
    points
        What happens on them, in the order of the branches.
    title
        The name of the system.
    notes
        What has to be said besides.
    """

    facts = "over branches points notes"

    def __init__(
        self, title: str, name: str, over: tuple[float, float], branches: list[SteadyBranch],
        points: list[SpecialPoint], notes: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.title, self.name, self.over = title, name, over
        self.branches, self.points, self.notes = branches, points, notes

    def __iter__(self) -> Any:
        return iter(self.branches)

    def __len__(self) -> int:
        return len(self.branches)

    def __getitem__(self, i: int) -> SteadyBranch:
        return self.branches[i]

    def of_kind(self, kind: str) -> list[SpecialPoint]:
        """The points of one kind, each once: a point that several branches share is taken from the first."""
        found: list[SpecialPoint] = []
        for p in self.points:
            if p.kind == kind and not any(_same(p, other) for other in found):
                found.append(p)
        return found

    def to_xarray(self) -> xarray.Dataset:
        """All branches one after the other along ``point``, with the number of the branch beside them."""
        import xarray

        size = max((b.eigenvalues.shape[1] for b in self.branches), default=0)
        names = list(self.branches[0].values) if self.branches else []
        count = sum(len(b) for b in self.branches)
        spectrum = np.full((count, size), np.nan, dtype=complex)
        place = 0
        for b in self.branches:
            spectrum[place : place + len(b), : b.eigenvalues.shape[1]] = b.eigenvalues
            place += len(b)
        joined = {n: ("point", np.concatenate([b.values[n] for b in self.branches])) for n in names}
        number = np.repeat(np.arange(len(self.branches)), [len(b) for b in self.branches])
        return xarray.Dataset(
            {
                **joined,
                "eigenvalue": (("point", "mode"), spectrum),
                "unstable": ("point", np.concatenate([b.unstable for b in self.branches])),
            },
            coords={
                self.name: ("point", np.concatenate([b.parameter for b in self.branches])),
                "branch": ("point", number),
            },
            attrs={"title": self.title, "parameter": self.name},
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"parameter": self.name} | super().to_json()

    def __str__(self) -> str:
        lines = []
        for i, b in enumerate(self.branches):
            beside = ", ".join(f"{n} = {x:.6g}" for n, x in b.held.items() if n.endswith("_dot") or x)
            lines.append(
                f"branch {i + 1}: {self.name} from {b.parameter.min():.6g} to {b.parameter.max():.6g}, "
                f"{len(b)} points" + (f", {beside} held" if beside else "")
            )
            lines += [f"  {text}" for text in _stretches(b, self.name, self.points)]
            lines += [f"  {p.words(self.name)}" for p in self.points if p.branch == i]
            for why in (b.began, b.ended):
                if why and why != "the range ends":
                    lines.append(f"  ends: {why}")
        return "\n".join([*lines, *self.notes])

    def _table_(self) -> Table:
        rows = []
        for p in self.points:
            where = ", ".join(f"{n} = {x:.8g}" for n, x in p.state.items() if n != self.name)
            spectrum = ", ".join(written(z) for z in p.eigenvalues)
            rows.append((p.branch + 1, p.words(self.name), where, spectrum))
        caption = f"{self.title}: {len(self.branches)} branches over {self.name}"
        return Table(("branch", "what", "where", "eigenvalues"), tuple(rows), caption)

    def _plot_(self, figure: Any) -> None:
        """The bifurcation diagram (for `ch.plot`)."""
        from chetaev.analysis.branches.branch_pictures import draw_diagram

        draw_diagram(self, figure)


def _is_at(b: SteadyBranch, place: int, p: SpecialPoint) -> bool:
    """Whether a point of a branch is a special point, of this branch or of another through it."""
    values = [(b.parameter[place], p.parameter)]
    values += [(b.values[n][place], x) for n, x in p.state.items() if n in b.values]
    return all(abs(x - y) <= 1e-6 * max(1.0, abs(x)) for x, y in values)


def _same(a: SpecialPoint, b: SpecialPoint) -> bool:
    values = [(a.parameter, b.parameter), *((a.state[n], b.state[n]) for n in a.state if n in b.state)]
    return all(abs(x - y) <= 1e-6 * max(1.0, abs(x)) for x, y in values)


def _stretches(b: SteadyBranch, name: str, special: Sequence[SpecialPoint]) -> list[str]:
    """How many eigenvalues lie on the right, from where to where; special points are told by themselves."""
    found = []
    start = 0
    for i in range(1, len(b) + 1):
        if i < len(b) and b.unstable[i] == b.unstable[start] and b.stable[i] == b.stable[start]:
            continue
        if i - start == 1 and any(_is_at(b, start, p) for p in special):
            start = i
            continue
        n = int(b.unstable[start])
        words = {-1: "no linearisation", 0: "none on the right"}.get(n, f"{n} on the right")
        words += {True: ", stable", False: ", unstable", None: ""}[b.stable[start]]
        part = b.parameter[start:i]
        where = f"from {part.min():.6g} to {part.max():.6g}" if len(part) > 1 else f"at {part[0]:.6g}"
        found.append(f"{name} {where}: {words}")
        start = i
    return found
