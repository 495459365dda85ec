"""The number path: from a model's graph to machine code to a motion.

    kernels/   the integrators' loops, as plain Python, for one motion or for one in each lane of a vector
    derive/    ingredients ─► dynamics ─► program; `chart` chooses pivots, `modes` takes functions apart
                (graphs)      (CasADi)   (straight line)
    schemes/   the integrators
    compile/   model_functions ─► program_text ─► machine; `programs` keeps them; for the loops `loops`,
                (what to derive)     (LLVM)        (code)    `link`, `small_compiler`, `lane_compiler`
    run/       `compiled_field` over arrays of states; `session` and `integrate`: motions; `diagnose`: why
               they end; `sliding`: friction that sticks, `impacts`: stops, `supplied_forces`: from Python
    data/      `simulate` and `sensitivity`: labelled data sets; `save`: files

A room imports only those above it.
"""
