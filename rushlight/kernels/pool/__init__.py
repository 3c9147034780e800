"""Maximum and average pooling: by NumPy and in machine code."""
