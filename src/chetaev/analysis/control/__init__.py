"""Control: where inputs can take a system, and inputs that take it there."""
