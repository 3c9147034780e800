"""Sorting, selecting and counting, by NumPy."""

from ... import late

late.modules(__name__, "reference")
