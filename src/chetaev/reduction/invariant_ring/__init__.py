"""Polynomial invariants of linear actions: generators, relations, the image of the quotient map."""
