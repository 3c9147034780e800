"""Extremes together with their places: the choice and the machine code."""
