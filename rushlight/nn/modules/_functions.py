"""Functions of modules: the identity that carries full backward hooks (read next: `nn/_hooks.py`),
and batch normalisation over several processes (`batchnorm.py`)."""

from __future__ import annotations

from typing import Any

import rushlight

from ...autograd import Function
from ...autograd.function import once_differentiable


class BackwardHookFunction(Function):
    """Returns its inputs; its backward returns the gradients. Hooks hang on its node."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class SyncBatchNorm(Function):
    """Batch normalisation with the statistics of all ranks' batches.

    With n_r numbers of a channel on rank r, of mean m_r and variance v_r, and N = sum n_r:

        m = sum n_r m_r / N,   v = sum n_r (v_r + (m_r - m)^2) / N,   h = (x - m) / sqrt(v + eps)
        dx = w / sqrt(v + eps) * (g - sum g / N - h * sum(g h) / N)      sums over all ranks

    One collective forwards, one backwards. Gradients of weight and bias are those of this rank.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, eps: float,
        momentum: float, group: Any,
    ) -> Any:  # fmt: skip
        from ...distributed.collectives import all_gather_into_tensor

        dims = [0, *range(2, x.ndim)]
        wide = x.float() if x.dtype.itemsize < 4 else x
        channels = x.shape[1]
        count = x.numel() // channels
        mine = wide.new_zeros(2 * channels + 1)
        if count:
            mine[:channels] = wide.mean(dims)
            mine[channels:-1] = wide.var(dims, correction=0)
            mine[-1] = count
        rows = wide.new_zeros((group.size(), mine.shape[0]))
        all_gather_into_tensor(rows, mine, group)
        counts = rows[:, -1:]
        total = counts.sum()
        means, variances = rows[:, :channels], rows[:, channels:-1]
        mean = (counts * means).sum(0) / total
        var = (counts * (variances + (means - mean) ** 2)).sum(0) / total
        if running_mean is not None:
            unbiased = var * (total / (total - 1))
            running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
            running_var.mul_(1 - momentum).add_(unbiased.to(running_var.dtype), alpha=momentum)
        invstd = (var + eps).rsqrt()
        shape = [1, -1] + [1] * (x.ndim - 2)
        ctx.save_for_backward(x, weight, mean, invstd, total)
        ctx.group, ctx.dims, ctx.shape = group, dims, shape
        scale = invstd if weight is None else invstd * weight
        out = (wide - mean.view(shape)) * scale.view(shape)
        if bias is not None:
            out += bias.view(shape)
        return out.to(x.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        from ...distributed.collectives import all_reduce

        x, weight, mean, invstd, total = ctx.saved_tensors
        shape, dims = ctx.shape, ctx.dims
        normal = (x - mean.view(shape)) * invstd.view(shape)
        own = rushlight.stack([g.sum(dims), (g * normal).sum(dims)]).to(mean.dtype)
        both = own.clone()
        all_reduce(both, group=ctx.group)
        gx = None
        if ctx.needs_input_grad[0]:
            scale = invstd if weight is None else invstd * weight
            g_mean, gh_mean = (both / total).unbind()
            inner = g - g_mean.view(shape) - normal * gh_mean.view(shape)
            gx = (inner * scale.view(shape)).to(x.dtype)
        gw = own[1].to(weight.dtype) if ctx.needs_input_grad[1] else None
        gb = own[0].to(mean.dtype if weight is None else weight.dtype)
        gb = gb if ctx.needs_input_grad[2] else None
        return gx, gw, gb, None, None, None, None, None
