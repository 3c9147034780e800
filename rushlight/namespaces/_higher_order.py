"""Operators that take functions, `torch._ops.HigherOrderOperator`: a name with implementations by
`DispatchKey`, transform or mode.

Here a call reaches the modes of the block, then the derivative's implementation, then the
device's. Those for transforms are kept and not called: `vmap` is a loop over slices and derivatives
stand on the tape, so the ones below serve within transforms as well.
"""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable
from typing import Any

from rushlight.autograd.node import TensorBase
from rushlight.func.trees import leaves
from rushlight.kernels.meta import MetaArray
from rushlight.ops.core import modes

from ._ops import OperatorBase

__all__ = ["DispatchKey", "HigherOrderOperator", "TransformType"]

KEYS = (
    "Undefined CPU CUDA Meta SparseCPU SparseCsrCPU BackendSelect Python Functionalize "
    "ADInplaceOrView Autograd AutogradCPU AutogradCUDA AutogradMeta AutogradOther Autocast "
    "AutocastCPU AutocastCUDA FuncTorchBatched FuncTorchVmapMode FuncTorchGradWrapper "
    "CompositeImplicitAutograd CompositeExplicitAutograd"
)
# Where an implementation can be registered: PyTorch's names.
DispatchKey = enum.Enum("DispatchKey", KEYS, module="torch._C")  # type: ignore[misc]
TransformType = enum.Enum(  # type: ignore[misc]
    "TransformType", "Torch Grad Jvp Functionalize Vmap", module="torch._C._functorch", start=0
)


class HigherOrderOperator(OperatorBase, abc.ABC):
    """An operator of one's own, which may take functions; a subclass defines `__call__`.

    >>> class Twice(HigherOrderOperator):
    ...     def __init__(self):
    ...         super().__init__("twice")
    ...     def __call__(self, fn, x):
    ...         return super().__call__(fn, x)
    >>> twice = Twice()
    >>> @twice.py_impl(DispatchKey.CompositeExplicitAutograd)
    ... def _(fn, x):
    ...     return fn(fn(x))
    >>> twice(torch.sqrt, torch.tensor(16.0))
    tensor(2.)
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name
        self.namespace = "higher_order"
        self.py_kernels: dict[Any, Callable[..., Any]] = {}
        self.passed: set[Any] = set()  # keys that calls fall through

    def py_impl(self, k: Any) -> Callable[..., Any]:
        """Register what is decorated for a key, a transform or a class of modes."""

        def take(fn: Callable[..., Any]) -> Callable[..., Any]:
            if k in self.py_kernels:
                raise RuntimeError(
                    f"Trying to override a python impl for {k} on operator {self.name()}"
                )
            self.py_kernels[k] = fn
            return fn

        return take

    def py_autograd_impl(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`py_impl` for the derivative."""
        return self.py_impl(DispatchKey["Autograd"])(fn)  # type: ignore[no-any-return]

    def py_functionalize_impl(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`py_impl` for PyTorch's functionalization."""
        return self.py_impl(DispatchKey["Functionalize"])(fn)  # type: ignore[no-any-return]

    def fallthrough(self, key: Any) -> None:
        """Have calls pass a key by."""
        self.passed.add(key)

    @abc.abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        stack = modes.dispatch_stack
        if stack:
            mode = stack[-1]
            if type(mode) not in self.py_kernels:
                raise NotImplementedError(
                    f"There was no rule registered for HigherOrderOperator {self._name} and mode "
                    f"{mode}. It can be registered with py_impl({type(mode).__name__})."
                )
            with mode._aside():
                return self.py_kernels[type(mode)](mode, *args, **kwargs)
        tensors = [x for x in leaves((args, kwargs)) if isinstance(x, TensorBase)]
        device = "Meta" if any(x._a.__class__ is MetaArray for x in tensors) else "CPU"
        names = f"Autograd{device} Autograd {device} CompositeExplicitAutograd"
        for name in (*names.split(), "CompositeImplicitAutograd"):
            key = DispatchKey[name]
            if key in self.py_kernels and key not in self.passed:
                return self.py_kernels[key](*args, **kwargs)
        raise NotImplementedError(
            f"could not find kernel for HigherOrderOperator {self._name} at dispatch key "
            f"DispatchKey.Autograd{device}"
        )

    def name(self) -> str:
        """Its name."""
        return self._name

    def __str__(self) -> str:
        return self._name
