"""Normalisations against PyTorch: values, gradients to second order, running statistics, errors."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rushlight
import rushlight.nn.functional as F

torch = pytest.importorskip("torch")
G = torch.nn.functional


def shape_case(least: int = 0) -> tuple[int, ...]:
    n, c = random.choice([2, 3, 5]), random.choice([1, 4, 6])
    space = [random.randint(1, 5) for _ in range(random.randint(least, 3))]
    return (n, c, *space) if not space or max(space) > 1 else (n, c, *space[:-1], 3)


def params(rng, c):
    """Weight and bias, or neither: PyTorch cannot differentiate all of its ops with one of them."""
    return [rng.standard_normal(c) for _ in range(2)] if random.random() < 0.7 else [None, None]


def order(w):
    """PyTorch cannot differentiate a gradient without parameters twice."""
    return 1 if w is None else 2


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(same, rng, training):
    for _ in range(12):
        shape = shape_case()
        c = shape[1]
        x, (w, b) = rng.standard_normal(shape) * 3 + 1, params(rng, c)
        stats = [rng.standard_normal(c), rng.random(c) + 0.5]
        how = {"training": training, "momentum": 0.3, "eps": 1e-3}
        same(F.batch_norm, G.batch_norm, x, *stats, w, b, order=order(w), fixed=(1, 2), **how)


def test_batch_norm_without_statistics(same, rng):
    x = rng.standard_normal((4, 3, 5))
    same(F.batch_norm, G.batch_norm, x, None, None, training=True, order=2)
    one = rng.standard_normal((1, 3, 5))
    same(F.batch_norm, G.batch_norm, one, None, None, training=True)


def test_running_statistics(rng):
    x = rng.standard_normal((4, 3, 5))
    for low in (None, "float16"):
        found = []
        for lib, f in ((rushlight, F), (torch, G)):
            mean, var = lib.zeros(3).double(), lib.ones(3).double()
            t = lib.from_numpy(x)
            if low:
                mean, var, t = mean.float(), var.float(), t.to(getattr(lib, low))
            for _ in range(3):
                y = f.batch_norm(t, mean, var, training=True, momentum=0.2)
            assert str(y.dtype).endswith(low or "float64")
            found.append((mean.numpy(), var.numpy(), y.float().numpy()))
        tol = 1e-3 if low else 1e-6
        for a, b in zip(*found, strict=True):
            np.testing.assert_allclose(a, b, rtol=tol, atol=tol)


def test_order_of_torch_batch_norm(same, rng):
    x, w, b = rng.standard_normal((4, 3, 2)), rng.standard_normal(3), rng.standard_normal(3)
    m, v = rng.standard_normal(3), rng.random(3) + 0.5
    for training in (True, False):
        rest = (m, v, training, 0.1, 1e-5, False)
        same(rushlight.batch_norm, torch.batch_norm, x, w, b, *rest, fixed=(3, 4))


def test_empty_batch(same, rng):
    x = rng.standard_normal((0, 3, 4))
    same(F.batch_norm, G.batch_norm, x, np.zeros(3), np.ones(3), training=True, fixed=(1, 2))
    same(F.layer_norm, G.layer_norm, x, (4,))
    same(F.group_norm, G.group_norm, x, 3)


def test_instance_norm(same, rng):
    for _ in range(8):
        shape = shape_case(1)
        x, (w, b) = rng.standard_normal(shape), params(rng, shape[1])
        stats = random.choice([(None, None), (np.zeros(shape[1]), np.ones(shape[1]))])
        same(F.instance_norm, G.instance_norm, x, *stats, w, b, order=order(w), fixed=(1, 2))
    x, m, v = rng.standard_normal((2, 3, 4)), rng.standard_normal(3), rng.random(3) + 0.5
    how = {"use_input_stats": False}
    same(F.instance_norm, G.instance_norm, x, m, v, fixed=(1, 2), **how)


def test_instance_norm_statistics(rng):
    x = rng.standard_normal((4, 3, 5))
    found = []
    for lib, f in ((rushlight, F), (torch, G)):
        mean, var = lib.zeros(3).double(), lib.ones(3).double()
        f.instance_norm(lib.from_numpy(x), mean, var, momentum=0.2)
        found.append((mean.numpy(), var.numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_layer_norm(same, rng):
    for _ in range(12):
        shape = tuple(random.randint(2, 5) for _ in range(random.randint(1, 4)))
        last = shape[-random.randint(1, len(shape)) :]
        x = rng.standard_normal(shape) * 2 - 1
        w, b = params(rng, last)
        same(F.layer_norm, G.layer_norm, x, last, w, b, order=order(w), eps=1e-3)
        same(F.rms_norm, G.rms_norm, x, last, w, order=2, eps=1e-3)
        same(F.rms_norm, G.rms_norm, x, last, w)


@pytest.mark.filterwarnings("ignore:Mismatch dtype")
def test_narrow_types(rng):
    x = rng.standard_normal((4, 8))
    for d in ("float16", "bfloat16"):
        for fn, args in (("layer_norm", ((8,),)), ("rms_norm", ((8,),)), ("group_norm", (2,))):
            a = getattr(F, fn)(rushlight.tensor(x, dtype=getattr(rushlight, d)), *args)
            b = getattr(G, fn)(torch.tensor(x, dtype=getattr(torch, d)), *args)
            assert str(a.dtype) == str(b.dtype)
            tol = 0.03 if d == "bfloat16" else 0.004
            np.testing.assert_allclose(a.float().numpy(), b.float().numpy(), atol=tol, rtol=tol)
    half = rushlight.tensor(x, dtype=rushlight.float16)
    y = F.layer_norm(half, (8,), rushlight.ones(8), rushlight.zeros(8))
    assert y.dtype is rushlight.float16


def test_group_norm(same, rng):
    for _ in range(12):
        n, c, groups = random.choice([(2, 6, 3), (1, 4, 1), (3, 4, 2), (2, 5, 5)])
        x = rng.standard_normal(
            (n, c, *[random.randint(2, 4) for _ in range(random.randint(1, 3))])
        )
        w, b = params(rng, c)
        same(F.group_norm, G.group_norm, x, groups, w, b, order=order(w), eps=1e-3)


def test_local_response_norm(same, rng):
    for shape in ((2, 5, 3), (2, 4, 3, 2), (1, 6, 2, 2, 2)):
        for size in (2, 3, 5):
            x = rng.standard_normal(shape)
            same(F.local_response_norm, G.local_response_norm, x, size, alpha=0.5, k=2.0)


def test_normalize(same, rng):
    x = rng.standard_normal((3, 4, 2))
    same(F.normalize, G.normalize, x, order=2)
    for p, dim in ((1, -1), (2.0, (0, 2)), (3, 0)):
        same(F.normalize, G.normalize, x, p, dim)
    same(F.normalize, G.normalize, np.zeros((2, 3)))


def test_float32(same, rng):
    x = (rng.standard_normal((8, 6, 9, 9)) * 2 + 5).astype(np.float32)
    w, b = (rng.standard_normal(6).astype(np.float32) for _ in range(2))
    tol = {"rtol": 2e-4, "atol": 2e-4}
    same(F.batch_norm, G.batch_norm, x, None, None, w, b, training=True, **tol)
    same(F.group_norm, G.group_norm, x, 3, w, b, **tol)
    same(F.layer_norm, G.layer_norm, x, (9,), **tol)


def test_errors(same_error):
    def both(fn, *args, words, **kw):
        def run(lib, f):
            made = [lib.zeros(a) if isinstance(a, tuple) else a for a in args]
            return lambda: getattr(f, fn)(*made, **kw)

        same_error(run(rushlight, F), run(torch, G), words)

    x, three, four = (2, 3), (3,), (4,)
    both(
        "batch_norm", (1, 3), None, None, training=True, words="Expected more than 1 value per chan"
    )
    both("batch_norm", x, None, None, words="running_mean must be defined in evaluation mode")
    both("batch_norm", x, four, four, words="running_mean should contain 3 elements not 4")
    both("batch_norm", x, three, three, four, words="weight should contain 3 elements not 4")
    both("batch_norm", x, three, three, momentum=None, words="must be float, not NoneType")
    both("instance_norm", (1, 4, 1), words="Expected more than 1 spatial element when training")
    both("layer_norm", x, [4], words=r"Given normalized_shape=\[4\], expected input with shape \[")
    both("layer_norm", x, [], words="Expected normalized_shape to be at least 1-dimensional")
    both("layer_norm", x, 3, words="'normalized_shape' .position 2. must be tuple of ints, not int")
    both("layer_norm", x, [3], four, words="Expected weight to be of same shape as normalized_sh")
    both("layer_norm", x, [3], three, four, words="Expected bias to be of same shape as normalized")
    both("group_norm", x, 2, words="to be divisible by num_groups")
    both("group_norm", three, 3, words="Expected at least 2 dimensions for input tensor")
    both("group_norm", (2, 4), 2, three, words="Expected weight to be a vector of size equal to")
    both("group_norm", (1, 4), 4, words="Expected more than 1 value per channel when training")
    both("rms_norm", x, [3], four, words="Expected weight to be of same shape as normalized_shape")
    both("local_response_norm", x, 2, words="Expected 3D or higher dimensionality")


def test_type_errors(same_error):
    for fn, args in (("batch_norm", [None, None, (3,)]), ("layer_norm", [[3], (3,)])):

        def run(lib, f, fn=fn, args=args):
            made = [lib.ones(a) if isinstance(a, tuple) else a for a in args]
            kw = {"training": True} if fn == "batch_norm" else {}
            return lambda: getattr(f, fn)(lib.zeros(2, 3).double(), *made, **kw)

        same_error(run(rushlight, F), run(torch, G), "mixed dtype .CPU.: all inputs must share")
    same_error(
        lambda: F.layer_norm(rushlight.ones(2, 3).long(), [3]),
        lambda: G.layer_norm(torch.ones(2, 3).long(), [3]),
        "not implemented for 'Long'",
    )
