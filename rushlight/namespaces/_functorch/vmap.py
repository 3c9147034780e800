"""`torch._functorch.vmap`."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.func import vmap as vmap
from rushlight.func.vectorize import restore_vmap as restore_vmap
from rushlight.tensor import Tensor as Tensor
from rushlight.utils._pytree import tree_flatten as tree_flatten
from rushlight.utils._pytree import tree_unflatten as tree_unflatten

__getattr__, __dir__ = unsupported.module(
    __name__,
    "unwrap_batched wrap_batched _create_batched_inputs _unwrap_batched "
    "_process_batched_inputs _add_batch_dim _remove_batch_dim in_dims_t out_dims_t "
    "_broadcast_to_and_flatten _maybe_remove_batch_dim _get_name",
    "the wrappers of PyTorch's vmap",
    "torch.vmap, which is a loop here",
)
