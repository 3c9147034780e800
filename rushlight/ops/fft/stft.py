"""Windows and short-time Fourier transforms: hann_window and its family, stft, istft.

The transforms themselves are in `transforms.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.door import wrap
from ...device import refuse_pinned
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.special import bessel
from ..core.composite import composite
from ..core.samples import case, cplx
from ..elementwise.complex import view_as_real
from ..nn.pad import pad
from ..shape.views import cat, unfold_backward
from .frequencies import made
from .transforms import fit
from .transforms_public import fft, ifft, irfft, rfft

# -- windows ---------------------------------------------------------------------------------------


def _of_floats(name: str, dtype: Any, layout: Any) -> None:
    """Raise unless a window of this type and layout can be."""
    kind = None if dtype is None else dtypes.of(dtype)
    if kind is not None and kind.is_complex:
        raise NotImplementedError(
            message(f"{name}: not implemented for {kind!r}", wanted="a floating point dtype")
        )
    if kind is not None and not kind.is_floating_point:
        raise RuntimeError(
            message(f"{name} expects floating point dtypes, got: {kind!r}", hint="torch.float32")
        )
    if layout is not None and repr(layout) != "torch.strided":
        raise RuntimeError(f"{name} is not implemented for sparse types, got: {layout!r}")


def _window(name: str, n: int, periodic: bool, formula: Any) -> Any:
    if n < 0:
        raise RuntimeError(f"window_length must be non-negative, got window_length={n}")
    if n <= 1:
        return np.ones(n)
    size = n + 1 if periodic else n
    return formula(np.arange(n), size - 1)


def _factory(name: str, formula: Any, doc: str) -> None:
    def window(
        window_length: int,
        periodic: bool = True,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
    ) -> Any:
        if pin_memory:
            refuse_pinned(name, pin_memory, device)
        _of_floats(name, dtype, layout)
        a = _window(name, window_length, periodic, formula)
        return made(a, dtype, requires_grad, None, device)

    window.__name__ = window.__qualname__ = name
    window.__doc__ = doc
    composite(window, public="torch", name=name, samples=[case(6), case(5, False)])


_factory(
    "hann_window",
    lambda k, n: 0.5 - 0.5 * np.cos(2 * np.pi * k / n),
    """The Hann window: `w[k] = (1 - cos(2 * pi * k / n)) / 2`.

    window_length: how many values; periodic: True, the default, takes n = window_length, so that
    copies go together, as `stft` wants; False takes window_length - 1, and the window is symmetric.
    dtype: a float type.

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    >>> torch.hann_window(5, periodic=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """,
)
_factory(
    "blackman_window",
    lambda k, n: 0.42 - 0.5 * np.cos(2 * np.pi * k / n) + 0.08 * np.cos(4 * np.pi * k / n),
    """The Blackman window: `w[k] = 0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. dtype: a float type.

    >>> torch.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400])
    """,
)
_factory(
    "bartlett_window", lambda k, n: 1 - np.abs(2 * k / n - 1),
    """The Bartlett window, a triangle: `w[k] = 1 - |2 * k / n - 1|`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. dtype: a float type.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
)


@composite(public="torch", samples=[case(6), case(5, False)])
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The Hamming window: `w[k] = alpha - beta * cos(2 * pi * k / n)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. alpha: 0.54 by default; beta: 0.46. dtype:
    a float type.

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    if pin_memory:
        refuse_pinned("hamming_window", pin_memory, device)
    _of_floats("hamming_window", dtype, layout)
    a = _window(
        "hamming_window",
        window_length,
        periodic,
        lambda k, n: alpha - beta * np.cos(2 * np.pi * k / n),
    )
    return made(a, dtype, requires_grad, None, device)


@composite(public="torch", samples=[case(6), case(5, False, 8.0)])
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The Kaiser window: `w[k] = i0(beta * sqrt(1 - (2 * k / n - 1) ** 2)) / i0(beta)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. beta: how narrow it is, 12 by default.
    dtype: a float type.

    >>> torch.kaiser_window(4, True, 5.0)
    tensor([0.0367, 0.5529, 1.0000, 0.5529])
    """
    if isinstance(periodic, float):
        raise TypeError(
            message(
                "kaiser_window() received an invalid combination of arguments",
                got=f"periodic={periodic}",
                hint=f"kaiser_window({window_length}, True, {periodic})",
            )
        )
    if pin_memory:
        refuse_pinned("kaiser_window", pin_memory, device)
    _of_floats("kaiser_window", dtype, layout)

    def formula(k: Any, n: int) -> Any:
        inside = np.sqrt(np.maximum(1 - (2 * k / n - 1) ** 2, 0))
        return bessel.i0(beta * inside) / bessel.i0(np.asarray(float(beta)))

    a = _window("kaiser_window", window_length, periodic, formula)
    return made(a, dtype, requires_grad, None, device)


# -- short-time transforms -------------------------------------------------------------------------


def _padded_window(window: Any, win_length: int, n_fft: int, like: Any) -> Any:
    if window is None:
        window = wrap(np.ones(win_length, like._a.real.dtype))
    if window.ndim != 1 or window.shape[0] != win_length:
        raise RuntimeError(
            f"stft: expected a 1D window tensor of size equal to win_length={win_length}, but got "
            f"window with size {list(window.shape)}"
        )
    left = (n_fft - win_length) // 2
    if win_length == n_fft:
        return window
    zeros = [wrap(np.zeros(k, window._a.dtype)) for k in (left, n_fft - win_length - left)]
    return cat(zeros[0], window, zeros[1], dim=0)


def _edges(x: Any, amount: int, mode: str) -> Any:
    """x (batch, length) continued on both sides."""
    y = pad(x.view((1, *x.shape)), (amount, amount), mode=mode)
    return y.view(y.shape[1:])


@composite(
    loose="center",
    public="torch Tensor",
    samples=[
        case((2, 16), 8, 4, return_complex=True),
        case((16,), 8, center=False, return_complex=True),
    ],
)
def stft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """The short-time Fourier transform: `rfft` of windowed pieces of a signal.

    input (length,) or (batch, length); the result (*, n_fft // 2 + 1, frames), complex.

    n_fft: the size of a piece; hop_length: the distance of pieces, n_fft // 4 by default;
    win_length: the size of the window, n_fft by default, which stands in the middle of the piece;
    window: a tensor (win_length,), ones by default. center: True, the default, continues the signal
    on both sides by n_fft // 2, as pad_mode says ("reflect", "constant", "replicate", "circular").
    normalized: divide by sqrt(n_fft). onesided: half of the terms, the default for real input.
    return_complex: must be given for real input; False gives pairs of reals.

    >>> x = torch.sin(torch.arange(100.0))
    >>> torch.stft(x, 16, window=torch.hann_window(16), return_complex=True).shape
    torch.Size([9, 26])
    """
    if not input.numel():
        raise RuntimeError(
            message("stft: Expected a non-empty signal for input", f"{tuple(input.shape)}")
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if onesided is None:
        onesided = not is_complex
    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                message(
                    "stft requires the return_complex parameter be given for real inputs, and "
                    "will further require that return_complex=True in a future PyTorch release.",
                    hint="return_complex=True; torch.view_as_real for the old format",
                )
            )
        return_complex = True
    if input.ndim not in (1, 2):
        raise RuntimeError("stft: expected a 1D or 2D tensor")
    x = input.unsqueeze(0) if input.ndim == 1 else input
    kind = input._a.dtype.kind
    if center and kind == "b" and pad_mode != "constant":
        raise NotImplementedError(
            message("\"reflection_pad1d\" not implemented for 'Bool'", hint="input.float()")
        )
    if kind in "iub":
        raise RuntimeError(
            message(
                "stft: expected a tensor of floating point or complex values",
                got=repr(input.dtype),
                hint="input.float()",
            )
        )
    if center:
        x = _edges(x, n_fft // 2, pad_mode)
    if not 0 < n_fft <= x.shape[-1]:
        raise RuntimeError(f"stft: expected 0 < n_fft < {x.shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(f"stft: expected 0 < win_length <= n_fft, but got win_length={width}")
    frames = x.unfold(-1, n_fft, hop)
    if window is not None or width < n_fft:
        frames = frames * _padded_window(window, width, n_fft, x)
    norm = "ortho" if normalized else None
    y = rfft(frames, norm=norm) if onesided else fft(frames, norm=norm)
    y = y.transpose(-1, -2)
    y = y.squeeze(0) if input.ndim == 1 else y
    return y if return_complex else view_as_real(y)


def _istft_shape(
    input: Any, n_fft: int, hop_length: int | None = None, *_: Any, center: bool = True,
    length: int | None = None, return_complex: bool = False, **kw: Any,
) -> MetaArray:  # fmt: skip
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft + hop * (input.shape[-1] - 1)
    n = size - 2 * (n_fft // 2) if center else size
    dtype = input._a.dtype if return_complex else np.empty(0, input._a.dtype).real.dtype
    return MetaArray((*input.shape[:-2], n if length is None else length), dtype)


@composite(shape=_istft_shape, public="torch Tensor", samples=[case(cplx((2, 5, 5)), 8, 4)])
def istft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """The inverse of `stft` in the sense of least squares: pieces are transformed back, windowed
    and added where they overlap, and divided by the overlapped squares of the window.

    input (frequencies, frames) or (batch, frequencies, frames), complex; the result (*, length).

    n_fft, hop_length, win_length, window, center, normalized and onesided as they were for stft.
    length: the length of the signal, where it is not to be what the frames give. return_complex:
    for a signal that was complex. RuntimeError where the window leaves a place that no piece
    covers.

    >>> x, w = torch.sin(torch.arange(100.0)), torch.hann_window(16)
    >>> y = torch.stft(x, 16, window=w, return_complex=True)
    >>> torch.allclose(torch.istft(y, 16, window=w, length=100), x, atol=1e-5)
    True
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if input._a.dtype.kind not in "cW":
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    if not input.numel():
        raise RuntimeError(message("istft: input tensor cannot be empty.", f"{tuple(input.shape)}"))
    x = input.unsqueeze(0) if input.ndim == 2 else input
    if onesided is None:
        onesided = x.shape[-2] != n_fft
    expected = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] != expected:
        raise RuntimeError(
            "istft: expected the frequency dimension (3rd to the last) of the input tensor to "
            f"match n_fft / 2 + 1 when onesided=True, or n_fft when not, but got {x.shape[-2]}"
        )
    frames = x.transpose(-1, -2)
    norm = "ortho" if normalized else None
    if return_complex:
        pieces = ifft(frames, norm=norm)
    else:
        half = frames if onesided else frames[..., : n_fft // 2 + 1]
        pieces = irfft(half, n_fft, norm=norm)
    w = _padded_window(window, width, n_fft, x)
    pieces = pieces * w
    count = x.shape[-1]
    size = n_fft + hop * (count - 1)
    y = unfold_backward(pieces, shape=(x.shape[0], size), dimension=1, size=n_fft, step=hop)
    square = (w * w).expand((1, count, n_fft))
    weight = unfold_backward(square, shape=(1, size), dimension=1, size=n_fft, step=hop)
    start = n_fft // 2 if center else 0
    stop = start + length if length is not None else size - (n_fft // 2 if center else 0)
    y, weight = y[:, start : min(stop, size)], weight[:, start : min(stop, size)]
    if weight.shape[-1] and float(weight.abs().min().item()) <= 1e-11:
        raise RuntimeError("window overlap add min: 1")
    y = y / weight
    if length is not None and y.shape[-1] < length:
        y = fit(y, dims=(1,), sizes=(length,))
    return y.squeeze(0) if input.ndim == 2 else y
