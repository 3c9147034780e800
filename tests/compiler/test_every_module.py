"""Layers, compiled alone: trained, evaluated, with other sizes and other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from tests.compiler.twins import Twin, same


def sequence(kind: Any, **options: Any) -> Callable[[], Any]:
    return lambda: kind(4, 6, 2, dropout=0.2, **options)


LAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "Linear": (lambda: nn.Linear(4, 3), (5, 4)),
    "Bilinear": (lambda: Twice(nn.Bilinear(4, 4, 3)), (5, 4)),
    "Conv1d": (lambda: nn.Conv1d(3, 4, 3, padding=1), (2, 3, 7)),
    "Conv2d": (lambda: nn.Conv2d(3, 4, 3, stride=2), (2, 3, 7, 8)),
    "Conv2d, padded": (lambda: nn.Conv2d(3, 4, 3, padding="same"), (2, 3, 7, 8)),
    "Conv2d, reflected": (
        lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"),
        (2, 3, 7, 8),
    ),
    "Conv2d, groups": (lambda: nn.Conv2d(4, 8, 3, groups=4, bias=False), (2, 4, 7, 8)),
    "Conv2d, dilated": (lambda: nn.Conv2d(3, 4, 3, dilation=2), (2, 3, 7, 8)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (2, 2, 4, 4, 4)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(3, 4, 3, 2), (2, 3, 7)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(3, 4, 3, 2, 1, 1), (2, 3, 5, 6)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (5, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3, momentum=None), (4, 3, 5, 5)),
    "BatchNorm2d, plain": (
        lambda: nn.BatchNorm2d(3, affine=False, track_running_stats=False),
        (4, 3, 5, 5),
    ),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3, affine=True), (4, 3, 5, 5)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (3, 4, 5)),
    "LayerNorm": (lambda: nn.LayerNorm((3, 4)), (5, 3, 4)),
    "RMSNorm": (lambda: nn.RMSNorm(4), (5, 4)),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), (2, 4, 5, 5)),
    "Dropout": (lambda: nn.Dropout(0.3), (5, 4)),
    "Dropout2d": (lambda: nn.Dropout2d(0.3), (5, 4, 3, 3)),
    "AlphaDropout": (lambda: nn.AlphaDropout(0.3), (5, 4)),
    "MaxPool1d": (lambda: nn.MaxPool1d(2), (2, 3, 8)),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, 2, 1), (2, 3, 8, 8)),
    "MaxPool2d, indices": (lambda: nn.MaxPool2d(2, return_indices=True), (2, 3, 8, 8)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), (2, 3, 8, 8)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((2, 3)), (2, 3, 8, 8)),
    "AdaptiveMaxPool2d": (lambda: nn.AdaptiveMaxPool2d(2), (2, 3, 8, 8)),
    "FractionalMaxPool2d": (lambda: nn.FractionalMaxPool2d(2, output_size=3), (2, 3, 8, 8)),
    "LPPool2d": (lambda: nn.LPPool2d(2, 2), (2, 3, 8, 8)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (2, 3, 4, 4)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), (2, 4, 3, 3)),
    "Fold": (lambda: nn.Sequential(nn.Unfold(2), nn.Fold((4, 4), 2)), (2, 3, 4, 4)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d(1), (2, 3, 4, 4)),
    "ConstantPad1d": (lambda: nn.ConstantPad1d(2, 0.5), (2, 3, 4)),
    "PReLU": (lambda: nn.PReLU(3), (2, 3, 4)),
    "RReLU": (lambda: nn.RReLU(), (2, 3, 4)),
    "GLU": (lambda: nn.GLU(), (5, 4)),
    "SELU, Hardswish": (lambda: nn.Sequential(nn.SELU(), nn.Hardswish(), nn.Mish()), (5, 4)),
    "in place": (lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(True), nn.ELU(1, True)), (5, 4)),
    "Softmax": (lambda: nn.Sequential(nn.Softmax(-1), nn.LogSoftmax(0)), (5, 4)),
    "Flatten": (lambda: nn.Sequential(nn.Flatten(), nn.Unflatten(1, (2, -1))), (5, 2, 4)),
    "RNN": (sequence(nn.RNN), (3, 2, 4)),
    "LSTM": (sequence(nn.LSTM), (3, 2, 4)),
    "LSTM, both ways": (sequence(nn.LSTM, bidirectional=True, proj_size=3), (3, 2, 4)),
    "GRU": (sequence(nn.GRU, batch_first=True), (2, 3, 4)),
    "LSTMCell": (lambda: nn.LSTMCell(4, 5), (3, 4)),
    "GRUCell": (lambda: nn.GRUCell(4, 5), (3, 4)),
    "MultiheadAttention": (
        lambda: Twice(nn.MultiheadAttention(4, 2, dropout=0.1), 3),
        (3, 2, 4),
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2),
        (2, 3, 4),
    ),
    "TransformerDecoderLayer": (lambda: Twice(nn.TransformerDecoderLayer(4, 2, 8)), (3, 2, 4)),
    "Transformer": (lambda: Twice(nn.Transformer(4, 2, 1, 1, 8)), (3, 2, 4)),
    "CosineSimilarity": (lambda: Twice(nn.CosineSimilarity()), (5, 4)),
    "weight norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), (5, 4)),
    "spectral norm": (lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), (5, 4)),
    "Embedding": (lambda: Indexed(nn.Embedding(7, 4, padding_idx=0)), (5, 3)),
    "Embedding, of a largest norm": (lambda: Indexed(nn.Embedding(7, 4, max_norm=1.0)), (5, 3)),
    "EmbeddingBag": (lambda: Indexed(nn.EmbeddingBag(7, 4)), (5, 3)),
    "AdaptiveLogSoftmax": (
        lambda: Targets(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], 2.0)),
        (5, 4),
    ),
}


class Twice(nn.Module):
    """A layer that is given its input several times."""

    def __init__(self, inner: Any, times: int = 2) -> None:
        super().__init__()
        self.inner, self.times = inner, times

    def forward(self, x: Any) -> Any:
        return self.inner(*[x] * self.times)


class Indexed(nn.Module):
    """A layer of indices."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return self.inner((x * 3).abs().long() % 7)


class Targets(nn.Module):
    """A layer that is a loss."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return self.inner(x, (x[:, 0] * 3).abs().long() % 9).loss


SLOW = ("LSTM, both ways", "TransformerEncoder", "TransformerDecoderLayer")  # to compile


def floats(y: Any) -> list[Any]:
    if isinstance(y, torch.Tensor):
        return [y] if y.requires_grad else []
    return [v for part in y for v in floats(part)] if isinstance(y, (tuple, list)) else []


@pytest.mark.eager(
    "AdaptiveLogSoftmax", "BatchNorm2d", "EmbeddingBag", "Flatten", "in place", "spectral norm",
    "weight norm",
)  # fmt: skip
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in LAYERS]
)
def test_a_layer(name: str) -> None:
    make, shape = LAYERS[name]

    def program(t: Twin) -> None:
        layer = make()
        compiled = t.compile(layer)
        t.watch(layer)

        def call(x: Any, grad: bool) -> Any:
            y = compiled(x.requires_grad_(grad))
            if floats(y):
                sum((v * v).sum() for v in floats(y)).backward()
            return y, x.grad

        for k in range(9):
            layer.train(k not in (5, 6))
            size = (shape[0] + (k == 7), *shape[1:])
            t(call, torch.randn(*size), k % 2 == 0)
            if k == 3:
                with torch.no_grad():
                    t(compiled, torch.randn(*shape))
                    t(compiled, torch.randn(*shape))

    same(program)
