"""Equations of motion: one file a formulation, and `compare`, which shows that they agree."""
