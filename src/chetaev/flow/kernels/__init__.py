"""Loops of the integrators, written for `chetaev.flow.kernel`: they run as Python and as machine code."""
