"""`torch._C._functorch`: what programs ask of the wrappers of `torch.func`. Here there are none:
`vmap` is a loop and derivatives stand on the tape, so every tensor is itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight import unsupported

HINT = "the functions of torch.func"


def _no(tensor: Any) -> bool:
    """False: no tensor is wrapped."""
    return False


is_batchedtensor = is_functorch_wrapped_tensor = is_gradtrackingtensor = _no
is_functionaltensor = is_legacy_batchedtensor = _no


def get_unwrapped(tensor: Any) -> Any:
    """The tensor."""
    return tensor


def maybe_get_bdim(tensor: Any) -> int:
    """-1: no dimension is a batch's."""
    return -1


def maybe_get_level(tensor: Any) -> int:
    """-1: no level is open."""
    return -1


def dlevel(tensor: Any) -> int:
    """0 for every tensor: none is wrapped."""
    return 0


def maybe_current_level() -> None:
    """None: no level is open."""


_fallback = [True]


def _is_vmap_fallback_enabled() -> bool:
    """What `_set_vmap_fallback_enabled` said. Here every operation is computed slice by slice."""
    return _fallback[0]


def _set_vmap_fallback_enabled(enabled: bool) -> None:
    """Noted, and without effect: `vmap` is a loop."""
    _fallback[0] = enabled


def reshape_dim_into(bdim: int, into: int, x: Any) -> Any:
    """A tensor with dimension `bdim` merged into dimension `into` of the others, in front."""
    into %= x.ndim - 1
    moved = x.movedim(bdim, into)
    return moved.reshape(*moved.shape[:into], -1, *moved.shape[into + 2 :])


def reshape_dim_outof(src: int, size: int, x: Any) -> Any:
    """A tensor with dimension `src` split into (size, rest)."""
    src %= x.ndim
    return x.reshape(*x.shape[:src], size, x.shape[src] // size, *x.shape[src + 1 :])


peek_interpreter_stack = maybe_current_level

_ask, __dir__ = unsupported.module(
    __name__,
    "_add_batch_dim _remove_batch_dim _vmap_decrement_nesting _vmap_increment_nesting "
    "_grad_decrement_nesting _grad_increment_nesting _unwrap_for_grad _wrap_for_grad "
    "get_single_level_autograd_function_allowed set_single_level_autograd_function_allowed "
    "CInterpreter CVmapInterpreterPtr RandomnessType pop_dynamic_layer_stack "
    "current_level is_functorch_enabled unwrap_if_dead",
    "the wrappers of PyTorch's torch.func",
    HINT,
)


def __getattr__(name: str) -> Any:
    if name == "TransformType":
        return import_module("rushlight._higher_order").TransformType
    return _ask(name)
