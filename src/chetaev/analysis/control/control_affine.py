r"""A system with inputs as vector fields, x' = X(x) + Σ u_a Y_a(x), exact.

Two levels. *Kinematic*: the velocities that affine constraints admit are chosen, v = w(t, q) + W_s(t, q)
u^s in a frame of the admissible directions, so that the state is q, X = w and Y_s = W_s. *Dynamic*: the
inputs are forces on coordinates, or parameters of the law; the state is (q, u) with the quasi-velocities u
of the frame,

    q' = V(t, q, u),      G(q) u' = r(t, q, u) + Σ b_a u_a,      b = (∂V/∂u)ᵀ e_c  for a force on c,

the law on a frame (:mod:`chetaev.equations.quasi.quasi_frame`) with G inverted. Parameters have the model's
values, as exact numbers. Position constraints are kept as functions that vanish (`on`). Bullo and Lewis,
Geometric Control of Mechanical Systems (2005), chapters 4 and 7.

>>> import chetaev as ch
>>> skate = control_affine(ch.load("knife-edge"), None)
>>> skate.names, [str(Y) for Y in skate.inputs]
(('u', "phi'"), ['cos(phi)*∂/∂x + sin(phi)*∂/∂y', '∂/∂phi'])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from chetaev.analysis.linear.residual import _follows as follows
from chetaev.analysis.linear.state_matrices import expect_names, input_in_constraint
from chetaev.equations.law.setup import Setup
from chetaev.equations.quasi.given_quasi_velocities import expect_frame, frame_of_model
from chetaev.equations.quasi.quasi_frame import QuasiFrame, law_in
from chetaev.errors import ModelError
from chetaev.expr.exact import Budget, Element, Field, GivenUp, ask
from chetaev.expr.exact.effort.budget import SingularSystemError
from chetaev.expr.exact.linear import matrix as linear
from chetaev.expr.graph.node import Expr, add, postorder, substitute, symbol, symbols
from chetaev.geometry import Chart, VectorField
from chetaev.laws.standpoint import Standpoint
from chetaev.model.dynamics.mixed import Mixed
from chetaev.model.states.stack_of_constraints import every_constraint
from chetaev.model.system import System

Name = tuple[str, int]


@dataclass(frozen=True)
class ControlAffine:
    """x' = X + Σ u_a Y_a on a chart.

    Attributes
    ----------
    system, names
        The system, and the inputs by name.
    level
        ``"kinematic"`` or ``"dynamic"``.
    chart
        The state: positions, then quasi-velocities; time last where the law depends on it.
    drift, inputs
        X and Y_a; X has the component 1 along time where time is a coordinate.
    on
        Functions of positions that vanish.
    frame
        The quasi-velocities; None for a mixed system.
    directions
        W_s, fields on positions, for constraints affine in the velocities; else empty.
    known
        Whether the fields are known; if not, they were too long to be written down, and stand as zeros.
    """

    system: System
    names: tuple[str, ...]
    level: str
    chart: Chart
    drift: VectorField
    inputs: tuple[VectorField, ...]
    on: tuple[Element, ...]
    frame: QuasiFrame | None
    directions: tuple[VectorField, ...]
    known: bool = True

    @property
    def smooth(self) -> bool:
        """Whether neither abs, sign, min nor max of the state stand in law and constraints."""
        system = self.system
        roots = [*system.dynamics.functions, *(e.residual for e in every_constraint(system))]
        moving = {*system.coordinates, system.time}
        return not any(
            node.op in ("abs", "sign", "min", "max") and {n for n, _ in symbols(node)} & moving
            for node in postorder(*roots)
        )

    @property
    def timed(self) -> bool:
        """Whether time is a coordinate of the chart."""
        return (self.system.time, 0) in self.chart.symbols

    @property
    def fields(self) -> tuple[VectorField, ...]:
        """X, Y_1, …; X is left out where it is zero."""
        return self.inputs if self.drift.is_zero else (self.drift, *self.inputs)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of `fields` in brackets: X, Y1, Y2, …"""
        own = tuple(f"Y{a + 1}" for a in range(len(self.inputs)))
        return own if self.drift.is_zero else ("X", *own)


def with_time(control: ControlAffine) -> tuple[VectorField, ...]:
    """∂/∂t + X and Y_a on (state, time), where time is no coordinate yet."""
    chart, field = control.chart, control.chart.field
    longer = Chart([*chart.symbols, (control.system.time, 0)], field)
    X = VectorField.of(longer, [*control.drift.components, field.one])
    return (X, *(VectorField.of(longer, [*Y.components, field.zero]) for Y in control.inputs))


def budget(effort: int) -> Budget:
    """What brackets may cost."""
    return Budget(effort, terms=20_000, products=2_000_000)


