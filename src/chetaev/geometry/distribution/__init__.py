"""Distributions, frames and flags; dynamical forms and the distributions that they define."""
