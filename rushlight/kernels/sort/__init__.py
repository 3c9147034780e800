"""Sorting, selecting and counting, by NumPy."""
