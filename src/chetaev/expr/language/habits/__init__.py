"""What people write elsewhere, one file a habit: derivatives, LaTeX, functions, units, signs."""
