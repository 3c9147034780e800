"""Maximum and average pooling: by NumPy and in machine code."""

from ... import late

late.modules(__name__, "reference", "select")
