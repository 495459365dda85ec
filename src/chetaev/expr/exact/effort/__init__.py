"""What an exact computation may cost and what it did cost: budgets, prices, remembered results."""
