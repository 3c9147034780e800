"""Products of matrices: the choice, and kernels for large, small, narrow ones and AMX."""
