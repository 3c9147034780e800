"""Convolution layers one by one: our kernels and PyTorch's, in one process, by one thread each.

    python -m benchmarks.convolutions            all layers
    python -m benchmarks.convolutions resnet     one network's

For each layer: milliseconds of processor time of the result, the gradient of the input and the
gradient of the weight; ours, PyTorch's and the ratio; and the largest difference between the two,
relative to the largest value.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

# (images, channels, outputs, size, kernel, stride, padding, groups)
LAYERS = {
    "mobilenet": [
        (8, 32, 32, 112, 3, 1, 1, 32), (8, 96, 96, 112, 3, 2, 1, 96),
        (8, 144, 144, 56, 3, 1, 1, 144), (8, 144, 144, 56, 3, 2, 1, 144),
        (8, 192, 192, 28, 3, 1, 1, 192), (8, 384, 384, 14, 3, 1, 1, 384),
        (8, 576, 576, 14, 3, 2, 1, 576),
        (8, 960, 960, 7, 3, 1, 1, 960), (8, 32, 16, 112, 1, 1, 0, 1), (8, 160, 960, 7, 1, 1, 0, 1),
        (8, 960, 320, 7, 1, 1, 0, 1),
    ],
    "resnet": [
        (8, 3, 64, 224, 7, 2, 3, 1), (8, 64, 64, 56, 3, 1, 1, 1), (8, 64, 128, 56, 3, 2, 1, 1),
        (8, 64, 128, 56, 1, 2, 0, 1), (8, 128, 128, 28, 3, 1, 1, 1), (8, 256, 256, 14, 3, 1, 1, 1),
        (8, 256, 512, 14, 3, 2, 1, 1), (8, 512, 512, 7, 3, 1, 1, 1),
    ],
    "mnist": [
        (64, 1, 32, 28, 3, 1, 0, 1), (64, 32, 64, 26, 3, 1, 0, 1), (64, 32, 64, 12, 5, 1, 0, 1),
    ],
    # a generator's layers from the last on, as the convolutions that they are transposes of
    "dcgan": [
        (64, 3, 64, 32, 4, 2, 1, 1), (64, 64, 128, 16, 4, 2, 1, 1), (64, 128, 256, 8, 4, 2, 1, 1),
        (64, 256, 100, 4, 4, 1, 0, 1),
    ],
    "convnext": [(4, 96, 96, 56, 7, 1, 3, 96)],
}  # fmt: skip
TIMES = 5


def least(call: Callable[[], Any]) -> float:
    """Milliseconds of processor time of the fastest of some calls."""
    call()
    best = float("inf")
    for _ in range(TIMES):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best * 1e3


def layer(shape: tuple[int, ...]) -> str:
    """The line of one layer."""
    import torch

    from rushlight.kernels.conv import select as conv

    n, c, o, size, k, stride, padding, groups = shape
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, c, size, size)).astype(np.float32)
    w = rng.standard_normal((o, c // groups, k, k)).astype(np.float32)
    s, p, one = (stride, stride), (padding, padding), (1, 1)
    g = rng.standard_normal(conv.forward(x, w, None, s, p, one, groups).shape).astype(np.float32)
    tx, tw, tg = (torch.from_numpy(a) for a in (x, w, g))

    def back(which: int) -> Any:
        mask = [i == which for i in range(3)]
        given = (tg, tx, tw, None, s, p, one, False, (0, 0), groups, mask)
        return torch.ops.aten.convolution_backward(*given)[which]

    ours: list[Callable[[], Any]] = [
        lambda: conv.forward(x, w, None, s, p, one, groups),
        lambda: conv.input_gradient(g, w, (size, size), s, p, one, groups),
        lambda: conv.weight_gradient(x, g, (k, k), s, p, one, groups),
    ]
    theirs: list[Callable[[], Any]] = [
        lambda: torch.conv2d(tx, tw, None, s, p, one, groups),
        lambda: back(0),
        lambda: back(1),
    ]
    parts, apart = [], 0.0
    for a, b in zip(ours, theirs, strict=True):
        wanted = b().numpy()
        apart = max(apart, float(np.abs(a() - wanted).max() / np.abs(wanted).max()))
        mine, other = least(a), least(b)
        parts.append(f"{mine:7.2f} {other:7.2f} {mine / other:5.2f}")
    name = f"{n}x{c}x{size}² {o}x{k}x{k}/{stride}" + (f" g{groups}" if groups > 1 else "")
    return f"{name:26s} {'   '.join(parts)}   {apart:.0e}"


def main() -> None:
    import torch

    import rushlight

    parser = argparse.ArgumentParser(description="Convolution layers beside PyTorch's.")
    parser.add_argument("network", nargs="*", help=", ".join(LAYERS))
    networks = parser.parse_args().network or list(LAYERS)
    for name in networks:
        if name not in LAYERS:
            parser.error(f"no network {name!r}; there are {', '.join(LAYERS)}")
    torch.set_num_threads(1)
    rushlight.set_num_threads(1)
    print(f"{'':26s} {'result':21s}   {'to the input':21s}   {'to the weight':21s}   apart")
    for network in networks:
        print(network)
        for shape in LAYERS[network]:
            print(layer(shape), flush=True)


if __name__ == "__main__":
    main()
