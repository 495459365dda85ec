"""The questions after "how does it move": linearisation, steady motions and their stability.

    linear/    A, B, C, D on the constraint manifold Q, in exact and in compiled numbers; spectra
    steady/    equilibria and relative equilibria, criteria of stability in the parameters

A room imports only those above it.
"""
