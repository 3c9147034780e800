"""Modules that observe a range and fake-quantize: their results are the values that quantized
numbers would have, in floating point, and gradients go through.

The functions that they call are in `ops/nn/fake_quantize_public.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import rushlight as rl

from ...errors import message
from ...nn import Module
from ...ops.create.from_data import tensor
from .observer import (
    CHANNEL,
    FLOAT_QPARAMS,
    TENSOR,
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from .observer_base import _with_args
from .utils import is_per_channel, is_per_tensor

_is_per_channel, _is_per_tensor = is_per_channel, is_per_tensor


class FakeQuantizeBase(ABC, Module):
    """What modules that fake-quantize share: two switches, in buffers.

    >>> fake = torch.ao.quantization.FakeQuantize()
    >>> isinstance(fake, torch.ao.quantization.FakeQuantizeBase), fake.observer_enabled
    (True, tensor([1], dtype=torch.uint8))
    """

    _observes = True
    fake_quant_enabled: Any
    observer_enabled: Any

    def __init__(self) -> None:
        super().__init__()
        self._set_switches(rl.uint8)

    def _set_switches(self, dtype: Any) -> None:
        self.register_buffer("fake_quant_enabled", tensor([1], dtype=dtype))
        self.register_buffer("observer_enabled", tensor([1], dtype=dtype))

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """Observe `x`, and return what its quantized numbers would be."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """(scale, zero point)."""

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Fake-quantize from now on, or let values pass."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Let values pass from now on."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Observe from now on, or keep the range."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Keep the range from now on."""
        self.enable_observer(False)

    with_args = classmethod(_with_args)


class FakeQuantize(FakeQuantizeBase):
    """Observes its input, and fake-quantizes it by the range so far.

    y = (clamp(round(x / scale) + zero_point, quant_min, quant_max) - zero_point) * scale

    Args:
        observer: the class of the observer, or its constructor with arguments (`with_args`).
        quant_min, quant_max: the range of the quantized numbers, within that of the type.
        is_dynamic: the range is that of each input by itself.
        observer_kwargs: further arguments of the observer.

    Attributes:
        activation_post_process: the observer.
        scale, zero_point: as chosen by the last call that observed.

    >>> fake = torch.ao.quantization.FakeQuantize(quant_min=0, quant_max=15)
    >>> fake(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.0000,  0.4000,  2.0000])
    >>> fake.scale, fake.zero_point
    (tensor([0.2000]), tensor([5], dtype=torch.int32))
    """

    scale: Any
    zero_point: Any

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: Any = None,
        quant_max: Any = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min is not None and quant_max is not None:
            self._check_range(observer, quant_min, quant_max, observer_kwargs)
            observer_kwargs.update(quant_min=quant_min, quant_max=quant_max)
        observer_kwargs["is_dynamic"] = is_dynamic
        made = self.activation_post_process = observer(**observer_kwargs)
        self.quant_min, self.quant_max = made.quant_min, made.quant_max
        self.is_dynamic = made.is_dynamic
        floats = made.qscheme is rl.per_channel_affine_float_qparams
        zero = tensor([0], dtype=rl.float32 if floats else rl.int32)
        self.register_buffer("scale", tensor([1.0], dtype=rl.float32))
        self.register_buffer("zero_point", zero)
        self.dtype, self.qscheme = made.dtype, made.qscheme
        self.ch_axis = getattr(made, "ch_axis", -1)
        self.is_per_channel = is_per_channel(self.qscheme)
        if not (self.is_per_channel or is_per_tensor(self.qscheme)):
            raise AssertionError(
                "Only per channel and per tensor quantization are supported in fake quantize got "
                f"qscheme: {self.qscheme}"
            )

    @staticmethod
    def _check_range(observer: Any, low: int, high: int, kwargs: dict[str, Any]) -> None:
        """AssertionError for a range that is none, or not within that of the type."""
        given = getattr(getattr(observer, "p", None), "keywords", {})
        limits = rl.iinfo(given.get("dtype", kwargs.get("dtype", rl.quint8)))
        got, wanted = f"quant_min={low}, quant_max={high}", f"{limits.min} to {limits.max}"
        if low > high:
            text = "quant_min must be less than or equal to quant_max"
            raise AssertionError(message(text, got))
        if limits.min > low:
            raise AssertionError(message("quant_min out of bound", got, wanted))
        if high > limits.max:
            raise AssertionError(message("quant_max out of bound", got, wanted))

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point) of the range that was seen."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """Observe `X`, and return what its quantized numbers would be, as far as that is on."""
        made = self.activation_post_process
        if self.observer_enabled[0] == 1:
            made(X.detach())
            for buffer, found in zip(
                (self.scale, self.zero_point), self.calculate_qparams(), strict=True
            ):
                if buffer.shape != found.shape:
                    buffer.resize_(found.shape)
                buffer.copy_(found)
        if self.fake_quant_enabled[0] != 1:
            return X
        span = (made.quant_min, made.quant_max)
        if self.is_per_channel:
            how = (self.scale, self.zero_point, self.ch_axis, *span)
            return rl.fake_quantize_per_channel_affine(X, *how)
        return rl.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *span)

    def _shown(self, *names: str) -> str:
        """Attributes as `repr` shows them; the range is the observer's."""
        made = self.activation_post_process
        own = ("quant_min", "quant_max", "reduce_range")
        return ", ".join(f"{n}={getattr(made if n in own else self, n)}" for n in names)

    def extra_repr(self) -> str:
        return self._shown(
            *("fake_quant_enabled", "observer_enabled", "quant_min", "quant_max", "dtype"),
            *("qscheme", "ch_axis", "scale", "zero_point"),
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale
        destination[prefix + "zero_point"] = self.zero_point

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        for name in ("scale", "zero_point"):  # of n channels they fit one that has seen none
            if prefix + name in state_dict:
                getattr(self, name).resize_(state_dict[prefix + name].shape)
            elif strict:
                missing.append(prefix + name)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, *rest)


