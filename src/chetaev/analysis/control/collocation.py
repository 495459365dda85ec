r"""Optimal control by collocation on Chebyshev points, solved by IPOPT.

States are polynomials of degree N through their values at τ_j = −cos(πj/N), inputs polynomials of lower
degree by their Chebyshev coefficients; r(t, x, x', u) = 0 at all τ_j, the cost by Clenshaw and Curtis. What
is smooth is met with an error that falls faster than any power of N. The result is a proposal: whether the
end is reached is for the integrator to say. Guesses are fixed, iterations are counted, nothing is printed.

Fahroo and Ross, Direct trajectory optimization by a Chebyshev pseudospectral method (2002).

IPOPT has an ear for Ctrl-C here: it asks after every iteration whether it should stop. CasADi works without
the interpreter, which therefore sees no interrupt until a solver has ended. While one runs, an interrupt sets
a flag; after each iteration the interpreter is called, sees the flag, and the solver stops.
"""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np
from numpy.typing import NDArray

from chetaev.analysis.control.controlled_rates import ControlledRates

Array = NDArray[np.float64]
ITERATIONS = 400


@dataclass(frozen=True)
class ProposedInputs:
    """Inputs that should reach the end, coefficients (inputs, degree + 1); the method, and why; the rows of
    which each input is to remain a combination; and what is to be least, in words.
    """

    coefficients: Array
    method: str
    why: str
    iterations: int
    within: Array | None = None
    aim: str = ""


def points(N: int) -> tuple[Array, Array, Array]:
    """τ_j, the matrix of d/dτ there, and the weights of the quadrature."""
    tau = np.array([-math.cos(math.pi * j / N) for j in range(N + 1)])
    D = np.zeros((N + 1, N + 1))
    c = np.array([2.0 if j in (0, N) else 1.0 for j in range(N + 1)]) * np.array(
        [(-1.0) ** j for j in range(N + 1)]
    )
    for i in range(N + 1):
        for j in range(N + 1):
            if i != j:
                D[i, j] = c[i] / c[j] / (tau[i] - tau[j])
    for i in range(N + 1):
        D[i, i] = -float(np.sum(D[i]))
    moments = np.array([0.0 if k % 2 else 2 / (1 - k * k) for k in range(N + 1)])
    T = np.array([[math.cos(k * math.pi * (1 - j / N)) for j in range(N + 1)] for k in range(N + 1)])
    halves = np.array([0.5 if j in (0, N) else 1.0 for j in range(N + 1)])
    scale = np.array([1.0 / N if k in (0, N) else 2.0 / N for k in range(N + 1)])
    weights = halves * np.sum(T * (scale * moments)[:, None], axis=0)
    return tau, D, weights


def chebyshev(tau: Array, degree: int) -> Array:
    """T_k(τ_j), shape (degree + 1, points)."""
    rows = [np.ones_like(tau), tau]
    for _ in range(2, degree + 1):
        rows.append(2 * tau * rows[-1] - rows[-2])
    return np.array(rows[: degree + 1])


def proposal(
    rates: ControlledRates,
    inputs: int,
    start: Array,
    end: Array,
    fixed: Array,
    times: tuple[float, float],
    N: int,
    guess: int,
    smooth: float = 0.0,
    margin: float = 0.02,
) -> ProposedInputs | None:
    """Minimise the cost from `start` to `end` (where `fixed`); None if IPOPT fails.

    `smooth` times the square of du/dτ is added to the cost. What is not to vanish stays above `margin`
    times its smaller value at the ends.
    """
    tau, D, weights = points(N)
    degree = N // 2
    T = chebyshev(tau, degree)
    span = (times[1] - times[0]) / 2
    moments = times[0] + span * (tau + 1)
    nx = len(rates.states)
    X, C = casadi.MX.sym("X", nx, N + 1), casadi.MX.sym("C", inputs, degree + 1)
    U = C @ T
    X_dot = X @ (D.T / span)
    r = rates.residual.map(N + 1)(moments[None, :], X, X_dot, U)
    cost = span * casadi.dot(rates.cost.map(N + 1)(moments[None, :], X, U), weights[None, :])
    if smooth:
        rate = C @ (T @ D.T)
        cost = cost + smooth * span * casadi.dot(casadi.sum1(rate * rate) / 2, weights[None, :])
    ones = float(rates.cost(times[0], start, np.ones(inputs)))
    cost = cost / ones if np.isfinite(ones) and ones > 0 else cost
    held = [i for i in range(nx) if fixed[i]]
    g = casadi.vertcat(casadi.vec(r), X[:, 0] - start, X[held, N] - end[held])
    low = np.zeros(g.numel())
    high = np.zeros(g.numel())
    kept, sizes, sides = _margins(rates, start, end, fixed, times)
    if kept:
        h = rates.regular.map(N + 1)(moments[None, :], X)[kept, :] * sides[:, None]
        g = casadi.vertcat(g, casadi.vec(h))
        low = np.concatenate([low, np.tile(margin * sizes, N + 1)])
        high = np.concatenate([high, np.full(len(kept) * (N + 1), np.inf)])
    x = casadi.vertcat(casadi.vec(X), casadi.vec(C))
    options: dict[str, Any] = {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.max_iter": ITERATIONS,
        "ipopt.tol": 1e-10, "ipopt.acceptable_tol": 1e-8, "error_on_fail": False,
        "ipopt.linear_solver": "mumps",
    }  # fmt: skip
    first = np.concatenate(
        [_guess(start, end, fixed, tau, guess).T.ravel(), _swing(inputs, degree, guess).T.ravel()]
    )
    scale = max(1.0, float(np.abs(end - start).max(initial=0.0))) / span
    first[nx * (N + 1) :] *= scale
    watch = Watch(x.numel(), g.numel())
    options["iteration_callback"] = watch
    try:
        with watch.listening():
            solver = casadi.nlpsol("steer", "ipopt", {"x": x, "f": cost, "g": g}, options)
            found = solver(x0=first, lbg=low, ubg=high)
    except RuntimeError:  # a function that has no value at the guess
        return None
    stats: Any = solver.stats()
    values = np.array(found["x"].full()).ravel()
    if not np.isfinite(values).all():
        return None
    coefficients = values[nx * (N + 1) :].reshape(degree + 1, inputs).T
    what = "least kinetic energy" if rates.metric else "least square of the inputs"
    if smooth:
        what += f" and, with the weight {smooth:g}, of their rates"
    ended = "a minimum" if stats["success"] else "no minimum, but inputs that lead there"
    why, count = f"{what}; IPOPT found {ended}", int(stats["iter_count"])
    return ProposedInputs(coefficients, "optimal", why, count, aim=what)


