"""The questions after "how does it move": linearisation, steady motions, stability, chaos, control.

    linear/    A, B, C, D on the constraint manifold Q, in exact and in compiled numbers; spectra
    steady/    equilibria and relative equilibria, and their stability
    branches/  families of them over a parameter, bifurcations, stability maps
    orbits/    Lyapunov exponents, sections
    control/   accessibility, controllability, steering

A room imports only those above it.
"""
