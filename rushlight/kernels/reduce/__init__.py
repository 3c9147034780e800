"""Sums, extremes and the like over dimensions: the choice, the machine code, NumPy's sums."""
