"""Reduction: the motion of invariants, and the way back."""
