"""Layers that fake-quantize their weights while they train: `torch.ao.nn.qat`.

They are the layers of `torch.nn` with a QConfig: in `forward` the weight is what its quantized
numbers would be. `prepare_qat` puts them in the places of those; `to_float` goes back.
"""

from __future__ import annotations

from . import dynamic, modules
from .modules import Conv1d, Conv2d, Conv3d, Embedding, EmbeddingBag, Linear

__all__ = ["Conv1d", "Conv2d", "Conv3d", "Embedding", "EmbeddingBag", "Linear"]
_PARTS = (dynamic, modules)
