"""Recurrent layers: by NumPy, and their cells in machine code."""

from ... import late

late.modules(__name__, "formulas", "reference", "select")
