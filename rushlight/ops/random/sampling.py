"""Random tensors whose parameters are tensors: bernoulli, normal, poisson, multinomial.

The numbers are PyTorch's for the same seed. Making tensors of a size is in `factories.py`, filling
in place, and the checks shared with it, in `fill.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.observe import look
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.random import distributions as kernels
from ...kernels.random.mersenne_twister import NORMALS, Twister
from ..core.composite import composite
from ..core.publication import write_out
from ..core.samples import arr, case
from .arguments import Plan, few, memory_of, no_more, size_of
from .fill import (
    FLOATS,
    REAL_FLOATS,
    below,
    bernoulli_,
    check,
    check_probabilities,
    check_std,
    drawing,
    fill_normal,
    integer,
    needs,
    normal_numbers,
    number,
    stream,
)


def _from_itself(input: np.ndarray, *, rng: Twister) -> np.ndarray:
    out = np.empty(input.shape, input.dtype)
    return below(out, input, rng, out)


_bernoulli = drawing("bernoulli", _from_itself)


@composite(
    public="torch Tensor",
    factory=True,
    random=True,
    samples=[case(arr((3, 4), 0, 1)), case((3, 4), 0.3)],
)
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Any:
    """1 or 0, each with the probability in `input`; with `p`, of that probability everywhere.

    input: probabilities, floats of any shape; the result has its shape and type. generator: the
    stream to draw from. RuntimeError outside [0, 1].

    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.0, 0.5, 0.5, 1.0]))
    tensor([0., 0., 1., 1.])
    """
    if out is not None and p is None:
        check_probabilities(input)
        return out.resize_(input._a.shape).bernoulli_(input.detach(), generator=generator)
    if p is not None:
        like = door.wrap(memory_of(input._a.shape, input.dtype, input._a.__class__ is MetaArray))
        made = bernoulli_(like, p, generator=generator)
    else:
        check_probabilities(input)
        made = door.apply(_bernoulli, (input,), {"rng": stream(generator, "bernoulli")})
    return made if out is None else write_out("bernoulli", out, made)


def _plain_normal(shape: tuple[int, ...], d: np.dtype, rng: Twister, std: float) -> np.ndarray:
    out = np.empty(shape, d)
    rng.fill(fill_normal, out, 0.0, std, True)
    return out


def _scaled(z: np.ndarray, std: Any, mean: Any) -> np.ndarray:
    """z * std + mean, rounded to z's type after each step; 0-d operands do not widen it."""
    wide = np.dtype(np.float32) if z.dtype in dtypes.LOW_NP else z.dtype

    def step(ufunc: Any, a: np.ndarray, b: Any) -> np.ndarray:
        b = np.asarray(b)
        b = b.astype(wide) if b.ndim == 0 or b.dtype.kind != "f" else b
        return np.asarray(ufunc(a.astype(wide), b)).astype(z.dtype)

    if std is not None:
        z = step(np.multiply, z, std)
    return z if mean is None else step(np.add, z, mean)


def _normal_mean(input: np.ndarray, *, std: float, rng: Twister) -> np.ndarray:
    return _scaled(_plain_normal(input.shape, input.dtype, rng, std), None, input)


def _normal_std(input: np.ndarray, *, mean: float, rng: Twister) -> np.ndarray:
    return _scaled(_plain_normal(input.shape, input.dtype, rng, 1.0), input, mean)


def _normal_both(input: np.ndarray, std: np.ndarray, *, rng: Twister) -> np.ndarray:
    shape = np.broadcast_shapes(input.shape, std.shape)
    return _scaled(_plain_normal(shape, input.dtype, rng, 1.0), std, input)


_normal1 = drawing("normal", _normal_mean, "NormalBackward1")
_normal2 = drawing("normal", _normal_std, "NormalBackward2")
_normal3 = drawing("normal", _normal_both, "NormalBackward3", inputs=2)
_normal3.shape(
    lambda mean, std, **_kw: MetaArray(np.broadcast_shapes(mean.shape, std.shape), mean.dtype)
)


