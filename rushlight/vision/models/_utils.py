"""Small parts of several networks: first values, channel counts, and a cut through a model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rushlight

from ... import nn
from ...tensor import Tensor

Layer = Callable[..., nn.Module]


def fan_out(weight: Tensor) -> Tensor:
    """He's normal numbers that keep the variance of gradients (https://arxiv.org/abs/1502.01852)."""
    return nn.init.kaiming_normal_(weight, mode="fan_out", nonlinearity="relu")


def initialise(
    model: nn.Module,
    conv: Callable[[Tensor], Any] = fan_out,
    linear: Callable[[Tensor], Any] | None = None,
) -> None:
    """Weights of convolutions by `conv`, norms to 1, biases to 0, linear layers by `linear`.

    Random numbers are drawn in the order of `model.modules()`. Linear layers keep their first
    values where `linear` is None.
    """
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            conv(m.weight)
        elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
            if m.weight is not None:
                nn.init.ones_(m.weight)
        elif isinstance(m, nn.Linear) and linear is not None:
            linear(m.weight)
        else:
            continue
        if m.bias is not None:
            nn.init.zeros_(m.bias)


def check_rows(rows: Any, kind: type, name: str) -> None:
    """Whether a network's configuration is a sequence of `kind` that has something in it."""
    if not rows:
        raise ValueError(f"The {name} should not be empty")
    if not isinstance(rows, Sequence) or not all(isinstance(row, kind) for row in rows):
        raise TypeError(f"The {name} should be List[{kind.__name__.lstrip('_')}]")


def _make_divisible(v: float, divisor: int, min_value: int | None = None) -> int:
    """`v` rounded to a multiple of `divisor`, but not to less than nine tenths of it."""
    least = divisor if min_value is None else min_value
    rounded = max(least, int(v + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * v else rounded


def truncated(model: nn.Module, std: float) -> None:
    """Normal weights cut at -2 and 2; a layer's attribute `stddev` goes before `std`."""
    for m in model.modules():
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            nn.init.trunc_normal_(m.weight, 0.0, float(getattr(m, "stddev", std)), -2, 2)


def from_imagenet_statistics(x: Tensor) -> Tensor:
    """Images normalized by the mean and deviation of ImageNet's channels, brought to [-1, 1]."""
    channels = zip((0.485, 0.456, 0.406), (0.229, 0.224, 0.225), strict=True)
    return rushlight.cat(
        [
            x[:, i].unsqueeze(1) * (deviation / 0.5) + (mean - 0.5) / 0.5
            for i, (mean, deviation) in enumerate(channels)
        ],
        1,
    )


class IntermediateLayerGetter(nn.ModuleDict):
    """A model cut after the last of some of its children, returning what these gave.

    Works where the forward of `model` calls its children once each in their order and does nothing
    in between.

    Args:
        model: the whole network.
        return_layers: name of a direct child -> name of its output in the result.

    >>> net = rushlight.vision.models.resnet18()
    >>> cut = rushlight.vision.models._utils.IntermediateLayerGetter(net, {"layer1": "low"})
    >>> {name: tuple(y.shape) for name, y in cut(torch.zeros(1, 3, 64, 64)).items()}
    {'low': (1, 64, 16, 16)}
    """

    _version = 2

    def __init__(self, model: nn.Module, return_layers: Mapping[str, str]) -> None:
        children = dict(model.named_children())
        missing = [name for name in return_layers if name not in children]
        if missing:
            raise ValueError(
                "return_layers are not present in model"
                f"\n  got     {', '.join(map(str, missing))}"
                f"\n  wanted  some of {', '.join(children)}"
            )
        order = list(children)
        last = max((order.index(name) for name in return_layers), default=len(order) - 1)
        super().__init__(OrderedDict((name, children[name]) for name in order[: last + 1]))
        self.return_layers = return_layers

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        found: OrderedDict[str, Tensor] = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
