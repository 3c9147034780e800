"""`torch.nested`: there are no nested tensors; the names say so."""

from __future__ import annotations

from rushlight import unsupported

__getattr__, __dir__ = unsupported.module(
    __name__,
    "as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged "
    "to_padded_tensor",
    "nested tensors",
    "torch.nn.utils.rnn.pad_sequence and a mask",
)
