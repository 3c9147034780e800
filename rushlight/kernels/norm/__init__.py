"""Layer, RMS, batch, group and instance norm: by NumPy and in machine code."""

from ... import late

late.modules(__name__, "batch_norm", "layer_norm", "reference", "select")