def _check_stds(std: Any) -> None:
    a = door.resolved(std._a)
    look("normal")
    check(a.dtype.kind not in "cW", "normal expects standard deviation to be non-complex")
    check(
        not isinstance(a, np.ndarray) or a.size == 0 or bool(a.min() >= 0),
        "normal expects all elements of std >= 0.0",
        "a negative element",
    )


@composite(
    public="torch",
    factory=True,
    random=True,
    smooth=False,
    samples=[case((3, 4), arr((3, 4), 0.5, 1)), case(0.0, 1.0, size=(2, 3))],
)
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **kw: Any) -> Any:
    """Normal numbers of given means and standard deviations.

    ``normal(mean, std, *, generator=None, out=None)`` with a tensor for one or both of them, or
    ``normal(mean, std, size, *, generator=None, out=None, dtype=None, ...)`` with numbers.

    mean: 0 by default; std: 1. RuntimeError for a negative standard deviation.

    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0]))
    tensor([  1.5410, 100.0000])
    >>> torch.normal(5.0, 0.0, (2, 2))
    tensor([[5., 5.],
            [5., 5.]])
    """
    if mean.__class__ is float and std.__class__ is float and std >= 0 and size.__class__ is tuple:
        made = few(NORMALS, size, kw, (mean, std))
        if made is not None:
            return made
    tensors = isinstance(mean, TensorBase), isinstance(std, TensorBase)
    dims = any(t and x._a.ndim for t, x in zip(tensors, (mean, std), strict=True))
    if size is not None and not dims:  # a tensor without dimensions is a number
        shape = size_of((size,), {}, "normal")
        plan = Plan("normal", kw)
        mean, std = number(mean, "normal", "mean"), number(std, "normal", "std")
        check_std(std)
        needs(plan.dtype, FLOATS, "normal_kernel_cpu")
        array = memory_of(shape, plan.dtype, plan.meta)
        return plan.fill(array, normal_numbers, mean, std, True)
    if size is not None or not any(tensors):
        raise TypeError(
            message(
                "normal() received an invalid combination of arguments",
                f"({type(mean).__name__}, {type(std).__name__}"
                + (")" if size is None else f", {type(size).__name__})"),
                "tensors for mean or std, or two numbers and a size",
            )
        )
    out, generator = kw.pop("out", None), kw.pop("generator", None)
    no_more("normal", kw)
    rng = stream(generator, "normal")
    if tensors[1]:
        _check_stds(std)
    else:
        std = number(std, "normal", "std")
        check_std(std)
    needs(mean if tensors[0] else std, FLOATS, "normal_kernel_cpu")
    if all(tensors):
        made = door.apply(_normal3, (mean, std), {"rng": rng})
    elif tensors[0]:
        made = door.apply(_normal1, (mean,), {"std": std, "rng": rng})
    else:
        made = door.apply(_normal2, (std,), {"mean": number(mean, "normal", "mean"), "rng": rng})
    return made if out is None else write_out("normal", out, made)


def _draw_poisson(input: np.ndarray, *, rng: Twister) -> np.ndarray:
    return rng.draw(kernels.poisson, input.astype(np.float64), rng).astype(input.dtype)


_poisson = drawing("poisson", _draw_poisson)


@composite(public="torch", factory=True, random=True, samples=[case(arr((3, 4), 0.5, 5))])
def poisson(input: Any, generator: Any = None) -> Any:
    """A Poisson number for each rate in `input`, of the same type.

    input: rates, a float tensor of any shape. RuntimeError for a negative rate.

    >>> torch.poisson(torch.tensor([0.0, 0.0]))
    tensor([0., 0.])
    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([1.0, 10.0, 1000.0]))
    tensor([   2.,   15., 1029.])
    """
    needs(input, REAL_FLOATS, "poisson_cpu")
    a = door.resolved(input._a)
    look("poisson")
    check(
        not isinstance(a, np.ndarray) or bool((a >= 0).all()),
        "invalid Poisson rate, expected rate to be non-negative",
    )
    return door.apply(_poisson, (input,), {"rng": stream(generator, "poisson")})


