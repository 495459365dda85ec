"""Linear connections, metrics, second fundamental forms."""
