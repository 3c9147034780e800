"""Layer, RMS, batch, group and instance norm: by NumPy and in machine code."""
