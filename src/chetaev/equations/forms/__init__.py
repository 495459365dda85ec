"""One file a formulation."""
