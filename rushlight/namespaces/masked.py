"""`torch.masked`: reductions and normalisations of the elements where a mask is True.

Masked elements are replaced by what does not count: 0 in sums, 1 in products, infinities in
extremes. `MaskedTensor` is not part of Rushlight; its names say so.

Sparse tensors are reduced as the dense ones that they are, and the result has their layout: the
elements of which some counted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight import unsupported
from rushlight.errors import axes

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


# -- what a mask means -----------------------------------------------------------------------------


def _canonical_dim(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions from 0, in order; all of them for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    return tuple(sorted(axes(dim, ndim)))


def _reduction_identity(op_name: str, input: Any, *args: Any) -> Any:
    """What does not count in a reduction, as a tensor; None of those that have no such number."""
    name, dtype = op_name.rsplit(".", 1)[-1], input.dtype
    if name in ("sum", "cumsum", "prod", "cumprod"):
        return input.new_tensor(0 if name.endswith("sum") else 1, dtype=dtype)
    if name in ("mean", "var", "std"):
        return None
    if name == "norm":
        ord = args[0] if args else 2
        return input.new_tensor(math.inf if ord == -math.inf else 0, dtype=dtype)
    if name == "median":
        kind = dtype if dtype.is_floating_point else torch.float32
        return input.new_tensor(math.nan, dtype=kind)
    extremes = {"amax": lowest, "argmax": lowest, "logaddexp": lowest, "logsumexp": lowest,
                "amin": highest, "argmin": highest}  # fmt: skip
    if name not in extremes or dtype is torch.bool:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return input.new_tensor(extremes[name](input), dtype=dtype)


def _input_mask(input: Any, *args: Any, mask: Any = None, **kw: Any) -> Any:
    """The mask of an input in its shape and layout."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
            "input)"
        )
    if mask.shape != input.shape:
        mask = dense(mask).broadcast_to(input.shape)
    if mask.layout is not input.layout:
        mask = dense(mask)
        if input.layout is torch.sparse_coo:
            mask = mask.to_sparse(input.sparse_dim())
        elif input.layout is torch.sparse_csr:
            mask = mask.to_sparse_csr()
    return mask if mask.dtype is torch.bool else mask.to(torch.bool)


def _output_mask(op: Any, input: Any, *args: Any, **kw: Any) -> Any:
    """Where a result of a masked operation comes from elements of which some counted."""
    name = getattr(op, "__name__", "")
    if name in NORMALIZATIONS or name not in REDUCTIONS or not callable(op):
        if name in NORMALIZATIONS:
            return _input_mask(input, *args, **kw)
        raise ValueError(f"_output_mask expected masked operation (got callable {op!r})")
    places = args[1:] if name == "norm" else args  # the first is ord
    keepdim = kw.pop("keepdim", False)
    dim = places[0] if places else kw.pop("dim", None)
    mask = dense(_input_mask(input, *args, **kw))
    if not mask.ndim:
        return mask
    for d in reversed(_canonical_dim(dim, input.ndim)):
        mask = mask.any(d, keepdim=bool(keepdim))
    return mask


def _where(mask: Any, input: Any, fill_value: Any) -> Any:
    """The input where the mask is True, elsewhere another value; of a sparse input the elements
    that the mask has."""
    if input.layout is torch.strided:
        return torch.where(mask, input, fill_value)
    found = (mask.to_sparse_coo() if mask.layout is not torch.sparse_coo else mask).coalesce()
    there = found.values()
    some = there.reshape(len(there), -1).any(1)
    indices, there = found.indices()[:, some], there[some]
    values = dense(input)[tuple(indices)]
    if there.ndim > 1:
        values = torch.where(there, values, fill_value)
    out = torch.sparse_coo_tensor(indices, values, input.shape, is_coalesced=True)
    return out.to_sparse_csr() if input.layout is torch.sparse_csr else out


def dense(t: Any) -> Any:
    """A tensor in the dense layout; anything else as it is."""
    return t.to_dense() if isinstance(t, torch.Tensor) and t.layout is not torch.strided else t


