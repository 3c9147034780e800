"""Observers: modules that let values pass and remember their range, from which they choose the
scale and zero point of quantized numbers.

Here are those that remember two ends, and the default constructors. The one that keeps a histogram
is in `histogram.py`, the modules that also fake-quantize are in `fake_quantize.py`.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

import rushlight as rl

from ...ops.create.from_data import tensor
from .histogram import HistogramObserver
from .observer_base import (
    EPS,
    ObserverBase,
    UniformQuantizationObserverBase,
    factory,
)
from .utils import is_per_channel, is_per_tensor

INF = float("inf")
_ObserverBase = UniformQuantizationObserverBase  # its name of old


class MinMaxObserver(UniformQuantizationObserverBase):
    """Remembers the least and the greatest value of all inputs.

    The arguments are those of `UniformQuantizationObserverBase`; the scheme is one of
    `torch.per_tensor_affine` and `torch.per_tensor_symmetric`.

    >>> observer = torch.ao.quantization.MinMaxObserver()
    >>> for x in torch.tensor([[0.5, 1.0], [-1.0, 0.0]]):
    ...     _ = observer(x)
    >>> observer
    MinMaxObserver(min_val=-1.0, max_val=1.0)
    """

    min_val: Any
    max_val: Any

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
        per_tensor = "torch.per_tensor_symmetric and torch.per_tensor_affine"
        self._only(qscheme is None or is_per_tensor(qscheme), per_tensor)
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        made = factory(factory_kwargs)
        self.register_buffer("min_val", tensor(INF, **made))
        self.register_buffer("max_val", tensor(-INF, **made))
        refuse_half_of_symmetric(self, rl.per_tensor_symmetric)

    def forward(self, x_orig: Any) -> Any:
        """Widen the range by `x_orig`, and return it."""
        if x_orig.numel():
            low, high = x_orig.detach().to(self.min_val.dtype).aminmax()
            self.min_val.copy_(low.minimum(self.min_val))
            self.max_val.copy_(high.maximum(self.max_val))
        return x_orig

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point) of the range that was seen."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        self.min_val.fill_(INF)
        self.max_val.fill_(-INF)


def refuse_half_of_symmetric(observer: Any, symmetric: Any) -> None:
    """NotImplementedError for one bit less of a symmetric range of torch.quint8."""
    if observer.qscheme is symmetric and observer.reduce_range and observer.dtype is rl.quint8:
        raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Moves its range towards that of each input: old + averaging_constant * (new - old).

    Args:
        averaging_constant: 1 remembers the last input alone.

    >>> observer = torch.ao.quantization.MovingAverageMinMaxObserver(0.5)
    >>> for x in torch.tensor([[-1.0, 1.0], [-1.0, 3.0]]):
    ...     _ = observer(x)
    >>> observer
    MovingAverageMinMaxObserver(min_val=-1.0, max_val=2.0)
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        dtype: Any = None,
        qscheme: Any = None,
        reduce_range: bool = False,
        quant_min: Any = None,
        quant_max: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for averaging "
                f"constant of {averaging_constant}"
            )
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, eps=eps, is_dynamic=is_dynamic,
            **kwargs,
        )  # fmt: skip
        self.averaging_constant = averaging_constant

    def forward(self, x_orig: Any) -> Any:
        """Move the range towards that of `x_orig`, and return it."""
        if x_orig.numel():
            found = x_orig.detach().to(self.min_val.dtype).aminmax()
            first = bool(self.min_val == INF and self.max_val == -INF)
            for end, new in zip((self.min_val, self.max_val), found, strict=True):
                end.copy_(new if first else end + self.averaging_constant * (new - end))
        return x_orig


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Remembers the least and the greatest value of each channel.

    Args:
        ch_axis: the dimension of the channels.

    >>> observer = torch.ao.quantization.PerChannelMinMaxObserver()
    >>> _ = observer(torch.tensor([[-1.0, 1.0], [0.0, 3.0]]))
    >>> observer
    PerChannelMinMaxObserver(min_val=tensor([-1.,  0.]), max_val=tensor([1., 3.]))
    """

    min_val: Any
    max_val: Any

    def __init__(
        self,
        ch_axis: int = 0,
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
        qscheme = rl.per_channel_affine if qscheme is None else qscheme
        self._only(
            is_per_channel(qscheme),
            "torch.per_channel_symmetric, torch.per_channel_affine and "
            "torch.per_channel_affine_float_qparams",
        )
        if is_dynamic:
            name = type(self).__name__
            raise NotImplementedError(f"{name} doesn't support dynamic quantization")
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        self.ch_axis = ch_axis
        made = factory(factory_kwargs)
        self.register_buffer("min_val", tensor([], **made))
        self.register_buffer("max_val", tensor([], **made))
        refuse_half_of_symmetric(self, rl.per_channel_symmetric)

    def forward(self, x_orig: Any) -> Any:
        """Widen the ranges by `x_orig`, and return it."""
        if x_orig.numel():
            x = x_orig.detach().to(self.min_val.dtype).transpose(0, self.ch_axis)
            low, high = x.flatten(start_dim=1).aminmax(dim=1)
            if self.min_val.numel() and self.max_val.numel():
                low, high = self._joined(low, high)
            for end, new in ((self.min_val, low), (self.max_val, high)):
                end.resize_(new.shape).copy_(new)
        return x_orig

    def _joined(self, low: Any, high: Any) -> tuple[Any, Any]:
        """The ranges so far with new ones."""
        return low.minimum(self.min_val), high.maximum(self.max_val)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point) of each channel."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing: Any,
        unexpected: Any, errors: Any
    ) -> None:  # fmt: skip
        version = local_metadata.get("version")
        for name in ("min_val", "max_val"):
            key = prefix + name
            old = key + "s"  # its name before version 3
            if version is not None and version < 3 and old in state_dict:
                state_dict[key] = state_dict.pop(old)
            if key in state_dict:  # a saved range of n channels fits one that has seen none
                getattr(self, name).resize_(state_dict[key].shape)
            elif strict:
                missing.append(key)
        rest = (False, missing, unexpected, errors)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        self.min_val, self.max_val = rl.empty(0), rl.empty(0)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Moves the range of each channel towards that of each input.

    Args:
        averaging_constant: 1 remembers the last input alone.

    >>> observer = torch.ao.quantization.MovingAveragePerChannelMinMaxObserver(0.5)
    >>> for x in torch.tensor([[[-1.0, 1.0]], [[-1.0, 3.0]]]):
    ...     _ = observer(x)
    >>> observer.max_val
    tensor([2.])
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: Any = None,
        qscheme: Any = None,
        reduce_range: bool = False,
        quant_min: Any = None,
        quant_max: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            ch_axis, dtype, qscheme, reduce_range, quant_min, quant_max, eps=eps,
            is_dynamic=is_dynamic, **kwargs,
        )  # fmt: skip
        self.averaging_constant = averaging_constant

    def _joined(self, low: Any, high: Any) -> tuple[Any, Any]:
        part = self.averaging_constant
        ends = ((self.min_val, low), (self.max_val, high))
        first, second = (end + part * (new - end) for end, new in ends)
        return first, second


