"""Large arrays: reductions, broadcasting, losses and lookups, ours and PyTorch's, by CPU time.

    python -m benchmarks.arrays            the table, one thread each
    python -m benchmarks.arrays --only sum cross

Both packages run in one process with one thread; the figure is the least of several, microseconds
of CPU time, so that a busy machine blurs it little.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDS = 7
Case = Callable[[Any], Callable[[], Any]]


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def of(torch: Any, a: np.ndarray, grad: bool = False) -> Any:
    """A tensor of either package with these numbers."""
    return torch.from_numpy(a.copy()).requires_grad_(grad)


def steps(forward: Callable[..., Any], *leaves: Any, g: Any = None) -> Callable[[], None]:
    """Forward and backward, with fresh gradients."""

    def run() -> None:
        for leaf in leaves:
            leaf.grad = None
        y = forward(*leaves)
        y.backward() if g is None else y.backward(g)

    return run


def bias(torch: Any) -> Callable[[], Any]:
    x, b = of(torch, normal(128, 512), True), of(torch, normal(512), True)
    return steps(lambda x, b: x + b, x, b, g=of(torch, normal(128, 512)))


def cross_entropy(torch: Any) -> Callable[[], Any]:
    x = of(torch, normal(512, 1000), True)
    t = torch.from_numpy(np.random.default_rng(1).integers(0, 1000, 512))
    return steps(lambda x: torch.nn.functional.cross_entropy(x, t), x)


def loss(name: str) -> Case:
    """A loss of 4M pairs, forward and backward."""

    def made(torch: Any) -> Callable[[], Any]:
        x, t = of(torch, normal(4096, 1024), True), of(torch, normal(4096, 1024))
        return steps(lambda x: getattr(torch.nn.functional, name)(x, t), x)

    return made


def narrow(torch: Any) -> Callable[[], Any]:
    x = of(torch, normal(1 << 20)).half()
    return lambda: x.sum()


def embedding(torch: Any) -> Callable[[], Any]:
    w = of(torch, normal(10000, 256), True)
    i = torch.from_numpy(np.random.default_rng(1).integers(0, 10000, (32, 128)))
    return steps(
        lambda w: torch.nn.functional.embedding(i, w), w, g=of(torch, normal(32, 128, 256))
    )


def bags(forward_only: bool, **how: Any) -> Case:
    """2,048 bags of 20 rows of a table, as recommendation models have them."""

    def made(torch: Any) -> Callable[[], Any]:
        w, draw = of(torch, normal(100_000, 64), not forward_only), np.random.default_rng(1)
        i = torch.from_numpy(draw.integers(0, 100_000, (2048, 20)))

        def call(w: Any) -> Any:
            return torch.nn.functional.embedding_bag(i, w, **how)

        return (lambda: call(w)) if forward_only else steps(call, w, g=of(torch, normal(2048, 64)))

    return made


def sparse(torch: Any) -> Callable[[], Any]:
    """A CSR matrix, 1 % of it filled, times a dense one."""
    a = normal(4000, 4000) * (np.random.default_rng(1).random((4000, 4000)) < 0.01)
    matrix, x = of(torch, a).to_sparse_csr(), of(torch, normal(4000, 64))
    return lambda: matrix @ x


def at_rows(call: Callable[..., Any]) -> Case:
    """40,000 rows brought to 2,000 by an index, as messages of a graph to its nodes."""

    def made(torch: Any) -> Callable[[], Any]:
        index = torch.from_numpy(np.random.default_rng(1).integers(0, 2000, 40_000))
        zeros, rows = torch.zeros(2000, 64), of(torch, normal(40_000, 64))
        return lambda: call(zeros, index, rows)

    return made


def one(call: Callable[..., Any], *arrays: np.ndarray) -> Case:
    """A call of tensors of these numbers."""

    def made(torch: Any) -> Callable[[], Any]:
        tensors = [of(torch, a) for a in arrays]
        return lambda: call(torch, *tensors)

    return made


def cases() -> dict[str, tuple[Case, int]]:
    """What is measured, and how often in a row."""
    matrix, images, rows = normal(4096, 1024), normal(32, 64, 28, 28), normal(512, 1000)
    return {
        "sum of 16M": (one(lambda _, x: x.sum(), normal(1 << 24)), 1),
        "sum over dim 0": (one(lambda _, x: x.sum(0), matrix), 10),
        "sum over dim 1": (one(lambda _, x: x.sum(1), matrix), 10),
        "amax over dim 1": (one(lambda _, x: x.amax(1), matrix), 10),
        "max over dim 0": (one(lambda _, x: x.max(0), matrix), 2),
        "sum over dim 1, transposed": (one(lambda _, x: x.T.sum(1), matrix), 10),
        "sum over dims 0 and 2 of four": (one(lambda _, x: x.sum((0, 2)), images), 10),
        "sum of 1M float16": (narrow, 20),
        "prod over dim 1": (one(lambda _, x: x.prod(1), matrix), 5),
        "var over dim 1": (one(lambda _, x: x.var(1), matrix), 2),
        "norm over dim 1": (one(lambda _, x: x.norm(dim=1), matrix), 5),
        "nansum over dim 1": (one(lambda _, x: x.nansum(1), matrix), 5),
        "sum of 16 x 64 over dim 1": (one(lambda _, x: x.sum(1), normal(16, 64)), 2000),
        "mean of 100": (one(lambda _, x: x.mean(), normal(100)), 2000),
        "cumsum 512 x 1000 over dim 1": (one(lambda _, x: x.cumsum(1), rows), 10),
        "cummax 512 x 1000 over dim 1": (one(lambda _, x: x.cummax(1), rows), 10),
        "logcumsumexp 512 x 1000 over dim 1": (one(lambda _, x: x.logcumsumexp(1), rows), 2),
        "sort 512 x 1000": (one(lambda _, x: x.sort(1), rows), 2),
        "topk 5 of 512 x 1000": (one(lambda _, x: x.topk(5), rows), 5),
        "median 512 x 1000": (one(lambda _, x: x.median(1), rows), 2),
        "sort 1M": (one(lambda _, x: x.sort(), normal(1 << 20)), 1),
        "logsumexp over dim 1": (one(lambda _, x: x.logsumexp(1), matrix), 3),
        "bias added": (one(lambda _, x, b: x + b, normal(128, 512), normal(512)), 100),
        "bias added, forward and backward": (bias, 100),
        "lerp with a row": (one(lambda t, x, b: t.lerp(x, b, 0.3), matrix, normal(1024)), 3),
        "prelu of channels": (
            one(lambda t, x, w: t.nn.functional.prelu(x, w), images, normal(64)),
            5,
        ),
        "cross_entropy 512 x 1000, forward and backward": (cross_entropy, 10),
        "mse_loss of 4M, forward and backward": (loss("mse_loss"), 2),
        "l1_loss of 4M, forward and backward": (loss("l1_loss"), 2),
        "embedding 10000 x 256, forward and backward": (embedding, 3),
        "embedding_bag, sum": (bags(True, mode="sum"), 5),
        "embedding_bag, max": (bags(True, mode="max"), 2),
        "embedding_bag, mean, forward and backward": (bags(False), 2),
        "CSR 4000 x 4000 times 64 columns": (sparse, 5),
        "index_add of 40000 rows": (at_rows(lambda z, i, x: z.index_add(0, i, x)), 3),
        "scatter_reduce amax of 40000 rows": (
            at_rows(lambda z, i, x: z.scatter_reduce(0, i[:, None].expand_as(x), x, "amax")),
            3,
        ),
        "x[i] of 40000 rows, forward and backward": (
            at_rows(lambda z, i, x: steps(lambda x: x[i], z.requires_grad_(), g=x)()),
            2,
        ),
    }


def microseconds(run: Callable[[], Any], inner: int) -> float:
    run()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(inner):
            run()
        best = min(best, (time.process_time() - start) / inner)
    return best * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="*", help="words in the names of what to measure")
    only = parser.parse_args().only
    packages = []
    for name in ("torch", "rushlight"):
        try:
            packages.append((name, importlib.import_module(name)))
        except ImportError:
            continue
        packages[-1][1].set_num_threads(1)
    print(f"{'':48}" + "".join(f"{name:>12}" for name, _ in packages))
    for name, (case, inner) in cases().items():
        if only and not any(word in name for word in only):
            continue
        figures = [microseconds(case(package), inner) for _, package in packages]
        print(f"{name:48}" + "".join(f"{figure:12.1f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main()
