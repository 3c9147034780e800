"""Calls of `same_bits.py --ops`: convolutions, pooling, norms, losses, attention, recurrent layers.

Not here: how a call is made and told (`same_bits_calls.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from same_bits_calls import Call, call, whole

import rushlight as torch

F = torch.nn.functional
THREE = "float32 float64 bfloat16"
CONVOLUTIONS = (  # images, channels, outputs, size, kernel, stride, padding, dilation, groups
    (1, 3, 8, 9, 3, 1, 0, 1, 1), (4, 16, 32, 14, 3, 1, 1, 1, 1), (2, 64, 64, 28, 3, 1, 1, 1, 1),
    (8, 64, 64, 8, 3, 1, 1, 1, 1), (2, 128, 128, 7, 3, 1, 1, 1, 1), (2, 3, 64, 56, 7, 2, 3, 1, 1),
    (2, 64, 128, 28, 3, 2, 1, 1, 1), (2, 64, 128, 28, 1, 2, 0, 1, 1), (2, 9, 4, 14, 1, 1, 0, 1, 1),
    (2, 64, 256, 14, 1, 1, 0, 1, 1), (2, 32, 32, 28, 3, 1, 1, 1, 32), (2, 8, 8, 28, 3, 2, 1, 1, 8),
    (2, 32, 64, 14, 5, 1, 2, 1, 32), (2, 24, 24, 14, 7, 1, 3, 1, 24), (2, 8, 64, 14, 3, 1, 1, 1, 4),
    (2, 16, 16, 20, 3, 1, 2, 2, 1), (2, 16, 16, 21, 3, 2, 4, 3, 2), (64, 1, 10, 28, 5, 1, 0, 1, 1),
    (64, 10, 20, 12, 5, 1, 0, 1, 1), (8, 64, 128, 16, 4, 2, 1, 1, 1), (1, 9, 512, 7, 3, 1, 1, 1, 1),
    (16, 256, 8, 1, 1, 1, 0, 1, 1), (2, 130, 70, 17, 3, 1, 1, 1, 1), (2, 3, 4, 9, 3, 3, 1, 1, 1),
)  # fmt: skip


def convolutions() -> Iterator[Call]:
    for n, c, o, size, k, s, p, d, groups in CONVOLUTIONS:
        told = f"{n}x{c}x{size} {o}x{k} stride {s} padding {p} dilation {d} groups {groups}"
        more = {"stride": s, "padding": p, "dilation": d, "groups": groups}
        x, w = (n, c, size, size), (o, c // groups, k, k)

        def conv(*a: Any, more: Any = more) -> Any:
            return F.conv2d(*a, **more)

        def transposed(*a: Any, more: Any = more) -> Any:
            return F.conv_transpose2d(*a, **more)

        yield call(f"conv2d {told}", conv, x, w, dtypes=THREE if c * o < 1025 else "float32")
        yield call(f"conv2d {told}, bias", conv, x, w, (o,))
        if size < 30:
            yield call(f"conv_transpose2d {told}", transposed, (n, o, size, size), w, (c,))
    for d in (1, 3):
        conv, transposed = (getattr(F, f"conv{x}{d}d") for x in ("", "_transpose"))
        x, w = (2, 8, *[10] * d), (12, 8, *[3] * d)
        yield call(f"conv{d}d", lambda *a, f=conv: f(*a, padding=1), x, w, (12,))
        yield call(f"conv{d}d stride", lambda *a, f=conv: f(*a, stride=2, dilation=2), x, w)
        v = (8, 6, *[3] * d)
        yield call(f"conv_transpose{d}d", lambda *a, f=transposed: f(*a, stride=2), x, v)
    last = lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w, padding=1)  # noqa: E731
    yield call("conv2d channels last", last, (2, 14, 14, 16), (32, 16, 3, 3))
    yield call("unfold", lambda x: F.unfold(x, 3, 1, 1, 2), (2, 4, 9, 9))
    yield call("fold", lambda x: F.fold(x, (10, 10), 3, stride=1), (2, 36, 64))


def pools() -> Iterator[Call]:
    sizes = ((3, 8, 8), (16, 28, 28), (8, 13, 17), (4, 56, 56))
    for size, window in product(sizes, ((2, 2, 0), (3, 2, 1), (3, 1, 1), (5, 3, 2))):
        x, told = (2, *size), f"{size} kernel, stride, padding {window}"

        def most(x: Any, w: Any = window, **more: Any) -> Any:
            return F.max_pool2d(x, *w, **more)

        def mean(x: Any, w: Any = window, **more: Any) -> Any:
            return F.avg_pool2d(x, *w, **more)

        def places(x: Any, most: Any = most) -> Any:
            return most(x, ceil_mode=True, return_indices=True)

        def real(x: Any, mean: Any = mean) -> Any:
            return mean(x, ceil_mode=True, count_include_pad=False)

        yield call(f"max_pool2d {told}", most, x, dtypes=THREE)
        yield call(f"max_pool2d {told}, indices", places, x)
        yield call(f"avg_pool2d {told}", mean, x, dtypes=THREE)
        yield call(f"avg_pool2d {told}, padding not counted", real, x)
    for out, kind in product((1, 3, 7), ("avg", "max")):
        name = f"adaptive_{kind}_pool2d"
        yield call(f"{name} {out}", lambda x, f=name, n=out: getattr(F, f)(x, n), (2, 16, 14, 14))
    for d, kind in product((1, 3), ("avg", "max")):
        name = f"{kind}_pool{d}d"
        yield call(name, lambda x, f=name: getattr(F, f)(x, 3, 2, 1), (2, 6, *[12] * d))


def norms() -> Iterator[Call]:
    def training(x: Any, w: Any, b: Any) -> Any:
        mean, var = torch.zeros(w.shape), torch.ones(w.shape)
        return F.batch_norm(x, mean.to(x.dtype), var.to(x.dtype), w, b, True), mean, var

    def evaluation(x: Any, w: Any, b: Any) -> Any:
        return F.batch_norm(x, torch.ones(w.shape), torch.full(w.shape, 2.0), w, b)

    def group(x: Any, w: Any, b: Any) -> Any:
        return F.group_norm(x, 2, w, b)

    for shape in ((2, 4, 4, 4), (8, 64, 28, 28), (32, 16, 7, 7), (64, 128), (4, 6, 50)):
        c = shape[1:2]
        yield call(f"batch_norm {shape}", training, shape, c, c)
        yield call(f"batch_norm {shape}, evaluation", evaluation, shape, c, c)
        yield call(f"group_norm {shape}", group, shape, c, c, dtypes=THREE)
        if len(shape) > 2:
            instance = lambda x, w, b: F.instance_norm(x, weight=w, bias=b)  # noqa: E731
            yield call(f"instance_norm {shape}", instance, shape, c, c)

    def layer(x: Any, w: Any, b: Any = None) -> Any:
        return F.layer_norm(x, w.shape, w, b)

    for shape in ((4, 32), (8, 64, 128), (768, 512), (3, 5, 7), (2, 3, 1000), (4, 1, 4097)):
        w = shape[-1:]
        yield call(f"layer_norm {shape}", layer, shape, w, w, dtypes=THREE)
        yield call(f"layer_norm {shape}, no bias", layer, shape, w)
        yield call(f"layer_norm {shape}, plain", lambda x, n=w: F.layer_norm(x, n), shape)
        rms = lambda x, w: F.rms_norm(x, w.shape, w)  # noqa: E731
        yield call(f"rms_norm {shape}", rms, shape, w, dtypes=THREE)
        yield call(f"normalize {shape}", F.normalize, shape)
    for shape, dim in (((512, 1000), 1), ((8, 4, 64, 64), -1), ((4, 10, 30), 1), ((30, 40), 0)):
        for name in ("softmax", "log_softmax", "logsumexp"):
            f = lambda x, f=name, d=dim: getattr(torch, f)(x, d)  # noqa: E731
            yield call(f"{name} {shape} {dim}", f, shape, dtypes=THREE)


LOSSES = """mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss kl_div poisson_nll_loss
binary_cross_entropy_with_logits hinge_embedding_loss multilabel_soft_margin_loss"""


def losses() -> Iterator[Call]:
    for rows, classes in ((8, 10), (64, 10), (512, 1000), (768, 65)):
        x, t, told = (rows, classes), whole(classes, rows), f"{rows}x{classes}"
        for how, smooth in product(("mean", "sum", "none"), (0.0, 0.1)):
            more = {"reduction": how, "label_smoothing": smooth, "ignore_index": 3}
            f = lambda x, t, m=more: F.cross_entropy(x, t, **m)  # noqa: E731
            yield call(f"cross_entropy {told} {how} {smooth}", f, x, t, dtypes="float32 bfloat16")
        weighed = lambda x, t, w: F.cross_entropy(x, t, w.detach().abs())  # noqa: E731
        yield call(f"cross_entropy {told}, weights", weighed, x, t, (classes,))
        soft = lambda x, t: F.cross_entropy(x, t.softmax(1))  # noqa: E731
        yield call(f"cross_entropy {told}, probabilities", soft, x, x)
        yield call(f"nll_loss {told}", F.nll_loss, x, t)
    for name, shape, how in product(LOSSES.split(), ((6, 5), (300, 200)), ("mean", "none")):
        f = lambda x, t, f=name, r=how: getattr(F, f)(x, t, reduction=r)  # noqa: E731
        yield call(f"{name} {shape} {how}", f, shape, shape, dtypes="float32 float64")
    ctc = lambda x, t: F.ctc_loss(x.log_softmax(2), t, [20] * 4, [5] * 4)  # noqa: E731
    yield call("ctc_loss", ctc, (20, 4, 9), whole(8, 4, 5) + 1)
    yield call("triplet_margin_loss", F.triplet_margin_loss, (9, 20), (9, 20), (9, 20))
    yield call("cosine_similarity", F.cosine_similarity, (9, 200), (9, 200))


ATTENTION = ((1, 2, 8, 8, 16), (2, 4, 64, 64, 32), (2, 6, 128, 128, 64), (1, 4, 1, 200, 64),
             (2, 3, 70, 33, 20))  # fmt: skip


def attention() -> Iterator[Call]:
    f = F.scaled_dot_product_attention
    for b, h, t, s, d in ATTENTION:
        q, k, told = (b, h, t, d), (b, h, s, d), f"attention {b}x{h}x{t}x{s}x{d}"
        for name, mask in {"": None, " bool": whole(5, t, s) > 0, " float": (b, 1, t, s)}.items():
            yield call(told + name, f, q, k, k, mask, dtypes=THREE)
        yield call(f"{told} causal", lambda *a: f(*a, is_causal=True), q, k, k)
        yield call(f"{told} dropout", lambda *a: f(*a, dropout_p=0.2), q, k, k)
        last = lambda *a: f(*[x.transpose(1, 2) for x in a])  # noqa: E731
        yield call(f"{told} heads last", last, (b, t, h, d), (b, s, h, d), (b, s, h, d))
    yield call("multi-head", lambda x: torch.nn.MultiheadAttention(32, 4)(x, x, x), (9, 5, 32))
    yield call("encoder", lambda x: torch.nn.TransformerEncoderLayer(32, 4, 64)(x), (9, 5, 32))


def recurrent() -> Iterator[Call]:
    for kind, two, wide in product(("RNN", "LSTM", "GRU"), (False, True), (5, 64)):

        def run(x: Any, kind: str = kind, two: bool = two, wide: int = wide) -> Any:
            layer = getattr(torch.nn, kind)(20, wide, 2, bidirectional=two, batch_first=two)
            y, state = layer.to(x.dtype)(x)
            weights = torch.autograd.grad(y.sum(), list(layer.parameters()), retain_graph=True)
            return y, state, weights

        yield call(f"{kind} {two} {wide}", run, (9, 7, 20), dtypes="float32 float64")


PARTS = (convolutions, pools, norms, losses, attention, recurrent)
