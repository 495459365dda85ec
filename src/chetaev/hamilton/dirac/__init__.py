"""Dirac's algorithm, to its end (SCOPE B7): see :mod:`chetaev.hamilton.dirac.algorithm`."""
