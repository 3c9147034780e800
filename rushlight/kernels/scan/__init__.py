"""Running sums, products and extremes: the choice and the machine code."""
