"""Radau IIA of order 5 for stiff systems. (to be filled)"""

from chetaev.flow.kernel import Floats, Function, Ints


def radau_step(rhs: Function, tangent: Function, ints: Ints, reals: Floats, p: Floats, work: Floats) -> int:
    return 1


def radau_dense(ints: Ints, work: Floats) -> None:
    return


def radau_point(d: int, y: Floats, f: Floats, x: float, out: Floats) -> None:
    """The collocation polynomial at the fraction x of the step."""
    for i in range(d):
        out[i] = y[i] + x * (f[i] + x * (f[d + i] + x * f[2 * d + i]))
