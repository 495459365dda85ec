"""The number path: from a model's graph to machine code to a motion.

    ingredients ─► dynamics ─► instructions ─► translate ─► machine      programs, tasks: which, and cached
      (graphs)      (CasADi)   (straight line)   (LLVM)     (code)       field: accelerations over arrays
                                                                         session, integrate: motions
`kernel` compiles the integrators' loops, which stand in `kernels/` and, for each scheme, in a file of
`schemes/` as plain Python; `link` puts them together, `loops` finds them, and `shipped` those that were made
with the package. `chart` chooses pivots, `kinks` takes non-smooth functions
apart, `observe` looks at a motion, `diagnose` says why it ended, `sensitivity` carries derivatives along.
"""
