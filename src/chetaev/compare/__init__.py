"""The formulations, the compiled field and the oracle side by side."""
