"""Bessel functions, modified and spherical ones, and the Airy function.

Derivatives are those of Abramowitz and Stegun. How the values are computed:
`kernels/special/bessel.py`, `airy.py`. Not here: sinc (`special.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.special import airy, bessel
from ..core.record import Op, intrinsic
from ..core.samples import arr, case, real
from .formulas import cos, sgn, sin, where
from .special import EVERYWHERE, SHAPE, no_zero, zero

i0 = intrinsic(
    "i0", lambda input: bessel.i0(input), lambda g, _y, x: g * i1(x),
    nin=1, samples=real(-5, 5), public=EVERYWHERE,
    aliases="special.modified_bessel_i0",
    doc="""The modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.i0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  1.2661, 27.2399])
    """,
)  # fmt: skip
i0e = intrinsic(
    "i0e", lambda input: bessel.i0e(input), lambda g, y, x: g * (i1e(x) - sgn(x) * y),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="""The modified Bessel function of the first kind, order 0, scaled: `y = exp(-|x|) * i0(x)`.

    >>> torch.special.i0e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([1.0000, 0.4658, 0.0178])
    """,
)  # fmt: skip
i1: Op = intrinsic(
    "i1", lambda input: bessel.i1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0(x) - y / no_zero(x)),
    nin=1, samples=[case(arr(SHAPE, 0.2, 5)), case(arr(SHAPE, -5, -0.2))], public="special",
    aliases="special.modified_bessel_i1",
    doc="""The modified Bessel function of the first kind, order 1; the derivative of i0.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, -5.0]))
    tensor([  0.0000,   0.5652, -24.3356])
    """,
)  # fmt: skip
i1e: Op = intrinsic(
    "i1e", lambda input: bessel.i1e(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, i0e(x) - y * (sgn(x) + 1 / no_zero(x))),
    nin=1, samples=[case(arr(SHAPE, 0.2, 12)), case(arr(SHAPE, -12, -0.2))], public="special",
    doc="""The modified Bessel function of the first kind, order 1, scaled: `y = exp(-|x|) * i1(x)`.

    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 500.0]))
    tensor([0.0000, 0.2079, 0.0178])
    """,
)  # fmt: skip
modified_bessel_k0 = intrinsic(
    "modified_bessel_k0", lambda input: bessel.k0(input),
    lambda g, _y, x: -g * modified_bessel_k1(x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 0; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k0(torch.tensor([0.5, 1.0, 0.0]))
    tensor([0.9244, 0.4210,    inf])
    """,
)  # fmt: skip
modified_bessel_k1: Op = intrinsic(
    "modified_bessel_k1", lambda input: bessel.k1(input),
    lambda g, y, x: -g * (modified_bessel_k0(x) + y / x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 1; infinite at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.modified_bessel_k1(torch.tensor([0.5, 1.0, 0.0]))
    tensor([1.6564, 0.6019,    inf])
    """,
)  # fmt: skip
scaled_modified_bessel_k0 = intrinsic(
    "scaled_modified_bessel_k0", lambda input: bessel.k0e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k1(x)),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 0, scaled: `y = exp(x) * k0(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0, 500.0]))
    tensor([1.1445, 0.0560])
    """,
)  # fmt: skip
scaled_modified_bessel_k1: Op = intrinsic(
    "scaled_modified_bessel_k1", lambda input: bessel.k1e(input),
    lambda g, y, x: g * (y - scaled_modified_bessel_k0(x) - y / x),
    nin=1, samples=real(0.3, 5), public="special",
    doc="""The modified Bessel function of the second kind, order 1, scaled: `y = exp(x) * k1(x)`.

    It does not vanish for large x.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0, 500.0]))
    tensor([1.6362, 0.0561])
    """,
)  # fmt: skip
bessel_j0 = intrinsic(
    "bessel_j0", lambda input: bessel.bessel_j0(input), lambda g, _y, x: -g * bessel_j1(x),
    nin=1, samples=real(-12, 12), public="special",
    doc="""The Bessel function of the first kind, order 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  0.7652, -0.1776])
    """,
)  # fmt: skip
bessel_j1: Op = intrinsic(
    "bessel_j1", lambda input: bessel.bessel_j1(input),
    lambda g, y, x: g * where(x == 0, zero(x) + 0.5, bessel_j0(x) - y / no_zero(x)),
    nin=1, samples=real(0.3, 12), public="special",
    doc="""The Bessel function of the first kind, order 1; minus the derivative of bessel_j0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_j1(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.4401, -0.4401])
    """,
)  # fmt: skip
bessel_y0 = intrinsic(
    "bessel_y0", lambda input: bessel.bessel_y0(input), lambda g, _y, x: -g * bessel_y1(x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="""The Bessel function of the second kind, order 0; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y0(torch.tensor([1.0, 5.0, 0.0]))
    tensor([ 0.0883, -0.3085,    -inf])
    """,
)  # fmt: skip
bessel_y1: Op = intrinsic(
    "bessel_y1", lambda input: bessel.bessel_y1(input), lambda g, y, x: g * (bessel_y0(x) - y / x),
    nin=1, samples=real(0.5, 12), public="special",
    doc="""The Bessel function of the second kind, order 1; -inf at 0, NaN below.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.bessel_y1(torch.tensor([1.0, 5.0, 0.0]))
    tensor([-0.7812,  0.1479,    -inf])
    """,
)  # fmt: skip
airy_ai = intrinsic(
    "airy_ai", lambda input: airy.airy_ai(input),
    nin=1, samples=real(-8, 4), public="special",
    doc="""The Airy function Ai, the solution of `y'' = x * y` that falls for large x. It has no
    derivative here, as in PyTorch.

    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0, -2.0]))
    tensor([0.3550, 0.1353, 0.2274])
    """,
)  # fmt: skip


def _spherical(x: Any) -> Any:
    small = np.abs(x) < 1e-4
    safe = np.where(small, x.dtype.type(1), x)
    y = np.where(small, 1 - x * x / 6, np.sin(safe) / safe)
    return np.where(np.isinf(x), x.dtype.type(0), y).astype(x.dtype, copy=False)


spherical_bessel_j0 = intrinsic(
    "spherical_bessel_j0", _spherical,
    lambda g, _y, x: g * where(x == 0, zero(x), (cos(x) - sin(x) / no_zero(x)) / no_zero(x)),
    accepts="floating integral bool: spherical_bessel_j0_cpu",
    nin=1, samples=real(0.3, 6), public="special",
    doc="""The spherical Bessel function of order 0: `y = sin(x) / x`, and 1 at 0.

    It has a derivative here; PyTorch has none for it.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0, torch.pi]))
    tensor([ 1.0000e+00,  8.4147e-01, -2.7828e-08])
    """,
)  # fmt: skip
