"""Softmax and its family: softmax, log_softmax, softmin, gumbel_softmax.

The largest element of each row is subtracted before the exponential, so nothing overflows. float16
and bfloat16 are computed in float32, by kernels without an array of that type between. Read
next: `attention.py`, where the same rows are weights.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...errors import axis
from ...kernels.meta import MetaArray
from ...kernels.softmax import select as arrays
from ..core.composite import composite
from ..core.derivative import up
from ..core.record import op
from ..core.samples import arr, case, error
from ..elementwise.arithmetic_public import with_out
from ..elementwise.formulas import exp
from ..reduce.sums import sum as total
from ..shape.convert import cast

SAMPLES = [
    case((3, 4), dim=1),
    case((2, 3, 4), dim=0),
    case(arr((3, 4), 800, 1000), dim=-1),
    case((), dim=0),
]
RANGE = [error(IndexError, "Dimension out of range", (3, 4), dim=2)]


@op(samples=SAMPLES, errors=RANGE, public="", fresh=True, low="inside",
    accepts="floating: softmax_lastdim_kernel_impl")  # fmt: skip
def softmax(input: Any, *, dim: int) -> Any:
    """exp(x) / sum(exp(x)) along a dimension."""
    if input.ndim == 0:
        axis(dim, 0)
        return arrays.softmax(input.reshape(1), 0).reshape(())
    return arrays.softmax(input, dim)


@softmax.vjp
def _(g: Any, y: Any, _x: Any, *, dim: int) -> Any:
    if y.__class__ is np.ndarray:
        if y.ndim == 0:
            return arrays.softmax_grad(g.reshape(1), y.reshape(1), 0).reshape(())
        return arrays.softmax_grad(g, y, dim)
    y = up(y)
    gy = up(g) * y
    return gy - y * total(gy, dim=dim, keepdim=True)


@op(samples=SAMPLES, errors=RANGE, public="", fresh=True, low="inside",
    accepts="floating: log_softmax_lastdim_kernel_impl")  # fmt: skip
def log_softmax(input: Any, *, dim: int) -> Any:
    """x - log(sum(exp(x))) along a dimension."""
    if input.ndim == 0:
        axis(dim, 0)
        return arrays.log_softmax(input.reshape(1), 0).reshape(())
    return arrays.log_softmax(input, dim)


@log_softmax.vjp
def _(g: Any, y: Any, _x: Any, *, dim: int) -> Any:
    if y.__class__ is np.ndarray:
        if y.ndim == 0:
            return arrays.log_softmax_grad(g.reshape(1), y.reshape(1), 0).reshape(())
        return arrays.log_softmax_grad(g, y, dim)
    g = up(g)
    return g - exp(up(y)) * total(g, dim=dim, keepdim=True)


for _record in (softmax, log_softmax):
    _record.planned(
        lambda x, *, dim, name=_record.name: arrays.plan(name, x.dtype, x.shape, x.strides, dim)
    )
    _record.shape(lambda x, dim: (axis(dim, x.ndim), MetaArray(x.shape, x.dtype))[1])

# -- public --------------------------------------------------------------------------------------


def along(record: Any, input: Any, dim: int, dtype: Any) -> Any:
    """Run a record along `dim`, in another type when one is given."""
    if not isinstance(input, TensorBase):
        raise record.not_a_tensor(0, input)
    if dtype is not None:
        input = cast(input, dtype)
    elif not input._a.size and input._a.ndim and input._a.dtype.kind in "iubc":
        axis(dim, input._a.ndim)
        return input.clone()  # nothing to compute, in whatever type
    if dim.__class__ is not int:
        axis(dim, input._a.ndim)
    return record.call((input,), {"dim": dim})


def implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that the first versions of PyTorch took when none was given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=stacklevel + 1,
    )
    return 0 if ndim in (0, 1, 3) else 1


@composite(
    name="softmax",
    public="torch Tensor special",
    entry=softmax,
    samples=[case((3, 4), 1), case((3, 4), 0, dtypes.float32)],
)
def _torch_softmax(input: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
    return with_out("softmax", along(softmax, input, dim, dtype), out)


@composite(
    name="log_softmax",
    public="torch Tensor special",
    entry=log_softmax,
    samples=[case((3, 4), 1), case((3, 4), 0, dtypes.float32)],
)
def _torch_log_softmax(input: Any, dim: int, dtype: Any = None, *, out: Any = None) -> Any:
    """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

    `dtype` converts before; integers need one.

    >>> x = torch.tensor([0.0, 1000.0])
    >>> torch.log_softmax(x, 0)
    tensor([-1000.,     0.])
    """
    return with_out("log_softmax", along(log_softmax, input, dim, dtype), out)


@composite(name="softmax", public="nn.functional", samples=[case((3, 4), 1)])
def _softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> F.softmax(torch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = implicit_dim("softmax", input.dim(), _stacklevel)
    return along(softmax, input, dim, dtype)


@composite(public="nn.functional", samples=[case((3, 4), 1)])
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax(-x) along `dim`: the smallest number gets the largest share.

    >>> F.softmin(torch.tensor([0.0, 1.0]), dim=0)
    tensor([0.7311, 0.2689])
    """
    if dim is None:
        dim = implicit_dim("softmin", input.dim(), _stacklevel)
    return along(softmax, -input, dim, dtype)


@composite(name="log_softmax", public="nn.functional", samples=[case((3, 4), 1)])
def _log_softmax(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Any:
    """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

    Without `dim` one is chosen, with a warning: 0 for 0, 1 or 3 dimensions, else 1.

    >>> F.log_softmax(torch.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """
    if dim is None:
        dim = implicit_dim("log_softmax", input.dim(), _stacklevel)
    return along(log_softmax, input, dim, dtype)


@composite(
    loose="eps",
    shape=lambda logits, *_, **kw: MetaArray(logits.shape, logits._a.dtype),
    public="nn.functional",
    random=True,
    smooth=False,
    samples=[case((3, 4)), case((3, 4), hard=True)],
)
def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the Gumbel-softmax distribution; `hard` makes it one-hot, with the same gradient.

    softmax((logits + n) / tau) along `dim`, where n = -log(e) and e is exponentially distributed.
    Jang et al., 2016, arXiv:1611.01144.

    >>> y = F.gumbel_softmax(torch.zeros(5, 3), hard=True)
    >>> y.sum(-1)
    tensor([1., 1., 1., 1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=3)
    with door.grad_enabled(False):
        noise = -door.wrap(np.empty_like(logits._a, order="C")).exponential_().log()
    soft = along(softmax, (logits + noise) / tau, dim, None)
    if not hard:
        return soft
    a = soft._a
    d = axis(dim, a.ndim)
    if a.ndim and not a.shape[d]:
        raise IndexError(f"max(): Expected reduction dim {d} to have non-zero size.")
    one_hot = np.zeros_like(a)
    if a.ndim:
        np.put_along_axis(one_hot, np.argmax(a, axis=d, keepdims=True), 1, axis=d)
    else:
        one_hot[...] = 1
    return door.wrap(one_hot) - soft.detach() + soft
