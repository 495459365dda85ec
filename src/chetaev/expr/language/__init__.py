"""The language that users write: grammar, parser and its explanations, names in scope, SymPy."""
