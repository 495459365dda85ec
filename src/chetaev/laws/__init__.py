"""Conservation laws: what is constant along the motion, why, and how that is known."""
