"""Models: what a user gives, checked and frozen as a `System`.

    reading/             places for mistakes, nested data, exact numbers, expressions, names
    model_checks         what a model must satisfy as a whole
    dynamics/            the kinds of dynamics, one file each
    checked_fields       the fields of a System as graphs
    states/              the constraints in numbers, one below the other; points of Q, initial data
    unit_labels          labels of units
    data_tables          tables of data used as functions
    quasi_table          quasi-velocities given by the user
    build_system         from nested data to checked fields; what can be checked in numbers
    system_arguments     arguments of Python in the shape of a model file; others laid over a system's own
    system_display       a system as mathematics and as plain data
    system               `System`
    without_redundancy   a system without its redundant constraints
    topics               the gallery by topic
    gallery/             the models that come with the package
    file/                model files: reading TOML, loading, writing, the template
    fresh_names          names that a model does not use itself
    jet_functions        functions on the jets of a system

Each imports those above it; only `System` imports `file`, below it, when it is written or copied.
"""
