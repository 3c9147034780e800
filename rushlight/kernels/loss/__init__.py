"""Losses over classes: the choice, the machine code, and CTC by NumPy."""
