"""Padding: by NumPy, and margins of zeros in machine code."""
