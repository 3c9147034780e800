"""interpolate, grid_sample, affine_grid and the shuffles against PyTorch."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rushlight
import rushlight.nn.functional as F

torch = pytest.importorskip("torch")
G = torch.nn.functional

LINEAR = ("linear", "bilinear", "trilinear")


def resize_case(mode: str) -> tuple[tuple[int, ...], dict]:
    d = {"linear": 1, "bilinear": 2, "bicubic": 2, "lanczos": 2, "trilinear": 3}.get(mode)
    d = d or random.choice([1, 2, 3])
    size = tuple(random.randint(2, 8) for _ in range(d))
    how: dict = {"mode": mode}
    if random.random() < 0.4:
        how["scale_factor"] = random.choice([0.5, 1.7, 2, 3.0, tuple([1.3, 2, 0.6][:d])])
        if random.random() < 0.3:
            how["recompute_scale_factor"] = True
    else:
        out = tuple(random.choice([n, 2 * n, random.randint(1, 17)]) for n in size)
        how["size"] = out if random.random() < 0.8 else out[0]
    return (random.choice([0, 1, 2]), 3, *size), how


@pytest.mark.parametrize(
    "mode", ["nearest", "nearest-exact", "area", "linear", "bilinear", "bicubic", "trilinear"]
)
def test_interpolate(same, rng, mode):
    for _ in range(20):
        shape, how = resize_case(mode)
        if mode in (*LINEAR, "bicubic"):
            how["align_corners"] = random.choice([None, True, False])
        if mode in ("area", "bicubic"):  # PyTorch's kernels refuse empty batches
            shape = (max(1, shape[0]), *shape[1:])
        order = 0 if mode == "nearest" and keeps_a_size(shape, how) else 2
        same(F.interpolate, G.interpolate, rng.standard_normal(shape), order=order, **how)


def keeps_a_size(shape: tuple[int, ...], how: dict) -> bool:
    """Whether a scale leaves a size as it is: the nearest of [1, 2] by 1.3 are [1, 1] in PyTorch
    too, but its backward hands the gradient on as if they were [1, 2]."""
    by = how.get("scale_factor", 1)
    by = by if isinstance(by, tuple) else [by] * (len(shape) - 2)
    return any(x != 1 and int(n * x) == n for n, x in zip(shape[2:], by, strict=True))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialias(same, rng, mode):
    for _ in range(20):
        shape, how = resize_case(mode)
        shape = (max(1, shape[0]), *shape[1:])
        how["size"] = tuple(random.randint(2, 12) for _ in range(2))
        how.pop("scale_factor", None), how.pop("recompute_scale_factor", None)
        how["align_corners"] = random.choice([None, False])
        same(F.interpolate, G.interpolate, rng.standard_normal(shape), antialias=True, **how)


def test_float32_falls_on_the_same_elements(same, rng):
    for n, o in ((7, 23), (100, 37), (13, 1000), (33, 66)):
        x = rng.standard_normal((1, 1, n)).astype(np.float32)
        for mode in ("nearest", "nearest-exact"):
            same(F.interpolate, G.interpolate, x, o, mode=mode, atol=1e-5)
        same(F.interpolate, G.interpolate, x, o, mode="linear", rtol=1e-4, atol=1e-5)


def test_bytes(rng):
    x = rng.integers(0, 255, (1, 3, 8, 8)).astype(np.uint8)
    for mode in ("nearest", "bilinear", "bicubic"):
        a = F.interpolate(rushlight.from_numpy(x), (5, 11), mode=mode)
        b = G.interpolate(torch.from_numpy(x), (5, 11), mode=mode)
        assert a.dtype is rushlight.uint8
        difference = np.abs(a.numpy().astype(int) - b.numpy().astype(int))
        assert difference.max() <= (0 if mode == "nearest" else 1)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding_mode", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample(same, rng, mode, padding_mode, align_corners):
    how = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    for _ in range(6):
        n, h, w = random.choice([0, 1, 2]), random.randint(1, 6), random.randint(1, 6)
        x = rng.standard_normal((max(n, 1), 3, h, w))
        grid = rng.uniform(-2.5, 2.5, (max(n, 1), 4, 5, 2))
        same(F.grid_sample, G.grid_sample, x, grid, **how)
        if mode != "bicubic":
            x = rng.standard_normal((2, 2, h, w, 4))
            same(F.grid_sample, G.grid_sample, x, rng.uniform(-2, 2, (2, 3, 2, 4, 3)), **how)


def test_grid_sample_far_outside(same, rng):
    x = rng.standard_normal((1, 1, 4, 4))
    grid = np.array([[[[1e30, 0], [-1e9, 0.5], [np.inf, 0]]]])
    for padding_mode in ("zeros", "border"):
        how = {"padding_mode": padding_mode, "align_corners": False}
        same(F.grid_sample, G.grid_sample, x, grid, order=0, **how)


def test_grid_sampler(same, rng):
    x, grid = rng.standard_normal((2, 3, 4, 5)), rng.uniform(-1.2, 1.2, (2, 3, 3, 2))
    same(rushlight.grid_sampler, torch.grid_sampler, x, grid, 0, 1, True)
    same(rushlight.grid_sampler, torch.grid_sampler, x, grid, 2, 2, False)


@pytest.mark.filterwarnings("ignore:Since version 1.3.0")
@pytest.mark.parametrize("align_corners", [True, False])
def test_affine_grid(same, rng, align_corners):
    how = {"align_corners": align_corners}
    for size in ((2, 3, 4, 5), (2, 1, 1, 3)):
        same(F.affine_grid, G.affine_grid, rng.standard_normal((2, 2, 3)), size, **how)
    same(F.affine_grid, G.affine_grid, rng.standard_normal((1, 3, 4)), (1, 2, 3, 4, 2), **how)


def test_shuffles(same, rng):
    x = rng.standard_normal((2, 12, 4, 6))
    same(F.pixel_shuffle, G.pixel_shuffle, x, 2, order=2)
    same(F.pixel_shuffle, G.pixel_shuffle, rng.standard_normal((9, 1, 2)), 3)
    same(F.pixel_unshuffle, G.pixel_unshuffle, x, 2, order=2)
    for groups in (1, 2, 3, 12):
        same(F.channel_shuffle, G.channel_shuffle, x, groups)
    same(rushlight.pixel_shuffle, torch.pixel_shuffle, x, 2)
    same(rushlight.channel_shuffle, torch.channel_shuffle, x, 3)


def test_errors(same_error):
    def both(fn, *args, words, **kw):
        def run(lib, f):
            made = [lib.zeros(a) if isinstance(a, tuple) else a for a in args]
            return lambda: getattr(f, fn)(*made, **kw)

        same_error(run(rushlight, F), run(torch, G), words)

    image, line = (1, 1, 3, 3), (1, 3, 3)
    both("interpolate", image, words="either size or scale_factor should be defined")
    both("interpolate", image, 2, 2, words="only one of size or scale_factor should be defined")
    both("interpolate", image, 2, mode="foo", words="Only 3D, 4D and 5D input Tensors supported")
    both("interpolate", (3, 3), 2, words="Only 3D, 4D and 5D input Tensors supported")
    both("interpolate", line, 2, mode="bilinear", words="Got 3D input, but bilinear mode needs 4D")
    both("interpolate", image, 2, mode="linear", words="Got 4D input, but linear mode needs 3D")
    both("interpolate", image, 2, align_corners=True, words="align_corners option can only be set")
    both("interpolate", image, [2, 2, 2], words="must have the same number of spatial dimensions")
    both("interpolate", image, 0, words="Input and output sizes should be greater than 0")
    both("interpolate", line, 2, mode="linear", antialias=True, words="Anti-alias option is restr")
    both("interpolate", line, 2, recompute_scale_factor=True, words="not meaningful with an explic")
    ok = {"align_corners": False}
    both("grid_sample", image, (1, 2, 2, 3), words="to have size 2 in last dimension", **ok)
    both("grid_sample", image, (2, 2, 2, 2), words="to have same batch size", **ok)
    both("grid_sample", image, (1, 2, 2), words="grid with same number of dimensions", **ok)
    both("grid_sample", image, (1, 2, 2, 2), mode="foo", words="expected mode to be", **ok)
    both(
        "grid_sample", image, (1, 2, 2, 2), padding_mode="foo", words="expected padding_mode", **ok
    )
    both("grid_sample", (1, 1, 0, 3), (1, 2, 2, 2), words="non-empty spatial dimensions", **ok)
    both(
        "affine_grid", (1, 2, 2), [1, 1, 2, 2], words="Expected a batch of 2D affine matrices", **ok
    )
    both(
        "affine_grid", (1, 2, 3), [1, 1, 2], words="affine_grid only supports 4D and 5D sizes", **ok
    )
    both("pixel_shuffle", (1, 5, 2, 2), 2, words="divisible by the square of upscale_factor")
    both("pixel_shuffle", (2, 2), 2, words="to have at least 3 dimensions")
    both("pixel_shuffle", (1, 4, 2, 2), 0, words="expects a positive upscale_factor, but got 0")
    both("pixel_unshuffle", (1, 4, 3, 2), 2, words="expects height to be divisible by downscale")
    both("channel_shuffle", (1, 5, 3), 2, words="must be divisible by groups")


def test_warning_of_the_default():
    x, grid = rushlight.zeros(1, 1, 3, 3), rushlight.zeros(1, 2, 2, 2)
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        F.grid_sample(x, grid)
    with pytest.warns(UserWarning, match="align_corners=False since 1.3.0"):
        F.affine_grid(rushlight.zeros(1, 2, 3), [1, 1, 2, 2])
