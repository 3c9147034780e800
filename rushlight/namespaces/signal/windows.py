"""`torch.signal.windows`: windows of M points, symmetric or (`sym=False`) periodic.

Each is a formula of the points k = 0 ... M - 1 and of n, the steps from end to end: M - 1 of a
symmetric window, M of a periodic one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.autograd.call_errors import too_much
from rushlight.layout import strided
from rushlight.ops.create.from_data import tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def finished(name: str, M: int, sym: bool, formula: Any, made: tuple[Any, Any, Any, bool]) -> Any:
    """The window of a formula of (points, steps), after the checks that all share.

    Args:
        made: dtype, layout, device and requires_grad.
    """
    dtype, layout, device, requires_grad = made
    kind = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if kind not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    try:
        k = np.arange(M, dtype=np.float64)
        if M == 1 and name != "exponential":  # one point is the middle, unless a centre is given
            a = np.ones(1)
        else:
            a = formula(k, float(M - 1 if sym or M == 1 else M)) if M else k
    except MemoryError as error:
        raise too_much(name, error) from None
    return tensor(a, dtype=kind, device=device, requires_grad=requires_grad)  # modes are told


def exponential(
    M: int, *, center: Any = None, tau: float = 1.0, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The exponential window: `w[k] = exp(-|k - center| / tau)`.

    M: how many points; center: the place of its top, the middle by default, to be given only with
    sym=False; tau: how fast it falls, 1 by default; sym: False for a periodic window. ValueError
    where tau is not positive. dtype (float32 or float64), device and requires_grad as of
    `torch.zeros`.

    >>> torch.signal.windows.exponential(5)
    tensor([0.1353, 0.3679, 1.0000, 0.3679, 0.1353])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return finished(
        "exponential", M, sym,
        lambda k, n: np.exp(-np.abs(k - (n / 2 if center is None else center)) / tau),
        (dtype, layout, device, requires_grad),
    )  # fmt: skip


def cosine(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The cosine window, half of a sine wave: `w[k] = sin(pi * (k + 1 / 2) / M)`, with M + 1 in
    place of M for a periodic window.

    M: how many points; sym: True by default. dtype (float32 or float64), device and requires_grad
    as of `torch.zeros`.

    >>> torch.signal.windows.cosine(5)
    tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])
    """
    return finished(
        "cosine", M, sym, lambda k, n: np.sin(np.pi * (k + 0.5) / (n + 1)),
        (dtype, layout, device, requires_grad),
    )  # fmt: skip


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Gaussian window: `w[k] = exp(-((k - n / 2) / std) ** 2 / 2)`.

    M: how many points; std: 1 by default, ValueError where it is not positive; sym: False for a
    periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.gaussian(5)
    tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return finished(
        "gaussian", M, sym, lambda k, n: np.exp(-(((k - n / 2) / (std * np.sqrt(2))) ** 2)),
        (dtype, layout, device, requires_grad),
    )


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Kaiser window: `w[k] = i0(beta * sqrt(1 - (2 * k / n - 1) ** 2)) / i0(beta)`.

    M: how many points; beta: how narrow it is, 12 by default, ValueError where it is negative; sym:
    False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.kaiser(5, beta=4.0)
    tensor([0.0885, 0.6334, 1.0000, 0.6334, 0.0885])
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return finished(
        "kaiser", M, sym,
        lambda k, n: np.i0(beta * np.sqrt(np.maximum(1 - (2 * k / n - 1) ** 2, 0))) / np.i0(beta),
        (dtype, layout, device, requires_grad),
    )  # fmt: skip


def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """A window of weighted cosines:
    `w[k] = sum over i of (-1) ** i * a[i] * cos(2 * pi * i * k / n)`.

    M: how many points; a: the weights; sym: False for a periodic window, with n = M in place of M -
    1.

    >>> torch.signal.windows.general_cosine(5, a=[0.5, 0.5])
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    return cosines(M, weights, sym, (dtype, layout, device, requires_grad))


def cosines(
    M: int, weights: list[float], sym: bool, made: tuple[Any, Any, Any, bool]
) -> Any:
    def formula(k: Any, n: float) -> Any:
        x = 2 * np.pi * k / n
        return sum((-1) ** i * w * np.cos(i * x) for i, w in enumerate(weights))

    return finished("general_cosine", M, sym, formula, made)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """`w[k] = alpha - (1 - alpha) * cos(2 * pi * k / n)`.

    M: how many points; alpha: 0.54 by default, which is the Hamming window; 0.5 is the Hann window;
    sym: False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.general_hamming(5, alpha=0.6)
    tensor([0.2000, 0.6000, 1.0000, 0.6000, 0.2000])
    """
    return cosines(M, [alpha, 1.0 - alpha], sym, (dtype, layout, device, requires_grad))


def hamming(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Hamming window: `w[k] = 0.54 - 0.46 * cos(2 * pi * k / n)`.

    M: how many points; sym: False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return cosines(M, [0.54, 0.46], sym, (dtype, layout, device, requires_grad))


def hann(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Hann window: `w[k] = (1 - cos(2 * pi * k / n)) / 2`.

    M: how many points; sym: False for a periodic window, with n = M in place of M - 1.
    `torch.hann_window` is periodic by default.

    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    >>> torch.signal.windows.hann(4, sym=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return cosines(M, [0.5, 0.5], sym, (dtype, layout, device, requires_grad))


def blackman(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Blackman window: `w[k] = 0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)`.

    M: how many points; sym: False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.blackman(5)[1:4]
    tensor([0.3400, 1.0000, 0.3400])
    """
    return cosines(M, [0.42, 0.5, 0.08], sym, (dtype, layout, device, requires_grad))


def nuttall(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Nuttall's window of four cosines, with the weights 0.3636, 0.4892, 0.1366 and 0.0106.

    M: how many points; sym: False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.nuttall(5)[1:4]
    tensor([0.2270, 1.0000, 0.2270])
    """
    return cosines(
        M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym,
        (dtype, layout, device, requires_grad),
    )  # fmt: skip


def bartlett(
    M: int, *, sym: bool = True,
    dtype: Any = None, layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Any:  # fmt: skip
    """The Bartlett window, a triangle: `w[k] = 1 - |2 * k / n - 1|`.

    M: how many points; sym: False for a periodic window, with n = M in place of M - 1.

    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return finished(
        "bartlett", M, sym, lambda k, n: 1 - np.abs(2 * k / n - 1),
        (dtype, layout, device, requires_grad),
    )  # fmt: skip
