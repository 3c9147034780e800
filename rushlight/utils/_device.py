"""Where PyTorch keeps which functions make tensors on a device: a mode that gives every new tensor
a device or a type of its own (lit-llama's `EmptyInitOnDevice`) asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

NAMES = [
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty",
    "empty_permuted", "empty_quantized", "empty_strided", "eye", "fft.fftfreq", "fft.rfftfreq",
    "full", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace",
    "nested.nested_tensor", "ones", "rand", "randint", "randn", "randperm", "range",
    "scalar_tensor", "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor",
    "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor", "tensor", "tril_indices",
    "triu_indices", "zeros",
]


@cache
def _device_constructors() -> set[Callable[..., Any]]:
    """The functions that make a tensor and take `device=`; those that are here, of PyTorch's."""
    torch = sys.modules[__name__.partition(".")[0]]
    found = set()
    for name in NAMES:
        try:
            found.add(attrgetter(name)(torch))
        except AttributeError:
            continue
    return found
