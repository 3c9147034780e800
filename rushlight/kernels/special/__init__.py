"""Special functions by NumPy: erf, gamma, Bessel functions and their tables."""

from ... import late

late.modules(__name__, "airy", "bessel", "gamma", "reference", "tables")
