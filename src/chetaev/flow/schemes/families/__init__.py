"""What several schemes share: the loop that solves the equations of a step, and those of each kind."""
