"""Steps that are the solution of equations: Newton's method with exact derivatives, to rounding error.

    r(t, h, q₀, v₀; x) = 0        x = (q₁, v₁, …)        x := x − (∂r/∂x)⁻¹ r

The scheme has r and ∂r/∂x compiled for the model (`flow.derive.step_law`); it is called in the place of
`run.tangent`, with h and x behind the parameters. A composition solves them once for each of its parts,
of lengths γ₁h, γ₂h, …. The table of the scheme has the number of parts and the γ_i, then the number of blocks
of x and for each its kind and the fraction of the step that it belongs to, from which x is guessed.

Inside the step positions are the quintic with q, v and a of both ends, velocities its derivative: order 4.

Convergence is quadratic, so that after a correction below `CLOSE_ENOUGH` nothing but rounding is left; only
that makes a step back undo a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from chetaev.flow.kernels import statuses
from chetaev.flow.kernels.arrays import Alias, Floats
from chetaev.flow.kernels.integration import Integration
from chetaev.flow.kernels.linear import lu_factor, lu_solve
from chetaev.flow.schemes.scheme import Scheme

MOST_CORRECTIONS = 30
CLOSE_ENOUGH = 3e-9


class SolvedStep(Integration):
    """What stands in the scheme's room, for x of the length `unknowns`."""

    newton_matrix = Alias[Floats](lambda self: self.room)  # ∂r/∂x, factored
    # r, then the correction; the row exchanges
    newton_right = Alias[Floats](lambda self: self.room[self.unknowns * self.unknowns :])
    newton_exchanges = Alias[Floats](lambda self: self.room[self.unknowns * (self.unknowns + 1) :])
    # the accelerations at the start of a part of the step, as well as they are known
    newton_start = Alias[Floats](lambda self: self.room[self.unknowns * (self.unknowns + 2) :])


def block_size(run: SolvedStep, kind: int) -> int:
    """How many unknowns a block has."""
    if kind <= statuses.ACCELERATION:
        return run.n
    if kind == statuses.MULTIPLIERS:
        return run.all_rows
    return run.position if kind == statuses.SHIFTS else run.rows


def guess(run: SolvedStep, h: float) -> None:
    """x by Taylor's series; multipliers of the second kind are those of the last step, of the others 0."""
    n = run.n
    x = run.p[run.parameters + 1 :]
    a = run.newton_start
    parts = int(run.table[0])
    blocks = int(run.table[1 + parts])
    first = 0
    for b in range(blocks):
        kind = int(run.table[2 + parts + 2 * b])
        s = run.table[3 + parts + 2 * b] * h
        count = block_size(run, kind)
        for i in range(count):
            if kind == statuses.POSITION:
                x[first + i] = run.trial[i] + s * (run.trial[n + i] + 0.5 * s * a[i])
            elif kind == statuses.VELOCITY:
                x[first + i] = run.trial[n + i] + s * a[i]
            elif kind == statuses.ACCELERATION:
                x[first + i] = a[i]
            elif kind != statuses.MULTIPLIERS:
                x[first + i] = 0.0
        first = first + count


def close(run: SolvedStep, h: float) -> int:
    """Whether the correction of positions and velocities is so small that the next one would be rounding."""
    n = run.n
    x = run.p[run.parameters + 1 :]
    r = run.newton_right
    a = run.newton_start
    q = 0.0
    v = 0.0
    change_q = 0.0
    change_v = 0.0
    push = 0.0
    for i in range(n):
        q = max(q, abs(x[i]))
        v = max(v, abs(x[n + i]))
        push = max(push, abs(a[i]))
        change_q = max(change_q, abs(r[i]))
        change_v = max(change_v, abs(r[n + i]))
    v = v + abs(h) * push
    q = q + abs(h) * v
    return 1 if (change_q <= CLOSE_ENOUGH * q and change_v <= CLOSE_ENOUGH * v) else 0


