"""Convolutions: as three products by NumPy, implicit GEMM, im2col, depthwise and AMX."""

from ... import late

late.modules(__name__, "gradients", "launches", "problem", "reference", "select", "tables")
