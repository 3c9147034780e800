"""Rows of small things, where Python is the work: single operations, layers of a few numbers, and
building a large network.

Not here: the calls of `SMALL` (`overhead.py`), larger work (`work.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import models, overhead
from .rows import ROWS, Call, Row, both, row

SMALL = {  # name: the title in `overhead.cases`, the limits
    "add": ("a + b", 0.9, 0.6),
    "add_grad": ("a + b, with gradient", 0.9, 0.65),
    "chain": ("chain of 20, forward and backward", 0.7, 0.5),
    "linear": ("Linear(8, 8)", 0.8, 0.5),
    "getitem": ("a[0]", 1.0, 0.7),
    "view": ("a.view(16)", 1.0, 0.7),
    "reshape": ("a.reshape(2, 8)", 1.0, 0.7),
    "cat": ("cat((a, b))", 1.0, 0.7),
    "rand": ("rand(1)", 1.0, 0.7),
}


def small(case: str) -> Callable[..., Call]:
    return lambda torch: overhead.cases(torch)[case]


for _name, (_case, _at_most, _aim) in SMALL.items():
    _title = _case.replace("a + b", "add 4x4")
    ROWS[_name] = Row(_name, _title, small(_case), _at_most, _aim)


@row("building a ResNet-50", 1.0, 0.7, tiny={"classes": 2})
def build_resnet50(torch: Any, classes: int = 1000) -> Call:
    def call() -> None:
        models.resnet50(torch, classes)

    return call


# -- layers of a few numbers, forward and backward -----------------------------------------------


@row("batch_norm 2x4x4², forward + backward", 1.0, 0.7)
def small_batch_norm(torch: Any) -> Call:
    x, norm = torch.randn(2, 4, 4, 4, requires_grad=True), torch.nn.BatchNorm2d(4)
    return both(torch, lambda x, _w, _b: norm(x), x, norm.weight, norm.bias)


@row("layer_norm 4x32, forward + backward", 1.0, 0.7)
def small_layer_norm(torch: Any) -> Call:
    x, norm = torch.randn(4, 32, requires_grad=True), torch.nn.LayerNorm(32)
    return both(torch, lambda x, _w, _b: norm(x), x, norm.weight, norm.bias)


@row("max_pool 2x2, 1x4x8², forward + backward", 1.0, 0.7)
def small_max_pool(torch: Any) -> Call:
    x = torch.randn(1, 4, 8, 8, requires_grad=True)
    return both(torch, lambda x: torch.nn.functional.max_pool2d(x, 2), x)


@row("cross_entropy 8x10, forward + backward", 1.0, 0.7)
def small_cross_entropy(torch: Any) -> Call:
    x, target = torch.randn(8, 10, requires_grad=True), torch.randint(0, 10, (8,))
    return both(torch, lambda x: torch.nn.functional.cross_entropy(x, target), x)


@row("causal attention 1x2x8x16, forward + backward", 1.0, 0.7)
def small_attention(torch: Any) -> Call:
    parts = [torch.randn(1, 2, 8, 16, requires_grad=True) for _ in range(3)]
    f = torch.nn.functional.scaled_dot_product_attention
    return both(torch, lambda q, k, v: f(q, k, v, is_causal=True), *parts)
