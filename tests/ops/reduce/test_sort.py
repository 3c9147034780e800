"""Order: ties, NaN, 0-d and empty inputs, gradients, errors."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

nan, inf = float("nan"), float("inf")
rng = np.random.default_rng(6)


def real(*shape):
    """Distinct values: differences cannot change an order."""
    return torch.from_numpy(rng.permutation(int(np.prod(shape))).reshape(shape) / 4 + 0.1)


def test_sorting_is_stable_and_puts_nan_last():
    x = torch.tensor([2, nan, 1, 2, -inf, 1])
    up, down = x.sort(), x.sort(descending=True)
    assert up.indices.tolist() == [4, 2, 5, 0, 3, 1]
    assert down.indices.tolist() == [1, 0, 3, 2, 5, 4]
    assert up.values[-1].isnan()
    assert x.argsort().tolist() == up.indices.tolist()


def test_sort_along_any_dim():
    x = real(3, 4, 5)
    for dim in (0, 1, 2, -1):
        np.testing.assert_array_equal(x.sort(dim).values.numpy(), np.sort(x.numpy(), dim))
    np.testing.assert_array_equal(torch.msort(x).numpy(), np.sort(x.numpy(), 0))


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.bool, torch.int64, torch.bfloat16, torch.float16]
)
def test_sort_keeps_the_dtype(dtype):
    x = torch.tensor([1, 0, 1, 0]).to(dtype)
    assert x.sort().values.dtype is dtype
    assert x.sort().indices.tolist() == [1, 3, 0, 2]


def test_numbers_and_nothing():
    assert torch.tensor(3.0).sort() == (torch.tensor(3.0), torch.tensor(0))
    assert torch.tensor(3.0).topk(1).values.shape == ()
    assert torch.zeros(0).sort().values.shape == (0,)
    assert torch.zeros(0).median().isnan()
    assert torch.zeros(0).unique().shape == (0,)


@pytest.mark.parametrize("n", [10, 500])
def test_topk(n):
    x = real(3, n)
    for largest in (True, False):
        values, indices = x.topk(4, largest=largest)
        wanted = np.sort(x.numpy(), -1)
        wanted = wanted[:, ::-1][:, :4] if largest else wanted[:, :4]
        np.testing.assert_array_equal(values.numpy(), wanted)
        np.testing.assert_array_equal(
            values.numpy(), np.take_along_axis(x.numpy(), indices.numpy(), 1)
        )
    assert set(x[0].topk(4, sorted=False).values.tolist()) == set(x[0].topk(4).values.tolist())
    assert torch.tensor([1.0, nan, *[0.0] * 100]).topk(1).indices.item() == 1


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: torch.ones(3).topk(4), RuntimeError, "selected index k out of range"),
        (lambda: torch.ones(3).kthvalue(0), RuntimeError, "out of range"),
        (lambda: torch.ones(3).sort(1), IndexError, "Dimension out of range"),
        (lambda: torch.ones(3, 0).median(1), IndexError, "non-zero size"),
        (lambda: torch.ones(3).quantile(1.5), RuntimeError, r"in the range \[0, 1\]"),
        (lambda: torch.ones(3).long().quantile(0.5), RuntimeError, "float or double"),
        (lambda: torch.tensor([-1]).bincount(), RuntimeError, "non-negative"),
        (lambda: torch.ones(3, dtype=torch.complex64).sort(), RuntimeError, "complex"),
    ],
)
def test_errors(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_medians():
    assert torch.tensor([4.0, 1, 3, 2]).median() == 2
    assert torch.tensor([4.0, nan, 3]).median().isnan()
    assert torch.tensor([4.0, nan, 3]).nanmedian() == 3
    values, indices = torch.tensor([[4.0, 1, 3], [nan, 1, nan]]).median(1)
    assert indices.tolist() == [2, 0]
    assert values.isnan().tolist() == [False, True]
    assert torch.tensor([[4.0, 1, 3], [nan, 1, nan]]).nanmedian(1).values.tolist() == [3, 1]


def test_mode_takes_the_smallest_and_its_last_place():
    values, indices = torch.tensor([[2, 3, 2, 3, 1]]).mode()
    assert (values.item(), indices.item()) == (2, 2)


@pytest.mark.parametrize("how", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_are_numpys(how):
    x, q = real(3, 7), torch.tensor([0.0, 0.3, 0.5, 1.0], dtype=torch.float64)
    for dim in (None, 0, 1):
        for keepdim in (False, True):
            got = x.quantile(q, dim, keepdim, interpolation=how)
            wanted = np.quantile(x.numpy(), q.numpy(), axis=dim, keepdims=keepdim, method=how)
            np.testing.assert_allclose(got.numpy(), wanted)
    assert x.quantile(0.5).shape == ()


def test_quantiles_and_nan():
    x = torch.tensor([[1.0, nan, 3], [4, 5, 6]])
    assert x.quantile(0.5, 1).isnan().tolist() == [True, False]
    assert x.nanquantile(0.5, 1).tolist() == [2, 5]


def test_distinct_values():
    x = torch.tensor([[3, 1, 3], [1, 1, 2]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert values[inverse].tolist() == x.tolist()
    assert counts.tolist() == [3, 1, 2]
    rows, inverse = torch.tensor([[1, 2], [0, 5], [1, 2]]).unique(dim=0, return_inverse=True)
    assert (rows.tolist(), inverse.tolist()) == ([[0, 5], [1, 2]], [1, 0, 1])
    assert torch.tensor([1, 1, 2, 2, 1]).unique_consecutive().tolist() == [1, 2, 1]
    assert torch.tensor([nan, nan]).unique().shape == (2,)


def test_places_and_counts():
    edges = torch.tensor([1.0, 3, 5])
    assert torch.bucketize(torch.tensor([0.0, 1, 4, 9]), edges).tolist() == [0, 0, 2, 3]
    assert torch.searchsorted(edges, torch.tensor([1.0, 3]), right=True).tolist() == [1, 2]
    assert torch.searchsorted(edges, 4.0).item() == 2
    assert torch.tensor([1, 1, 3]).bincount(minlength=5).tolist() == [0, 2, 0, 1, 0]
    assert torch.tensor([1, 1]).bincount(torch.tensor([0.5, 1.5])).tolist() == [0, 2]
    assert torch.histc(torch.tensor([1.0, 2, 1]), 4, 0, 3).tolist() == [0, 2, 1, 0]
    hist, bins = torch.histogram(torch.tensor([1.0, 2, 1]), 4, range=(0.0, 3.0))
    assert (hist.tolist(), bins.tolist()) == ([0, 2, 1, 0], [0, 0.75, 1.5, 2.25, 3])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sort(0, descending=True).values,
        lambda x: x.topk(2).values,
        lambda x: x.kthvalue(2, 1).values,
        lambda x: x.median(),
        lambda x: x.median(1, True).values,
        lambda x: x.mode(0).values,
        lambda x: x.quantile(0.3, 1),
        lambda x: x.nanquantile(0.3),
    ],
)
def test_gradients_go_to_the_chosen_elements(f):
    x = real(3, 4).requires_grad_()
    assert gradcheck(f, (x,))
    assert gradgradcheck(lambda t: f(t) ** 2, (x,))


def test_equal_medians_share_their_gradient():
    x = torch.tensor([1.0, 2, 2, 2, 5], requires_grad=True)
    x.median().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 1 / 3, 1 / 3, 1 / 3, 0], rtol=1e-6)


def test_indices_have_no_gradient():
    values, indices = real(4).requires_grad_().sort()
    assert values.requires_grad
    assert not indices.requires_grad


def test_results_into_given_tensors():
    out = torch.empty(0), torch.empty(0, dtype=torch.int64)
    result = torch.sort(torch.tensor([2.0, 1]), out=out)
    assert result.values is out[0]
    assert out[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("kind", "value"), [("int32", -(2**31)), ("uint8", 0), ("int16", 0), ("float16", None)]
)
def test_medians_of_nothing_have_the_type_of_the_operand(kind, value):
    x = torch.ones(2, 0).to(getattr(torch, kind))
    for made in (x.median(), x.nanmedian()):
        assert made.dtype == x.dtype
        assert made.isnan() if value is None else made == value


def test_what_is_chosen_is_no_view():
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    for found in (x.mode(1), x.median(1), x.kthvalue(2, 1)):
        values, index = found
        assert not values._is_view()
        assert not index._is_view()
        assert index.detach_() is index
        values.mul_(2)
        values.sum().backward()
    assert x.grad.tolist() == [[2, 4, 0]]


def test_a_quantile_is_no_view():
    y = torch.tensor([[1.0, 2.0, 3.0]]).quantile(0.5, 1)
    assert y.detach_() is y


def test_a_count_is_a_whole_number() -> None:
    for call in (torch.ones(3).topk, torch.ones(3).kthvalue):
        for k in (1.5, True):
            with pytest.raises(TypeError, match="argument 'k'"):
                call(k)


def test_edges_of_histograms_are_those_of_linspace() -> None:
    x = torch.tensor([-2.0, 0.3, 5.3])
    for n in (3, 10, 17, 101):
        assert torch.equal(x.histogram(n).bin_edges, torch.linspace(-2.0, 5.3, n + 1))
    grid = torch.histogramdd(torch.tensor([[0.1, 0.0], [0.7, 1.0]]), [7, 2]).bin_edges[0]
    assert torch.equal(grid, torch.linspace(0.1, 0.7, 8))
