"""Dropout: elements or channels set to zero at random, the rest scaled up.

The mask is drawn as PyTorch draws it, so a seed means the same mask. Hinton et al., 2012,
arXiv:1207.0580.
"""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door, steps
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray, OuterArray
from ..core.composite import composite
from ..core.samples import case
from ..elementwise import formulas as m
from ..elementwise.arithmetic_public import add_
from ..random.fill import fill_noise

ALPHA = 1.7580993408473766  # minus the limit of SELU for small x


def _noise(input: Any, p: float, channels: bool, scaled: bool) -> Any:
    """1 (scaled: 1 / (1 - p)) with probability 1 - p, else 0: in the input's shape and order, or
    one a channel."""
    a = input._a
    if channels:
        if a.ndim < 2:
            raise RuntimeError(
                message(
                    "Feature dropout requires at least 2 dimensions in the input",
                    got=f"{tuple(a.shape)}",
                )
            )
        shape = (*a.shape[:2], *[1] * (a.ndim - 2))
        if a.__class__ is OuterArray:
            return drawn(input, shape, p, scaled)
        noise = door.perform(steps.full, (), {"shape": shape, "value": 0, "dtype": a.dtype})
    elif a.__class__ is MetaArray:
        return door.wrap(MetaArray(a.shape, a.dtype))
    elif a.__class__ is OuterArray:
        return drawn(input, a.shape, p, scaled)
    else:
        noise = door.perform(steps.empty_like, (a,), {})
    kind = np.float64 if noise.dtype == np.float64 else np.float32  # of narrower ones, too
    value = float(kind(1) / kind(1 - p)) if scaled else 1.0
    if noise.__class__ is not MetaArray:
        fill_noise(noise, 1 - p, value)
    return door.wrap(noise)


def refuse_type(input: Any, alpha: bool) -> None:
    """Raise for types that no noise is drawn in, or that cannot hold what is kept of it."""
    dtype = input.dtype
    if dtype.is_complex:
        raise NotImplementedError(
            message(f"\"bernoulli_scalar_cpu_\" not implemented for '{type_name(dtype)}'")
        )
    if not dtype.is_floating_point:
        kept = dtypes.int64 if alpha and dtype is dtypes.bool else dtype
        raise RuntimeError(
            message(
                "result type Float can't be cast to the desired output type "
                f"{type_name(kept)}",
                got=f"dropout of a tensor of type {dtype!r}",
                hint="x.float()",
            )
        )


def drawn(input: Any, shape: tuple[int, ...], p: float, scaled: bool) -> Any:
    """The noise for a tensor whose class computes for it."""
    with door.grad_enabled(False):
        noise = input.new_empty(shape).bernoulli_(1 - p)
        return noise / (1 - p) if scaled else noise


def _times(input: Any, noise: Any, inplace: bool) -> Any:
    if inplace:
        return changes.apply_inplace(m.mul, input, (noise,), {})
    return m.mul.call((input, noise), {})


def drop(
    input: Any,
    p: float,
    train: bool,
    inplace: bool,
    channels: bool = False,
    alpha: bool = False,
) -> Any:
    """All kinds of dropout."""
    if not 0 <= p <= 1:
        raise ValueError(message(f"dropout probability has to be between 0 and 1, but got {p}"))
    if not train or p == 0 or not input._a.size:
        return input
    if p == 1:
        return _times(input, input.new_zeros(()), inplace)
    if not (channels and input.ndim < 2):  # which is refused first
        refuse_type(input, alpha)
    noise = _noise(input, p, channels, not alpha)
    if noise._a.__class__ is MetaArray or not alpha:
        return _times(input, noise, inplace)
    scale = 1 / pymath.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = (noise - 1) * (ALPHA * scale) + ALPHA * scale * p
    y = _times(input, noise * scale, inplace)
    return add_(y, shift) if inplace else y + shift


