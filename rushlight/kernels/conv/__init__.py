"""Convolutions: as three products by NumPy, implicit GEMM, im2col, depthwise and AMX."""
