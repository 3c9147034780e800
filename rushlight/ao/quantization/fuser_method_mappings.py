"""How layers that stand one behind the other become one module."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...errors import message
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from ..nn import intrinsic

__all__ = [
    "fuse_conv_bn",
    "fuse_conv_bn_relu",
    "fuse_convtranspose_bn",
    "fuse_linear_bn",
    "get_fuser_method",
]


def _check(is_qat: bool, layer: Any, bn: Any, *rest: Any) -> None:
    """AssertionError for layers in different modes and, for training, a norm that does not fit."""
    modes = {m.training for m in (layer, bn, *rest)}
    if len(modes) > 1:
        name = type(layer).__name__
        text = f"{name} and BN both must be in the same mode (train or eval)."
        raise AssertionError(message(text, hint="model.train(), or model.eval(), before fusing"))
    if not is_qat:
        return
    size = layer.out_features if isinstance(layer, nn.Linear) else layer.out_channels
    wanted = {"num_features": size, "affine": True, "track_running_stats": True}
    for name, value in wanted.items():
        if getattr(bn, name) != value:
            text = f"Only support fusing {type(bn).__name__} with {name} set to {value}"
            raise AssertionError(message(text, got=getattr(bn, name)))


def _class_for(conv: Any, prefix: str) -> Any:
    """The fused class of a convolution: ConvBn2d."""
    if type(conv) not in (nn.Conv1d, nn.Conv2d, nn.Conv3d):
        raise NotImplementedError(f"Cannot fuse modules: {type(conv).__name__}")
    return getattr(intrinsic, prefix + type(conv).__name__.removeprefix("Conv"))


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> Any:
    """A convolution and its batch norm as one: for training both in one module, else a convolution
    that computes both.

    >>> conv, bn = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)
    >>> type(torch.ao.quantization.fuse_conv_bn(True, conv, bn)).__name__
    'ConvBn2d'
    """
    _check(is_qat, conv, bn)
    return _class_for(conv, "ConvBn")(conv, bn) if is_qat else fuse_conv_bn_eval(conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: Any) -> Any:
    """The same with the relu behind them.

    >>> conv, bn = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)
    >>> type(torch.ao.quantization.fuse_conv_bn_relu(True, conv, bn, nn.ReLU())).__name__
    'ConvBnReLU2d'
    """
    _check(is_qat, conv, bn, relu)
    if is_qat:
        return _class_for(conv, "ConvBnReLU")(conv, bn, relu)
    return _class_for(conv, "ConvReLU")(fuse_conv_bn_eval(conv, bn), relu)


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> Any:
    """A linear layer and its batch norm as one: for training both in one module, else a linear
    layer that computes both.

    >>> linear, bn = nn.Linear(1, 2).eval(), nn.BatchNorm1d(2).eval()
    >>> torch.ao.quantization.fuse_linear_bn(False, linear, bn)
    Linear(in_features=1, out_features=2, bias=True)
    """
    _check(is_qat, linear, bn)
    return intrinsic.LinearBn1d(linear, bn) if is_qat else fuse_linear_bn_eval(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> Any:
    """A transposed convolution that computes its batch norm too; not for training.

    >>> convt, bn = nn.ConvTranspose2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval()
    >>> type(torch.ao.quantization.fuse_convtranspose_bn(False, convt, bn)).__name__
    'ConvTranspose2d'
    """
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")
    _check(is_qat, convt, bn)
    return fuse_conv_bn_eval(convt, bn, transpose=True)


def _together(fused: Any) -> Any:
    """A method that puts layers into one module."""
    return lambda is_qat, *layers: fused(*layers)


METHODS: dict[Any, Any] = {
    (nn.Linear, nn.BatchNorm1d): fuse_linear_bn,
    (nn.Linear, nn.ReLU): _together(intrinsic.LinearReLU),
    (nn.BatchNorm2d, nn.ReLU): _together(intrinsic.BNReLU2d),
    (nn.BatchNorm3d, nn.ReLU): _together(intrinsic.BNReLU3d),
}
for _n in "123":
    _conv, _bn = getattr(nn, f"Conv{_n}d"), getattr(nn, f"BatchNorm{_n}d")
    METHODS[_conv, _bn] = fuse_conv_bn
    METHODS[_conv, _bn, nn.ReLU] = fuse_conv_bn_relu
    METHODS[_conv, nn.ReLU] = _together(getattr(intrinsic, f"ConvReLU{_n}d"))
    METHODS[getattr(nn, f"ConvTranspose{_n}d"), _bn] = fuse_convtranspose_bn


def get_fuser_method(op_list: Any, additional_fuser_method_mapping: Any = None) -> Any:
    """What fuses layers of these classes: a function (is_qat, *layers) -> module. AssertionError if
    nothing does.

    >>> fuse = torch.ao.quantization.get_fuser_method((nn.Linear, nn.ReLU))
    >>> type(fuse(True, nn.Linear(1, 1), nn.ReLU())).__name__
    'LinearReLU'
    """
    found = {**METHODS, **(additional_fuser_method_mapping or {})}.get(op_list)
    if found is None:
        known = "Conv+BatchNorm, Conv+BatchNorm+ReLU, Conv+ReLU, Linear+BatchNorm, Linear+ReLU, ..."
        raise AssertionError(message(f"did not find fuser method for: {op_list} ", wanted=known))
    return found
