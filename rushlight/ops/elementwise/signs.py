"""Signs, magnitudes, and what kind of number an element is: sign, sgn, abs, signbit, isnan, isinf.

Not here: rounding (`rounding.py`), comparisons of two tensors (`compare.py`), the parts and the
phase of complex numbers (`complex.py`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.elementwise.formula import fuse_step
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.numerics import in_place_by
from ..core.record import intrinsic, op
from ..core.samples import arr, case, real
from ..core.shapes import real_of, same
from .arithmetic import A34, nothing, where


def flat(g: Any, _y: Any, _x: Any) -> Any:
    """The gradient of a step function."""
    return nothing(g)


def sign_of(x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN."""
    if x.dtype.kind == "b":
        return x.copy("K")
    y = np.sign(x)
    return np.where(x != x, x.dtype.type(0), y) if x.dtype.kind == "f" else y


sign = intrinsic(
    "sign",
    sign_of,
    flat,
    inplace="method",
    nin=1,
    promote="common",
    accepts=(
        "floating integral bool: Unlike NumPy, torch.sign is not intended to support complex "
        "numbers. Please use torch.sgn instead.",
        NotImplementedError,
    ),
    samples=real(-3, 3),
    exact_out=True,
    doc="""The sign of each element: -1, 0 or 1, of the type of x; 0 for NaN.

    Not for complex numbers: that is `sgn`. The gradient is 0 everywhere.

    >>> torch.sign(torch.tensor([-2.5, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """,
)
isnan = intrinsic(
    "isnan",
    np.isnan,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="""True where an element is NaN. Of a complex number: where either part is.

    >>> torch.isnan(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([False,  True, False])
    """,
)
isinf = intrinsic(
    "isinf",
    np.isinf,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="""True where an element is plus or minus infinity. Of a complex number: where either part
    is.

    >>> torch.isinf(torch.tensor([1.0, float("nan"), -float("inf")]))
    tensor([False, False,  True])
    """,
)
isfinite = intrinsic(
    "isfinite",
    np.isfinite,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="""True where an element is neither infinite nor NaN; True for every integer.

    >>> torch.isfinite(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([ True, False, False])
    >>> torch.isfinite(torch.tensor([1.0, 2.0])).all()
    tensor(True)
    """,
)
signbit = intrinsic(
    "signbit",
    lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0,
    accepts=(
        "floating integral bool: signbit is not implemented for complex tensors.",
        NotImplementedError,
    ),
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="""True where the sign bit is set: for negative numbers and for -0.0.

    Not for complex numbers.

    >>> torch.signbit(torch.tensor([-1.0, -0.0, 0.0, 2.0]))
    tensor([ True,  True, False, False])
    """,
)
isposinf = intrinsic(
    "isposinf",
    lambda x: x == np.inf,
    accepts="floating integral bool: isposinf does not support complex inputs.",
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="""True where an element is +inf. Not for complex numbers.

    >>> torch.isposinf(torch.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False,  True, False])
    """,
)
isneginf = intrinsic(
    "isneginf",
    lambda x: x == -np.inf,
    accepts="floating integral bool: isneginf does not support complex inputs.",
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="""True where an element is -inf. Not for complex numbers.

    >>> torch.isneginf(torch.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False, False,  True])
    """,
)


def of_reals(x: Any) -> dict[str, Any]:
    """The magnitude of a complex number is real, so it is not written in its place."""
    need_tensor("abs_", x)
    if x._a.dtype.kind in "cW":
        raise RuntimeError(
            message("In-place abs is not supported for complex tensors.", hint="x.abs()")
        )
    return {}


_magnitude: Any = fuse_step(np.abs, "abs")


@op(
    operator="abs",
    samples=[case(arr(A34, 0.2, 3)), case(arr(A34, -3, -0.2))],
    inplace=True,
    prepare=of_reals,
    aliases="absolute",
)
def abs(input: Any) -> Any:
    """The magnitude of each element: `y = |x|`; real for complex x.

    The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

    >>> torch.abs(torch.tensor([-1.5, 0.0, 2.0]))
    tensor([1.5000, 0.0000, 2.0000])
    >>> torch.abs(torch.tensor([3.0 + 4.0j]))
    tensor([5.])
    """
    if input.dtype.kind == "b":
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return _magnitude(input)


in_place_by(abs, functools.partial(_magnitude.planned.into, np.abs))
abs.shape(lambda x: MetaArray(x.shape, real_of(x.dtype)))


abs.vjp(lambda g, _y, x: g * sgn(x))


@op(samples=[case(arr(A34, 0.2, 3))], inplace="method", exact_out=True)
def sgn(input: Any) -> Any:
    """The sign of real and of complex numbers: `y = x / |x|`, and 0 for 0.

    >>> torch.sgn(torch.tensor([3.0 + 4.0j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    >>> torch.sgn(torch.tensor([-2.0, 0.0, 5.0]))
    tensor([-1.,  0.,  1.])
    """
    return sign_of(input) if input.dtype.kind in "cW" else sign.fn(input)


sgn.shape(same)


@sgn.vjp
def _(g: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return where(
            x == 0, nothing(g), (g - y * real_part(g.conj() * y)) / abs(where(x == 0, x * 0 + 1, x))
        )
    return nothing(g)


def is_complex(x: Any) -> bool:
    """Of a Tensor, an array, or a variable of a formula, which is real."""
    if isinstance(x, TensorBase):
        return x.is_complex()  # type: ignore[no-any-return]
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "cW"


def real_part(x: Any) -> Any:
    return x.real
