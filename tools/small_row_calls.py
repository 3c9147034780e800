"""What `small_row_errors.py` starts, with a tree on its path: calls on small arrays, many times.

    python tools/small_row_calls.py FILE NAME DRAWS TYPE     writes {output: values of all draws}
    python tools/small_row_calls.py --list                   operations; programs

A call uses public names alone, so it runs with trees whose inside is laid out in another way.
Operands are float32 numbers; with TYPE float64 the same numbers are computed in float64.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np

import rushlight as torch

F = torch.nn.functional
Call = Callable[..., Any]
warnings.simplefilter("ignore")


# -- operations ------------------------------------------------------------------------------------

ROWS = ((64, 10), (16, 10), (4, 32), (8, 65), (2, 500))  # up to 2047 elements


def rows(f: Call, shapes: Any = ROWS) -> Iterator[tuple[str, Call, Any]]:
    for shape in shapes:
        yield "x".join(map(str, shape)), f, [shape]


def columns(f: Call) -> Iterator[tuple[str, Call, Any]]:
    """Along dimension 1: few columns, which NumPy had whatever their size, and more."""
    for shape in ((4, 10, 2), (16, 40, 4), (3, 10, 6, 6)):
        yield f"{'x'.join(map(str, shape))} along 1", f, [shape]


def classes(**how: Any) -> Iterator[tuple[str, Call, Any]]:
    for n, c in ROWS:
        def loss(x: Any, t: Any = None, c: int = c) -> Any:
            return F.cross_entropy(x, t, **how)

        yield f"{n}x{c}", loss, [(n, c), ("classes", c, (n,))]


def weighted() -> Iterator[tuple[str, Call, Any]]:
    for n, c in ROWS[:3]:
        def loss(x: Any, w: Any, t: Any) -> Any:
            how = {"label_smoothing": 0.1, "reduction": "none"}
            return F.cross_entropy(x, t, weight=w.detach().abs(), **how)

        yield f"{n}x{c}", loss, [(n, c), (c,), ("classes", c, (n,))]


def affine(name: str, f: Call, shapes: Any) -> Iterator[tuple[str, Call, Any]]:
    """With weight and bias of a dimension, 1 or the last."""
    for shape in shapes:
        c = shape[1 if name == "channels" else -1]
        yield "x".join(map(str, shape)), f, [shape, (c,), (c,)]


PLANES = (
    (2, 4, 4, 4), (16, 4, 3, 3), (16, 64, 2, 2), (2, 512, 2, 2), (32, 16, 2, 2), (32, 64, 1, 1),
    (16, 10), (8, 3, 1), (32, 8),
)  # fmt: skip
IMAGES = ((2, 8, 4, 4), (2, 16, 2, 2), (4, 64, 2, 2), (2, 12, 5))
LINES = ((4, 32), (16, 100), (8, 65), (3, 500))


def batch_norm(x: Any, w: Any, b: Any) -> Any:
    return F.batch_norm(x, None, None, w, b, True)


def batch_norm_eval(x: Any, w: Any, b: Any) -> Any:
    d = {"dtype": x.dtype}
    mean = torch.linspace(-0.5, 1.0, w.numel(), **d)
    return F.batch_norm(x, mean, torch.linspace(0.3, 3.0, w.numel(), **d), w, b, False)


def groups(x: Any, w: Any, b: Any) -> Any:
    return F.group_norm(x, 4, w, b)


def instances(x: Any, w: Any, b: Any) -> Any:
    return F.instance_norm(x, weight=w, bias=b)


def layers(x: Any, w: Any, b: Any) -> Any:
    return F.layer_norm(x, w.shape, w, b)


def rms(x: Any, w: Any) -> Any:
    return F.rms_norm(x, w.shape, w, 1e-6)


def attention() -> Iterator[tuple[str, Call, Any]]:
    def call(how: dict[str, Any]) -> Call:
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **how)

    hides = {"attn_mask": torch.arange(80).reshape(8, 10) % 3 > 0}
    for rows, keys, depth, how in (
        (8, 8, 16, {}), (5, 5, 8, {}), (8, 10, 16, hides), (20, 20, 16, {"is_causal": True}),
        (3, 150, 8, {}), (70, 70, 4, {"is_causal": True}),
    ):  # fmt: skip
        name = "".join(f", {k}" for k in how)
        shapes = [(1, 2, n, depth) for n in (rows, keys, keys)]
        yield f"1x2x{rows}x{depth} by {keys}{name}", call(how), shapes


def recurrent(kind: str) -> Iterator[tuple[str, Call, Any]]:
    """Layers over 5 times of 3 rows and over 9 of one; results are those of all times."""
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    for times, count, width in ((5, 3, 8), (9, 1, 20)):
        def run(x: Any, w: Any, u: Any, width: int = width) -> Any:
            layer = getattr(torch.nn, kind)(x.shape[2], width, bias=False).to(x.dtype)
            for name, value in (("weight_ih_l0", w * 0.2), ("weight_hh_l0", u * 0.2)):
                delattr(layer, name)
                setattr(layer, name, value)
            return layer(x)[0]

        shapes = [(times, count, 6), (gates * width, 6), (gates * width, width)]
        yield f"{times}x{count}x6 to {width}", run, shapes


OPERATIONS: dict[str, Callable[[], Iterator[tuple[str, Call, Any]]]] = {
    "softmax": lambda: rows(lambda x: torch.softmax(x, -1)),
    "softmax_columns": lambda: columns(lambda x: torch.softmax(x, 1)),
    "log_softmax": lambda: rows(lambda x: torch.log_softmax(x, -1)),
    "log_softmax_columns": lambda: columns(lambda x: torch.log_softmax(x, 1)),
    "logsumexp": lambda: rows(lambda x: torch.logsumexp(x, -1)),
    "cross_entropy": lambda: classes(reduction="none"),
    "cross_entropy_mean": classes,
    "cross_entropy_smooth": lambda: classes(reduction="none", label_smoothing=0.1),
    "cross_entropy_weighted": weighted,
    "layer_norm": lambda: affine("last", layers, LINES),
    "layer_norm_plain": lambda: rows(lambda x: F.layer_norm(x, x.shape[-1:]), LINES),
    "rms_norm": lambda: ((n, f, given[:2]) for n, f, given in affine("last", rms, LINES)),
    "batch_norm": lambda: affine("channels", batch_norm, PLANES),
    "batch_norm_eval": lambda: affine("channels", batch_norm_eval, PLANES),
    "group_norm": lambda: affine("channels", groups, IMAGES),
    "instance_norm": lambda: affine("channels", instances, IMAGES),
    "normalize": lambda: rows(lambda x: F.normalize(x, dim=-1)),
    "avg_pool2d": lambda: rows(lambda x: F.avg_pool2d(x, 3, 2), ((2, 4, 9, 9),)),
    "adaptive_avg_pool2d": lambda: rows(lambda x: F.adaptive_avg_pool2d(x, 1), ((4, 16, 4, 4),)),
    "attention": attention,
    "lstm": lambda: recurrent("LSTM"),
    "gru": lambda: recurrent("GRU"),
    "rnn": lambda: recurrent("RNN"),
}  # fmt: skip


def drawn(given: Any, rng: np.random.Generator, dtype: Any) -> Any:
    if given[0] == "classes":
        return torch.from_numpy(rng.integers(0, given[1], given[2]))
    x = rng.standard_normal(given).astype(np.float32) * 2 + 0.5
    return torch.from_numpy(x.astype(np.float32)).to(dtype).requires_grad_()


def operation(name: str, draws: int, dtype: Any) -> dict[str, np.ndarray]:
    found: dict[str, list[np.ndarray]] = {}
    for case, f, given in OPERATIONS[name]():
        rng = np.random.default_rng(crc32(f"{name} {case}".encode()))
        for _ in range(draws):
            operands = [drawn(g, rng, dtype) for g in given]
            y = f(*operands)
            g = rng.standard_normal(y.shape).astype(np.float32)
            leaves = [x for x in operands if x.requires_grad]
            parts = torch.autograd.grad(y, leaves, torch.from_numpy(np.array(g)).to(dtype),
                                        allow_unused=True)  # fmt: skip
            for part, value in zip(("result", "dx", "dw", "db"), (y, *parts), strict=False):
                if value is not None:
                    found.setdefault(f"{name} {case} {part}", []).append(value.detach().numpy())
    return {k: np.stack(v) for k, v in found.items()}


# -- training programs -----------------------------------------------------------------------------

PROGRAMS = {"mnist": 3, "mlp": 1, "resnet": 2, "resnet18": 1}  # and how many steps


def program(name: str, seeds: int, dtype: Any) -> dict[str, np.ndarray]:
    """Loss and gradients of the first steps, the initial values and data drawn for each seed. In
    float64 they are the same numbers: a model is converted before its first step."""
    import same_bits_programs as programs  # here: a tree's

    found: dict[str, list[np.ndarray]] = {}
    seed, train = 0, programs.train

    def trained(model: Any, optimizer: Any, loss: Call, steps: int, **_: Any) -> Any:
        return train(model.to(dtype), optimizer, loss, steps)

    programs.rng = lambda: np.random.default_rng(seed)
    drawn_before, digits_before = programs.drawn, programs.digits
    programs.drawn = lambda *shape: drawn_before(*shape).to(dtype)
    programs.digits = lambda n: [a.to(dtype) if a.is_floating_point() else a
                                 for a in digits_before(n)]  # fmt: skip
    programs.train = trained
    for seed in range(seeds):
        torch.manual_seed(seed)
        for moment, values in getattr(programs, name)(PROGRAMS[name]):
            gradients = [g for k, g in values.items() if k.startswith("gradient of ")]
            flat = np.concatenate([g.detach().numpy().ravel() for g in gradients])
            found.setdefault(f"{name} {moment}, loss", []).append(values["loss"].detach().numpy())
            found.setdefault(f"{name} {moment}, gradients", []).append(flat)
    return {k: np.stack(v) for k, v in found.items()}


def main(file: str, name: str = "", draws: str = "", dtype: str = "float32") -> None:
    if file == "--list":
        print(*OPERATIONS)
        print(*PROGRAMS)
        return
    make = program if name in PROGRAMS else operation
    kept = make(name, int(draws), getattr(torch, dtype))
    with open(file, "wb") as opened:
        pickle.dump(kept, opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
