"""Memory for results: expanded dimensions say nothing about the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import dense

BASE = np.arange(24.0).reshape(2, 3, 4)
ARRAYS: dict[str, Any] = {
    "rows": BASE,
    "turned": BASE.transpose(2, 0, 1),
    "every other": BASE[:, ::2],
    "expanded in front": np.broadcast_to(BASE[0], (5, 3, 4)),
    "expanded within": np.broadcast_to(BASE[:, :1], (2, 3, 4)),
    "expanded behind": np.broadcast_to(BASE[..., :1], (2, 3, 4)),
    "turned and expanded": np.broadcast_to(BASE[0].T[:, None], (4, 2, 3)),
    "one number": np.broadcast_to(np.float64(3), (2, 2)),
    "a batch of one": BASE.transpose(2, 0, 1)[None],
    "a channel of one": BASE[:, :, :3][:, None].transpose(2, 1, 0, 3),
    "none": np.broadcast_to(np.zeros((0, 1)), (0, 3)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_without_gaps_and_alike(name: str) -> None:
    a = ARRAYS[name]
    for made in (dense.copied(a), dense.copied(a, np.float32), dense.empty_like(a)):
        assert made.shape == a.shape
        order = np.argsort([-s for s in made.strides], kind="stable")
        assert made.transpose(order).flags.c_contiguous
        assert made.flags.writeable
    assert np.array_equal(dense.copied(a), a)
    assert dense.copied(a, np.float32).dtype == np.float32
    assert dense.empty_like(a, np.int8).dtype == np.int8


def test_orders() -> None:
    # As PyTorch's: an expanded dimension stays where it is, the others keep their order.
    assert dense.copied(ARRAYS["expanded in front"]).flags.c_contiguous
    assert dense.copied(ARRAYS["expanded within"]).flags.c_contiguous
    assert dense.copied(ARRAYS["expanded behind"]).flags.c_contiguous
    assert dense.copied(ARRAYS["turned"]).strides == np.copy(ARRAYS["turned"], "K").strides
    assert dense.inner_to_outer(BASE) == [2, 1, 0]
    assert dense.inner_to_outer(BASE.T) == [0, 1, 2]


ACROSS: dict[str, Any] = {  # shapes in memory, and the order in which they are seen
    "two": ((700, 300), (1, 0)),
    "long and short": ((5000, 40), (1, 0)),
    "short and long": ((40, 5000), (1, 0)),
    "batches": ((3, 200, 300), (0, 2, 1)),
    "one between": ((70, 30, 130), (2, 0, 1)),
    "turned round": ((130, 9, 110), (2, 1, 0)),
    "channels inwards": ((2, 33, 50, 40), (0, 2, 3, 1)),
    "channels outwards": ((2, 50, 40, 33), (0, 3, 1, 2)),
    "ones": ((1, 700, 1, 300), (3, 2, 1, 0)),
    "many between": ((40, 300, 64), (2, 1, 0)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex64", "bool"])
@pytest.mark.parametrize("name", ACROSS)
def test_large_transposed_arrays(name: str, dtype: str, rng: np.random.Generator) -> None:
    shape, order = ACROSS[name]
    a = rng.integers(-100, 100, shape).astype(dtype).transpose(order)
    y = dense.in_order(a)
    assert y.flags.c_contiguous
    assert y.dtype == a.dtype
    assert np.array_equal(y, a)
    into = np.zeros((a.shape[0] * 2, *a.shape[1:]), "float32")[::-2]  # with gaps, and backwards
    dense.copy_into(into, a)
    assert np.array_equal(into, a.astype("complex64").real.astype("float32"))


def test_a_copy_that_is_broadcast() -> None:
    to = np.zeros((300, 300), np.float32)
    dense.copy_into(to, np.arange(300.0))
    assert (to == np.arange(300)).all()


def test_rows() -> None:
    assert dense.rows(BASE) is BASE
    turned = dense.rows(BASE.T)
    assert turned.flags.c_contiguous
    assert np.array_equal(turned, BASE.T)


@pytest.mark.parametrize("n", [3, 400])
def test_another_type(n: int, rng: np.random.Generator) -> None:
    a = rng.standard_normal((n, n, 2)).astype(np.float32)
    for x in (a, a.T, a[::-1], np.broadcast_to(a[:1], a.shape)):
        assert np.array_equal(dense.copied(x, np.float64), x.astype(np.float64))
        y = dense.in_order(x, np.float64)
        assert y.flags.c_contiguous
        assert np.array_equal(y, x)


@pytest.mark.parametrize("shape", [(3, 4), (300, 5, 40), (0, 3), (1, 70_000)])
@pytest.mark.parametrize("shifts", [{0: 1}, {1: -3}, {0: 2, 1: 1}, {1: 1000}, {0: 0}])
def test_rolled(shape: Any, shifts: Any, rng: np.random.Generator) -> None:
    a = rng.standard_normal(shape)
    for x in (a, a[::-1]):
        found = dense.rolled(x, shifts)
        assert np.array_equal(found, np.roll(x, list(shifts.values()), list(shifts)))
        assert found.flags.c_contiguous


@pytest.mark.parametrize("n", [3, 400])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_joined(n: int, dim: int, rng: np.random.Generator) -> None:
    parts = [rng.standard_normal((n, n, 2)).astype(np.float32) for _ in range(3)]
    parts.append(parts[0].swapaxes(0, 1))
    assert np.array_equal(dense.joined(parts, dim), np.concatenate(parts, dim))
    with pytest.raises(ValueError, match="must match"):
        dense.joined([*parts, parts[0][:2, :2, :1]], dim)
    mixed = [parts[0], parts[1].astype(np.float64)]
    assert dense.joined(mixed, dim).dtype == np.float64
    assert np.array_equal(dense.stacked(parts, dim % 3), np.stack(parts, dim % 3))
    assert np.array_equal(dense.stacked(mixed, dim % 3), np.stack(mixed, dim % 3))


@pytest.mark.parametrize(
    "shape", [(4, 6, 50, 60), (4, 1, 50, 60), (600, 60, 1, 1), (2, 8, 5, 20, 20)]
)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_orders_of_channels(shape: Any, dim: int, rng: np.random.Generator) -> None:
    """As NumPy keeps them, or in rows."""
    a = rng.standard_normal(shape).astype(np.float32)
    inwards = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1)
    for parts in ([a, a], [inwards, inwards], [a, inwards]):
        found, wanted = dense.joined(parts, dim), np.concatenate(parts, dim)
        assert np.array_equal(found, wanted)
        assert found.strides == wanted.strides
