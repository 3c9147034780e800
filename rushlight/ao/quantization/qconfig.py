"""Which observers or fake quantizers a module gets: one for its results, one for its weights."""

from __future__ import annotations

import copy
import warnings
from collections import namedtuple
from typing import Any

import rushlight as rl

from ... import unsupported
from ...errors import message
from ...nn import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Identity, Module
from . import fake_quantize as fakes
from . import observer as observers
from .fake_quantize import FakeQuantize, FakeQuantizeBase, FusedMovingAvgObsFakeQuantize
from .histogram import HistogramObserver
from .observer import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    NoopObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    ReuseInputObserver,
)
from .observer_base import _PartialWrapper

GRAPHS = "graphs captured from programs"
BACKENDS = ("fbgemm", "x86", "qnnpack", "onednn")
QConfigAny = Any  # a QConfig or None


def _refuse_instances(name: str, *made: Any) -> None:
    if any(isinstance(m, Module) for m in made):
        raise ValueError(
            message(
                f"{name} received observer instance, please pass observer class instead.",
                hint="MyObserver.with_args(x=1), to give arguments to its constructor",
            )
        )


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """How to observe or fake-quantize a module's results (`activation`) and its weights.

    Both are classes, or constructors with arguments (`with_args`), not modules: each module of a
    model gets its own.

    >>> from rushlight.ao.quantization import MinMaxObserver, QConfig
    >>> own = QConfig(MinMaxObserver, MinMaxObserver.with_args(dtype=torch.qint8))
    >>> own.weight().quant_min
    -128
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> QConfig:
        _refuse_instances("QConfig", activation, weight)
        return super().__new__(cls, activation, weight)


class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """The older form of `QConfig` for ranges that are chosen while a model runs."""

    __slots__ = ()

    def __new__(cls, activation: Any = Identity, weight: Any = Identity) -> QConfigDynamic:
        warnings.warn(
            "`QConfigDynamic` is going to be deprecated in PyTorch 1.12, please use `QConfig` "
            "instead",
            FutureWarning,
            stacklevel=2,
        )
        _refuse_instances("QConfigDynamic", weight)
        return super().__new__(cls, activation, weight)


EPS = {"dtype": rl.qint8, "reduce_range": False, "eps": 2**-12}
_half = PlaceholderObserver.with_args(dtype=rl.float16)
_histogram = HistogramObserver.with_args(**EPS)
_average = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=-128, quant_max=127, **EPS
)
_none = NoopObserver.with_args(dtype=rl.float32)

default_qconfig = QConfig(observers.default_observer, observers.default_weight_observer)
default_debug_qconfig = QConfig(
    observers.default_debug_observer, observers.default_weight_observer
)
default_per_channel_qconfig = QConfig(
    observers.default_observer, observers.default_per_channel_weight_observer
)
default_dynamic_qconfig = QConfig(
    observers.default_dynamic_quant_observer, observers.default_weight_observer
)
float16_dynamic_qconfig = QConfig(
    PlaceholderObserver.with_args(dtype=rl.float16, is_dynamic=True), _half
)
float16_static_qconfig = QConfig(_half, _half)
per_channel_dynamic_qconfig = QConfig(
    observers.default_dynamic_quant_observer, observers.default_per_channel_weight_observer
)
float_qparams_weight_only_qconfig = QConfig(
    observers.default_placeholder_observer, observers.default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    observers.default_placeholder_observer, observers.default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(fakes.default_fake_quant, fakes.default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(
    fakes.default_dynamic_fake_quant, fakes.default_weight_fake_quant
)
default_weight_only_qconfig = QConfig(Identity, fakes.default_weight_fake_quant)
default_activation_only_qconfig = QConfig(fakes.default_fake_quant, Identity)
default_qat_qconfig_v2 = QConfig(
    fakes.default_fused_act_fake_quant, fakes.default_fused_wt_fake_quant
)
default_reuse_input_qconfig = QConfig(observers.default_reuse_input_observer, NoopObserver)
default_symmetric_qnnpack_qconfig = QConfig(
    _histogram, observers.weight_observer_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    _histogram, observers.per_channel_weight_observer_range_neg_127_to_127
)
default_embedding_qat_qconfig = QConfig(_none, fakes.default_embedding_fake_quant)
default_embedding_qat_qconfig_4bit = QConfig(_none, fakes.default_embedding_fake_quant_4bit)
default_quint8_weight_qconfig = QConfig(HistogramObserver, MinMaxObserver)
default_symmetric_qnnpack_qat_qconfig = QConfig(
    _average, fakes.fused_wt_fake_quant_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    _average, fakes.fused_per_channel_wt_fake_quant_range_neg_127_to_127
)


def _checked(backend: str, version: int, versions: tuple[int, ...], called: str) -> None:
    """AssertionError for a backend or a version that there is not."""
    if backend not in BACKENDS:
        text = f"backend: {backend} not supported. backend must be one of {[*BACKENDS]}"
        raise AssertionError(text)
    if version not in versions:
        known = " or ".join(map(str, versions))
        text = f"Version number: {version} in {called} is not supported. Version number must be"
        raise AssertionError(f"{text} {known}")


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """The usual QConfig for a model that is observed after its training.

    Args:
        backend: whose quantized kernels would run it: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 0.

    >>> torch.ao.quantization.get_default_qconfig().weight().qscheme
    torch.per_channel_symmetric
    """
    _checked(backend, version, (0,), "get_default_qconfig")
    activation = HistogramObserver.with_args(reduce_range=backend in ("fbgemm", "x86"))
    if backend == "qnnpack":
        return QConfig(activation, observers.default_weight_observer)
    return QConfig(activation, observers.default_per_channel_weight_observer)


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """The usual QConfig for quantization-aware training.

    Args:
        backend: whose quantized kernels would run the model: "x86", "fbgemm", "qnnpack", "onednn".
        version: 1, which observes and fake-quantizes in one call, or 0, which does so in two.

    >>> torch.ao.quantization.get_default_qat_qconfig("qnnpack").weight()
    FusedMovingAvgObsFakeQuantize(
      fake_quant_enabled=tensor([1]), observer_enabled=tensor([1]), scale=tensor([1.]), ...
      (activation_post_process): MovingAverageMinMaxObserver(min_val=inf, max_val=-inf)
    )
    """
    _checked(backend, version, (0, 1), "get_default_qat_qconfig")
    how: dict[str, Any] = {"quant_min": 0, "quant_max": 255}
    if backend != "onednn":
        how["reduce_range"] = backend in ("fbgemm", "x86")
    kind = FusedMovingAvgObsFakeQuantize if version else FakeQuantize
    activation = kind.with_args(observer=MovingAverageMinMaxObserver, **how)
    if backend == "qnnpack":
        one = fakes.default_fused_wt_fake_quant if version else fakes.default_weight_fake_quant
        return QConfig(activation, one)
    if version:
        return QConfig(activation, fakes.default_fused_per_channel_wt_fake_quant)
    return QConfig(activation, fakes.default_per_channel_weight_fake_quant)


get_default_qconfig_dict, get_default_qat_qconfig_dict = [
    unsupported.function(f"torch.ao.quantization.{name}", GRAPHS, name.removesuffix("_dict"))
    for name in ("get_default_qconfig_dict", "get_default_qat_qconfig_dict")
]


def _assert_valid_qconfig(qconfig: Any, mod: Any) -> None:
    """AssertionError for transposed convolutions whose weights shall be observed by channels."""
    transposed = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
    if qconfig is None or qconfig.weight is None or not isinstance(mod, transposed):
        return
    channels = (PerChannelMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
    if isinstance(qconfig.weight(), channels):
        raise AssertionError(
            "Per channel weight observer is not supported yet for ConvTranspose{n}d."
        )


class _OnDevice:
    """The arguments of factories for a module's device. (A class, as functions within functions
    cannot be pickled, and models hold their QConfig.)"""

    def __init__(self, module: Any) -> None:
        self.device = next((t.device for t in (*module.parameters(), *module.buffers())), None)

    def __call__(self) -> Any:
        return None if self.device is None else {"device": self.device}


def _add_module_to_qconfig_obs_ctr(qconfig: Any, module: Any) -> Any:
    """The QConfig, whose observers will be made on the module's device."""
    if module is None or qconfig is None or qconfig._fields != ("activation", "weight"):
        return qconfig

    def placed(make: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is only tried
                make.with_args(factory_kwargs=None)()
        except (AttributeError, TypeError):  # it takes no such argument
            return make
        return make.with_callable_args(factory_kwargs=_OnDevice(module))

    return QConfig(placed(qconfig.activation), placed(qconfig.weight))


def _same(a: Any, b: Any) -> bool:
    """Whether two constructors make the same: `functools.partial` does not compare."""
    if not (isinstance(a, _PartialWrapper) and isinstance(b, _PartialWrapper)):
        return bool(a == b)
    one, two = copy.copy(a.p.keywords), copy.copy(b.p.keywords)
    if not _same(one.pop("observer", None), two.pop("observer", None)):
        return False
    return a.p.func == b.p.func and a.p.args == b.p.args and one == two


def qconfig_equals(q1: Any, q2: Any) -> bool:
    """Whether two QConfigs make the same observers.

    >>> qconfig = torch.ao.quantization.get_default_qconfig
    >>> qconfig() == qconfig(), torch.ao.quantization.qconfig_equals(qconfig(), qconfig())
    (False, True)
    """
    if q1 is None or q2 is None:
        return q1 is q2
    return _same(q1.activation, q2.activation) and _same(q1.weight, q2.weight)


def _activation_is_memoryless(qconfig: Any) -> bool:
    """Whether the range of results is that of the last ones alone."""
    made = qconfig.activation()
    if isinstance(made, FakeQuantizeBase) and hasattr(made, "activation_post_process"):
        made = made.activation_post_process
    return getattr(made, "averaging_constant", None) == 1


def _is_reuse_input_qconfig(qconfig: Any) -> bool:
    return (
        qconfig is not None
        and isinstance(qconfig.activation(), ReuseInputObserver)
        and isinstance(qconfig.weight(), NoopObserver)
    )


__all__ = [
    "QConfig",
    "QConfigAny",
    "QConfigDynamic",
    "default_activation_only_qconfig",
    "default_debug_qconfig",
    "default_dynamic_qat_qconfig",
    "default_dynamic_qconfig",
    "default_embedding_qat_qconfig",
    "default_embedding_qat_qconfig_4bit",
    "default_per_channel_qconfig",
    "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_per_channel_symmetric_qnnpack_qconfig",
    "default_qat_qconfig",
    "default_qat_qconfig_v2",
    "default_qconfig",
    "default_quint8_weight_qconfig",
    "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qat_qconfig",
    "default_symmetric_qnnpack_qconfig",
    "default_weight_only_qconfig",
    "float16_dynamic_qconfig",
    "float16_static_qconfig",
    "float_qparams_weight_only_qconfig",
    "float_qparams_weight_only_qconfig_4bit",
    "get_default_qat_qconfig",
    "get_default_qat_qconfig_dict",
    "get_default_qconfig",
    "get_default_qconfig_dict",
    "per_channel_dynamic_qconfig",
    "qconfig_equals",
]
