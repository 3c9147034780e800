"""Rounding: floor, ceil, trunc, frac, round.

All are step functions but for frac, so their gradients are 0. Not here: signs (`signs.py`),
quotients that are rounded (`arithmetic_public.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...dtypes import type_name
from ...kernels import dense
from ...kernels.elementwise.formula import fuse_step
from ..core.record import elementwise, intrinsic, op
from ..core.samples import arr, case, real
from ..core.shapes import same
from .arithmetic import A34
from .signs import flat


def on_floats(ufunc: Any) -> Any:
    return lambda x: ufunc(x) if x.dtype.kind in "fc" else dense.copied(x)


floor = intrinsic(
    "floor",
    on_floats(np.floor),
    flat,
    accepts="floating integral: floor_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    exact_out=True,
    doc="""The largest integer not above x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.floor(torch.tensor([1.7, -1.2, 2.0]))
    tensor([ 1., -2.,  2.])
    """,
)
ceil = intrinsic(
    "ceil",
    on_floats(np.ceil),
    flat,
    accepts="floating integral: ceil_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    exact_out=True,
    doc="""The smallest integer not below x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.ceil(torch.tensor([1.2, -1.7, 2.0]))
    tensor([ 2., -1.,  2.])
    """,
)
trunc = intrinsic(
    "trunc",
    on_floats(np.trunc),
    flat,
    accepts="floating integral: trunc_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    aliases="fix",
    exact_out=True,
    doc="""x without its fraction, rounded towards zero; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.trunc(torch.tensor([1.7, -1.7, 2.0]))
    tensor([ 1., -1.,  2.])
    """,
)


@elementwise(
    accepts="floating: frac_cpu",
    samples=real(0.1, 0.9),
    promote="common",
    derive=False,
    exact_out=True,
)
def frac(input: Any) -> Any:
    """The fraction of each element, with its sign: `y = x - trunc(x)`.

    For floats alone. The derivative is 1.

    >>> torch.frac(torch.tensor([1.5, -1.5, 2.0]))
    tensor([ 0.5000, -0.5000,  0.0000])
    """
    return input - trunc(input)


frac.vjp(lambda g, _y, _x: g)


_to_nearest = fuse_step(np.rint, "round")


@op(accepts="floating integral: round_vml_cpu",
    samples=[case(arr(A34, 0.1, 0.4)), case(arr(A34, 0.11, 0.14), decimals=1)], inplace=True,
    public="torch Tensor special", exact_out=True)  # fmt: skip
def round(input: Any, *, decimals: int | None = None) -> Any:
    """The nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
    neighbour.

    decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
    take no decimals (NotImplementedError). The gradient is 0 everywhere.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, -0.7]))
    tensor([ 0.,  2.,  2., -1.])
    >>> torch.round(torch.tensor([3.14159, 271.828]), decimals=2)
    tensor([  3.1400, 271.8300])
    >>> torch.round(torch.tensor([1234.0]), decimals=-2)
    tensor([1200.])
    """
    if input.dtype.kind in "iub":
        if decimals is not None:
            kind = type_name(dtypes.from_numpy(input.dtype))
            raise NotImplementedError(f"\"round_cpu\" not implemented for '{kind}'")
        return dense.copied(input)
    if not decimals:
        return _to_nearest(input)
    ten = input.dtype.type(10.0 ** max(decimals, -decimals))
    return np.rint(input * ten) / ten if decimals > 0 else np.rint(input / ten) * ten


round.shape(same)


round.vjp(flat)