def _margins(
    rates: ControlledRates, start: Array, end: Array, fixed: Array, times: tuple[float, float]
) -> tuple[list[int], Array, Array]:
    """Which functions keep the sign that they have at both ends, their smaller sizes there, and the signs."""
    first = np.array(rates.regular(times[0], start).full()).ravel()
    last = np.array(rates.regular(times[1], np.where(fixed, end, start)).full()).ravel()
    kept = [i for i in range(len(first)) if np.isfinite(first[i] * last[i]) and first[i] * last[i] > 0]
    sizes = np.minimum(np.abs(first), np.abs(last))[kept]
    return kept, sizes, np.sign(first[kept])


def _guess(start: Array, end: Array, fixed: Array, tau: Array, number: int) -> Array:
    """States on a line, with a bow that differs from guess to guess."""
    target = np.where(fixed, end, start)
    s = (tau + 1) / 2
    line = start[:, None] + (target - start)[:, None] * s
    size = 0.3 * max(1.0, float(np.abs(target - start).max(initial=0.0))) if number else 0.05
    bows = np.array([[math.sin(math.pi * (1 + (i + number) % 3) * x) for x in s] for i in range(len(start))])
    return np.asarray(line + size * bows * (0.0 if number == 0 else 1.0))


def _swing(inputs: int, degree: int, number: int) -> Array:
    """Inputs that swing, out of phase with each other."""
    made = np.zeros((inputs, degree + 1))
    for a in range(inputs):
        for k in range(min(4, degree) + 1):
            made[a, k] = 0.4 * math.cos(1.3 * a + 0.7 * k + 2.1 * number) / (1 + k)
    return made


class Watch(casadi.Callback):  # type: ignore[misc]  # casadi ships no type information
    """What IPOPT calls after each iteration; 1 tells it to stop."""

    def __init__(self, unknowns: int, conditions: int) -> None:
        casadi.Callback.__init__(self)
        self.sizes = {"x": unknowns, "lam_x": unknowns, "g": conditions, "lam_g": conditions, "f": 1}
        self.stopped = False
        self.construct("watch", {})

    def get_n_in(self) -> int:
        """As many as a solver has results."""
        return int(casadi.nlpsol_n_out())

    def get_n_out(self) -> int:
        """Whether to stop."""
        return 1

    def get_name_in(self, i: int) -> str:
        """Their names."""
        return str(casadi.nlpsol_out(i))

    def get_name_out(self, i: int) -> str:
        """The name of the answer."""
        return "ret"

    def get_sparsity_in(self, i: int) -> Any:
        """Their shapes."""
        size = self.sizes.get(casadi.nlpsol_out(i), 0)
        return casadi.Sparsity.dense(size, 1) if size else casadi.Sparsity(0, 0)

    def eval(self, arguments: Any) -> list[int]:
        """1 after an interrupt."""
        return [int(self.stopped)]

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn interrupts into a flag, and raise KeyboardInterrupt at the end if there was one."""
        ours = threading.current_thread() is threading.main_thread()
        if not ours or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
            yield
            return

        def stop(number: int, frame: Any) -> None:
            self.stopped = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if self.stopped:
            raise KeyboardInterrupt
