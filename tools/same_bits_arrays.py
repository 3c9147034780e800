"""Calls of `same_bits.py --ops`: products, reductions, scans, sorts, lookups, element by element.

Not here: how a call is made and told (`same_bits_calls.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from same_bits_calls import FLOATS, Call, call, whole

import rushlight as torch

F = torch.nn.functional
THREE = "float32 float64 bfloat16"
LAYOUTS: dict[str, Any] = {
    "as is": lambda x: x,
    "turned": lambda x: x.transpose(0, -1),
    "gaps": lambda x: x[..., ::3],
    "reversed": lambda x: x.flip(0),
}
PRODUCTS = ((1, 8, 8), (5, 7, 3), (16, 64, 10), (64, 320, 50), (128, 784, 512), (1, 384, 384),
            (300, 257, 129), (512, 512, 512), (33, 3000, 17), (999, 3, 999), (4, 384, 65),
            )  # fmt: skip
STACKS = (((48, 64, 64), (48, 64, 64)), ((2, 4, 30, 16), (2, 4, 16, 30)), ((7, 5), (5,)),
          ((6, 1, 8, 9), (3, 9, 4)), ((5,), (5,)), ((40, 30), (3, 30, 20)), ((9,), (4, 9, 3)),
          )  # fmt: skip


def products() -> Iterator[Call]:
    matrices: dict[str, Any] = {
        "as is": lambda x: x,
        "turned": lambda x: x.mT.contiguous().mT,
        "gaps": lambda x: x[..., ::2],
    }
    for m, k, n in PRODUCTS:
        kinds = THREE if m * k * n < 1 << 21 else "float32"
        for one, two in product(matrices, matrices):
            a, b = (m, 2 * k if one == "gaps" else k), (k, 2 * n if two == "gaps" else n)
            f = lambda x, y, f=matrices[one], g=matrices[two]: f(x) @ g(y)  # noqa: E731
            yield call(f"matmul {m}x{k}x{n} {one}, {two}", f, a, b, dtypes=kinds)
        yield call(f"linear {m}x{k}x{n}", F.linear, (m, k), (n, k), (n,))
        added = lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2)  # noqa: E731
        yield call(f"addmm {m}x{k}x{n}", added, (m, n), (m, k), (k, n))
    for a, b in STACKS:
        yield call(f"matmul {a} {b}", torch.matmul, a, b, dtypes=THREE)
    pairs = lambda a, b: torch.einsum("bik,bjk->bij", a, b)  # noqa: E731
    yield call("einsum", pairs, (3, 20, 30), (3, 10, 30))
    yield call("bilinear", F.bilinear, (6, 5), (6, 4), (3, 5, 4), (3,))


REDUCED = """sum mean prod var std amax amin argmax argmin norm nansum any all
count_nonzero"""
NO_INTEGERS, ONE_DIM = ("mean", "var", "std", "norm"), ("prod", "argmax", "argmin", "any", "all")


def reductions() -> Iterator[Call]:
    for shape, name in product(((5, 7), (300, 211), (8, 16, 9, 9)), REDUCED.split()):
        for layout, dim in product(LAYOUTS, (None, 0, -1, (0, 2))):
            if dim == (0, 2) and (len(shape) < 3 or name in ONE_DIM):
                continue
            more = {} if dim is None else {"dim": dim}
            f = lambda x, n=name, g=LAYOUTS[layout], m=more: getattr(g(x), n)(**m)  # noqa: E731
            told = f"{name} {shape} {layout} {dim}"
            yield call(told, f, shape, dtypes=FLOATS)
            if name not in NO_INTEGERS:
                yield call(told, f, whole(9, *shape) - 4, dtypes="int64")


ALONG = """cumsum cumprod cummax cummin logcumsumexp sort argsort median max min mode aminmax diff
flip"""


def scans() -> Iterator[Call]:
    for name, shape, dim in product(ALONG.split(), ((5, 7), (200, 301), (3, 1000)), (0, 1)):
        for layout in ("as is", "turned"):
            more = {"dims": [dim]} if name == "flip" else {"dim": dim}
            f = lambda x, n=name, g=LAYOUTS[layout], m=more: getattr(g(x), n)(**m)  # noqa: E731
            yield call(f"{name} {shape} {layout} {dim}", f, shape, dtypes=FLOATS)
    yield call("topk", lambda x: x.topk(5, 1), (60, 300), dtypes=FLOATS)
    yield call("kthvalue", lambda x: x.kthvalue(7, 1), (60, 300))
    found = lambda x: x.unique(return_inverse=True, return_counts=True)  # noqa: E731
    yield call("unique", found, whole(50, 999))
    yield call("bincount", lambda x: x.bincount(), whole(50, 999))


def lookups() -> Iterator[Call]:
    index = whole(100, 32, 17)
    for width in (1, 16, 100, 256):
        w, v = (100, width), (17, width)
        table = lambda w, i: F.embedding(i, w, padding_idx=3)  # noqa: E731
        yield call(f"embedding {width}", table, w, index, dtypes=THREE)
        yield call(f"getitem {width}", lambda w, i: w[i], w, index)
        yield call(f"index_select {width}", lambda w, i: w.index_select(0, i[0]), w, index)
        yield call(f"index_add {width}", lambda w, i, v: w.index_add(0, i[0], v), w, index, v)
        rows = lambda w, i: w.gather(0, i[:1].T.expand(17, w.shape[1]))  # noqa: E731
        yield call(f"gather {width}", rows, w, index)
        spread = lambda w, i, v: w.scatter_add(0, i[:1].T.expand(17, w.shape[1]), v)  # noqa: E731
        yield call(f"scatter_add {width}", spread, w, index, v)
    for mode in ("sum", "mean", "max"):
        bag = lambda w, i, m=mode: F.embedding_bag(i, w, mode=m)  # noqa: E731
        yield call(f"embedding_bag {mode}", bag, (100, 40), index)


PAIRS = (((4, 4), (4, 4)), ((300, 200), (300, 200)), ((300, 200), (200,)), ((300, 1), (1, 200)),
         ((8, 16, 12, 12), (16, 1, 1)), ((1,), (70000,)), ((50, 1, 60), (1, 40, 60)))  # fmt: skip
TWO = "add sub mul div pow maximum fmod atan2 hypot lt eq"
ONE = """exp log tanh sigmoid erf sin sqrt rsqrt abs reciprocal relu square log1p expm1 round lgamma
digamma asinh"""
ACTIVATIONS = """gelu silu elu selu softplus mish hardswish leaky_relu logsigmoid dropout
alpha_dropout dropout2d glu"""


def elementwise() -> Iterator[Call]:
    for name, (a, b) in product(TWO.split(), PAIRS):
        f = getattr(torch, name)
        yield call(f"{name} {a} {b}", f, a, b, dtypes=FLOATS)
        turned = lambda x, y, f=f: f(x.mT if x.ndim > 1 else x, y)  # noqa: E731
        yield call(f"{name} {a} {b} turned", turned, a[:-2] + a[-2:][::-1], b)
        if name not in ("pow", "hypot"):
            yield call(f"{name} {a} {b}", f, whole(90, *a) + 1, whole(90, *b) + 1, dtypes="int64")
    for name, shape in product(ONE.split(), ((7,), (70000,), (200, 300))):
        yield call(f"{name} {shape}", getattr(torch, name), shape, dtypes=FLOATS)
        yield call(f"{name} {shape} gaps", lambda x, n=name: getattr(x[..., ::2], n)(), shape)
    for name, shape in product(ACTIVATIONS.split(), ((4, 6, 2, 2), (8, 16, 12, 12))):
        yield call(f"{name} {shape}", getattr(F, name), shape, dtypes=FLOATS)
    for name in ("add_", "mul_", "copy_", "sub_", "div_"):
        part = lambda x, y, n=name: getattr(x.clone()[:, 1:], n)(y)  # noqa: E731
        yield call(f"{name} of a part", part, (50, 60), (59,), dtypes=FLOATS)
    yield call("where", lambda x, y: torch.where(x > y, x, y), (300, 200), (200,))
    yield call("cat", lambda *x: torch.cat(x, 1), (30, 20), (30, 5), (30, 1))
    yield call("stack", lambda *x: torch.stack(x, 1), (30, 20), (30, 20))
    for mode in ("nearest", "bilinear", "bicubic", "area"):
        f = lambda x, m=mode: F.interpolate(x, (17, 23), mode=m)  # noqa: E731
        yield call(f"interpolate {mode}", f, (2, 3, 12, 12), dtypes="float32 float64")
    for mode in ("constant", "reflect", "replicate", "circular"):
        yield call(f"pad {mode}", lambda x, m=mode: F.pad(x, (2, 1, 3, 0), m), (2, 3, 12, 12))


def random() -> Iterator[Call]:
    yield call("rand", lambda: torch.rand(999))
    yield call("randn", lambda: torch.randn(999))
    yield call("randperm", lambda: torch.randperm(999))
    yield call("normal", lambda: torch.normal(1.0, 2.0, (9, 9)))
    yield call("bernoulli", lambda: torch.full((999,), 0.3).bernoulli())
    yield call("multinomial", lambda: torch.ones(99).multinomial(20))
    yield call("exponential", lambda: torch.zeros(999).exponential_())


PARTS = (products, reductions, scans, lookups, elementwise, random)
