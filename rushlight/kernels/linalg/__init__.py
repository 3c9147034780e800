"""Linear algebra on stacks of matrices, by NumPy and LAPACK."""
