"""Orthogonal polynomials: Chebyshev's, Hermite's, Laguerre's, Legendre's, by their recurrences.

They have no derivatives, as in PyTorch. Not here: polygamma, which is none (`gamma.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.dense import laid_as
from ..core.record import intrinsic
from ..core.samples import arr, case
from .special import SHAPE


def _recurrence(first: Any, step: Any) -> Any:
    """The forward of a polynomial family: P0 = 1, P1 = first(x), P(k+1) = step(k, x, P(k),
    P(k-1))."""

    def forward(x: Any, n: Any) -> Any:
        operands = x, n
        x, n = np.broadcast_arrays(x, np.asarray(n).astype(np.int64))
        out = np.where(n < 0, x.dtype.type(0), x.dtype.type(1))
        before, current = np.ones_like(x), first(x)
        last = int(n.max()) if n.size else 0
        for k in range(1, last + 1):
            out = np.where(n >= k, current, out)
            if k % 64 == 0 and np.isnan(current).all() and np.isnan(before).all():
                out = np.where(n > k, current, out)  # NaN is all that comes, of any degree
                break
            before, current = current, step(k, x, current, before)
        return laid_as(out.astype(x.dtype, copy=False), *operands)

    return forward


def _family(name: str, first: Any, step: Any, doc: str) -> Any:
    return intrinsic(
        name, _recurrence(first, step), nin=2, other="n", promote="float", public="special",
        accepts=f"floating integral bool: {name}_cpu",
        samples=[case(arr(SHAPE, -1, 1), 3), case(arr(SHAPE, -1, 1), arr(SHAPE, 0, 6, "int64"))],
        doc=doc,
    )  # fmt: skip


def _chebyshev(_k: int, x: Any, p: Any, q: Any) -> Any:
    return 2 * x * p - q


def _shifted(_k: int, x: Any, p: Any, q: Any) -> Any:
    return 2 * (2 * x - 1) * p - q


chebyshev_polynomial_t = _family(
    "chebyshev_polynomial_t",
    lambda x: x + 0,
    _chebyshev,
    """The Chebyshev polynomial of the first kind, T_n(x): `T_0 = 1`, `T_1 = x`,
    `T_(k+1) = 2 * x * T_k - T_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, -0.5]), 3)
    tensor([-1.,  1.])
    """,
)
chebyshev_polynomial_u = _family(
    "chebyshev_polynomial_u",
    lambda x: 2 * x,
    _chebyshev,
    """The Chebyshev polynomial of the second kind, U_n(x): `U_0 = 1`, `U_1 = 2 * x`,
    `U_(k+1) = 2 * x * U_k - U_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.8750])
    """,
)
chebyshev_polynomial_v = _family(
    "chebyshev_polynomial_v",
    lambda x: 2 * x - 1,
    _chebyshev,
    """The Chebyshev polynomial of the third kind, V_n(x): `V_0 = 1`, `V_1 = 2 * x - 1`,
    `V_(k+1) = 2 * x * V_k - V_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  1.6250])
    """,
)
chebyshev_polynomial_w = _family(
    "chebyshev_polynomial_w",
    lambda x: 2 * x + 1,
    _chebyshev,
    """The Chebyshev polynomial of the fourth kind, W_n(x): `W_0 = 1`, `W_1 = 2 * x + 1`,
    `W_(k+1) = 2 * x * W_k - W_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.
    Without a derivative.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5, -0.25]), 3)
    tensor([-1.0000,  0.1250])
    """,
)
shifted_chebyshev_polynomial_t = _family(
    "shifted_chebyshev_polynomial_t",
    lambda x: 2 * x - 1,
    _shifted,
    """The Chebyshev polynomial of the first kind, moved to [0, 1]: `T_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.0000, -0.5000])
    """,
)
shifted_chebyshev_polynomial_u = _family(
    "shifted_chebyshev_polynomial_u",
    lambda x: 4 * x - 2,
    _shifted,
    """The Chebyshev polynomial of the second kind, moved to [0, 1]: `U_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  0.])
    """,
)
shifted_chebyshev_polynomial_v = _family(
    "shifted_chebyshev_polynomial_v",
    lambda x: 4 * x - 3,
    _shifted,
    """The Chebyshev polynomial of the third kind, moved to [0, 1]: `V_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5, 0.25]), 2)
    tensor([-1.,  1.])
    """,
)
shifted_chebyshev_polynomial_w = _family(
    "shifted_chebyshev_polynomial_w",
    lambda x: 4 * x - 1,
    _shifted,
    """The Chebyshev polynomial of the fourth kind, moved to [0, 1]: `W_n(2 * x - 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5, 0.25]), 2)
    tensor([-1., -1.])
    """,
)
hermite_polynomial_h = _family(
    "hermite_polynomial_h",
    lambda x: 2 * x,
    lambda k, x, p, q: 2 * x * p - 2 * k * q,
    """The physicists' Hermite polynomial H_n(x): `H_0 = 1`, `H_1 = 2 * x`,
    `H_(k+1) = 2 * x * H_k - 2 * k * H_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_h(torch.tensor([1.0, 0.5]), 3)
    tensor([-4., -5.])
    """,
)
hermite_polynomial_he = _family(
    "hermite_polynomial_he",
    lambda x: x + 0,
    lambda k, x, p, q: x * p - k * q,
    """The probabilists' Hermite polynomial He_n(x): `He_0 = 1`, `He_1 = x`,
    `He_(k+1) = x * He_k - k * He_(k-1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.hermite_polynomial_he(torch.tensor([1.0, 2.0]), 3)
    tensor([-2.,  2.])
    """,
)
laguerre_polynomial_l = _family(
    "laguerre_polynomial_l",
    lambda x: 1 - x,
    lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
    """The Laguerre polynomial L_n(x): `L_0 = 1`, `L_1 = 1 - x`,
    `L_(k+1) = ((2 * k + 1 - x) * L_k - k * L_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([0.5, 2.0]), 2)
    tensor([ 0.1250, -1.0000])
    """,
)
legendre_polynomial_p = _family(
    "legendre_polynomial_p",
    lambda x: x + 0,
    lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
    """The Legendre polynomial P_n(x): `P_0 = 1`, `P_1 = x`,
    `P_(k+1) = ((2 * k + 1) * x * P_k - k * P_(k-1)) / (k + 1)`.

    n: the degree, an int or a tensor of degrees that broadcasts with input; 0 for negative ones.

    >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, -1.0]), 2)
    tensor([-0.1250,  1.0000])
    """,
)
