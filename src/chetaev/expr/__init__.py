"""The expression language, from text to an exact answer.

    graph/     the expression graph: nodes, values, derivatives by the engine, names for shared parts
    print/     graph ─► layout tree ─► text, LaTeX, MathML, broken lines
    language/  text ─► graph: grammar, parser, explanations, names in scope; SymPy's expressions
    exact/     fields of functions in normal form, and the test whether a function is zero

A room imports only those above it; a graph imports `print/` when it is printed, and
`language/` when it is written as an expression of SymPy.
"""
