"""Linearisation on the constraint manifold."""
