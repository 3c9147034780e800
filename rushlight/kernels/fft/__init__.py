"""Fourier transforms: the choice, NumPy's way and the machine code."""

from ... import late

late.modules(__name__, "reference", "select")