def solve_step(run: SolvedStep, t: float, h: float) -> int:
    """x for a part of the step that starts in `run.trial`; returns 0 or why not."""
    size = run.unknowns
    count = run.parameters
    matrix = run.newton_matrix
    r = run.newton_right
    run.p[count] = h
    guess(run, h)
    x = run.p[count + 1 :]
    for _turn in range(MOST_CORRECTIONS):
        for i in range(size * size):
            matrix[i] = 0.0
        run.evaluations = run.evaluations + 1
        run.tangent(t, run.trial, run.p, r, matrix)
        total = 0.0
        for i in range(size):
            total = total + r[i]
        if not isfinite(total):
            return statuses.REJECT_FINITE
        if lu_factor(size, matrix, run.newton_exchanges) != 0:
            return statuses.REJECT_PIVOT
        lu_solve(size, matrix, run.newton_exchanges, r)
        for i in range(size):
            x[i] = x[i] - r[i]
        if close(run, h) == 1:
            return 0
    return statuses.REJECT_UNSOLVED


def step(run: SolvedStep) -> int:
    """All parts of the step, one after the other."""
    n = run.n
    a = run.newton_start
    for i in range(2 * n):
        run.trial[i] = run.y[i]
    for i in range(n):
        a[i] = run.k[n + i]
    t = run.t
    x = run.p[run.parameters + 1 :]
    parts = int(run.table[0])
    for s in range(parts):
        h = run.table[1 + s] * run.h
        run.t_stage = t
        code = solve_step(run, t, h)
        if code != 0:
            return code
        for i in range(n):
            a[i] = (x[n + i] - run.trial[n + i]) / h
        for i in range(2 * n):
            run.trial[i] = x[i]
        t = t + h
    for i in range(2 * n):
        run.new[i] = run.trial[i]
    run.error = 0.0
    return 0


def dense_output(run: SolvedStep) -> int:
    """Positions by the quintic with q, v and a of both ends, velocities by its derivative."""
    n = run.n
    d = run.d
    h = run.h
    f = run.dense
    for i in range(n):
        speed = h * run.k[i]
        bend = h * h * run.k[n + i]
        position = run.new[i] - run.y[i] - speed - 0.5 * bend
        velocity = h * run.k_end[i] - speed - bend
        acceleration = h * h * run.k_end[n + i] - bend
        third = 10.0 * position - 4.0 * velocity + 0.5 * acceleration
        fourth = -15.0 * position + 7.0 * velocity - acceleration
        fifth = 6.0 * position - 3.0 * velocity + 0.5 * acceleration
        f[i] = speed
        f[d + i] = 0.5 * bend
        f[2 * d + i] = third
        f[3 * d + i] = fourth
        f[4 * d + i] = fifth
        f[n + i] = bend / h
        f[d + n + i] = 3.0 * third / h
        f[2 * d + n + i] = 4.0 * fourth / h
        f[3 * d + n + i] = 5.0 * fifth / h
        f[4 * d + n + i] = 0.0
    return 0


def interpolate(d: int, i: int, y: Floats, f: Floats, x: float) -> float:
    """y + x f₀ + x² f₁ + … + x⁵ f₄."""
    s = f[3 * d + i] + x * f[4 * d + i]
    s = f[2 * d + i] + x * s
    s = f[d + i] + x * s
    return y[i] + x * (f[i] + x * s)


def solved_scheme(
    name: str,
    module: str,
    summary: str,
    order: int,
    equations: Callable[..., Any],
    blocks: Sequence[tuple[int, float]],
    substeps: tuple[float, ...] = (1.0,),
    **traits: Any,
) -> Scheme:
    """The record of a scheme of fixed steps whose unknowns are `blocks`: kinds and fractions of the step."""
    numbers = [len(substeps), *substeps, len(blocks), *(x for block in blocks for x in block)]
    return Scheme(
        name=name,
        module=module,
        summary=summary,
        order=order,
        dense_order=min(order, 4),
        estimate=order + 1,
        stages=2,
        end_stage=1,
        vectors=5,
        fixed=True,
        equations=equations,
        steps_in=__name__,
        record="SolvedStep",
        substeps=substeps,
        coefficients=(tuple(float(x) for x in numbers),),
        blocks=tuple(int(kind) for kind, _ in blocks),
        **traits,
    )
