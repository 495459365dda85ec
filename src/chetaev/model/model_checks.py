"""What a model must satisfy as a whole: its constraints constrain, its velocities occur, it can move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chetaev.expr.graph import node as graph
from chetaev.expr.graph.node import Expr
from chetaev.expr.language.parser import Equation
from chetaev.model.reading.text_places import Path

if TYPE_CHECKING:
    from chetaev.model.reading.model_reader import Reader

LEVELS = ("position", "velocity", "acceleration")


def check_constraint(reader: Reader, equation: Equation, order: int, path: Path) -> None:
    """A constraint contains what its level is about, and nothing above it."""
    occurring = reader.symbols(equation.lhs, equation.rhs)
    highest = {n for n, o in occurring if o == order and n in reader.used and reader.used[n] == "coordinate"}
    beyond = {n for n, o in occurring if o > order}
    if beyond:
        reader.fail(
            f"a {LEVELS[order]} constraint contains the {LEVELS[order + 1]} of {sorted(beyond)[0]!r} "
            "through a definition",
            path,
            remedy=f"move the constraint to {reader.source.speech.constraints(LEVELS[order + 1])}",
        )
    if not highest:
        below = sorted(n for n, o in occurring if o < order and reader.used.get(n) == "coordinate")
        remedy = {
            0: "write a relation between coordinates and time, or remove it",
            1: (f"did you mean {below[0]}'? " if below else "")
            + f"a relation of positions alone belongs into {reader.source.speech.constraints('position')}",
            2: f"a relation of velocities alone belongs into {reader.source.speech.constraints('velocity')}",
        }[order]
        what = "coordinate" if order == 0 else LEVELS[order]
        reader.fail(
            f"the {LEVELS[order]} constraint contains no {what}",
            path,
            expected=f"at least one {what}" + (", written x'" if order == 1 else ""),
            remedy=remedy,
        )
    if order == 2:
        _check_linear(reader, equation, path)


def _check_linear(reader: Reader, equation: Equation, path: Path) -> None:
    from chetaev.expr.graph.engine import Engine

    engine = Engine()
    accelerations = [graph.symbol(*s) for s in reader.symbols(equation.lhs, equation.rhs) if s[1] == 2]
    if not engine.is_linear(equation.residual, accelerations):
        reader.fail(
            "the acceleration constraint is not linear in the accelerations",
            path,
            expected="coefficients of t, q and v times accelerations, plus a term without them",
        )
    if engine.jacobian([equation.residual], accelerations).is_zero():
        reader.fail(
            "the acceleration constraint contains no acceleration: its coefficients vanish",
            path,
            expected="at least one acceleration",
            remedy="a relation of velocities alone belongs into 'velocity'",
        )


def check_velocities(
    reader: Reader,
    coordinates: tuple[str, ...],
    what: str,
    path: Path,
    functions: Sequence[Expr],
    constraints: Mapping[str, tuple[Equation, ...]],
    degenerate: bool,
) -> None:
    """The velocity of every coordinate occurs in the functions of the dynamics or in a constraint.

    `what` names these functions, `path` is where they stand.
    """
    equations = [side for group in constraints.values() for e in group for side in (e.lhs, e.rhs)]
    occurring = reader.symbols(*functions, *equations)
    moving = {n for n, o in reader.symbols(*functions) if o == 1}
    if not moving:
        reader.fail(
            f"{what} contains no velocity",
            path,
            expected="velocities written with a prime, e.g. m*x'^2/2",
            remedy=f"did you forget the prime in {coordinates[0]}'?",
        )
    in_positions = {n for e in constraints["position"] for n, _ in reader.symbols(e.lhs, e.rhs)}
    still = [
        c
        for c in coordinates
        if (c, 1) not in occurring and (c, 2) not in occurring and c not in in_positions
    ]
    if still and not degenerate:
        meant = "a Lagrangian" if what == "the Lagrangian" else "a dynamics"
        names = ", ".join(map(repr, still[:12])) + (", …" if len(still) > 12 else "")
        primed = ", ".join(f"{name}'" for name in still[:12]) + (", …" if len(still) > 12 else "")
        one = len(still) == 1
        reader.fail(
            f"the velocit{'y' if one else 'ies'} of {names} occur{'s' if one else ''} nowhere, "
            f"so nothing determines {'its' if one else 'their'} motion",
            path,
            expected=f"{primed} in {what} or in a constraint",
            remedy=f"did you forget a prime? For {meant} that is meant to be degenerate, "
            f"{reader.source.speech.degenerate}",
        )