def in_any_layout(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that takes sparse tensors too."""
    name = reduce.__name__

    @functools.wraps(reduce)
    def reduced(input: Any, dim: Any = None, *, mask: Any = None, **kw: Any) -> Any:
        layout = input.layout
        if layout is torch.strided:
            return reduce(input, dim, mask=dense(mask), **kw)
        if layout is not torch.sparse_csr and (layout is not torch.sparse_coo or name == "mean"):
            other = "sparse_csr" if name == "mean" else "sparse_coo or sparse_csr"
            raise ValueError(f"masked {name} expects strided, {other} tensor (got {layout} tensor)")
        if mask is None and name != "sum":
            word = str(layout).removeprefix("torch.")
            raise ValueError(f"masked {name} expects explicit mask for {word} tensor input")
        if layout is torch.sparse_csr and not kw.get("keepdim"):
            raise RuntimeError(
                "reduction operations on CSR tensors with keepdim=False is unsupported"
            )
        whole = dense(input)
        y = reduce(whole, dim, mask=dense(mask), **kw)
        if mask is None:
            kept = y != 0
        else:
            keepdim = kw.get("keepdim", False)
            kept = _output_mask(reduced, whole, dim, keepdim=keepdim, mask=dense(mask))
            if len(_canonical_dim(dim, whole.ndim)) >= whole.ndim:
                kept = y != 0 if layout is torch.sparse_coo else torch.ones_like(kept)
        places = kept.nonzero().T
        out = torch.sparse_coo_tensor(places, y[kept], y.shape, is_coalesced=True)
        return out.to_sparse_csr() if layout is torch.sparse_csr else out

    return reduced


REDUCTIONS = frozenset(
    ("sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "norm", "var", "std",
     "logsumexp")
)  # fmt: skip
NORMALIZATIONS = frozenset(("softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"))

# -- reductions ------------------------------------------------------------------------------------


@in_any_layout
def sum(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
        mask: Any = None) -> Any:  # fmt: skip
    """The sum of the elements where the mask is True, 0 of none.

    input: a tensor; dim: an int or a tuple, None for all; keepdim: these dimensions stay, with size
    1; dtype: the type of the elements first (int64 for integers by default); mask: bools that
    broadcast to the shape of input, None for all elements.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[True, False], [True, True]])
    >>> torch.masked.sum(x, 1, mask=mask)
    tensor([1., 7.])
    """
    x = filled(input, mask, 0, integral(input, dtype))
    return x.sum(dims(input, dim), keepdim=keepdim) if input.ndim else x


@in_any_layout
def prod(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The product of the elements where the mask is True, 1 of none; parameters as of `sum`.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[True, False], [True, True]])
    >>> torch.masked.prod(x, 1, mask=mask)
    tensor([ 1., 12.])
    """
    x = filled(input, mask, 1, integral(input, dtype))
    for d in reversed(_canonical_dim(dim, input.ndim)):
        x = x.prod(d, keepdim=keepdim)
    return x


@in_any_layout
def amax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The largest of the elements where the mask is True, -inf of none; parameters as of `sum`.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[True, False], [True, True]])
    >>> torch.masked.amax(x, 1, mask=mask)
    tensor([1., 4.])
    """
    return filled(input, mask, lowest, dtype).amax(dims(input, dim), keepdim=keepdim)


@in_any_layout
def amin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The smallest of the elements where the mask is True, inf of none; parameters as of `sum`.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[False, True], [True, True]])
    >>> torch.masked.amin(x, 1, mask=mask)
    tensor([2., 3.])
    """
    return filled(input, mask, highest, dtype).amin(dims(input, dim), keepdim=keepdim)


