"""A program for one state at many states, one after the other."""

from chetaev.flow.kernels.arrays import Floats, Function, Ints


def each_state(
    program: Function, count: int, t: Floats, t_step: int, states: Floats, width: int, p: Floats, p_step: int,
    out: Floats, out_width: int, aux: Floats, aux_width: int, flags: Ints,
) -> None:  # fmt: skip
    """Call it with one row of every array after the other; of t and p there may be one row for all."""
    for i in range(count):
        state = states[i * width :]
        flags[i] = program(t[i * t_step], state, p[i * p_step :], out[i * out_width :], aux[i * aux_width :])