def control_affine(system: System, inputs: object, effort: int = 10_000_000) -> ControlAffine:
    """The vector fields of a system; `inputs` is None for velocities, else names."""
    if inputs is None:
        return _made(system, None, effort)
    known = (*system.coordinates, *system.parameters)
    names = expect_names(inputs, "inputs", known, "coordinate and no parameter")
    if not names:
        raise ModelError(
            "there are no inputs",
            expected="coordinates on which forces act, or parameters of the law",
            remedy="leave inputs out to choose velocities",
        )
    _expect_out_of_constraints(system, names)
    return _made(system, names, effort)


def fields_or_names(system: System, inputs: object) -> ControlAffine:
    """As :func:`control_affine`, and without the fields where they are too long to be written down."""
    if inputs is None:
        return control_affine(system, inputs)
    found = ask(control_affine, system, inputs)
    if not isinstance(found, GivenUp):
        return found
    names = expect_names(inputs, "inputs", (*system.coordinates, *system.parameters), "coordinate")
    frame = frame_of_model(system)
    field, u = Field(), [s.value for s in frame.symbols]
    none, _ = _fields(system, u, [field.zero] * (len(system.coordinates) + len(u)), (), field)
    return ControlAffine(
        system, names, "dynamic", none.chart, none, (none,) * len(names), (), frame, (), False
    )


@lru_cache(maxsize=32)
def _made(system: System, names: tuple[str, ...] | None, effort: int) -> ControlAffine:
    if system.stops:
        raise ModelError("a system with stops has no vector fields: its velocities jump")
    if system.tables:
        raise ModelError("a table of data has no vector fields that could be bracketed")
    if isinstance(system.dynamics, Mixed):
        return _of_mixed(system, names, Field(budget(effort)))
    s = Setup(system)
    expect_frame(s)
    frame = frame_of_model(system)
    if names is None:
        return _kinematic(system, frame, Field(budget(effort)))
    return _dynamic(s, frame, names, Field(budget(effort)))


def _expect_out_of_constraints(system: System, names: Sequence[str]) -> None:
    used = {n for e in every_constraint(system) for n, _ in symbols(e.residual)}
    if isinstance(system.dynamics, Mixed):
        return
    for name in names:
        if name in system.parameters and any(
            follows(system, n, name) for n in used if n in system.parameters
        ):
            raise input_in_constraint(name)


def values_with(system: System, names: Sequence[str]) -> Standpoint:
    """The model's values, where each input that is a parameter is its value plus its own symbol."""
    given: dict[Expr, Expr] = {}
    for name, value in system.parameters.items():
        plain = substitute([value], given)[0]
        given[symbol(name)] = add(plain, symbol(name)) if name in names else plain
    return Standpoint("for the values given", tuple(given.items()))


def _kinematic(system: System, frame: QuasiFrame, field: Field) -> ControlAffine:
    view = values_with(system, ())
    V = [field(e) for e in view.apply(frame.velocities)]
    slopes = _slopes(V, [s.value for s in frame.symbols])
    still = {s.value: field.zero for s in frame.symbols}
    rest = [e.subs(still) for e in V]
    columns = [[row[a] for row in slopes] for a in range(len(frame.labels))]
    drift, fields = _fields(system, (), rest, columns, field)
    return ControlAffine(
        system, frame.labels, "kinematic", drift.chart, drift, fields, _on(system, view, field), frame, fields
    )


def _slopes(V: Sequence[Element], u: Sequence[Name]) -> list[list[Element]]:
    """∂V/∂u, free of u."""
    slopes = [[e.diff(s) for s in u] for e in V]
    if any(e.symbols & set(u) for row in slopes for e in row):
        raise ModelError(
            "the constraints are not affine in the velocities, so that the admissible velocities are no "
            "combinations of vector fields",
            remedy="give inputs=…, forces on coordinates or parameters",
        )
    return slopes


