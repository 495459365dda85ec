"""Models: what a user gives, checked and frozen as a `System`.

    reading/             places for mistakes, nested data, exact numbers, expressions, names, data, units
    model_checks         what a model must satisfy as a whole
    dynamics/            the kinds of dynamics, one file each
    checked_fields       the fields of a System as graphs
    states/              the constraints in numbers, one below the other; points of Q, initial data
    quasi_table          quasi-velocities given by the user
    build_system         from nested data to checked fields; what can be checked in numbers
    system_arguments     arguments of Python in the shape of a model file; others laid over a system's own
    system_display       a system as mathematics and as plain data
    system               `System`
    without_redundancy   a system without its redundant constraints
    gallery/             the models that come with the package, by topic
    file/                model files: reading TOML, loading, writing, the template
    jet_functions        functions on the jets of a system; names that a model does not use itself

Each imports those above it; only `System` imports `file`, below it, when it is written or copied.
"""
