"""Recurrent layers: by NumPy, and their cells in machine code."""
