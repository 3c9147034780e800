"""What all observers are: modules that let values pass, and choose the scale and zero point of
quantized numbers; and constructors with some arguments given, which a QConfig holds.

Read next: `observer.py`.
"""

from __future__ import annotations

import functools
import warnings
from abc import ABC, abstractmethod
from typing import Any

import rushlight as rl

from ...errors import message
from ...nn import Module
from ...ops.create.from_data import tensor
from .utils import (
    calculate_qmin_qmax,
    check_min_max_valid,
    is_per_channel,
    is_per_tensor,
    stored,
    validate_qmin_qmax,
)

EPS = 1.1920928955078125e-07  # of float32: the least scale
TYPES = ["qint8", "quint8", "quint4x2", "qint32", "int8", "uint8", "int16", "int32"]
TYPES += ["float8_e5m2", "float8_e4m3fn", "uint16"]


def factory(factory_kwargs: Any) -> dict[str, Any]:
    """The arguments of factories that are given."""
    return {k: v for k, v in (factory_kwargs or {}).items() if v is not None}


class _PartialWrapper:
    """A constructor that knows some arguments (`p`), and makes others anew in each call
    (`callable_args`)."""

    def __init__(self, p: Any) -> None:
        self.p = p
        self.callable_args: dict[str, Any] = {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        made = {k: make() for k, make in self.callable_args.items() if k not in keywords}
        return self.p(*args, **keywords, **made)

    def __repr__(self) -> str:
        return f"{self.p!r}{self.callable_args!r}"

    def with_args(self, **kwargs: Any) -> _PartialWrapper:
        """The constructor with these arguments, too."""
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs: Any) -> _PartialWrapper:
        """The constructor with what these functions return as arguments, too."""
        made = _PartialWrapper(self.p)
        made.callable_args = {**self.callable_args, **kwargs}
        return made


def _with_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    """A constructor of the class with these arguments, which can be given to a QConfig.

    >>> make = torch.ao.quantization.MinMaxObserver.with_args(quant_min=0, quant_max=15)
    >>> make().quant_max, make() is make()
    (15, False)
    """
    return _PartialWrapper(functools.partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self: Any, **kwargs: Any) -> _PartialWrapper:
    """A constructor of the class that calls these functions for its arguments, each time.

    >>> scales = iter([0.1, 0.2])
    >>> make = torch.ao.quantization.FixedQParamsObserver.with_callable_args(
    ...     scale=lambda: next(scales))
    >>> make(zero_point=0).scale, make(zero_point=0).scale
    (tensor([0.1000]), tensor([0.2000]))
    """
    return _PartialWrapper(functools.partial(cls_or_self)).with_callable_args(**kwargs)


class ObserverBase(ABC, Module):
    """What observers share: they have `forward`, which lets its argument pass, and
    `calculate_qparams`, the scale and zero point that they choose.

    Args:
        dtype: the type to which values shall be quantized.
        is_dynamic: the range is that of each input by itself.

    >>> from rushlight.ao.quantization import MinMaxObserver, ObserverBase
    >>> isinstance(MinMaxObserver(), ObserverBase)
    True
    """

    _observes = True  # as what fake-quantizes does

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """Look at `x`, and return it."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """(scale, zero point)."""

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)


class UniformQuantizationObserverBase(ObserverBase):
    """What observers of ranges share: how a range becomes a scale and a zero point.

    Args:
        dtype: the type to which values shall be quantized.
        qscheme: whether there is one scale or one a channel, and whether the range is symmetric.
        reduce_range: leave out one bit.
        quant_min, quant_max: the range of the quantized numbers, if it is not that of the type.
        factory_kwargs: device and dtype of the buffers.
        eps: the least scale.
        is_dynamic: the range is that of each input by itself.

    An affine scheme maps the range, widened to have 0, onto the quantized numbers; a symmetric one
    maps the larger of -min and max onto half of them.

    >>> observer = torch.ao.quantization.MinMaxObserver(quant_min=0, quant_max=15)
    >>> _ = observer(torch.tensor([-1.0, 2.0]))
    >>> observer.calculate_qparams()
    (tensor([0.2000]), tensor([5], dtype=torch.int32))
    """

    _version = 3
    eps: Any

    def __init__(
        self,
        dtype: Any = None,
        qscheme: Any = None,
        reduce_range: bool = False,
        quant_min: Any = None,
        quant_max: Any = None,
        factory_kwargs: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        dtype = rl.quint8 if dtype is None else dtype
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.qscheme = rl.per_tensor_affine if qscheme is None else qscheme
        if reduce_range:
            warnings.warn(
                "Please use quant_min and quant_max to specify the range for observers. "
                "reduce_range will be deprecated in a future release of PyTorch.",
                stacklevel=2,
            )
        self.reduce_range = reduce_range
        self.register_buffer("eps", tensor([eps], **factory(factory_kwargs)))
        if not (is_per_tensor(self.qscheme) or is_per_channel(self.qscheme)):
            raise AssertionError(
                message(
                    "Default Observer only works for per_tensor_affine, per_tensor_symmetric, "
                    "per_channel_affine, per_channel_symmetric and per_channel_float_qparams "
                    "quantization scheme",
                    got=self.qscheme,
                )
            )
        if self.dtype not in [getattr(rl, name) for name in TYPES]:
            text = f"Default Observer only works for {', '.join(TYPES)} data type"
            raise AssertionError(message(text, got=self.dtype))
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        if self.has_customized_qrange:
            validate_qmin_qmax(quant_min, quant_max)
        self.quant_min, self.quant_max = calculate_qmin_qmax(
            quant_min, quant_max, self.has_customized_qrange, self.dtype, self.reduce_range
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        if local_metadata.get("version") in (None, 1):  # eps was no buffer
            state_dict[prefix + "eps"] = tensor([EPS])
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def _validate_qmin_qmax(self, quant_min: int, quant_max: int) -> None:
        validate_qmin_qmax(quant_min, quant_max)

    def _only(self, right: bool, schemes: str) -> None:
        """NotImplementedError unless the scheme is one that the class knows."""
        if not right:
            name = type(self).__name__
            raise NotImplementedError(f"{name}'s qscheme only support {schemes}.")

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> tuple[Any, Any]:
        """(scale, zero point) of a range, each of one element or one a channel."""
        if not check_min_max_valid(min_val, max_val):
            return tensor([1.0]), tensor([0])
        low, high = min_val.clamp(max=0), max_val.clamp(min=0)
        steps = float(self.quant_max - self.quant_min)
        if self.qscheme in (rl.per_tensor_symmetric, rl.per_channel_symmetric):
            scale = ((-low).maximum(high) / (steps / 2)).maximum(self.eps)
            zero_point = rl.zeros_like(low, dtype=rl.int64) + self._middle()
        elif self.qscheme is rl.per_channel_affine_float_qparams:
            scale = (max_val - min_val) / steps
            scale = scale.where(scale > self.eps, rl.ones_like(scale))
            zero_point = -1 * min_val / scale
        else:
            scale = ((high - low) / steps).maximum(self.eps)
            zero_point = self.quant_min - (low / scale).round().to(rl.int32)
            zero_point = zero_point.clamp(self.quant_min, self.quant_max)
        return scale.reshape(-1), zero_point.reshape(-1)

    def _middle(self) -> int:
        """The zero point of a symmetric range."""
        name = stored(self.dtype)
        if name == "uint8":
            return (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128
        return 2**15 if name == "uint16" else 0

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        raise NotImplementedError("Cannot reset min/max values in the given observer.")
