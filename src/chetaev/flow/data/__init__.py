"""Motions as labelled data sets, their derivatives, and files."""
