"""What a user gave, read: places for mistakes, nested data, exact numbers, expressions, names."""
