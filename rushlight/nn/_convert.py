"""Converting a whole tree of modules: to another dtype, device or memory format.

Read next: `module.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .. import dtypes
from ..autograd.grad_mode import no_grad
from ..device import device as Device
from ..dtypes import dtype as Dtype
from ..errors import message
from ..tensor import Parameter, Tensor
from . import _conversion
from .parameter import is_lazy

C = TypeVar("C", bound="ConvertMethods")


class ConvertMethods:
    """The methods of Module that replace every parameter and buffer by a converted one."""

    def _apply(self: Any, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        """Replace every parameter, gradient and buffer t by fn(t)."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is None:
                continue
            with no_grad():
                new = fn(param)
            grad = param.grad
            if _conversion.swap[0]:
                new = Parameter(new.detach(), param.requires_grad)
                _conversion.swap_tensors(param, new)
                kept = param
            elif _conversion.overwrite[0]:
                kept = self._parameters[name] = Parameter(new, param.requires_grad)
            elif new.device == param.device:
                if new is not param:
                    param.data = new
                kept = param
            else:
                kept = self._parameters[name] = Parameter(new, param.requires_grad)
            if grad is not None:
                with no_grad():
                    new = fn(grad)
                if new is not grad and _conversion.swap[0]:
                    _conversion.swap_tensors(grad, new.requires_grad_(grad.requires_grad))
                    kept.grad = grad
                elif new.device == grad.device and not _conversion.overwrite[0]:
                    grad.data = new  # the gradient that others may hold
                    kept.grad = grad
                else:
                    kept.grad = new.requires_grad_(grad.requires_grad)
        for name, buf in self._buffers.items():
            if buf is not None:
                self._buffers[name] = fn(buf)
        return self

    def to(self: C, *args: Any, **kwargs: Any) -> C:
        """Convert the floating-point parameters and buffers, in place.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)``, ``to(tensor)``,
        ``to(memory_format=...)``, each with `non_blocking`.

        >>> nn.Linear(2, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design may "
                    "change, and some modules might not work as expected when using complex "
                    "tensors as parameters or buffers.",
                    stacklevel=2,
                )

        def convert(t: Tensor) -> Tensor:
            kind = dtype if t.is_floating_point() or t.is_complex() else None
            extra = {}
            if memory_format is not None and t.ndim in (4, 5):
                extra["memory_format"] = memory_format
            try:
                return t.to(device=device, dtype=kind, non_blocking=non_blocking, **extra)
            except NotImplementedError as e:
                if "Cannot copy out of meta tensor" not in str(e):
                    raise
                said, *hints = str(e).split("\n")
                said += (
                    " Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
                    "when moving module from meta to a different device."
                )
                raise NotImplementedError("\n".join([said, *hints])) from None

        return self._apply(convert)

    def to_empty(self: C, *, device: Any, recurse: bool = True) -> C:
        """Give every parameter and buffer new memory on `device`, with arbitrary values.

        >>> nn.Linear(2, 1, device="meta").to_empty(device="cpu").weight.shape
        torch.Size([1, 2])
        """
        from .. import empty_like

        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def type(self: C, dst_type: Dtype | str) -> C:
        """Convert all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self: C) -> C:
        """Convert the floating-point parameters and buffers to float32.

        >>> nn.Linear(2, 1).double().float().weight.dtype
        torch.float32
        """
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self: C) -> C:
        """Convert the floating-point parameters and buffers to float64.

        >>> nn.Linear(2, 1).double().weight.dtype
        torch.float64
        """
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self: C) -> C:
        """Convert the floating-point parameters and buffers to float16.

        >>> nn.Linear(2, 1).half().weight.dtype
        torch.float16
        """
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self: C) -> C:
        """Convert the floating-point parameters and buffers to bfloat16.

        >>> nn.Linear(2, 1).bfloat16().weight.dtype
        torch.bfloat16
        """
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self: C) -> C:
        """Move everything to the CPU, where it is."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: C, device: int | Device | None = None) -> C:
        """Raises: there is no CUDA here; `cuda.is_available()` is False."""
        return self._apply(lambda t: t.cuda(device))

    def share_memory(self: C) -> C:
        """Move every tensor to shared memory (see `Tensor.share_memory_`), to one block."""
        from ..multiprocessing.sharing import share_tensors

        module: Any = self
        tensors = [t for t in (*module.parameters(), *module.buffers()) if not is_lazy(t)]
        share_tensors(tensors + [t.grad for t in tensors if t.grad is not None])
        return self._apply(lambda t: t.share_memory_())


def _parse_to(
    *args: Any,
    device: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
    copy: bool | None = None,
    memory_format: Any = None,
) -> tuple[Any, Any, bool, Any]:
    """The overloads of `to` as (device, dtype, non_blocking, memory_format)."""
    if copy is not None:
        raise RuntimeError(
            message(
                ".to() does not accept copy argument: a module is converted where it is",
                f"copy={copy!r}",
                hint="copy.deepcopy(module).to(...)",
            )
        )
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
        device, dtype = other.device, other.dtype
    else:
        if rest and (rest[0] is None or isinstance(rest[0], (str, int, Device))):
            device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], (Dtype, type))):
            dtype = rest.pop(0)
    if dtype is not None:
        dtype = dtypes.of(dtype)
    alone = len(args) == 2 and device is not None and dtype is None  # (device, dtype), if two
    if rest and isinstance(rest[0], bool) and not alone:
        non_blocking = rest.pop(0)
    if rest:
        raise TypeError(
            "to() received an invalid combination of arguments - got "
            f"({', '.join(type(a).__name__ for a in args)}), but expected one of: (device, dtype), "
            "(dtype), (tensor), (memory_format=...)"
        )
    if device is not None and not isinstance(device, Device):
        device = Device(device)
    return device, dtype, non_blocking, memory_format
