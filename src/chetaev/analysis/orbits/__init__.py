"""Lyapunov exponents and sections of motions."""
