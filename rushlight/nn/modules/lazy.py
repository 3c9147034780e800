"""LazyModuleMixin: layers that take their input size from the first input they see.

Read next: `LazyLinear` in `linear.py`.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from .._state import _JOURNAL
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Before the first forward, `initialize_parameters` makes the parameters; then the module
    becomes an ordinary `cls_to_become`.

    >>> net = nn.LazyLinear(3)
    >>> net(torch.zeros(2, 5)).shape, net
    (torch.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))
    """

    cls_to_become: type[Any] | None = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in chain(self._parameters.items(), self._buffers.items()):
            if value is not None and name not in self._non_persistent_buffers_set:
                keep = keep_vars or is_lazy(value)
                destination[prefix + name] = value if keep else value.detach()

    def _lazy_load_hook(
        self: Any,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        """A state dict with values tells the shapes."""
        journal = local_metadata.get(_JOURNAL)
        for name, value in chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                if journal is not None:
                    journal.done.append(_unmaterialize(value))
                value.materialize(given.shape)

    def initialize_parameters(self: Any, *args: Any, **kwargs: Any) -> None:
        """Make the parameters for this input; every lazy layer writes its own."""
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {self.__class__.__name__}"
        )

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, chain(self._parameters.values(), self._buffers.values())))

    def _infer_parameters(self: Any, module: Any, args: Any, kwargs: Any = None) -> None:
        """The forward pre-hook: initialise once, then become the ordinary layer."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self: Any) -> Any:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )


def _unmaterialize(value: Any) -> Any:
    kind, data = type(value), value.data

    def undo() -> None:
        value.data = data
        value.__class__ = kind

    return undo
