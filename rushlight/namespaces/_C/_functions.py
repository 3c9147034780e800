"""Nodes that PyTorch's core brings along, `torch._C._functions`."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.function import Function
from rushlight.autograd.node import AccumulateGrad as AccumulateGrad


class DelayedError:
    """`DelayedError(text, n)(*tensors)`: the tensors, whose backward raises."""

    def __init__(self, msg: str, num_inputs: int) -> None:
        self.msg = msg

    def __call__(self, *tensors: Any) -> Any:
        return _Error.apply(self.msg, *tensors)


class _Error(Function):
    @staticmethod
    def forward(ctx: Any, msg: str, *tensors: Any) -> Any:
        ctx.msg = msg
        out = tuple(t.view_as(t) for t in tensors)
        return out[0] if len(out) == 1 else out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.msg)


_Error.__name__ = "Error"


class UndefinedGrad:
    """`UndefinedGrad()(*tensors)`: the tensors, to which no gradient comes back."""

    def __call__(self, *tensors: Any) -> Any:
        return _Undefined.apply(*tensors)


class _Undefined(Function):
    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        out = tuple(t.view_as(t) for t in tensors)
        return out[0] if len(out) == 1 else out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None,) * len(grads)