class FixedQParamsObserver(ObserverBase):
    """Observes nothing: scale and zero point are given, as for a sigmoid, whose range is known.

    >>> torch.ao.quantization.FixedQParamsObserver(1 / 256, 0).calculate_qparams()
    (tensor([0.0039]), tensor([0], dtype=torch.int32))
    """

    scale: Any
    zero_point: Any

    def __init__(
        self,
        scale: float,
        zero_point: int,
        dtype: Any = None,
        qscheme: Any = None,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        dtype = rl.quint8 if dtype is None else dtype
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min, self.quant_max = quant_min, quant_max
        self.register_buffer("scale", tensor([scale], dtype=rl.float32))
        self.register_buffer("zero_point", tensor([zero_point], dtype=rl.int32))
        self.qscheme = rl.per_tensor_affine if qscheme is None else qscheme

    def forward(self, X: Any) -> Any:
        return X

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point), as given."""
        return self.scale, self.zero_point


class _Passing(ObserverBase):
    """Lets values pass and has no range."""

    def forward(self, x: Any) -> Any:
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Raises: nothing was observed."""
        name = type(self).__name__
        raise Exception(f"calculate_qparams should not be called for {name}")


class PlaceholderObserver(_Passing):
    """Says to which type values shall be brought, and looks at none: for float16, and for ranges
    that are chosen while a quantized model runs.

    >>> torch.ao.quantization.PlaceholderObserver(torch.float16)
    PlaceholderObserver(dtype=torch.float16, is_dynamic=False)
    """

    def __init__(
        self,
        dtype: Any = None,
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: Any = None,
        quant_max: Any = None,
        qscheme: Any = None,
        eps: Any = None,
        is_dynamic: bool = False,
    ) -> None:
        super().__init__(rl.float32 if dtype is None else dtype, is_dynamic)
        self.qscheme = rl.per_tensor_affine if qscheme is None else qscheme
        self.quant_min, self.quant_max = quant_min, quant_max
        self.eps = EPS if eps is None else eps
        self.custom_op = custom_op_name
        if compute_dtype:
            warnings.warn(
                "Please use `is_dynamic` instead of `compute_dtype`. `compute_dtype` will be "
                "deprecated in a future release of PyTorch.",
                stacklevel=2,
            )

    def extra_repr(self) -> str:
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"


