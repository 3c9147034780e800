"""Special functions by NumPy: erf, gamma, Bessel functions and their tables."""
