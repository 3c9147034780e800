"""A convolution (or linear layer) and the batch norm after it as one layer, for evaluation."""

from __future__ import annotations

import copy
from typing import Any

import rushlight

from ...tensor import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def _check(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of `conv` that computes bn(conv(x)); both must be in evaluation mode.

    >>> conv, bn = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval()
    >>> nn.utils.fuse_conv_bn_eval(conv, bn)(torch.zeros(1, 1, 3, 3)).shape
    torch.Size([1, 2, 1, 1])
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight,
        fused.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Any,
    conv_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused convolution; missing ones count as 0, or as 1 for `bn_w`.

        weight = conv_w * bn_w / sqrt(bn_rv + bn_eps)     (for each output channel)
        bias = (conv_b - bn_rm) * bn_w / sqrt(bn_rv + bn_eps) + bn_b

    Args:
        conv_w: (out, in, *), with `transpose` (in, out, *).
        conv_b, bn_rm, bn_rv, bn_w, bn_b: (out,); the running mean and variance are needed.

    >>> mean, var = torch.tensor([1.0]), torch.tensor([4.0])
    >>> w, b = nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 2), None, mean, var, 0, None, None)
    >>> w.data, b.data
    (tensor([[[0.5000, 0.5000]]]), tensor([-0.5000]))
    """
    dtype = conv_w.dtype
    bias_dtype = dtype if conv_b is None else conv_b.dtype
    conv_b = rushlight.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = rushlight.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = rushlight.zeros_like(bn_rm) if bn_b is None else bn_b
    inverse = rushlight.rsqrt(bn_rv + bn_eps)
    out_dim = 1 if transpose else 0
    shape = [-1 if d == out_dim else 1 for d in range(conv_w.ndim)]
    weight = (conv_w * (bn_w * inverse).reshape(shape)).to(dtype)
    bias = ((conv_b - bn_rm) * inverse * bn_w + bn_b).to(bias_dtype)
    return _parameters(weight, conv_w.requires_grad, bias, conv_b.requires_grad)


def _parameters(w: Any, w_grad: bool, b: Any, b_grad: bool) -> tuple[Parameter, Parameter]:
    return Parameter(w.detach(), w_grad), Parameter(b.detach(), b_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of `linear` that computes bn(linear(x)); both must be in evaluation mode.

    >>> linear, bn = nn.Linear(3, 2).eval(), nn.BatchNorm1d(2).eval()
    >>> fused = nn.utils.fuse_linear_bn_eval(linear, bn)
    >>> x = torch.randn(4, 3)
    >>> torch.allclose(fused(x), bn(linear(x)), atol=1e-6)
    True
    """
    _check(linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight,
        fused.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any,
    linear_b: Any,
    bn_rm: Any,
    bn_rv: Any,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused linear layer: as `fuse_conv_bn_weights`, of a weight (out, in).

    >>> mean, var = torch.tensor([1.0]), torch.tensor([4.0])
    >>> one, zero = torch.ones(1), torch.zeros(1)
    >>> w, b = nn.utils.fuse_linear_bn_weights(torch.ones(1, 2), None, mean, var, 0, one, zero)
    >>> w.data, b.data
    (tensor([[0.5000, 0.5000]]), tensor([-0.5000]))
    """
    dtype = linear_w.dtype
    bias_dtype = dtype if linear_b is None else linear_b.dtype
    linear_b = rushlight.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * rushlight.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(bias_dtype)
    return _parameters(weight, linear_w.requires_grad, bias, linear_b.requires_grad)
