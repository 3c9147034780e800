"""Random numbers, PyTorch's to the last bit: the generator and the distributions."""

from ... import late

late.modules(__name__, "box_muller", "distributions", "gamma_derivative", "rejection", "select")
