"""Attention by blocks against the definition in float64: sizes, masks, layouts, threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.attention import select as kernel
from rushlight.ops.nn.attention import attention

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

# queries, keys, elements of a query, of a value
SIZES = [
    (64, 64, 32, 32), (5, 7, 3, 4), (65, 130, 17, 33), (200, 70, 64, 9), (1, 300, 256, 256),
    (130, 129, 40, 16), (1, 1, 1, 1),
]  # fmt: skip
KINDS = ["none", "causal", "bool", "added", "padding"]


@pytest.fixture(autouse=True, params=[0, 1 << 60], ids=["large", "small"])
def _both_kernels(request: Any, limits: Any) -> Iterator[None]:
    """Kernels of large and of small work, for all sizes."""
    with limits(ATTENTION_EXACT=request.param):
        yield


def native(q: Any, k: Any, v: Any, mask: Any) -> bool:
    """Whether kernels compute this."""
    return kernel.fits(*(kernel.layout(a) for a in (q, k, v, mask)))


def mask_of(rng: Any, kind: str, rows: int, columns: int, dtype: Any) -> Any:
    if kind == "bool":
        mask = rng.random((rows, columns)) < 0.6
        mask[0] = False
        return mask
    if kind == "added":
        mask = rng.standard_normal((2, 1, columns, rows)).astype(dtype).swapaxes(-1, -2)
        mask[..., -1, :] = -np.inf
        return mask
    return rng.random((2, 1, 1, columns)) < 0.6 if kind == "padding" else None


def wanted(g: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool) -> list[Any]:
    """The result and the gradients, in float64."""
    g, q, k, v = (a.astype(np.float64) for a in (g, q, k, v))
    if mask is not None and mask.dtype != bool:
        mask = mask.astype(np.float64)
    y, w = attention.fn(q, k, v, mask, scale=0.3, causal=causal, safe=True)
    d = (g @ v.swapaxes(-1, -2)) * w
    d -= w * d.sum(-1, keepdims=True)
    return [y, d @ k * 0.3, d.swapaxes(-1, -2) @ q * 0.3, w.swapaxes(-1, -2) @ g]


def computed(g: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool) -> list[Any]:
    y = kernel.forward(q, k, v, mask, 0.3, causal)
    d = kernel.backward(g, *y, q, k, v, mask, 0.3, causal)
    assert d is not None
    return [y[0], *d]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_against_the_definition(kind: str, dtype: Any) -> None:
    rng = np.random.default_rng(7)
    bound = 1e-5 if dtype == np.float32 else 1e-13
    for rows, columns, depth, width in SIZES:
        shapes = ((rows, width), (rows, depth), (columns, depth), (columns, width))
        arrays = [rng.standard_normal((2, 3, *s)).astype(dtype) for s in shapes]
        mask = mask_of(rng, kind, rows, columns, dtype)
        got = computed(*arrays, mask, kind == "causal")
        for a, b in zip(got, wanted(*arrays, mask, kind == "causal"), strict=True):
            assert a.dtype == dtype
            assert np.abs(a - b).max() <= bound * max(1.0, np.abs(b).max())


@pytest.mark.parametrize("how", range(5))
def test_layouts(how: int) -> None:
    rng = np.random.default_rng(how)
    shape = (2, 3, 37, 20)
    if how == 0:  # heads within positions
        arrays = [rng.standard_normal((2, 37, 3, 20)).transpose(0, 2, 1, 3) for _ in range(4)]
    elif how == 1:  # transposed
        arrays = [rng.standard_normal((2, 3, 20, 37)).swapaxes(-1, -2) for _ in range(4)]
    elif how == 2:  # with gaps
        arrays = [rng.standard_normal((2, 3, 74, 60))[..., ::2, ::3] for _ in range(4)]
    elif how == 3:  # one head for all
        arrays = [np.broadcast_to(rng.standard_normal((2, 1, 37, 20)), shape) for _ in range(4)]
    else:  # three dims
        arrays = [rng.standard_normal((5, 37, 20)) for _ in range(4)]
    for causal in (False, True):
        got = computed(*arrays, None, causal)
        for a, b in zip(got, wanted(*arrays, None, causal), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-13)


def test_the_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal((2, 3, 150, 24)).astype(np.float32) for _ in range(4)]
    threads = rushlight.get_num_threads()
    try:
        found = []
        for n in (1, 2, 3, 8):
            rushlight.set_num_threads(n)
            found.append(computed(*arrays, None, True))
    finally:
        rushlight.set_num_threads(threads)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_extreme_numbers(value: float) -> None:
    rng = np.random.default_rng(3)
    _g, q, k, v = (rng.standard_normal((1, 2, 70, 8)).astype(np.float32) for _ in range(4))
    q[0, 0, 3, 2] = value
    v[0, 1, 66, 1] = value
    with np.errstate(all="ignore"):
        y = kernel.forward(q, k, v, None, 0.3, False)
        z, _ = attention.fn(q, k, v, scale=0.3, causal=False, safe=True)
    np.testing.assert_allclose(y[0], z, rtol=1e-3, atol=1e-5)


def test_large_scores_do_not_overflow() -> None:
    q = np.full((1, 1, 3, 4), 100.0, np.float32)
    k = np.ones((1, 1, 200, 4), np.float32) * np.arange(200, dtype=np.float32)[:, None]
    v = np.arange(200, dtype=np.float32).reshape(1, 1, 200, 1)
    y = kernel.forward(q, k, v, None, 1.0, False)
    assert (y[0] == 199).all()


def test_what_numpy_does() -> None:
    q = np.ones((1, 2, 3, 4), np.float32)
    assert native(q, q, q, None)
    assert not native(q.astype(np.float16), q, q, None)
    assert not native(q[0, 0], q[0, 0], q[0, 0], None)
    assert not native(q, q[:, :1], q, None)
    assert not native(q, q, q, np.ones((3, 3), np.int32))
    assert not native(q[:, :, :0], q, q, None)
    wide = np.ones((1, 1, 2, 300), np.float32)
    assert not native(wide, wide, wide, None)


@pytest.mark.slow
def test_double_backward_and_padding_through_the_public_function() -> None:
    rng = np.random.default_rng(1)
    tensors = [
        rushlight.from_numpy(rng.standard_normal((1, 2, 4, 3))).requires_grad_() for _ in range(3)
    ]
    attend = rushlight.nn.functional.scaled_dot_product_attention
    assert rushlight.autograd.gradcheck(lambda *a: attend(*a, is_causal=True), tensors)
    assert rushlight.autograd.gradgradcheck(lambda *a: attend(*a, is_causal=True), tensors)
    mask = rushlight.tensor([True, False, True, True])
    assert rushlight.autograd.gradcheck(lambda *a: attend(*a, mask), tensors)


@pytest.mark.parametrize("parts", [2, 3])
def test_gradients_of_parts_of_one_array_are_parts_of_one(
    parts: int, rng: np.random.Generator
) -> None:
    """Queries, keys and values of one projection: nobody has to copy their gradients together."""
    whole = rng.standard_normal((2, 70, parts, 3, 16)).astype(np.float32)
    some = [a.transpose(0, 2, 1, 3) for a in np.moveaxis(whole, 2, 0)]
    q, k, v = some if parts == 3 else [np.ascontiguousarray(some[0]), *some]
    g = rng.standard_normal(q.shape).astype(np.float32)
    y, kept = kernel.forward(q, k, v, None, 0.3, False)
    made = kernel.backward(g, y, kept, q, k, v, None, 0.3, False)
    assert made is not None
    alone = [np.ascontiguousarray(a) for a in (q, k, v)]
    for ours, theirs in zip(
        made, kernel.backward(g, y, kept, *alone, None, 0.3, False) or (), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    one = made[-1].base
    assert one.shape == whole.shape
    for i, a in enumerate(made[-parts:]):
        assert a.base is one
        np.testing.assert_array_equal(one[:, :, i].transpose(0, 2, 1, 3), a)


@pytest.mark.parametrize("how", ["split", "chunk", "unbind", "other order"])
def test_the_gradient_of_a_projection_is_not_copied(how: str) -> None:
    rushlight.manual_seed(0)
    x = rushlight.randn(3, 40, 96, requires_grad=True)
    found = []
    for apart in (False, True):
        h = x * 1
        if how == "unbind":
            q, k, v = h.view(3, 40, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        else:
            three = h.chunk(3, -1) if how == "chunk" else h.split(32, dim=2)
            q, k, v = (p.view(3, 40, 4, 8).transpose(1, 2) for p in three)
        if how == "other order":
            q, k, v = k, v, q
        if apart:
            q, k, v = (t.contiguous() for t in (q, k, v))
        grads: list[Any] = []
        h.register_hook(grads.append)
        y = rushlight.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        (y * y).sum().backward()
        assert x.grad is not None
        found.append(x.grad.numpy().copy())
        x.grad = None
        base = grads[0].numpy().base  # the array of the three gradients
        if not apart:
            assert (base is not None and base.shape == (3, 40, 3, 4, 8)) == (how != "other order")
    np.testing.assert_array_equal(*found)
