r"""Small-time local controllability at a point x₀: sufficient and necessary conditions on brackets.

From x₀, inputs with |u| ≤ ε reach in every short time a neighbourhood of x₀. What is used:

* Kalman: X(x₀) = 0 and the ad_X^k Y_a(x₀) span. Then the linearisation is controllable.
* Bianchini and Stefani (1993), after Sussmann (1987): weights l_a ≥ l_0 > 0; a bracket is bad if X occurs
an odd
  number of times in it and each Y_a an even number. If brackets span at x₀ and each bad one is there a
  combination of brackets of less weight, the system is controllable.
* Sussmann (1983), for one input with X(x₀) = 0: if [Y, [X, Y]](x₀) is no combination of the ad_X^k Y(x₀), the
  system is *not* controllable.
* Without drift, spanning brackets are enough (Rashevskii, Chow).

Elsewhere it stays undecided. X itself is bad, so all need X(x₀) = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chetaev.analysis.control.control_affine import ControlAffine
from chetaev.analysis.control.lie_brackets import NamedBracket, PointValues, every, generators
from chetaev.expr.exact import Element, GivenUp, ask
from chetaev.expr.exact.linear.matrix import dot
from chetaev.results import PlainData

LONGEST = 6
"""Brackets of so many fields are compared."""


@dataclass(frozen=True)
class LocalControl(PlainData):
    """A verdict on controllability near a point, its reason, and the theorem it rests on."""

    verdict: bool | None
    reason: str
    source: str


NamedRow = tuple[str, list[Element]]


def kalman_rows(control: ControlAffine, values: PointValues, count: int) -> list[NamedRow]:
    """ad_X^k Y_a at the point, k < count, those that are independent there, with their names.

    At an equilibrium ad_X^k Y(x₀) = (−A)^k B: this is Kalman's matrix, and is computed as such, from first
    derivatives. Along a motion of X, ad_X^k Y is up to its sign B_k of B_0 = B, B_{k+1} = A B_k − dB_k/dt:
    the linear system along the motion (Silverman, Meadows 1967).
    """
    X, *inputs = generators(control)
    span, kept = values.span(), list[NamedRow]()
    newest = [(B, B.name, values.at(B.field)) for B in inputs]
    A = slopes_at(control, values) if is_equilibrium(control, values) else None
    for k in range(count):
        kept.extend((name, row) for _, name, row in newest if span.add(row))
        if k == count - 1 or X.field.is_zero or span.rank == values.width:
            break
        following = []
        for B, name, row in newest:
            if A is not None:
                following.append((B, f"[X, {name}]", [-dot(line, row) for line in A]))
            elif not (bracket := X.of(B)).field.is_zero:
                following.append((bracket, bracket.name, values.at(bracket.field)))
        newest = following
    return kept


def is_equilibrium(control: ControlAffine, values: PointValues) -> bool:
    """Whether X vanishes at the point."""
    return all(a.is_zero is True for a in values.at(control.drift))


def slopes_at(control: ControlAffine, values: PointValues) -> list[list[Element]]:
    """A = ∂X/∂x at the point."""
    return [[values.of(a.diff(s)) for s in control.chart.symbols] for a in control.drift.components]


def is_bad(B: NamedBracket) -> bool:
    """Whether X occurs an odd number of times and each Y_a an even number."""
    return B.degrees[0] % 2 == 1 and all(d % 2 == 0 for d in B.degrees[1:])


def local_control(control: ControlAffine, values: PointValues, full: int, linear: int) -> LocalControl:
    """The verdict at a point; `linear` is the rank of Kalman's matrix there."""
    rest = [a.is_zero for a in values.at(control.drift)]
    if control.timed or None in rest:
        return LocalControl(None, "controllability near a point is asked of laws without time", "")
    if not all(rest):
        return LocalControl(
            None, "the state is no equilibrium: it moves without inputs, and no theorem used here applies", ""
        )
    if control.drift.is_zero:
        return LocalControl(None, "brackets at the point do not span within the effort", "")
    if linear == full:
        return LocalControl(True, "the linearisation is controllable", "Kalman 1960; Lee and Markus 1967")
    found = ask(_single_input, control, values)
    for weights in _weights(len(control.inputs)):
        if found is not None:
            break
        found = ask(_neutralised, control, values, full, weights)
    if isinstance(found, GivenUp):
        return LocalControl(None, f"brackets at the point: {found.reason}", "")
    return found or LocalControl(
        None, f"bad brackets are not neutralised, by the weights tried and up to {LONGEST} fields", ""
    )


def _single_input(control: ControlAffine, values: PointValues) -> LocalControl | None:
    if len(control.inputs) != 1:
        return None
    X, Y = generators(control)
    bad = Y.of(X.of(Y))
    span = values.span([row for _, row in kalman_rows(control, values, values.width)])
    outside = any(a.is_zero is False for a in span.reduce(values.at(bad.field)))
    outside = outside and values.certain
    if not outside:
        return None
    return LocalControl(
        False,
        f"one input, and {bad.name} is there no combination of Y1, [X, Y1], [X, [X, Y1]], …: to second "
        "order the motion goes to one side",
        "Sussmann 1983, Proposition 6.3",
    )


def _weights(count: int) -> Iterator[tuple[int, ...]]:
    """Weights (l_0, l_1, …): equal ones, doubled inputs, and one input heavier or lighter than the others."""
    yield (1,) * (count + 1)
    yield (1, *(2,) * count)
    if count > 1:
        for a in range(count):
            yield (1, *(2 if i == a else 1 for i in range(count)))
            yield (1, *(1 if i == a else 2 for i in range(count)))


def _neutralised(
    control: ControlAffine, values: PointValues, full: int, weights: Sequence[int]
) -> LocalControl | None:
    """True where every bad bracket is a combination of those of less weight."""
    rows: dict[int, list[tuple[NamedBracket, list[Element]]]] = {}
    reached = 0
    for level in every(control, LONGEST):
        for B in level:
            weight = sum(w * d for w, d in zip(weights, B.degrees, strict=True))
            rows.setdefault(weight, []).append((B, values.at(B.field)))
        reached = level[0].length
    span, neutralised = values.span(), []
    for weight in sorted(rows):
        if weight >= (reached + 1) * min(weights):
            return None  # brackets of this weight are not all known
        for B, row in rows[weight]:
            if is_bad(B):
                if not span.contains(row):
                    return None
                neutralised += [B.name] if any(not a.is_zero for a in row) else []
        for _, row in rows[weight]:
            span.add(row)
        if span.rank == full:
            what = f"bad brackets are neutralised: {', '.join(neutralised)}" if neutralised else (
                "bad brackets vanish there")  # fmt: skip
            said = f"brackets span, and {what}, with the weights {', '.join(map(str, weights))}"
            return LocalControl(True, said, "Sussmann 1987; Bianchini and Stefani 1993")
    return None
