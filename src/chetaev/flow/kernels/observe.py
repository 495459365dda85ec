"""What there is to see at many states, one after the other: accelerations, energy, residuals, multipliers.

The programs for one state are there anyway when a run is observed; making one that works on vectors of states
would take longer than most runs.
"""

from chetaev.flow.kernels.arrays import Floats, Function, Ints

OBSERVED_HUGE = 2


def observe(
    rhs: Function,
    see: Function,
    count: int,
    n: int,
    width: int,
    t: Floats,
    t_step: int,
    states: Floats,
    p: Floats,
    p_step: int,
    p_count: int,
    handed: Floats,
    rates: Floats,
    aux: Floats,
    out: Floats,
    flags: Ints,
) -> int:
    """The field and everything that `see` computes from it at `count` states; returns how far it came.

    Row i of `rates` is (v, a), of `aux` the pivots, of `out` the `width` results of `see`, to which the
    parameters and behind them a are `handed`. It ends at the first angle too large for the fast sines.
    """
    for i in range(count):
        for j in range(p_count):
            handed[j] = p[i * p_step + j]
        time = t[i * t_step]
        state = states[i * 2 * n :]
        rate = rates[i * 2 * n :]
        flags[i] = rhs(time, state, handed, rate, aux[i * (n + 1) :])
        for j in range(n):
            handed[p_count + j] = rate[n + j]
        huge = see(time, state, handed, out[i * width :], aux[i * (n + 1) + n :])
        if flags[i] >= OBSERVED_HUGE or huge >= OBSERVED_HUGE:
            return i
    return count
