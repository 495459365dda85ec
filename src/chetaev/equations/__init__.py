"""Equations of motion: one file a formulation."""