@composite(
    public="torch Tensor",
    factory=True,
    random=True,
    samples=[case(arr((3, 4), 0.5, 1), 2), case(arr((4,), 0.5, 1), 6, True)],
)
def multinomial(
    input: Any,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Any = None,
    out: Any = None,
) -> Any:
    """Indices drawn with the probabilities in each row of `input` (they need not sum to one).

    input (n,) or (rows, n), floating weights; the result (num_samples,) or (rows, num_samples),
    int64.

    num_samples: how many indices a row gets. replacement: whether an index may come twice; False by
    default. RuntimeError for negative, infinite or only zero weights, and for more samples than
    weights without replacement.

    >>> torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 4, replacement=True)
    tensor([1, 1, 1, 1])
    >>> torch.multinomial(torch.tensor([[1.0, 1.0], [0.0, 3.0]]), 1).shape
    torch.Size([2, 1])
    """
    a = door.resolved(input._a)
    n = integer(num_samples, "multinomial", "num_samples")
    check(0 < a.ndim <= 2, "prob_dist must be 1 or 2 dim", f"shape {tuple(a.shape)}")
    check(
        input.dtype in REAL_FLOATS,
        "multinomial only supports floating-point dtypes for input, got: " + type_name(input.dtype),
    )
    check(n > 0, "cannot sample n_sample <= 0 samples", f"num_samples={n}")
    check(
        replacement or n <= a.shape[-1],
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        f"num_samples={n} of {a.shape[-1]}",
        "replacement=True, or fewer samples",
    )
    check(
        a.shape[-1] > 0 or not all(a.shape[:-1]),
        "invalid multinomial distribution (sum of probabilities <= 0)",
        f"no weights: shape {tuple(a.shape)}",
    )
    shape = (*a.shape[:-1], n)
    if a.__class__ is MetaArray:
        made = door.wrap(MetaArray(shape, np.int64))
    else:
        rng = stream(generator, "multinomial")
        kw = {"n": n, "replacement": replacement and n > 1, "shape": shape, "rng": rng}
        made = door.apply(_multinomial, (input if input._fn is None else input.detach(),), kw)
    return made if out is None else write_out("multinomial", out, made)


def _chosen(input: Any, *, n: int, replacement: bool, shape: tuple[int, ...], rng: Any) -> Any:
    return _choose(input, n, replacement, rng).reshape(shape)


_multinomial = drawing("multinomial", _chosen)
_multinomial.shape(lambda a, *, shape, **_kw: MetaArray(shape, np.int64))


def _choose(a: np.ndarray, n: int, replacement: bool, rng: Twister) -> np.ndarray:
    weights = a.astype(np.float32) if a.dtype in dtypes.LOW_NP else a
    if weights.size == 0:
        return np.empty((*a.shape[:-1], n), np.int64)
    sums = weights.sum(-1)
    if replacement:
        check(
            bool((weights >= 0).all()),
            "invalid multinomial distribution (encountering probability entry < 0)",
        )
        check(
            bool(np.isfinite(weights).all()),
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
        )
    else:
        check(
            bool(np.isfinite(weights).all() and (weights >= 0).all()),
            "probability tensor contains either `inf`, `nan` or element < 0",
        )
    check(
        bool((sums > 0).all()),
        "invalid multinomial distribution (sum of probabilities <= 0)",
        wanted="a positive weight in every row",
    )
    if replacement:
        return rng.draw(kernels.multinomial_replaced, np.atleast_2d(weights), rng, n)
    return rng.draw(kernels.multinomial_distinct, a, rng, n)
