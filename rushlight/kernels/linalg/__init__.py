"""Linear algebra on stacks of matrices, by NumPy and LAPACK."""

from ... import late

late.modules(__name__, "ldl", "reference")
