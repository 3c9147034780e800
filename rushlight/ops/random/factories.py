"""Functions that make random tensors: rand, randn, randint, randperm, normal, multinomial, ...

The numbers are PyTorch's for the same seed. Filling a tensor in place, and the checks shared with
that, are in `fill.py`, what is made of arguments in `arguments.py`, the numbers themselves in
`kernels/random/distributions.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.door import state
from ...autograd.node import TensorBase
from ...autograd.observe import look
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.random import distributions as kernels
from ...kernels.random import select
from ...kernels.random.mersenne_twister import INTEGERS, NORMALS, PERMUTED, UNIFORMS, Twister
from ..core.composite import composite
from ..core.publication import write_out
from ..core.samples import arr, case
from .arguments import (
    RAND,
    RANDN,
    Plan,
    array_like,
    bare,
    drawn,
    few,
    few_like,
    memory_of,
    no_more,
    size_of,
)
from .fill import (
    FLOATS,
    NATURAL,
    REAL_FLOATS,
    UNSIGNED,
    base_and_span,
    below,
    bernoulli_,
    bounds,
    check,
    check_probabilities,
    check_std,
    digits,
    drawing,
    fill_normal,
    integer,
    integers_from,
    needs,
    normal_numbers,
    number,
    stream,
    uniform_numbers,
)


@composite(public="torch", random=True, samples=[case([2, 3]), case(2, 3, dtype=dtypes.float64)])
def rand(*size: Any, **kw: Any) -> Any:
    """Numbers drawn evenly from [0, 1).

    size: ints, or one tuple of them. generator: the stream to draw from, the default generator
    otherwise. dtype: a floating or complex type, the default type otherwise; both parts of complex
    numbers are drawn. requires_grad: False by default. With one seed the numbers are PyTorch's.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
    >>> torch.rand(2, 3, dtype=torch.float64).shape
    torch.Size([2, 3])
    """
    if size:
        shape = size[0] if len(size) == 1 and size[0].__class__ is tuple else size
        if (made := few(UNIFORMS, shape, kw)) is not None:
            return made
        if not kw and bare(size):
            return drawn(RAND, select.standard_uniform, size)
    shape = size_of(size, kw, "rand")
    plan = Plan("rand", kw)
    needs(plan.dtype, FLOATS, "check_uniform_bounds")
    return plan.fill(plan.memory(shape), uniform_numbers, 0.0, 1.0)


@composite(public="torch", random=True, samples=[case([2, 3]), case(2, 3, dtype=dtypes.float64)])
def randn(*size: Any, **kw: Any) -> Any:
    """Normal numbers of mean 0 and variance 1.

    size, generator, dtype and requires_grad are those of `rand`. Complex numbers have half of the
    variance in each part. With one seed the numbers are PyTorch's.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(2, 2)
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """
    if size:
        shape = size[0] if len(size) == 1 and size[0].__class__ is tuple else size
        if (made := few(NORMALS, shape, kw, (0.0, 1.0))) is not None:
            return made
        if not kw and bare(size):
            return drawn(RANDN, select.normal, size)
    shape = size_of(size, kw, "randn")
    plan = Plan("randn", kw)
    needs(plan.dtype, FLOATS, "normal_kernel_cpu")
    return plan.fill(plan.memory(shape), normal_numbers, 0.0, 1.0, plan.out is None or None)


@composite(public="torch", random=True, samples=[case(5, [2, 3]), case(2, 9, [4])])
def randint(*args: Any, **kw: Any) -> Any:
    """Whole numbers from low up to, but without, high: ``randint(high, size)`` or ``randint(low,
    high, size)``.

    low: 0 if not given. size: a tuple of ints. dtype: int64 by default. RuntimeError where low is
    not below high, or where the type does not hold them.

    >>> _ = torch.manual_seed(0)
    >>> torch.randint(10, (4,))
    tensor([4, 9, 3, 0])
    >>> torch.randint(3, 5, (2, 2)).shape
    torch.Size([2, 2])
    """
    if 2 <= len(args) <= 3:
        high, shape = args[-2:]
        low = args[0] if len(args) == 3 else 0
        usual = low.__class__ is int and high.__class__ is int and shape.__class__ is tuple
        if usual and (made := few(INTEGERS, shape, kw, (low, high - low))) is not None:
            return made
    values = _named("randint", args, kw, ("low", "high", "size"))
    shape = values["size"]
    if isinstance(shape, int) or not isinstance(shape, (tuple, list)):
        kind = type(shape).__name__
        raise TypeError(message(f"randint(): argument 'size' must be tuple of ints, not {kind}"))
    shape = size_of((shape,), {}, "randint")
    plan = Plan("randint", kw, dtypes.int64)
    base, span = base_and_span(plan.dtype, values["low"], values["high"])
    return plan.fill(plan.memory(shape), integers_from, base, span)


def _named(
    name: str, args: tuple[Any, ...], kw: dict[str, Any], names: tuple[str, ...]
) -> dict[str, Any]:
    """Arguments of which the first, `low`, may be left out."""
    names = names if len(args) + sum(n in kw for n in names) >= len(names) else names[1:]
    free = [n for n in names if n not in kw]
    if len(args) > len(free) or len(free) > len(args):
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                f"{len(args)} positional, keywords {', '.join(sorted(kw)) or 'none'}",
                f"{name}({', '.join(names)}) or with low before",
            )
        )
    values = {n: kw.pop(n) for n in names if n in kw} | dict(zip(free, args, strict=True))
    for n in ("low", "high"):
        values[n] = integer(values.get(n, 0), name, n)
    return values


@composite(public="torch", random=True, samples=[case(6)])
def randperm(n: int, **kw: Any) -> Any:
    """The numbers 0 to n - 1 in random order.

    n: how many; dtype: int64 by default. generator: the stream to draw from, the default generator
    otherwise. RuntimeError where the type does not hold n - 1.

    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(5)
    tensor([4, 0, 1, 3, 2])
    """
    if n.__class__ is int and (made := few(PERMUTED, (n,), kw)) is not None:
        return made
    n = integer(n, "randperm", "n")
    if n < 0:
        raise RuntimeError(message(f"Trying to create tensor with negative dimension {n}: [{n}]"))
    plan = Plan("randperm", kw, dtypes.int64)
    needs(plan.dtype, (*NATURAL[:-1], *UNSIGNED), "randperm")
    if plan.dtype.is_floating_point:
        most = (1 << digits(plan.dtype)) + 1
        check(n <= most, f"n cannot be greater than {most} for {type_name(plan.dtype)} type.")
    else:
        check(
            n - 1 <= bounds(plan.dtype)[1],
            f"value cannot be converted to type {plan.dtype.name}_t without overflow",
            f"n = {n}",
        )
    if plan.meta:
        return plan.finish(MetaArray((n,), plan.dtype.np))
    if state.observers:
        kw = {"rng": plan.rng, "n": n, "dtype": plan.dtype.np}
        order = door.perform(_randperm, (), kw)
    else:
        order = _permutation(rng=plan.rng, n=n, dtype=plan.dtype.np)
    return plan.finish(order)


def _permutation(*, rng: Twister, n: int, dtype: np.dtype) -> np.ndarray:
    order: np.ndarray = rng.draw(select.permutation, n, rng)
    return order.astype(dtype, copy=False)


_randperm = Step("randperm", _permutation, mutates=("rng",))


@composite(public="torch", random=True, samples=[case((2, 3))])
def rand_like(input: Any, **kw: Any) -> Any:
    """`rand` of the shape, type and memory order of `input`: uniform numbers in [0, 1).

    dtype, device, generator and requires_grad as of `rand`; memory_format: `torch.preserve_format`
    by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand_like(torch.zeros(3))
    tensor([0.4963, 0.7682, 0.0885])
    """
    if (made := few_like(UNIFORMS, input, kw)) is not None:
        return made
    plan = Plan("rand_like", kw, input.dtype, input)
    needs(plan.dtype, FLOATS, "check_uniform_bounds")
    return plan.fill(array_like(input, plan), uniform_numbers, 0.0, 1.0)


@composite(public="torch", random=True, samples=[case((2, 3))])
def randn_like(input: Any, **kw: Any) -> Any:
    """`randn` of the shape, type and memory order of `input`: normal numbers of mean 0 and variance
    1.

    dtype, device, generator and requires_grad as of `rand`; memory_format: `torch.preserve_format`
    by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn_like(torch.zeros(3))
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    if (made := few_like(NORMALS, input, kw, (0.0, 1.0))) is not None:
        return made
    plan = Plan("randn_like", kw, input.dtype, input)
    needs(plan.dtype, FLOATS, "normal_kernel_cpu")
    return plan.fill(array_like(input, plan), normal_numbers, 0.0, 1.0, None)


@composite(public="torch", random=True, samples=[case((2, 3), 5)])
def randint_like(input: Any, *args: Any, **kw: Any) -> Any:
    """`randint` of the shape, type and memory order of `input`: whole numbers from low up to, but
    without, high.

    low: 0 if not given; `randint_like(input, high)` or `randint_like(input, low, high)`. dtype:
    that of input by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.randint_like(torch.zeros(4), 10)
    tensor([4., 9., 3., 0.])
    """
    values = _named("randint_like", args, kw, ("low", "high"))
    plan = Plan("randint_like", kw, input.dtype, input)
    base, span = base_and_span(plan.dtype, values["low"], values["high"])
    return plan.fill(array_like(input, plan), integers_from, base, span)


# -------------------------------------------------------------------- from tensors of parameters


def _from_itself(input: np.ndarray, *, rng: Twister) -> np.ndarray:
    out = np.empty(input.shape, input.dtype)
    return below(out, input, rng, out)


_bernoulli = drawing("bernoulli", _from_itself)


@composite(public="torch Tensor", random=True, samples=[case(arr((3, 4), 0, 1)), case((3, 4), 0.3)])
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


@composite(public="torch", random=True, samples=[case(arr((3, 4), 0.5, 5))])
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
