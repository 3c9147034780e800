"""Interpolation and sampling at points, by NumPy."""