def argmax(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """Where the largest of the elements that count stands; as PyTorch's, in the input's type.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[True, False], [True, True]])
    >>> torch.masked.argmax(x, 1, mask=mask)
    tensor([0., 1.])
    """
    x = filled(input, mask, lowest, dtype)
    return x.argmax(dim, keepdim=bool(keepdim)).to(x.dtype)


def argmin(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """Where the smallest of the elements that count stands; as PyTorch's, in the input's type.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[False, True], [True, True]])
    >>> torch.masked.argmin(x, 1, mask=mask)
    tensor([1., 0.])
    """
    x = filled(input, mask, highest, dtype)
    return x.argmin(dim, keepdim=bool(keepdim)).to(x.dtype)


def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running sums of the elements that count, in the input's type; the others add 0.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0, mask=mask)
    tensor([1., 1., 4.])
    """
    x = filled(input, mask, 0, dtype)
    return x.cumsum(dim, dtype=x.dtype)


def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Running products of the elements that count, in the input's type; the others are taken for 1.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.cumprod(torch.tensor([2.0, 3.0, 4.0]), 0, mask=mask)
    tensor([2., 2., 8.])
    """
    x = filled(input, mask, 1, dtype)
    return x.cumprod(dim, dtype=x.dtype)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Softmax along `dim` of the elements where the mask is True; the others get 0, and a row of
    which none counts is NaN.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.softmax(torch.tensor([0.0, 5.0, 0.0]), 0, mask=mask)
    tensor([0.5000, 0.0000, 0.5000])
    """
    return filled(input, mask, -math.inf, dtype).softmax(dim)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithms of `softmax`: -inf where the mask is False.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.log_softmax(torch.tensor([0.0, 5.0, 0.0]), 0, mask=mask)
    tensor([-0.6931,    -inf, -0.6931])
    """
    return filled(input, mask, -math.inf, dtype).log_softmax(dim)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Softmax of the negative along `dim`, of the elements where the mask is True; the others get
    0.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.softmin(torch.tensor([0.0, 5.0, 1.0]), 0, mask=mask)
    tensor([0.7311, 0.0000, 0.2689])
    """
    return (-filled(input, mask, math.inf, dtype)).softmax(dim)


def count(input: Any, dim: Any, keepdim: bool, mask: Any) -> Any:
    ones = torch.ones_like(input, dtype=torch.int64)
    return sum(ones, dim, keepdim=keepdim, mask=mask)


@in_any_layout
def mean(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The mean of the elements where the mask is True, NaN of none; parameters as of `sum`.

    ValueError for integers without dtype.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> mask = torch.tensor([[True, False], [True, True]])
    >>> torch.masked.mean(x, 1, mask=mask)
    tensor([1.0000, 3.5000])
    """
    x = input if dtype is None else input.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise ValueError(f"masked mean expects a floating or complex dtype, got {x.dtype}")
    return sum(x, dim, keepdim=keepdim, mask=mask) / count(x, dim, keepdim, mask)


def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None,
           mask: Any = None) -> Any:  # fmt: skip
    """The median along `dim` (-1 by default) of the elements where the mask is True, the lower of
    two; NaN of none. For floats.

    >>> mask = torch.tensor([True, True, False, True])
    >>> torch.masked.median(torch.tensor([1.0, 7.0, 100.0, 3.0]), 0, mask=mask)
    tensor(3.)
    """
    x = input if dtype is None else input.to(dtype)
    if not x.is_floating_point():
        raise ValueError(f"input must be floating point, got {x.dtype}")
    if mask is None:
        return x.median(dim, keepdim).values
    found = filled(x, mask, math.nan)
    return found.nanmedian(dim, keepdim).values


def logsumexp(input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
              mask: Any = None) -> Any:  # fmt: skip
    """`log(sum of exp(x))` of the elements where the mask is True, -inf of none; parameters as of
    `sum`.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.logsumexp(torch.tensor([0.0, 5.0, 0.0]), 0, mask=mask)
    tensor(0.6931)
    """
    x = filled(input, mask, lowest, dtype)
    return x.logsumexp(dims(input, dim), keepdim=keepdim).to(x.dtype)


def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None,
              other_mask: Any = None) -> Any:  # fmt: skip
    """`log(exp(input) + exp(other))`; an element that its mask excludes counts as -inf.

    input_mask, other_mask: bools that broadcast to each of the two; None for all elements.

    >>> a, mask = torch.tensor([0.0, 0.0]), torch.tensor([True, False])
    >>> torch.masked.logaddexp(a, a, input_mask=mask)
    tensor([0.6931, 0.0000])
    """
    x = filled(input, input_mask, -math.inf, dtype)
    y = filled(other, other_mask, -math.inf, dtype)
    return torch.logaddexp(x, y)


def norm(input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None,
         mask: Any = None) -> Any:  # fmt: skip
    """The vector norm of the elements where the mask is True.

    ord: 2 by default, as of `torch.linalg.vector_norm`; the others as of `sum`.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.norm(torch.tensor([3.0, 100.0, 4.0]), 2, 0, mask=mask)
    tensor(5.)
    """
    neutral = math.inf if ord == -math.inf else 0.0
    x = filled(input, mask, neutral, dtype)
    return torch.linalg.vector_norm(x, ord, dims(input, dim), bool(keepdim))


def normalize(input: Any, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Any = None,
              mask: Any = None) -> Any:  # fmt: skip
    """The elements that count over their norm along `dim`, or over eps where that is larger; 0 for
    the others.

    ord: of the norm; eps: 1e-12 by default.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.normalize(torch.tensor([3.0, 100.0, 4.0]), 2.0, 0, mask=mask)
    tensor([0.6000, 0.0000, 0.8000])
    """
    denominator = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled(input, mask, 0, dtype) / denominator.clamp_min(eps)


def var(input: Any, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None,
        keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:  # fmt: skip
    """The variance of the elements where the mask is True.

    correction: taken off their number, 1 by default; unbiased: False for 0. dim, keepdim, dtype and
    mask as of `sum`.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.var(torch.tensor([1.0, 100.0, 3.0]), 0, mask=mask)
    tensor(2.)
    """
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
    """The standard deviation of the elements where the mask is True: the root of `var`.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.masked.std(torch.tensor([1.0, 100.0, 3.0]), 0, mask=mask, unbiased=False)
    tensor(1.)
    """
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
