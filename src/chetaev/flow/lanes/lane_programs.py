"""The programs of a model in lanes: the field in a chart and the constraints, on vectors of doubles.

Entry e of an array is a vector, lane l of it the number of motion l; functions have the signature
``flags f(vector t, ptr y, ptr p, ptr out, ptr aux)``. Products and sums are fused where the program says
so and nowhere else: every lane has the bits of the program for one state. The flags of the field are 1
where the chart is weak and 2 where an angle is too large, one for each lane.

What depends on the parameters alone is computed when a member enters a lane, by ``h``, which writes it behind
them; ``kept`` says how many numbers these are.
"""

from __future__ import annotations

from chetaev.flow.compile.machine import Library, joined, object_code
from chetaev.flow.compile.one_state import OneState, Store
from chetaev.flow.compile.programs import LONG, Programs
from chetaev.flow.compile.scalar_programs import steady_pivots
from chetaev.flow.compile.shipped import level
from chetaev.flow.compile.translate import state_text
from chetaev.flow.derive.chart import PivotChart

MEMORY = 32
"""So many models stay in memory."""
_recent: dict[str, Library] = {}


def lane_programs(programs: Programs, chart: PivotChart, lanes: int) -> Library:
    """The field ``f``, its part ``h`` and the constraints ``c`` of a model in a chart, for so many lanes."""
    kind = level().processor
    key = programs.key("lanes", str(lanes), chart.name, kind.fingerprint)
    found = _recent.get(key)
    if found is None:

        def made() -> bytes:
            text = _text(programs, chart, lanes)
            return object_code(text, 2 if text.count("\n") < LONG else 1, processor=kind)

        found = _recent[key] = Library(programs.cache.kept(key, made))
        while len(_recent) > MEMORY:
            _recent.pop(next(iter(_recent)), None)
    return found


def _text(programs: Programs, chart: PivotChart, lanes: int) -> str:
    import casadi

    from chetaev.flow.derive.instructions import from_casadi
    from chetaev.flow.derive.parts_of_parameters import parts_of_parameters

    n, m, d = programs.model.size, len(chart.rows), programs.dynamics
    e = programs.elimination(chart)
    pivots = casadi.vertcat(*e.pivots) if m else casadi.SX(0, 1)
    free, diagonal = e.solved
    outputs = [e.accelerations(free), casadi.vertcat(pivots, *diagonal), e.margin]
    count = len(programs.model.parameters)
    whole = from_casadi(d.arguments.list(), outputs)
    first, rest = parts_of_parameters(whole, 3, count)
    fields = [
        OneState("f", rest, n, [Store("out", n), Store("aux"), None], velocities=True, margin=2),
        OneState("h", first, n, [Store("p", count)]),
    ]
    if programs.model.rows:
        held = from_casadi(d.arguments.list(), [casadi.vertcat(d.f, d.phi), d.matrix.T])
        fields.append(OneState("c", held, n, [Store("out"), Store("aux")]))
    return joined(
        *(state_text(field, lanes) for field in fields),
        f"define i64 @kept() {{ ret i64 {len(first.outputs[0])} }}\n",
        state_text(steady_pivots(whole, n, count)),
    )