class RecordingObserver(_Passing):
    """Keeps a copy of every input.

    >>> observer = torch.ao.quantization.RecordingObserver()
    >>> _ = observer(torch.ones(2))
    >>> observer.get_tensor_value()
    [tensor([1., 1.])]
    """

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(rl.quint8 if dtype is None else dtype)
        self.tensor_val: list[Any] = []

    def forward(self, x: Any) -> Any:
        """Keep a copy of `x`, and return it."""
        self.tensor_val.append(x.clone())
        return x

    def get_tensor_value(self) -> list[Any]:
        """The copies."""
        return self.tensor_val


class NoopObserver(_Passing):
    """Lets values pass.

    >>> torch.ao.quantization.NoopObserver()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, dtype: Any = None, custom_op_name: str = "") -> None:
        super().__init__(rl.float16 if dtype is None else dtype)
        self.custom_op = custom_op_name


class ReuseInputObserver(_Passing):
    """Lets values pass: a result that has the range of its operand, as that of a reshape.

    >>> torch.ao.quantization.ReuseInputObserver()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self) -> None:
        super().__init__(rl.quint8)


def _is_activation_post_process(module: Any) -> bool:
    """Whether a module observes or fake-quantizes."""
    return getattr(type(module), "_observes", False)


def get_observer_state_dict(mod: Any) -> Any:
    """The part of a model's state that its observers of activations have.

    >>> fake = torch.ao.quantization.FakeQuantize()
    >>> [*torch.ao.quantization.get_observer_state_dict(fake)][:2]
    ['activation_post_process.eps', 'activation_post_process.min_val']
    """
    state = mod.state_dict()
    found = OrderedDict((k, v) for k, v in state.items() if "activation_post_process" in k)
    found._metadata = state._metadata  # type: ignore[attr-defined]
    return found


def load_observer_state_dict(mod: Any, obs_dict: Any) -> None:
    """Give the observers of a model the state that `get_observer_state_dict` took from another."""
    missing: list[str] = []
    unexpected: list[str] = []
    for name, module in mod.named_modules():
        if _is_activation_post_process(module):
            keys = (missing, unexpected)
            module._load_from_state_dict(obs_dict, name + ".", {}, False, *keys, [])
    for word, found in (("Missing", missing), ("Unexpected", unexpected)):
        for key in found:
            if "observer" in key or "activation_post_process" in key:
                raise Exception(f"{word} keys for observer {key} in state_dict")


FINE = {"quant_min": -127, "quant_max": 127, "eps": 2**-12}
TENSOR = {"dtype": rl.qint8, "qscheme": rl.per_tensor_symmetric}
CHANNEL = {"dtype": rl.qint8, "qscheme": rl.per_channel_symmetric}
FLOAT_QPARAMS = {"qscheme": rl.per_channel_affine_float_qparams, "ch_axis": 0}
UINT8 = {"dtype": rl.quint8, "quant_min": 0, "quant_max": 255}

default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(**TENSOR)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(**TENSOR, **FINE)
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(**CHANNEL)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    **CHANNEL, **FINE
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(**UINT8, is_dynamic=True)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=rl.quint8, **FLOAT_QPARAMS
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=rl.quint4x2, **FLOAT_QPARAMS
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, **UINT8
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, **UINT8
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver

__all__ = [
    "FixedQParamsObserver",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "PlaceholderObserver",
    "RecordingObserver",
    "ReuseInputObserver",
    "UniformQuantizationObserverBase",
    "default_affine_fixed_qparams_observer",
    "default_debug_observer",
    "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer",
    "default_float_qparams_observer_4bit",
    "default_histogram_observer",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_observer",
    "default_weight_observer",
    "get_observer_state_dict",
    "load_observer_state_dict",
    "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
]
