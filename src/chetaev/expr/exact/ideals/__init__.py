"""Functions where others vanish: modulo the ideal of a submanifold, and with generators eliminated."""
