"""Equilibria, relative equilibria, and criteria of their stability."""
