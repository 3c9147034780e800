"""Products of matrices: the choice, and kernels for large, small, narrow ones and AMX."""

from ... import late

late.modules(__name__, "packed", "reference", "select")
