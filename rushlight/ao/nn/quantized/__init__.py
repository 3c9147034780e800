"""Of the layers with quantized weights what computes in floats: sums and products that an observer
can see. The others raise (decision 0034)."""

from __future__ import annotations

from . import modules
from .modules import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional"]
__getattr__, __dir__ = modules.__getattr__, modules.__dir__
