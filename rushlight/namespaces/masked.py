"""`torch.masked`: reductions and normalisations of the elements where a mask is True.

Masked elements are replaced by what does not count: 0 in sums, 1 in products, infinities in
extremes. `MaskedTensor` is not part of Rushlight; its names say so.
"""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight import unsupported

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp",
    "logsumexp", "mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum",
    "var",
]  # fmt: skip


def lowest(t: Any) -> Any:
    if t.is_complex():
        return complex(-math.inf, 0)
    return -math.inf if t.is_floating_point() else torch.iinfo(t.dtype).min


def highest(t: Any) -> Any:
    return math.inf if t.is_floating_point() else torch.iinfo(t.dtype).max


def filled(input: Any, mask: Any, value: Any, dtype: Any = None) -> Any:
    """The input with `value` where the mask is False; `value` may be a function of the input."""
    x = input if dtype is None else input.to(dtype)
    if mask is None:
        return x
    return torch.where(mask, x, value(x) if callable(value) else value).to(x.dtype)


def dims(input: Any, dim: Any) -> tuple[int, ...]:
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def integral(input: Any, dtype: Any) -> Any:
    """The type of a sum of integers."""
    if dtype is None and not (input.is_floating_point() or input.is_complex()):
        return torch.int64
    return dtype


def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
        mask: Any = None) -> Any:  # fmt: skip
    """The sum of the elements that count."""
    x = filled(input, mask, 0, integral(input, dtype))
    return x.sum(dims(input, dim), keepdim=keepdim) if input.ndim else x


def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The product of the elements that count."""
    x = filled(input, mask, 1, integral(input, dtype))
    for d in sorted((d % max(1, input.ndim) for d in dims(input, dim)), reverse=True):
        x = x.prod(d, keepdim=keepdim)
    return x


def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The largest of the elements that count."""
    return filled(input, mask, lowest, dtype).amax(dims(input, dim), keepdim=keepdim)


def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The smallest of the elements that count."""
    return filled(input, mask, highest, dtype).amin(dims(input, dim), keepdim=keepdim)


def argmax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """Where the largest of the elements that count stands; as PyTorch's, in the input's type."""
    x = filled(input, mask, lowest, dtype)
    return x.argmax(dim, keepdim=bool(keepdim)).to(x.dtype)


def argmin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """Where the smallest of the elements that count stands; as PyTorch's, in the input's type."""
    x = filled(input, mask, highest, dtype)
    return x.argmin(dim, keepdim=bool(keepdim)).to(x.dtype)


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running sums of the elements that count, in the input's type."""
    x = filled(input, mask, 0, dtype)
    return x.cumsum(dim, dtype=x.dtype)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running products of the elements that count, in the input's type."""
    x = filled(input, mask, 1, dtype)
    return x.cumprod(dim, dtype=x.dtype)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Softmax of the elements that count; the others get 0, all of them NaN."""
    return filled(input, mask, -math.inf, dtype).softmax(dim)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Logarithms of `softmax`."""
    return filled(input, mask, -math.inf, dtype).log_softmax(dim)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Softmax of the negative."""
    return (-filled(input, mask, math.inf, dtype)).softmax(dim)


def count(input: Any, dim: Any, keepdim: bool, mask: Any) -> Any:
    ones = torch.ones_like(input, dtype=torch.int64)
    return sum(ones, dim, keepdim=keepdim, mask=mask)


def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The mean of the elements that count; NaN of none."""
    x = input if dtype is None else input.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise ValueError(f"masked mean expects a floating or complex dtype, got {x.dtype}")
    return sum(x, dim, keepdim=keepdim, mask=mask) / count(x, dim, keepdim, mask)


def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """The median of the elements that count; NaN of none."""
    x = input if dtype is None else input.to(dtype)
    if not x.is_floating_point():
        raise ValueError(f"input must be floating point, got {x.dtype}")
    if mask is None:
        return x.median(dim, keepdim).values
    found = filled(x, mask, math.nan)
    return found.nanmedian(dim, keepdim).values


def logsumexp(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
              mask: Any = None) -> Any:  # fmt: skip
    """The logarithm of the sum of exponentials of the elements that count."""
    x = filled(input, mask, lowest, dtype)
    return x.logsumexp(dims(input, dim), keepdim=keepdim).to(x.dtype)


def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None,
              other_mask: Any = None) -> Any:  # fmt: skip
    """log(exp(a) + exp(b)) of the elements that count."""
    x = filled(input, input_mask, -math.inf, dtype)
    y = filled(other, other_mask, -math.inf, dtype)
    return torch.logaddexp(x, y)


def norm(input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The vector norm of the elements that count."""
    neutral = math.inf if ord == -math.inf else 0.0
    x = filled(input, mask, neutral, dtype)
    return torch.linalg.vector_norm(x, ord, dims(input, dim), bool(keepdim))


def normalize(input: Any, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Any = None,
              mask: Any = None) -> Any:  # fmt: skip
    """The elements that count over their norm, or over `eps` where that is larger."""
    denominator = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled(input, mask, 0, dtype) / denominator.clamp_min(eps)


def var(input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None,
        keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:  # fmt: skip
    """The variance of the elements that count."""
    x = input if dtype is None else input.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(torch.get_default_dtype())
    off = (1 if unbiased in (None, True) else 0) if correction is None else correction
    n = count(x, dim, True, mask)
    middle = sum(x, dim, keepdim=True, mask=mask) / n
    apart = filled((x - middle).abs() ** 2, mask, 0)
    total = apart.sum(dims(input, dim), keepdim=keepdim)
    n = n if keepdim else n.reshape(total.shape)
    return (total / (n.to(total.dtype) - off).clamp_min(0)).to(x.dtype)


def std(input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None,
        keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:  # fmt: skip
    """The standard deviation of the elements that count."""
    return var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    ).sqrt()


__getattr__, _names = unsupported.module(
    __name__,
    "MaskedTensor as_masked_tensor is_masked_tensor masked_tensor",
    "tensors that carry a mask",
    "the mask beside the tensor, and the reductions of torch.masked with mask=",
)


def __dir__() -> list[str]:
    return sorted({*__all__, *_names()})
