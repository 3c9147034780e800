"""The gamma function's family: its logarithm and derivatives, incomplete gamma functions, zeta.

Derivatives are those of Abramowitz and Stegun. How the values are computed:
`kernels/special/gamma.py`. Not here: erf and the normal distribution (`special.py`).
"""

from __future__ import annotations

import math
from typing import Any

from ...errors import message
from ...kernels.special import gamma
from ..core.arguments import need_tensor
from ..core.composite import composite, store
from ..core.publication import write_out
from ..core.record import Op, intrinsic, op
from ..core.samples import arr, case
from ..core.shapes import same
from .formulas import exp, log
from .special import EVERYWHERE, POSITIVE, SHAPE

lgamma = intrinsic(
    "lgamma", lambda input: gamma.lgamma(input), lambda g, _y, x: g * digamma(x),
    inplace="method",
    nin=1, numpy="steps", samples=[case(POSITIVE), case(arr(SHAPE, -1.9, -1.1))],
    aliases="special.gammaln",
    doc="""The logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

    Infinite at 0, -1, -2 and so on.

    >>> torch.lgamma(torch.tensor([1.0, 4.0, 0.5, -1.0]))
    tensor([0.0000, 1.7918, 0.5724,    inf])
    >>> torch.lgamma(torch.tensor(4.0)).exp()
    tensor(6.)
    """,
)  # fmt: skip
digamma: Op = intrinsic(
    "digamma", lambda input: gamma.digamma(input), lambda g, _y, x: g * _trigamma(x),
    inplace="method",
    nin=1, numpy="steps", samples=[case(POSITIVE), case(arr(SHAPE, -1.9, -1.1))], public=EVERYWHERE,
    aliases="special.psi",
    doc="""The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

    -inf at 0, NaN at -1, -2 and so on.

    >>> torch.digamma(torch.tensor([1.0, 0.5, 0.0]))
    tensor([-0.5772, -1.9635,    -inf])
    """,
)  # fmt: skip


@op(
    samples=[case(POSITIVE, n=1), case(POSITIVE, n=3), case(arr(SHAPE, -1.8, -1.2), n=1)],
    public="",
    promote="float",
    inplace=False,
    fresh=True,
    node="PolygammaBackward0",
)
def polygamma_n(input: Any, *, n: int) -> Any:
    """The n-th derivative of digamma."""
    return gamma.polygamma(n, input)


polygamma_n.shape(same)


polygamma_n.vjp(lambda g, _y, x, *, n: g * polygamma_n(x, n=n + 1))


def _trigamma(x: Any) -> Any:
    """The derivative of digamma."""
    return polygamma_n(x, n=1)


@composite(
    public="torch special",
    samples=[case(1, arr((3, 4), 0.5, 3)), case(2, arr((3, 4), 0.5, 3))],
)
def polygamma(n: int, input: Any, *, out: Any = None) -> Any:
    """The n-th derivative of digamma at the elements of input.

    n: an int, 0 or more: 0 is digamma itself, 1 the trigamma function. RuntimeError for a negative
    one.

    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    if isinstance(n, (bool, float)):
        raise TypeError(
            f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}"
        )
    if n < 0:
        raise RuntimeError(
            message("polygamma(n, x) does not support negative n.", f"n = {n}", "n >= 0")
        )
    need_tensor("special_polygamma", input, 2)
    y = digamma(input) if n == 0 else polygamma_n(input, n=int(n))
    return y if out is None else write_out("special", out, y)


@composite(public="Tensor", name="polygamma", samples=[case(arr((3, 4), 0.5, 3), 1)])
def _polygamma_method(input: Any, n: int) -> Any:
    """The n-th derivative of digamma at the elements: `torch.polygamma(n, x)`.

    >>> torch.tensor([1.0, 0.5]).polygamma(1)
    tensor([1.6449, 4.9348])
    """
    return polygamma(n, input)


@composite(public="Tensor", name="polygamma_", smooth=False, samples=[case(arr((3, 4), 0.5, 3), 1)])
def _polygamma_inplace(input: Any, n: int) -> Any:
    """In-place form of `polygamma`."""
    return store(input, polygamma(n, input), "polygamma_")


@composite(public="torch Tensor", inplace="method", samples=[case(arr((3, 4), 2, 4), 2)])
def mvlgamma(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the p-variate gamma function:
    `y = p * (p - 1) / 4 * log(pi) + sum of lgamma(x - j / 2) for j in 0 ... p - 1`.

    p: the number of dimensions, at least 1. Elements should be above `(p - 1) / 2`. Wishart
    distributions are normalised by it.

    >>> torch.mvlgamma(torch.tensor([2.0, 3.5]), p=2)
    tensor([0.4516, 2.4665])
    """
    need_tensor("mvlgamma", input)
    if p < 1:
        raise RuntimeError(message("mvlgamma: p has to be greater than or equal to 1", f"p = {p}"))
    y = lgamma(input)
    for j in range(1, p):
        y = y + lgamma(input - j / 2)
    y = y + p * (p - 1) / 4 * math.log(math.pi)
    return y if out is None else write_out("special", out, y)


igamma = intrinsic(
    "igamma", lambda input, other: gamma.igamma(input, other),
    None, lambda g, _y, a, x: g * exp(-x + (a - 1) * log(x) - lgamma(a)),
    accepts="floating: igamma_cpu",
    numbers=(),
    nin=2, promote="float", samples=[case(POSITIVE, POSITIVE)], smooth=False,
    aliases="special.gammainc",
    doc="""The regularised lower incomplete gamma function:
    `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
    and x = other.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone; backward with a gradient for input raises.

    >>> torch.igamma(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6321, 0.5940, 0.5768])
    """,
)  # fmt: skip
igammac = intrinsic(
    "igammac", lambda input, other: gamma.igammac(input, other),
    None, lambda g, _y, a, x: -g * exp(-x + (a - 1) * log(x) - lgamma(a)),
    accepts="floating: igammac_cpu",
    numbers=(),
    nin=2, promote="float", samples=[case(POSITIVE, POSITIVE)], smooth=False,
    aliases="special.gammaincc",
    doc="""The regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
    and x = other, exact for large x too.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone.

    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 30.0]))
    tensor([3.6788e-01, 2.9009e-12])
    """,
)  # fmt: skip
zeta: Op = intrinsic(
    "zeta", lambda input, other: gamma.zeta(input, other),
    None, lambda g, _y, s, q: -g * (s * zeta(s + 1, q)),
    nin=2, promote="float", samples=[case(arr(SHAPE, 1.5, 5), POSITIVE)], public="special",
    smooth=False,
    doc="""The Hurwitz zeta function: `y = sum over k >= 0 of (other + k) ** -input`; Riemann's with
    other = 1.

    input, other: tensors whose shapes broadcast, or one of them a number. There is a derivative by
    other alone.

    >>> torch.special.zeta(torch.tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """,
)  # fmt: skip


@composite(public="special", samples=[case(arr((3, 4), 2, 4), 2)])
def multigammaln(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the p-variate gamma function: `torch.mvlgamma`.

    >>> torch.special.multigammaln(torch.tensor([2.0, 3.5]), 2)
    tensor([0.4516, 2.4665])
    """
    return mvlgamma(input, p, out=out)
