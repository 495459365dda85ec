"""The number path: from a model's graph to machine code to a trajectory."""
