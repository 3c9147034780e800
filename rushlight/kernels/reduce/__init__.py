"""Sums, extremes and the like over dimensions: the choice, the machine code, NumPy's sums."""

from ... import late

late.modules(__name__, "segments")
