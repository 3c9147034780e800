"""Functions that make random tensors of a size: rand, randn, randint, randperm, `..._like`.

The numbers are PyTorch's for the same seed. Random tensors whose parameters are tensors are in
`sampling.py`, filling in place, and the checks shared with it, in `fill.py`, what is made of
arguments in `arguments.py`, the numbers themselves in `kernels/random/distributions.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.door import state
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.random import select
from ...kernels.random.mersenne_twister import INTEGERS, NORMALS, PERMUTED, UNIFORMS, Twister
from ..core.composite import composite
from ..core.samples import case
from .arguments import RAND, RANDN, Plan, array_like, bare, drawn, few, few_like, size_of
from .fill import (
    FLOATS,
    NATURAL,
    UNSIGNED,
    base_and_span,
    bounds,
    check,
    digits,
    integer,
    integers_from,
    needs,
    normal_numbers,
    uniform_numbers,
)


@composite(
    public="torch",
    factory=True,
    random=True,
    samples=[case([2, 3]), case(2, 3, dtype=dtypes.float64)],
)
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


@composite(
    public="torch",
    factory=True,
    random=True,
    samples=[case([2, 3]), case(2, 3, dtype=dtypes.float64)],
)
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


@composite(public="torch", factory=True, random=True, samples=[case(5, [2, 3]), case(2, 9, [4])])
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


@composite(public="torch", factory=True, random=True, samples=[case(6)])
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


@composite(public="torch", factory=True, random=True, samples=[case((2, 3))])
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


@composite(public="torch", factory=True, random=True, samples=[case((2, 3))])
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


@composite(public="torch", factory=True, random=True, samples=[case((2, 3), 5)])
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