def _dynamic(s: Setup, frame: QuasiFrame, names: tuple[str, ...], field: Field) -> ControlAffine:
    system = s.system
    view = values_with(system, names)
    law = law_in(s, frame.velocities, frame.symbols)
    tables = s.matrices(law.matrix, law.right, law.recover)
    matrix, right, slopes = (view.apply([e for row in table for e in row]) for table in tables)
    n, m = len(frame.labels), len(system.coordinates)
    if not n:
        raise ModelError("the constraints leave no degree of freedom, so that no force can change the motion")
    G = [[field(e) for e in matrix[i * n : i * n + n]] for i in range(n)]
    r = [field(e) for e in right]
    W = [[field(e) for e in slopes[i * n : i * n + n]] for i in range(m)]
    V = [field(e) for e in view.apply(frame.velocities)]
    u = [x.value for x in frame.symbols]
    parameters = [(p, 0) for p in names if p in system.parameters]
    columns = []
    for name in names:
        if name in system.coordinates:
            columns.append(W[system.coordinates.index(name)])
        else:
            columns.append([e.diff((name, 0)) for e in r])
        _expect_affine(system, name, [*(e for row in G for e in row)], columns[-1], r, parameters)
    r = [e.subs(dict.fromkeys(parameters, field.zero)) if e.symbols & set(parameters) else e for e in r]
    try:
        solved = linear.solve_columns(G, [r, *columns])
    except SingularSystemError:
        raise ModelError("the law is singular: forces do not determine accelerations") from None
    moved = [[*[field.zero] * m, *column] for column in solved[1:]]
    drift, fields = _fields(system, u, [*V, *solved[0]], moved, field)
    linear_V = not any(e.symbols & set(u) for row in W for e in row)
    directions = [[row[a] for row in W] for a in range(n)] if linear_V else []
    timed = (system.time, 0) in drift.chart.symbols
    _, along = _fields(system, (), V, directions, field, timed)
    return ControlAffine(
        system, names, "dynamic", drift.chart, drift, fields, _on(system, view, field), frame, along
    )


def _expect_affine(
    system: System,
    name: str,
    matrix: Sequence[Element],
    column: Sequence[Element],
    right: Sequence[Element],
    parameters: Sequence[Name],
) -> None:
    held = {x for e in [*matrix, *column] for x in e.symbols} & set(parameters)
    if (name, 0) in parameters:  # sign(u) has slope 0
        rest = (e - x * e.field.symbol(name) for e, x in zip(right, column, strict=True))
        held |= {x for e in rest for x in e.symbols if x == (name, 0)}
    if held:
        raise ModelError(
            f"the law is not affine in the input {name}: the other terms change with {min(held)[0]}",
            expected="inputs u in x' = X(x) + Σ u Y(x)",
            remedy="make it a coordinate with a force on it, or choose another input",
        )
    if all(e.is_blank for e in column) and name in system.parameters:
        raise ModelError(f"the input {name} does not occur in the law", remedy="choose another input")


def _of_mixed(system: System, names: tuple[str, ...] | None, field: Field) -> ControlAffine:
    """A system given by accelerations and velocities: q' = g, q'' = f, with parameters as inputs."""
    dynamics = system.dynamics
    assert isinstance(dynamics, Mixed)
    if names is None:
        raise ModelError(
            "the velocities of this system are given as functions and cannot be chosen",
            remedy="give inputs=…, parameters of these functions",
        )
    view = values_with(system, names)
    moving = dynamics.independent
    rows = [dynamics.velocities[c] if c in dynamics.velocities else symbol(c, 1) for c in system.coordinates]
    rows += [dynamics.accelerations[c] for c in moving]
    forced = [c for c in names if c in system.coordinates]
    for c in forced:
        if c not in moving:
            raise ModelError(
                f"{c} has no acceleration on which a force could act", expected="parameters as inputs"
            )
    r = [field(e) for e in view.apply(rows)]
    parameters = [(p, 0) for p in names if p in system.parameters]
    columns = []
    for name in names:
        if name in system.parameters:
            columns.append([e.diff((name, 0)) for e in r])
        else:
            places = len(system.coordinates) + list(moving).index(name)
            columns.append([field.one if i == places else field.zero for i in range(len(r))])
        _expect_affine(system, name, [], columns[-1], r, parameters)
    r = [e.subs(dict.fromkeys(parameters, field.zero)) if e.symbols & set(parameters) else e for e in r]
    drift, fields = _fields(system, [(c, 1) for c in moving], r, columns, field)
    return ControlAffine(system, names, "dynamic", drift.chart, drift, fields, (), None, ())


def _fields(
    system: System, u: Sequence[Name], drift: Sequence[Element], inputs: Sequence[Sequence[Element]],
    field: Field, timed: bool = False,
) -> tuple[VectorField, tuple[VectorField, ...]]:  # fmt: skip
    """X and Y_a in the chart (q, u), with time where something depends on it: then X(t) = 1, Y_a(t) = 0."""
    timed = timed or any((system.time, 0) in e.symbols for column in (drift, *inputs) for e in column)
    positions: list[str | Name] = [(c, 0) for c in system.coordinates]
    chart = Chart([*positions, *u, *([(system.time, 0)] * timed)], field)
    made = [VectorField.of(chart, [*column, *[field.zero] * timed]) for column in inputs]
    return VectorField.of(chart, [*drift, *[field.one] * timed]), tuple(made)


def _on(system: System, view: Standpoint, field: Field) -> tuple[Element, ...]:
    return tuple(field(e) for e in view.apply([e.residual for e in system.position_constraints]))
