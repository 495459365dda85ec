"""The expression graph: nodes, values, derivatives by the engine, shared parts."""
