"""`torch.distributed.utils`: helpers that libraries import from there."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from ..tensor import Tensor
from ..utils._pytree import tree_map
from .buckets import check_same, send_together


def _pack_kwargs(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """All arguments in one tuple, and the names of the last ones.

    >>> _pack_kwargs(1, a=2)
    ((1, 2), ('a',))
    """
    return (*args, *kwargs.values()), tuple(kwargs)


def _unpack_kwargs(
    flat_args: tuple[Any, ...], kwarg_keys: tuple[str, ...]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What `_pack_kwargs` was given.

    >>> _unpack_kwargs((1, 2), ("a",))
    ((1,), {'a': 2})
    """
    if len(kwarg_keys) > len(flat_args):
        raise AssertionError(f"too many keys {len(kwarg_keys)} vs. {len(flat_args)}")
    n = len(flat_args) - len(kwarg_keys)
    return flat_args[:n], dict(zip(kwarg_keys, flat_args[n:], strict=True))


def _cast_forward_inputs(dtype: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """The arguments, floating point tensors among them in another type."""
    if dtype is None:
        return args, kwargs

    def cast(x: Any) -> Any:
        is_float = isinstance(x, Tensor) and x.dtype.is_floating_point
        return x.to(dtype) if is_float and x.dtype is not dtype else x

    return tree_map(cast, args), tree_map(cast, kwargs)


def _replace_by_prefix(state_dict: dict[str, Any], old_prefix: str, new_prefix: str) -> None:
    """Rename the keys that begin so, in place; they go to the end.

    >>> d = {"layer.x": 1}
    >>> _replace_by_prefix(d, "layer.", "module.layer.")
    >>> d
    {'module.layer.x': 1}
    """
    if old_prefix == new_prefix:
        raise ValueError("old_prefix and new_prefix must be distinct")
    for key in [k for k in state_dict if k.startswith(old_prefix)]:
        state_dict[new_prefix + key[len(old_prefix) :]] = state_dict.pop(key)


def _verify_param_shape_across_processes(
    process_group: Any, tensors: Sequence[Tensor], logger: Any = None
) -> None:
    """RuntimeError on all ranks when their parameters differ."""
    check_same(process_group, tensors)


def _sync_module_states(
    module: Any,
    process_group: Any,
    broadcast_bucket_size: int,
    src: int,
    params_and_buffers_to_ignore: Container[str],
    broadcast_buffers: bool = True,
) -> None:
    """Give the parameters (and buffers) of the group's rank `src` to all."""
    named = [*module.named_parameters()]
    if broadcast_buffers:
        named += module.named_buffers()
    found = [t.detach() for n, t in named if n not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, found, broadcast_bucket_size, src)


def _sync_params_and_buffers(
    process_group: Any, module_states: list[Tensor], broadcast_bucket_size: int, src: int
) -> None:
    """Give tensors of the group's rank `src` to all."""
    send_together(process_group, module_states, broadcast_bucket_size, src)
