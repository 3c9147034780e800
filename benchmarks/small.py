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


# -- small calls -----------------------------------------------------------------------------------
# What training loops, agents and generation call between the products. A row is the sum of calls,
# so one that is slow shows; the limit is what none of them may take against PyTorch's.


def in_turn(*calls: Call) -> Call:
    """Calls one after the other, and what they give."""
    return lambda: [each() for each in calls]


@row("random numbers of few: randn, normal, randint, …", 2.0, 1.0)
def few_random(torch: Any) -> Call:
    x = torch.zeros(8, 4)
    return in_turn(
        lambda: torch.rand(8, 4),
        lambda: torch.randn(1),
        lambda: torch.randn(8, 4),
        lambda: torch.randn_like(x),
        lambda: torch.normal(0.0, 1.0, (8, 4)),
        lambda: torch.randint(0, 4, (8,)),
        lambda: torch.randperm(8),
    )


@row("views of few: x[1:3], x[:, 1], permute, expand, chunk, …", 2.0, 1.0)
def few_views(torch: Any) -> Call:
    x, i, w = torch.ones(8, 4), torch.ones(8, 1), torch.ones(8, 4, requires_grad=True)
    return in_turn(
        lambda: x[1:3],
        lambda: x[:, 1],
        lambda: x[0, 0],
        lambda: x[None],
        lambda: w[1:3],
        lambda: x.permute(1, 0),
        lambda: i.expand(8, 4),
        lambda: x.unsqueeze(0),
        lambda: i.squeeze(1),
        lambda: x.flatten(),
        lambda: x.chunk(2, 1),
        lambda: x.split(2, 1),
        lambda: w.detach(),
    )


@row("joining with history: cat and stack of two and of four", 2.0, 1.0)
def few_joined(torch: Any) -> Call:
    a, b = (torch.ones(8, 4, requires_grad=True) for _ in range(2))
    return in_turn(
        lambda: torch.cat((a, b)),
        lambda: torch.cat((a, b), 1),
        lambda: torch.stack((a, b)),
        lambda: torch.stack([a, b, a, b]),
    )


@row("indexing of few: gather, scatter, x[i], x[mask], embedding, …", 2.0, 1.0)
def few_indexed(torch: Any) -> Call:
    x, i = torch.ones(8, 4), torch.zeros(8, 1, dtype=torch.int64)
    w, k, mask = torch.ones(8, 4, requires_grad=True), torch.tensor([0, 2, 1]), torch.ones(8, 4) > 0
    f = torch.nn.functional
    return in_turn(
        lambda: x.gather(1, i),
        lambda: w.gather(1, i),
        lambda: x.scatter(1, i, 1.0),
        lambda: x[k],
        lambda: w[k],
        lambda: x[mask],
        lambda: torch.index_select(x, 0, k),
        lambda: f.embedding(k, w),
        lambda: f.one_hot(k, 4),
    )


@row("changes in place of few: +=, add_(alpha), relu_, clamp_, x[i] = v, …", 2.0, 1.0)
def few_changed(torch: Any) -> Call:
    x, y, i = torch.ones(8, 4), torch.full((8, 4), 0.5), torch.tensor([0, 2, 1])
    v, mask, f = torch.zeros(3, 4), y > 1, torch.nn.functional
    return in_turn(
        lambda: x.__iadd__(y),
        lambda: x.mul_(0.5),
        lambda: x.add_(y, alpha=-0.1),
        lambda: x.clamp_(-1, 1),
        lambda: f.relu(x, inplace=True),
        lambda: x.lerp_(y, 0.1),
        lambda: x.masked_fill_(mask, 0.0),
        lambda: x.__setitem__(mask, 0.0),
        lambda: x.__setitem__(i, v),
        lambda: x.__setitem__(0, v[0]),
        lambda: x.copy_(y),
        lambda: x.zero_(),
    )


@row("factories: zeros, arange, full, tensor", 2.0, 1.0)
def few_made(torch: Any) -> Call:
    return in_turn(
        lambda: torch.zeros(8, 4),
        lambda: torch.ones(8),
        lambda: torch.full((8, 4), 2.0),
        lambda: torch.arange(8),
        lambda: torch.tensor([1.0, 2.0]),
        lambda: torch.tensor([[1, 2], [3, 4]]),
        lambda: torch.tensor(1.0),
    )


@row("elementwise and reductions of few: clamp, cumsum, topk, …", 2.0, 1.0)
def few_computed(torch: Any) -> Call:
    x, line = torch.ones(8, 4), torch.arange(100.0)
    return in_turn(
        lambda: x.sigmoid(),
        lambda: x.clamp(0, 1),
        lambda: x.copy_(x),
        lambda: x.cumsum(1),
        lambda: x.softmax(1),
        lambda: x.sum(1),
        lambda: x.mean(),
        lambda: x.max(1),
        lambda: x.argmax(1),
        lambda: line.topk(3),
        lambda: (x == x).all(),
    )


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
