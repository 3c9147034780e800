"""Convolution, fold, unfold and padding against PyTorch: random shapes, gradients, errors."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rushlight
import rushlight.nn.functional as F

torch = pytest.importorskip("torch")
G = torch.nn.functional


def conv_case(rng: np.random.Generator, n: int, transposed: bool = False) -> tuple[list, dict]:
    """Random operands that fit together: odd sizes, empty and missing batches, groups."""
    groups = random.choice([1, 1, 2, 3])
    cin, cout = groups * random.choice([1, 2, 3]), groups * random.choice([1, 2, 5])
    kernel = [random.choice([1, 2, 3]) for _ in range(n)]
    size = [random.randint(5, 9) for _ in range(n)]
    lead = random.choice([[], [0], [1], [3]])
    how = {
        "stride": tuple(random.choice([1, 2, 3]) for _ in range(n)),
        "padding": tuple(random.choice([0, 1, 2]) for _ in range(n)),
        "dilation": tuple(random.choice([1, 2]) for _ in range(n)),
        "groups": groups,
    }
    weight = (cin, cout // groups, *kernel) if transposed else (cout, cin // groups, *kernel)
    if transposed:
        how["padding"] = tuple(min(p, k - 1) for p, k in zip(how["padding"], kernel, strict=True))
        how["output_padding"] = tuple(
            random.randrange(max(s, d)) for s, d in zip(how["stride"], how["dilation"], strict=True)
        )
    bias = rng.standard_normal(cout) if random.random() < 0.7 else None
    return [rng.standard_normal((*lead, cin, *size)), rng.standard_normal(weight), bias], how


@pytest.mark.parametrize("n", [1, 2, 3])
def test_conv(same, rng, n):
    for _ in range(15):
        args, how = conv_case(rng, n)
        same(getattr(F, f"conv{n}d"), getattr(G, f"conv{n}d"), *args, **how)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_conv_transpose(same, rng, n):
    for _ in range(15):
        args, how = conv_case(rng, n, transposed=True)
        name = f"conv_transpose{n}d"
        same(getattr(F, name), getattr(G, name), *args, **how)


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_second_order(same, rng, name):
    args, how = conv_case(rng, 2, transposed="transpose" in name)
    args[0] = rng.standard_normal((2, *args[0].shape[-3:]))
    same(getattr(F, name), getattr(G, name), *args, order=2, **how)


@pytest.mark.filterwarnings("ignore:Using padding='same'")  # PyTorch's, on even kernels
@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("kernel", [(3, 3), (2, 5), (4, 1)])
def test_named_padding(same, rng, padding, kernel):
    x, w = rng.standard_normal((2, 3, 9, 11)), rng.standard_normal((4, 3, *kernel))
    same(F.conv2d, G.conv2d, x, w, padding=padding)
    same(F.conv2d, G.conv2d, x, w, padding=padding, dilation=2)


def test_float32_and_large(same, rng):
    """Layouts that the small cases do not reach: many positions, blocks, depthwise."""
    for x, w, how in [
        ((4, 16, 28, 28), (24, 16, 3, 3), {"padding": 1}),
        ((9, 40, 7, 7), (32, 40, 3, 3), {"padding": 1}),
        ((2, 16, 20, 20), (16, 1, 3, 3), {"groups": 16, "padding": 1}),
        ((2, 16, 20, 20), (32, 1, 5, 5), {"groups": 16, "stride": 2}),
        ((3, 8, 15, 15), (32, 8, 1, 1), {}),
        ((3, 8, 15, 15), (32, 8, 1, 1), {"stride": 2}),
    ]:
        a = rng.standard_normal(x).astype(np.float32)
        b = rng.standard_normal(w).astype(np.float32)
        same(F.conv2d, G.conv2d, a, b, rtol=1e-4, atol=1e-3, **how)


def test_inputs_of_every_layout(same, rng):
    x = rng.standard_normal((2, 6, 7, 4))
    w = rng.standard_normal((5, 4, 3, 3))

    def ours(x, w):
        return F.conv2d(x.permute(0, 3, 1, 2), w.transpose(2, 3))

    same(ours, lambda x, w: G.conv2d(x.permute(0, 3, 1, 2), w.transpose(2, 3)), x, w)


def test_narrow_types(rng):
    x, w = rng.standard_normal((2, 3, 6, 6)), rng.standard_normal((4, 3, 3, 3))
    for d in ("float16", "bfloat16"):
        y = F.conv2d(*(rushlight.tensor(a, dtype=getattr(rushlight, d)) for a in (x, w)))
        z = G.conv2d(*(torch.tensor(a, dtype=getattr(torch, d)) for a in (x, w)))
        assert str(y.dtype) == str(z.dtype)
        tol = 0.1 if d == "bfloat16" else 0.02
        np.testing.assert_allclose(y.float().numpy(), z.float().numpy(), atol=tol, rtol=tol)


def test_complex(rng):
    def number(*shape):
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    x, w, g = number(2, 4, 5, 5), number(6, 2, 3, 3), number(2, 6, 5, 5)
    found = []
    for lib, f in ((rushlight, F), (torch, G)):
        a, b = (lib.from_numpy(v.copy()).requires_grad_() for v in (x, w))
        y = f.conv2d(a, b, padding=1, groups=2)
        y.backward(lib.from_numpy(g.copy()))
        found.append([t.detach().resolve_conj().numpy() for t in (y, a.grad, b.grad)])
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-8)


def test_conv_tbc(same, rng):
    args = [rng.standard_normal(s) for s in ((6, 2, 3), (2, 3, 4), (4,))]
    same(rushlight.conv_tbc, torch.conv_tbc, *args, pad=1)


def test_fold_and_unfold(same, rng):
    for _ in range(12):
        how = {
            k: random.choice([v, (v, random.choice(choices))])
            for k, choices in (
                ("kernel_size", [1, 2, 3]),
                ("dilation", [1, 2]),
                ("padding", [0, 1]),
                ("stride", [1, 2, 3]),
            )
            for v in [random.choice(choices)]
        }
        size = (random.randint(5, 9), random.randint(5, 9))
        lead = random.choice([(), (0,), (2,)])
        cols = same(F.unfold, G.unfold, rng.standard_normal((*lead, 2, *size)), **how)
        if lead != (0,):
            x = rng.standard_normal(tuple(cols.shape))
            same(F.fold, G.fold, x, output_size=size, order=2, **how)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_pad(same, rng, mode):
    for _ in range(25):
        d = random.choice([1, 2, 3])
        size = [random.randint(4, 7) for _ in range(d)]
        pad = tuple(random.randint(-1, 3) for _ in range(2 * d))
        x = rng.standard_normal((*random.choice([(2,), (1, 2)]), *size))
        value = {"value": 1.5} if mode == "constant" else {}
        same(F.pad, G.pad, x, pad, mode, order=2, **value)


def test_errors(same_error, rng):
    def both(fn, *shapes, words, **kw):
        def run(lib, f):
            count = 1 if fn in ("pad", "fold", "unfold") else 3
            args = [
                lib.zeros(s) if isinstance(s, tuple) and i < count else s
                for i, s in enumerate(shapes)
            ]
            return lambda: f(*args, **kw)

        same_error(run(rushlight, getattr(F, fn)), run(torch, getattr(G, fn)), words)

    w = (4, 3, 2, 2)
    both("conv2d", (2, 3), w, words=r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d")
    both("conv2d", (1, 2, 5, 5), w, words="to have 3 channels, but got 2 channels instead")
    both("conv2d", (1, 3, 5, 5), w, (3,), words="expected bias to be 1-dimensional with 4 elements")
    both(
        "conv2d", (1, 6, 5, 5), (3, 3, 2, 2), groups=2, words="to be divisible by 2 at dimension 0"
    )
    both("conv2d", (1, 3, 5, 1), w, words="Kernel size can't be greater than actual input size")
    both("conv2d", (1, 3, 5, 5), w, padding=-1, words="negative padding is not supported")
    both("conv2d", (1, 3, 5, 5), w, stride=0, words="non-positive stride is not supported")
    both(
        "conv2d", (1, 3, 5, 5), w, stride=(1, 2, 3), words="expected stride to be a single integer"
    )
    both("conv2d", (1, 3, 5, 5), w, padding="foo", words="Invalid padding string")
    both("conv2d", (1, 3, 5, 5), w, padding="same", stride=2, words="not supported for strided")
    both("conv2d", [1], w, words="must be Tensor|invalid combination")
    both("conv_transpose2d", (1, 3, 5, 5), w, words="to have 4 channels, but got 3 channels")
    both(
        "conv_transpose2d", (1, 4, 5, 5), w, output_padding=1,
        words="output padding must be smaller than either stride or dilation",
    )  # fmt: skip
    both("pad", (2, 3), (1,), words="Padding length must be divisible by 2")
    both("pad", (2, 3), (1, 1, 1, 1, 1, 1), words="less than or equal to two times")
    both("pad", (2, 3), (3, 1), "reflect", words="Padding size should be less than")
    both("pad", (2, 3), (4, 1), "circular", words="wrapping around more than once")
    both("pad", (3,), (1, 1), "replicate", words="is not supported for 1D input")
    both("pad", (2, 3), (1, 1), "foo", words="Unrecognised padding mode foo")
    both("pad", (2, 3), (-4, 0), words=r"narrow\(\): length must be non-negative")
    both("fold", (2, 11, 9), (4, 4), 2, words="divisible by the product of kernel_size")
    both("fold", (2, 12, 9), (5, 5), 2, words="calculated number of sliding blocks")
    both("unfold", (2, 3, 4), 5, words="its components must be at least one")


def test_type_errors(same_error):
    def run(lib, f):
        return lambda: f(lib.zeros(1, 3, 4, 4).double(), lib.zeros(2, 3, 2, 2))

    same_error(run(rushlight, F.conv2d), run(torch, G.conv2d), "expected scalar type Double")
    message = "Input type .double. and bias type .float. should be the same"

    def biased(lib, f):
        x, w = lib.zeros(1, 3, 4, 4).double(), lib.zeros(2, 3, 2, 2).double()
        return lambda: f(x, w, lib.zeros(2))

    same_error(biased(rushlight, F.conv2d), biased(torch, G.conv2d), message)