class FixedQParamsFakeQuantize(FakeQuantize):
    """Fake-quantizes by a scale and zero point that are known, as those of a sigmoid's results.

    Args:
        observer: a constructor of a `FixedQParamsObserver`.

    >>> make = torch.ao.quantization.default_fixed_qparams_range_0to1_fake_quant
    >>> make()(torch.tensor([0.3, 2.0]))
    tensor([0.3008, 0.9961])
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        made = self.activation_post_process
        if type(made) is not FixedQParamsObserver:
            name = type(self).__name__
            raise AssertionError(f"{name}'s observer must be a FixedQParamsObserver")
        self._observer_ctr = observer
        self.scale, self.zero_point = made.scale, made.zero_point
        if not is_per_tensor(self.qscheme):
            raise AssertionError(
                "Only per tensor quantization is supported FixedQParamsFakeQuantize module, got "
                f"qscheme:{self.qscheme}"
            )

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point), as given."""
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        return self._shown(
            *("fake_quant_enabled", "observer_enabled", "scale", "zero_point", "dtype"),
            *("quant_min", "quant_max", "qscheme"),
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """`FakeQuantize` with a moving average of ranges, in one call of
    `torch.fused_moving_avg_obs_fake_quant`: what `get_default_qat_qconfig` gives.

    >>> fake = torch.ao.quantization.FusedMovingAvgObsFakeQuantize(quant_min=0, quant_max=15)
    >>> fake(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.0000,  0.4000,  2.0000])
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        known = (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
        if not isinstance(self.activation_post_process, known):
            raise AssertionError(
                "Fused observer+fake_quant module only works with MovingAverageMinMaxObserver"
            )
        self._set_switches(rl.int64)
        symmetric = (rl.per_tensor_symmetric, rl.per_channel_symmetric)
        self.is_symmetric_quant = self.activation_post_process.qscheme in symmetric

    def forward(self, X: Any) -> Any:
        """Observe `X`, and return what its quantized numbers would be, as far as that is on."""
        made = self.activation_post_process
        return rl.fused_moving_avg_obs_fake_quant(
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            made.min_val,
            made.max_val,
            self.scale,
            self.zero_point,
            made.averaging_constant,
            made.quant_min,
            made.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )

    def extra_repr(self) -> str:
        return self._shown(
            *("fake_quant_enabled", "observer_enabled", "scale", "zero_point", "dtype"),
            *("quant_min", "quant_max", "qscheme", "reduce_range"),
        )


def _switch(name: str, what: str) -> Any:
    """The function of a module that calls its method of the same name, if it has one."""

    def call(mod: Any) -> None:
        if isinstance(mod, FakeQuantizeBase):
            getattr(mod, name)()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""{what}, if the module fake-quantizes: `model.apply(...)`.

    >>> fake = torch.ao.quantization.FakeQuantize()
    >>> _ = nn.Sequential(fake).apply(torch.ao.quantization.{name})
    >>> fake.{name.partition("_")[2]}_enabled.item()
    {int(name.startswith("enable"))}
    """
    return call


enable_fake_quant = _switch("enable_fake_quant", "Fake-quantize from now on")
disable_fake_quant = _switch("disable_fake_quant", "Let values pass from now on")
enable_observer = _switch("enable_observer", "Observe from now on")
disable_observer = _switch("disable_observer", "Keep the range from now on")

AVERAGE = {"observer": MovingAverageMinMaxObserver}
AVERAGES = {"observer": MovingAveragePerChannelMinMaxObserver}
INT8 = {"quant_min": -128, "quant_max": 127}
UINT8 = {"quant_min": 0, "quant_max": 255, "dtype": rl.quint8}
FINE = {"quant_min": -127, "quant_max": 127, "eps": 2**-12}
HALF = {"qscheme": rl.per_tensor_affine, "reduce_range": True}

default_fake_quant = FakeQuantize.with_args(**AVERAGE, **UINT8, **HALF)
default_weight_fake_quant = FakeQuantize.with_args(
    **AVERAGE, **INT8, **TENSOR, reduce_range=False
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    **AVERAGE, **UINT8, is_dynamic=True, averaging_constant=1
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    **AVERAGES, **INT8, **CHANNEL, reduce_range=False, ch_axis=0
)
default_embedding_fake_quant = FakeQuantize.with_args(
    **AVERAGES, **UINT8, **FLOAT_QPARAMS, averaging_constant=1
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    **AVERAGES, **FLOAT_QPARAMS, dtype=rl.quint4x2, averaging_constant=1
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver, **UINT8, **HALF
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(**AVERAGE, **UINT8)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    **AVERAGE, **INT8, **TENSOR
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    **AVERAGES, **INT8, **CHANNEL
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    **AVERAGE, **FINE, **TENSOR
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    **AVERAGES, **FINE, **CHANNEL
)

__all__ = [
    "FakeQuantize",
    "FakeQuantizeBase",
    "FixedQParamsFakeQuantize",
    "FusedMovingAvgObsFakeQuantize",
    "default_affine_fixed_qparams_fake_quant",
    "default_dynamic_fake_quant",
    "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit",
    "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "default_fused_wt_fake_quant",
    "default_histogram_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant",
    "default_weight_fake_quant",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
]
