"""Functions to adjoin: sines and cosines, exponentials, roots and signs, logarithms, inverse functions."""
