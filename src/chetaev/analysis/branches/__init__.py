"""Families of equilibria and steady motions, followed in a parameter."""
