"""Loops of the integrators, written for `small_compiler`: they run as Python and as machine code."""