@composite(
    public="nn.functional",
    random=True,
    samples=[case((3, 4)), case((3, 4), 0.2, False), case((3, 4), 0.5, True, True)],
)
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Each element is 0 with probability `p`, else multiplied by 1 / (1 - p); only in training.

    y = x * mask / (1 - p), so that the mean stays. Outside training y = x. ValueError unless p is
    in [0, 1]. Srivastava et al., 2014.

    >>> x = torch.ones(1000)
    >>> F.dropout(x, p=0.2).unique()
    tensor([0.0000, 1.2500])
    >>> F.dropout(x, training=False).equal(x)
    True
    """
    return drop(input, p, training, inplace)


@composite(public="torch", name="dropout", random=True, samples=[case((3, 4), 0.5, True)])
def _torch_dropout(input: Any, p: float, train: bool) -> Any:
    """`nn.functional.dropout` with all parameters given: 0 with probability `p`, else x / (1 - p).

    >>> x = torch.ones(1000)
    >>> torch.dropout(x, 0.5, train=True).unique()
    tensor([0., 2.])
    """
    return drop(input, p, train, False)


@composite(public="torch", name="dropout_", random=True, samples=[case((3, 4), 0.5, True)])
def dropout_(input: Any, p: float, train: bool) -> Any:
    """Dropout in place: each element is 0 with probability `p`, else divided by 1 - p.

    >>> x = torch.ones(3)
    >>> torch.dropout_(x, 1.0, train=True)
    tensor([0., 0., 0.])
    """
    return drop(input, p, train, True)


@composite(public="torch", random=True, samples=[case((3, 4), 0.5, True), case((3,), 0.5, False)])
def native_dropout(input: Any, p: float, train: bool | None) -> Any:
    """(`dropout`, mask): the result, and where elements were kept.

    >>> x = torch.ones(100)
    >>> y, kept = torch.native_dropout(x, 0.5, True)
    >>> torch.equal(y, x * kept * 2)
    True
    """
    if train is False:
        return input.clone(), input.new_ones(input.shape, dtype=dtypes.bool)
    if not 0 <= p <= 1:
        raise RuntimeError(message(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p}"))
    if not input.dtype.is_complex:
        refuse_type(input, False)
    if p == 1:
        noise = input.new_zeros(input.shape)
    else:
        noise = _noise(input, p, False, False) if p else input.new_ones(input.shape)
    scale = 1 / (1 - p) if p < 1 else 0.0
    return m.mul.call((_times(input, noise, False), scale), {}), noise.to(dtypes.bool)


@composite(public="torch", random=True, samples=[case((2, 3, 4), 0.5, True)])
def feature_dropout(input: Any, p: float, train: bool) -> Any:
    """Dropout of whole channels: of (N, C, *) each (n, c) is zero everywhere, or kept and scaled.

    >>> x = torch.ones(4, 8, 5)
    >>> y = torch.feature_dropout(x, 0.5, train=True)
    >>> bool((y == y[:, :, :1]).all())
    True
    """
    return drop(input, p, train, False, channels=True)


def _batched(input: Any, ndim: int, p: float, training: bool, inplace: bool) -> Any:
    """Channel dropout of an input that may lack its batch dimension."""
    if input.dim() == ndim:
        return drop(input, p, training, inplace, channels=True)
    out = drop(input.unsqueeze(0), p, training, inplace, channels=True)
    return input if inplace else out.squeeze(0)


@composite(public="nn.functional", random=True, samples=[case((2, 3, 4))])
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, L) or (C, L): each is zero with probability `p`, else
    scaled.

    >>> y = F.dropout1d(torch.ones(4, 8, 5))
    >>> bool((y == y[:, :, :1]).all())
    True
    """
    if input.dim() not in (2, 3):
        raise RuntimeError(
            message(
                f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note "
                "that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                "dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D "
                "inputs)."
            )
        )
    return _batched(input, 3, p, training, inplace)


def _odd_dimensions(name: str, ndim: int, spatial: int) -> None:
    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an "
        "error in a future release. To retain the behavior and silence this warning, please use "
        f"dropout instead. Note that {name} exists to provide channel-wise dropout on inputs with "
        f"{spatial} spatial dimensions, a channel dimension, and an optional batch dimension "
        f"(i.e. {spatial + 1}D or {spatial + 2}D inputs).",
        stacklevel=4,
    )


@composite(public="nn.functional", random=True, samples=[case((2, 3, 4, 4))])
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, H, W): each is zero with probability `p`, else scaled.

    Tompson et al., 2014, arXiv:1411.4280.

    >>> y = F.dropout2d(torch.ones(4, 8, 2, 2))
    >>> bool((y == y[:, :, :1, :1]).all())
    True
    """
    ndim = input.dim()
    if ndim not in (3, 4):
        _odd_dimensions("dropout2d", ndim, 2)
    if ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            stacklevel=3,
        )
    return drop(input, p, training, inplace, channels=True)


@composite(public="nn.functional", random=True, samples=[case((2, 3, 2, 2, 2))])
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W): zero with probability `p`, else
    scaled.

    >>> y = F.dropout3d(torch.ones(4, 8, 2, 2, 2))
    >>> bool((y == y[:, :, :1, :1, :1]).all())
    True
    """
    ndim = input.dim()
    if ndim not in (4, 5):
        _odd_dimensions("dropout3d", ndim, 3)
    return _batched(input, 5, p, training, inplace)


@composite(public="nn.functional", random=True, samples=[case((3, 4), 0.5, True)])
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Dropout for SELU networks, which keeps mean and variance.

    With probability `p` an element becomes -1.7581 (what SELU tends to), then all are scaled and
    shifted. Only in training, which is not the default here. Klambauer et al., arXiv:1706.02515.

    >>> y = F.alpha_dropout(torch.zeros(1000), p=0.5, training=True)
    >>> y.unique()
    tensor([-0.7792,  0.7792])
    """
    return drop(input, p, training, inplace, alpha=True)


@composite(public="nn.functional", random=True, samples=[case((2, 3, 4), 0.5, True)])
def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Any:
    """`alpha_dropout` of whole channels: of (N, C, *) each (n, c) is dropped or kept.

    >>> y = F.feature_alpha_dropout(torch.zeros(4, 8, 5), p=0.5, training=True)
    >>> bool((y == y[:, :, :1]).all())
    True
    """
    return drop(input, p, training, inplace, channels=True, alpha=True)


for _kind, _channels in (("alpha_dropout", False), ("feature_alpha_dropout", True)):
    for _inplace in (False, True):

        def _torch_form(
            input: Any,
            p: float,
            train: bool,
            _channels: bool = _channels,
            _inplace: bool = _inplace,
        ) -> Any:
            return drop(input, p, train, _inplace, _channels, True)

        _name = _kind + "_" * _inplace
        _torch_form.__doc__ = f"""`nn.functional.{_kind}`{", in place" * _inplace}.

        All parameters must be given; train=False changes nothing.

        >>> x = torch.zeros(4, 8, 5)
        >>> y = torch.{_name}(x, 0.5, train=True)
        >>> y.unique(), y is x
        (tensor([-0.7792,  0.7792]), {_inplace})
        """
        composite(
            _torch_form,
            public="torch",
            name=_kind + "_" * _inplace,
            samples=[case((2, 3, 4), 0.5, True)],
            random=True,
        )
