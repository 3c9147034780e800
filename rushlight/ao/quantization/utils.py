"""Schemes and ranges of quantized numbers: small questions that observers ask."""

from __future__ import annotations

import warnings
from typing import Any

import rushlight as rl

from ...errors import message
from ...nn.utils.parametrize import is_parametrized

__all__ = [
    "activation_dtype",
    "activation_is_statically_quantized",
    "calculate_qmin_qmax",
    "check_min_max_valid",
    "get_combined_dict",
    "get_qparam_dict",
    "has_no_children_ignoring_parametrizations",
    "is_per_channel",
    "is_per_tensor",
    "validate_qmin_qmax",
    "weight_dtype",
]

# dtype -> (least, greatest, and the two for a range that is reduced by one bit)
RANGES = {
    "int8": (-128, 127, -64, 63),
    "uint8": (0, 255, 0, 127),
    "int32": (-(2**31), 2**31 - 1) * 2,
    "int16": (-(2**15), 2**15 - 1) * 2,
    "uint16": (0, 2**16 - 1) * 2,
}
FOUR_BITS = (0, 15, 0, 15)


def is_per_tensor(qscheme: Any) -> bool:
    """Whether there is one scale and zero point for a tensor."""
    return qscheme in (rl.per_tensor_affine, rl.per_tensor_symmetric)


def is_per_channel(qscheme: Any) -> bool:
    """Whether there is one scale and zero point for each channel."""
    return qscheme in (
        rl.per_channel_affine,
        rl.per_channel_affine_float_qparams,
        rl.per_channel_symmetric,
    )


def stored(dtype: Any) -> str:
    """The name of the integers that a quantized type stores: "int8" for torch.qint8."""
    name = repr(dtype).removeprefix("torch.")
    return name.replace("quint", "uint").removeprefix("q")


def validate_qmin_qmax(quant_min: int, quant_max: int) -> None:
    """AssertionError unless the range has 0 and more than one number."""
    got = f"quant_min={quant_min}, quant_max={quant_max}"
    if not quant_min <= 0 <= quant_max:
        raise AssertionError(
            message("Used-specified quantization range must include 0.", got)
        )
    if quant_min >= quant_max:
        text = "qmin must be strictly less than qmax for user-specified quantization range."
        raise AssertionError(message(text, got))


def calculate_qmin_qmax(
    quant_min: Any, quant_max: Any, has_customized_qrange: bool, dtype: Any, reduce_range: bool
) -> tuple[int, int]:
    """The range of the quantized numbers: the one given, or all of the type; `reduce_range` leaves
    one bit of it, as products of 8 bits overflow in the machine code of some CPUs."""
    name = stored(dtype)
    if not has_customized_qrange:
        low, high, *reduced = RANGES.get(name, FOUR_BITS)
        return (reduced[0], reduced[1]) if reduce_range else (low, high)
    most = {"int8": 256, "int32": 2**32}.get(name)
    if most is not None and not 0 < quant_max - quant_min + 1 <= most:
        text = "quantization range should be positive and not exceed the maximum bit range "
        text += f"(={most})."
        raise AssertionError(message(text, got=f"quant_min={quant_min}, quant_max={quant_max}"))
    return (quant_min // 2, quant_max // 2) if reduce_range else (quant_min, quant_max)


def check_min_max_valid(min_val: Any, max_val: Any) -> bool:
    """Whether something was observed (a warning if not); AssertionError for a range upside down."""
    unseen = not min_val.numel() or not max_val.numel()
    if not unseen and not (min_val.ndim and max_val.ndim):
        unseen = bool(min_val == float("inf") and max_val == float("-inf"))
    if unseen:
        warnings.warn(
            "must run observer before calling calculate_qparams. Returning default values.",
            stacklevel=3,
        )
        return False
    if (min_val > max_val).any():
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


def has_no_children_ignoring_parametrizations(module: Any) -> bool:
    """Whether a module is a leaf, or would be one without its parametrizations."""
    children = [*module._modules]
    return not children or (is_parametrized(module) and children == ["parametrizations"])


def get_combined_dict(default_dict: Any, additional_dict: Any) -> Any:
    """Both dictionaries as one; the second one's values count where both have a key."""
    return {**default_dict, **additional_dict}


def get_qparam_dict(observer_or_fake_quant: Any) -> dict[str, Any]:
    """What an observer has found: qscheme, dtype, range, scale and zero point."""
    made = observer_or_fake_quant
    found = {"qscheme": made.qscheme, "dtype": made.dtype}
    for name in ("quant_min", "quant_max"):
        if hasattr(made, name):
            found[name] = getattr(made, name)
    scheme = made.qscheme
    if is_per_tensor(scheme) or is_per_channel(scheme):
        found["qscheme"] = {
            rl.per_tensor_symmetric: rl.per_tensor_affine,
            rl.per_channel_symmetric: rl.per_channel_affine,
        }.get(scheme, scheme)
        found["scale"], found["zero_point"] = made.calculate_qparams()
        if is_per_channel(scheme) and hasattr(made, "ch_axis"):
            found["axis"] = made.ch_axis
    return found


def activation_dtype(qconfig: Any) -> Any:
    """The type to which a QConfig quantizes activations."""
    return qconfig.activation().dtype


def weight_dtype(qconfig: Any) -> Any:
    """The type to which a QConfig quantizes weights."""
    return qconfig.weight().dtype


def activation_is_statically_quantized(qconfig: Any) -> bool:
    """Whether a QConfig fixes the range of activations before a model is used."""
    types = (rl.quint8, rl.qint8, rl.qint32, rl.float16, rl.uint8, rl.int8, rl.int16, rl.int32)
    activation = qconfig.activation()
    return activation.dtype in types and not getattr(activation, "is_dynamic", False)
