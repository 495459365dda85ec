"""The constraints of a model in numbers, one below the other, and the states that satisfy them."""
