"""The number path: from a model's graph to machine code to a motion.

    ingredients ─► dynamics ─► instructions ─► translate ─► machine          programs, tasks: which, and
    cached
      (graphs)      (CasADi)   (straight line)   (LLVM)     (code)           field: accelerations over arrays
                                                                             session, integrate: motions
`kernel` compiles the integrators' loops, which stand in `kernels/` as plain Python. `chart` chooses pivots,
`kinks` takes non-smooth functions apart, `diagnose` says why a motion ended, `sensitivity` carries
derivatives along.
"""
