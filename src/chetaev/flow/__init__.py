"""The number path: from a model's graph to machine code to a motion.

    kernels/   the integrators' loops, as plain Python
    derive/    ingredients ─► dynamics ─► instructions; `chart` chooses pivots, `kinks` takes functions apart,
                (graphs)      (CasADi)   (straight line)   `lookups` tables of data
    schemes/   the integrators, one file each
    compile/   translate ─► machine; `programs` says which and keeps them; `small_compiler`, `link` and
                (LLVM)      (code)    `loops` are for the loops, `shipped` for those made with the package
    lanes/     the loops of one scheme on vectors, a motion in each lane
    run/       `compiled_field` over arrays of states; `session` and `integrate`: motions; `diagnose`: why
               they end; `sliding`: friction that sticks, `impacts`: stops, `supplied`: forces from Python
    data/      `simulate` and `sensitivity`: labelled data sets; `save`: files

A room imports only those above it.
"""
