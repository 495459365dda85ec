"""Invariant measures: a density that the motion preserves, or what forbids one."""
