"""Formulas of operands that broadcast: kernels and NumPy agree over shapes, layouts and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.elementwise import axes, formula
from rushlight.ops.core.record import registry

from .calls import by_kernel

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
SHAPES = [
    [(5, 33), (33,), (33,)],
    [(5, 33), (33,), (5, 33)],
    [(5, 1), (5, 33), (1, 33)],
    [(2, 3, 4, 5), (1, 3, 1, 1), (3, 1, 1)],
    [(2, 3, 4, 5), (2, 1, 4, 5), (4, 5)],
    [(2, 3, 4, 5), (2, 1, 1, 5), (1,)],
    [(7, 1), (1,), (1, 9)],
    [(3, 40000), (40000,), (3, 1)],
    [(1, 1), (17, 17), ()],
    [(0, 5), (5,), (0, 1)],
]


def mix(a: Any, b: Any, w: Any) -> Any:
    return a + w * (b - a)


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    monkeypatch.setattr(tuning, "BROADCAST_SHORT", 1)


def filled(shapes: Any, dtype: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-3, 3, s).astype(dtype) for s in shapes]
    for a in arrays:
        if a.size > 4:
            a.flat[2], a.flat[3] = np.nan, np.inf
    return arrays


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_shapes(shapes: Any, dtype: Any) -> None:
    arrays = filled(shapes, dtype)
    with np.errstate(all="ignore"):
        wanted = mix(*arrays)
        got = by_kernel(mix, "mix", tuple(arrays), {})
    if got is None:
        assert 0 in wanted.shape or shapes == SHAPES[5]  # four axes
        return
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(got, wanted, rtol=4 * eps, atol=8 * eps)


def test_slices_and_other_layouts() -> None:
    fuse = formula.fuse(mix, "mix")
    rng = np.random.default_rng(0)
    x, w = rng.random((6, 40), np.float32), rng.random(20, np.float32)
    b = rng.random((6, 20), np.float32)
    for a in (x[:, 10:30], x[:, ::2], x[::-1, :20], x[:, 20::-1][:, :20], x.reshape(12, 20)[::2],
              b.T.copy().T):  # fmt: skip
        wanted = mix(a, b, w)
        got = by_kernel(mix, "mix", (a, b, w), {})
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides
        np.testing.assert_array_equal(fuse(a, b, w), wanted)


@pytest.mark.slow
def test_turned_operands(rng: np.random.Generator) -> None:
    """Transposed, strided and reversed operands, in any combination: NumPy's values and layout."""
    x = rng.standard_normal((9, 10, 11, 12)).astype(np.float32)
    for trial in range(60):
        arrays = []
        turn = rng.permutation(4)
        for _ in range(3):
            shape = [x.shape[d] for d in turn]
            if rng.random() < 0.5:
                a = rng.standard_normal(x.shape).astype(np.float32).transpose(turn)
            else:
                a = rng.standard_normal([2 * n for n in shape]).astype(np.float32)
                a = a[tuple(slice(None, None, rng.choice([2, -2])) for _ in shape)]
            if rng.random() < 0.3:
                a = a[:, :1]
            arrays.append(a)
        wanted = mix(*arrays)
        got = by_kernel(mix, "mix", tuple(arrays), {})
        if got is not None:
            np.testing.assert_array_equal(got, wanted, err_msg=f"trial {trial}")
            lines = zip(got.shape, got.strides, wanted.strides, strict=True)
            assert all(n == 1 or ours == numpys for n, ours, numpys in lines)
    square = rng.standard_normal((300, 300)).astype(np.float32)
    got = by_kernel(mix, "mix", (square, square.T, square[::-1]), {})
    np.testing.assert_array_equal(got, mix(square, square.T, square[::-1]))
    assert got.flags.c_contiguous
    assert by_kernel(mix, "mix", (square.T, square.T, square.T), {}).flags.f_contiguous


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int8, np.int64, bool])
def test_operands_that_are_apart_of_other_types(dtype: Any, rng: np.random.Generator) -> None:
    a = rng.integers(0, 100, (40, 70)).astype(dtype)[:, ::2]
    b = rng.integers(0, 100, (35, 40)).astype(dtype).T
    got = by_kernel(registry["eq"], "eq", (a, b), {})
    np.testing.assert_array_equal(got, a == b)


def test_results_of_some_operands_alone_keep_their_shape() -> None:
    """A rule that leaves out an operand gives what the others broadcast to."""
    g, x = np.ones((1, 9), np.float32), np.ones((4, 9), np.float32)
    assert formula.fuse_rule(lambda g, _y, _x: g * 2, "half")(g, None, x).shape == (1, 9)


@pytest.mark.parametrize("shape", [(33,), (5, 1), (5, 33), (1, 1)])
def test_booleans(shape: Any) -> None:
    from rushlight.ops.elementwise.formulas import where

    def chosen(c: Any, a: Any, b: Any) -> Any:
        return where(c, a, b * 2)

    rng = np.random.default_rng(0)
    c, a = rng.random(shape) < 0.5, rng.random((5, 33), np.float32)
    b = rng.random(33, np.float32)
    got = by_kernel(chosen, "chosen", (c, a, b), {})
    np.testing.assert_array_equal(got, np.where(c, a, b * 2))
    got = by_kernel(lambda a, b: a < b, "less", (a, b), {})
    np.testing.assert_array_equal(got, a < b)


def test_shapes_that_do_not_fit() -> None:
    x, b = np.zeros((3, 8), np.float32), np.zeros(7, np.float32)
    with pytest.raises(ValueError, match="broadcast"):
        formula.fuse(mix, "mix")(x, b, x)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x, b = np.linspace(-6, 6, 100_100, dtype=np.float32).reshape(100, -1), np.ones(1001, np.float32)
    fuse = formula.fuse(mix, "mix")
    try:
        rushlight.set_num_threads(1)
        alone = fuse(x, b, x[:, :1])
        rushlight.set_num_threads(threads)
        np.testing.assert_array_equal(fuse(x, b, x[:, :1]), alone)
    finally:
        rushlight.set_num_threads(before)


def test_gradients_pass_gradcheck() -> None:
    rushlight.manual_seed(0)
    x = rushlight.randn(3, 4, 5, dtype=rushlight.float64, requires_grad=True)
    w = rushlight.rand(4, 1, dtype=rushlight.float64, requires_grad=True)
    assert rushlight.autograd.gradcheck(lambda a, b: rushlight.lerp(a, a * 2, b), (x, w))
    p = rushlight.rand(4, dtype=rushlight.float64, requires_grad=True)
    assert rushlight.autograd.gradcheck(rushlight.nn.functional.prelu, (x, p))


def test_strides_like_those_of_numpy(rng: np.random.Generator) -> None:
    for trial in range(300):
        shape = [int(n) for n in rng.integers(0 if trial % 5 == 0 else 1, 5, rng.integers(0, 5))]
        x = np.zeros(shape, np.float32).transpose(rng.permutation(len(shape)))
        if x.ndim:
            x = x[tuple(slice(None, None, int(s)) for s in rng.choice([1, 1, 2, -1], x.ndim))]
        if trial % 3 == 0:
            x = np.broadcast_to(x, (3, *x.shape))
        for dtype in (np.float32, np.float64, bool):
            own = np.dtype(dtype).itemsize
            got = axes.strides_like(x.shape, x.strides, 4, own)
            wanted = np.empty_like(x, dtype)
            assert axes.is_contiguous(x.shape, x.strides, 4) == x.flags.c_contiguous
            lines = zip(x.shape, got, wanted.strides, strict=True)
            assert wanted.size == 0 or all(n == 1 or a == b for n, a, b in lines)
