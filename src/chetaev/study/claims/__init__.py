"""Published results, stated in a model file under ``[[claims]]`` and judged: the audit of the literature."""
