"""Quasi-velocities: given by the user or found, and laws written in them (SCOPE D1, D5, L6)."""
