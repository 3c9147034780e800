"""Distances between rows: every order and batch, coincident points, empty operands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.linalg.distances import distances_of_order, euclidean_distances

ORDERS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf]
SHAPES = [
    ((5, 3), (4, 3)), ((2, 5, 3), (4, 3)), ((3, 1, 5, 2), (2, 4, 2)), ((40, 9), (33, 9)),
]  # fmt: skip


def wanted(a: np.ndarray, b: np.ndarray, p: float) -> np.ndarray:
    """The distances in float64, with all differences written down."""
    apart = np.abs(a.astype(np.float64)[..., :, None, :] - b[..., None, :, :])
    if p == 0:
        return (apart != 0).sum(-1)
    return apart.max(-1) if p == math.inf else (apart**p).sum(-1) ** (1 / p)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("p", ORDERS)
def test_values(p: float, turned: bool, dtype: Any, rng: np.random.Generator) -> None:
    for one, other in SHAPES:
        a, b = rng.standard_normal(one).astype(dtype), rng.standard_normal(other).astype(dtype)
        if turned:
            a, b = (np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2) for x in (a, b))
        got = torch.cdist(torch.from_numpy(a), torch.from_numpy(b), p=p).numpy()
        eps = np.finfo(dtype).eps
        np.testing.assert_allclose(got, wanted(a, b, p), rtol=100 * eps, atol=100 * eps)


@pytest.mark.parametrize("p", ORDERS)
def test_gradients_where_points_coincide(p: float) -> None:
    """Of a distance of 0, and of a coordinate that two points share, as in PyTorch 2.13."""
    x = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    z = torch.tensor([[1.0, 2.0], [3.0, 2.0], [2.0, 3.0]], dtype=torch.float64)
    (g,) = torch.autograd.grad(torch.cdist(x, z, p=p).sum(), x)
    both = 2 ** (1 / p - 1) if p not in (0, math.inf) else 1.0  # of (1, 1)
    assert g.tolist()[0] == pytest.approx([0.0, 0.0] if p == 0 else [-1 - both, -both])


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_gradients_of_gradients(p: float, rng: np.random.Generator) -> None:
    x, z = (torch.from_numpy(rng.standard_normal(s)).requires_grad_() for s in ((2, 3, 4), (5, 4)))
    assert torch.autograd.gradcheck(lambda a, b: torch.cdist(a, b, p=p), (x, z))
    assert torch.autograd.gradgradcheck(lambda a, b: torch.cdist(a, b, p=p), (x, z))


def test_many_rows_go_through_a_product(rng: np.random.Generator) -> None:
    x = torch.from_numpy(rng.standard_normal((30, 4))).requires_grad_()
    assert torch.cdist(x, x).grad_fn.name() == "EuclideanDistBackward0"
    assert torch.cdist(x[:25], x[:25]).grad_fn.name() == "CdistBackward0"
    assert torch.cdist(x, x, p=1).grad_fn.name() == "CdistBackward0"
    a, b = torch.cdist(x, x[:7]), torch.cdist(x, x[:7], compute_mode="donot_use_mm_for_euclid_dist")
    torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


def test_points_far_from_the_origin(rng: np.random.Generator) -> None:
    """Squares that are no float32: only the way through a product loses them, as in PyTorch."""
    x = (rng.standard_normal((6, 3)) * 1e25).astype(np.float32)
    got = torch.cdist(torch.from_numpy(x), torch.zeros(2, 3)).numpy()
    np.testing.assert_allclose(got[:, 0], np.linalg.norm(x.astype(np.float64), axis=1), rtol=1e-6)


def test_nothing_to_measure() -> None:
    for a, b in (
        ((0, 3), (2, 3)), ((2, 3), (0, 3)), ((2, 0, 3), (2, 4, 3)), ((0, 4, 3), (0, 2, 3)),
    ):  # fmt: skip
        for fn in (euclidean_distances, lambda *xs: distances_of_order(*xs, p=1.0)):
            y = fn(torch.zeros(a, requires_grad=True), torch.zeros(b))
            assert y.shape == (*a[:-1], b[-2])
            y.sum().backward()
    for p in ORDERS:
        assert torch.cdist(torch.ones(2, 0), torch.ones(3, 0), p=p).tolist() == [[0.0] * 3] * 2


def test_bits_do_not_depend_on_threads(rng: np.random.Generator) -> None:
    x, z = (rng.standard_normal(s).astype(np.float32) for s in ((300, 40), (200, 40)))
    before, found = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        ways = [distances_of_order(torch.tensor(x), torch.tensor(z), p=p) for p in (1.0, 2.0, 3.0)]
        found.append([y.numpy() for y in (*ways, euclidean_distances(*map(torch.tensor, (x, z))))])
    torch.set_num_threads(before)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("p", ORDERS)
def test_pairs_of_one_set(p: float, rng: np.random.Generator) -> None:
    x = rng.standard_normal((7, 3))
    i, j = np.triu_indices(7, 1)
    got = torch.pdist(torch.from_numpy(x), p)
    np.testing.assert_allclose(got.numpy(), wanted(x, x, p)[i, j], rtol=1e-12)
    few = torch.pdist(torch.from_numpy(x[:1]), p)
    assert few.shape == (0,)
    if p not in (0, 0.5, math.inf):
        assert torch.autograd.gradcheck(
            lambda a: torch.pdist(a, p), torch.from_numpy(x).requires_grad_()
        )


def test_what_is_refused() -> None:
    with pytest.raises(RuntimeError, match="same number of columns"):
        torch.cdist(torch.zeros(2, 3), torch.zeros(2, 4))
    with pytest.raises(RuntimeError, match="non-negative p"):
        torch.cdist(torch.zeros(2, 3), torch.zeros(2, 3), p=-1)
    with pytest.raises(RuntimeError, match="2D"):
        torch.pdist(torch.zeros(3))
