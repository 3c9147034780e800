"""Padding: by NumPy, and margins of zeros in machine code."""

from ... import late

late.modules(__name__, "reference", "select")
