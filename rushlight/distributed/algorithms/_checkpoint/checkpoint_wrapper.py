"""Modules whose forward is computed again in the backward, without being changed themselves.

    apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, Block))

The wrapper has the names of the module that it wraps: state dictionaries go to and come from models
with and without it.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ....autograd.graph import save_on_cpu
from ....nn import Module
from ....utils.checkpoint import checkpoint
from ...utils import _pack_kwargs, _replace_by_prefix, _unpack_kwargs

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(enum.Enum):
    """Which form of `utils.checkpoint.checkpoint` is used."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module, ABC):
    """A module around another one, under whose names it stands."""

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("Subclasses should implement forward().")

    def __getattr__(self, name: str) -> Any:
        """Attributes of the module inside."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(_CHECKPOINT_WRAPPED_MODULE), name)

    def __getitem__(self, key: int) -> Any:
        """Indexing, for a Sequential inside."""
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Parameters under the names that they have without the wrapper."""
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), p

    @staticmethod
    def _post_state_dict_hook(
        module: Module, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> dict[str, Any]:
        _replace_by_prefix(state_dict, prefix + _CHECKPOINT_PREFIX, prefix)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(
        module: Module, state_dict: dict[str, Any], prefix: str, *args: Any
    ) -> None:
        _replace_by_prefix(state_dict, prefix, prefix + _CHECKPOINT_PREFIX)


class OffloadWrapper(ActivationWrapper):
    """Keeps activations on the CPU."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """Computes its forward again in the backward; made by `checkpoint_wrapper`."""

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            checkpoint_fn = checkpoint
            checkpoint_fn_kwargs["use_reentrant"] = checkpoint_impl is CheckpointImpl.REENTRANT
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        inside = self._checkpoint_wrapped_module
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(inside, *args, **kwargs)
        flat, names = _pack_kwargs(*args, **kwargs)  # the reentrant form knows no names

        def run(*inputs: Any) -> Any:
            positional, named = _unpack_kwargs(inputs, names)
            return inside(*positional, **named)

        return self.checkpoint_fn(run, *flat)


def offload_wrapper(module: Module) -> Module:
    """A module that keeps its activations on the CPU."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """A module that computes its forward again in the backward, instead of keeping activations.

    Args:
        checkpoint_impl: which form of `utils.checkpoint.checkpoint`.
        checkpoint_fn: another function than that; `checkpoint_impl` does not matter then.
        **checkpoint_fn_kwargs: for either function.

    >>> model = checkpoint_wrapper(nn.Linear(2, 1))
    >>> list(model.state_dict())
    ['weight', 'bias']
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[[Module], Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Any = None,
) -> None:
    """Wrap the modules below `model` that `check_fn` says yes to, in place; children first.

    Args:
        checkpoint_wrapper_fn: what wraps a module.
        auto_wrap_policy: instead of `check_fn`: called with `module`, `recurse` and
            `nonwrapped_numel` (FSDP's policies), or an object with `_run_policy`.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, nn.Linear))
    >>> type(model[0]).__name__
    'CheckpointWrapper'
    """
    if auto_wrap_policy is None or callable(auto_wrap_policy):
        policy = auto_wrap_policy or (lambda module, recurse, **_: recurse or check_fn(module))
        _wrapped(model, policy, checkpoint_wrapper_fn, root=True)
        return
    if not hasattr(auto_wrap_policy, "_run_policy"):
        raise ValueError(
            f"Expected {auto_wrap_policy} to be callable or be a pre-defined wrap policy"
        )
    chosen = auto_wrap_policy._run_policy(model, ignored_modules=set(), root_kwargs={})

    def among(module: Module, recurse: bool, **_: Any) -> bool:
        return recurse or module in chosen

    _wrapped(model, among, checkpoint_wrapper_fn, root=True)


def _wrapped(
    module: Module, policy: Callable[..., bool], wrap: Callable[[Module], Module],
    root: bool = False,
) -> tuple[Module, int]:  # fmt: skip
    """A module, wrapped if the policy says so, and how many numbers below it are in wrappers."""
    count = sum(p.numel() for p in module.parameters())
    if not policy(module=module, recurse=True, nonwrapped_numel=count):
        return module, 0
    inside = 0
    for name, child in list(module.named_children()):
        if isinstance(child, ActivationWrapper):
            continue
        new, n = _wrapped(child, policy, wrap)
        setattr(module, name, new)
        inside += n
    if not root and policy(module=module, recurse=False, nonwrapped_numel=count - inside):
        return wrap(module), count
    return module, inside
