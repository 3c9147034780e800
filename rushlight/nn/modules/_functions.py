"""The identity function that carries full backward hooks. Read next: `nn/_hooks.py`."""

from __future__ import annotations

from typing import Any

from ...autograd import Function


class BackwardHookFunction(Function):
    """Returns its inputs; its backward returns the gradients. Hooks hang on its node."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads
