"""Reductions: PyTorch's overloads, types, empty tensors, NaN, ties and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.reduce.select import add_reduce


@pytest.fixture
def x():
    return torch.tensor([[1.0, 5.0, 2.0], [7.0, 3.0, 4.0]])


def test_the_ways_to_name_dimensions(x):
    for y in (x.sum(1), x.sum(dim=1), x.sum((1,)), x.sum([-1]), x.sum(axis=1), torch.sum(x, 1)):
        assert y.tolist() == [8.0, 14.0]
    for y in (x.sum(), x.sum((0, 1)), x.sum(dim=None), x.sum(())):
        assert y.item() == 22.0
        assert y.shape == ()
    assert x.sum(1, True).shape == (2, 1)
    assert x.sum(1, keepdims=True).shape == (2, 1)


def test_integers_are_summed_in_int64():
    x = torch.tensor([100, 100], dtype=torch.int8)
    assert x.sum().dtype is torch.int64
    assert x.sum().item() == 200
    assert torch.tensor([True, True]).sum().item() == 2
    assert x.prod().item() == 10000
    assert x.cumsum(0).tolist() == [100, 200]
    assert x.sum(dtype=torch.float32).dtype is torch.float32


def test_an_explicit_type_is_cast_to_first():
    half = torch.full((3000,), 1.0, dtype=torch.float16)
    assert half.sum(dtype=torch.float32).item() == 3000.0
    assert half.mean(dtype=torch.float64).dtype is torch.float64


def test_mean_of_integers_raises():
    with pytest.raises(RuntimeError, match=r"could not infer output dtype.*Got: Long"):
        torch.tensor([1, 2]).mean()


def test_dimensions_out_of_range(x):
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.sum(2)
    with pytest.raises(RuntimeError, match="appears multiple times"):
        x.sum((0, -2))


def test_max_in_three_forms(x):
    assert x.max().item() == 7.0
    values, indices = x.max(1)
    assert (values.tolist(), indices.tolist()) == ([5.0, 7.0], [1, 0])
    assert x.max(dim=0, keepdim=True).indices.shape == (1, 3)
    assert torch.max(x, torch.tensor(4.0)).tolist() == [[4.0, 5.0, 4.0], [7.0, 4.0, 4.0]]
    assert x.min(other=torch.zeros(3)).sum().item() == 0
    assert repr(type(x.max(1))).count("max")
    with pytest.raises(TypeError, match="invalid combination"):
        x.max((0, 1))


def test_nan_wins():
    x = torch.tensor([1.0, math.nan, 3.0])
    assert math.isnan(x.max().item())
    assert x.max(0).indices.item() == 1
    assert x.argmin().item() == 1
    assert torch.nansum(x).item() == 4.0
    assert torch.nanmean(x).item() == 2.0


def test_gradients_of_ties():
    x = torch.tensor([2.0, 2.0, 1.0], requires_grad=True)
    x.max().backward()
    assert x.grad.tolist() == [0.5, 0.5, 0.0]
    x.grad = None
    x.max(0).values.backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0]


def test_products_with_zeros():
    x = torch.tensor([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]], dtype=torch.float64, requires_grad=True)
    x.prod(1).sum().backward()
    assert x.grad.tolist() == [[0.0, 6.0, 0.0], [0.0, 0.0, 0.0]]
    assert torch.autograd.gradgradcheck(lambda t: t.prod(1), (x,))
    assert torch.autograd.gradgradcheck(lambda t: t.cumprod(1), (x,))


def test_variance_and_its_warning():
    x = torch.tensor([1.0, 2.0, 4.0])
    assert x.var().item() == pytest.approx(7 / 3)
    assert x.var(unbiased=False).item() == pytest.approx(14 / 9)
    assert torch.var(x, correction=0).item() == pytest.approx(14 / 9)
    std, mean = torch.std_mean(x, 0)
    assert (std.item(), mean.item()) == (pytest.approx(math.sqrt(7 / 3)), pytest.approx(7 / 3))
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert math.isnan(torch.ones(1).std().item())


def test_a_constant_has_no_gradient_in_its_deviation():
    x = torch.ones(4, requires_grad=True)
    x.std().backward()
    assert x.grad.tolist() == [0.0] * 4


def test_empty_tensors():
    e = torch.empty(0, 3)
    assert e.sum().item() == 0
    assert e.sum(0).tolist() == [0.0] * 3
    assert e.prod().item() == 1
    assert math.isnan(e.mean().item())
    assert torch.all(e).item() is True
    assert torch.any(e).item() is False
    assert e.logsumexp(0).tolist() == [-math.inf] * 3
    with pytest.raises(RuntimeError, match="Expected reduction dim to be specified"):
        e.max()
    with pytest.raises(IndexError, match="non-zero size"):
        e.max(0)
    with pytest.raises(RuntimeError, match="Specify the reduction dim"):
        e.amax()


def test_results_written_to_out(x):
    y, i = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.max(x, 1, out=(y, i))
    assert (y.tolist(), i.tolist()) == ([5.0, 7.0], [1, 0])
    s = torch.empty(3)
    assert torch.sum(x, 0, out=s) is s
    assert s.tolist() == [8.0, 8.0, 6.0]


def test_logsumexp_does_not_overflow():
    assert torch.tensor([1000.0, 1000.0]).logsumexp(0).item() == pytest.approx(1000 + math.log(2))
    x = torch.tensor([-math.inf, -math.inf], requires_grad=True)
    y = x.logsumexp(0)
    y.backward()
    assert y.item() == -math.inf
    assert x.grad.tolist() == [0.0, 0.0]


def test_cumulative_extremes():
    x = torch.tensor([1.0, 3.0, 3.0, 2.0])
    values, indices = x.cummax(0)
    assert (values.tolist(), indices.tolist()) == ([1.0, 3.0, 3.0, 3.0], [0, 1, 2, 2])
    assert x.cummin(0).indices.tolist() == [0, 0, 0, 0]
    assert torch.logcumsumexp(torch.zeros(3), 0).tolist() == pytest.approx(
        [0, math.log(2), math.log(3)]
    )


def test_differences_and_integrals():
    x = torch.tensor([1.0, 4.0, 9.0])
    assert x.diff().tolist() == [3.0, 5.0]
    assert x.diff(n=2).tolist() == [2.0]
    assert x.diff(prepend=torch.zeros(1)).tolist() == [1.0, 3.0, 5.0]
    assert torch.trapezoid(x).item() == 9.0
    assert torch.trapezoid(x, dx=2).item() == 18.0
    assert torch.cumulative_trapezoid(x, torch.tensor([0.0, 1.0, 3.0])).tolist() == [2.5, 15.5]
    assert torch.gradient(x)[0].tolist() == [3.0, 4.0, 5.0]


def test_long_sums_of_float32_stay_exact_to_rounding(rng):
    for shape, axes in [
        ((30000, 3), (0,)),
        ((3, 30000), (1,)),
        ((150, 200, 3), (0, 1)),
        ((1025, 2), (0,)),
    ]:
        a = rng.random(shape, np.float32) + 1
        for layout in (a, np.asfortranarray(a)):
            got, want = add_reduce(layout, axes), a.astype(np.float64).sum(axes)
            np.testing.assert_allclose(got, want, rtol=5e-7)
            assert add_reduce(layout, axes, True).shape == a.sum(axes, keepdims=True).shape


def test_complex_variance_and_sums():
    z = torch.tensor([1 + 1j, 3 - 1j])
    assert z.sum().item() == 4
    assert z.var().item() == pytest.approx(4.0)
    assert not z.var().is_complex()


def test_named_results_unpack_and_print():
    r = torch.aminmax(torch.tensor([3.0, 1.0]))
    assert (r.min.item(), r.max.item()) == (1.0, 3.0)
    assert "aminmax" in repr(r)


def test_extremes_of_nothing_name_the_dimension():
    with pytest.raises(IndexError, match="aminmax: Expected reduction dim 0 to have non-zero size"):
        torch.ones(0, 2).aminmax(dim=-2)
    with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
        torch.ones(0, 2, dtype=torch.complex64).aminmax(dim=0)
    with pytest.raises(NotImplementedError, match="\"aminmax_cpu\" not implemented"):
        torch.ones(2, dtype=torch.complex64).aminmax(dim=0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.ones(0).aminmax(dim=3)
    assert torch.ones(2, 0).aminmax(dim=0).min.shape == (0,)


def test_truths_are_written_to_bools_and_bytes_alone():
    flags = torch.tensor([[True, False], [True, True]])
    for name, fn in (("all", torch.all), ("any", torch.any)):
        assert fn(flags, 0, out=torch.zeros(2, dtype=torch.uint8)).dtype is torch.uint8
        bytes_ = torch.ones(2, dtype=torch.uint8)
        assert fn(bytes_, out=torch.zeros((), dtype=torch.bool)).item() is True
        for other in (torch.float32, torch.int64):
            with pytest.raises(RuntimeError, match=f"{name} only supports bool tensor for result"):
                fn(flags, 0, out=torch.zeros(2, dtype=other))


def test_logsumexp_adds_up_in_the_type_of_out():
    x = torch.tensor([1.3, 2.0], dtype=torch.float16)
    y = torch.logsumexp(x, 0, out=torch.empty((), dtype=torch.float64))
    assert y.item() == pytest.approx(2.403183862210913, abs=1e-12)
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        z = torch.logsumexp(torch.tensor([1 + 1j, 2.0]), 0, out=torch.empty(()))
    assert z.item() == pytest.approx(2.181292772293091)
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.logsumexp(x, 0, out=torch.empty((), dtype=torch.int64))


@pytest.mark.parametrize("name", ["std", "var", "std_mean", "var_mean"])
def test_a_truth_alone_says_whether_spread_is_unbiased(name):
    x = torch.tensor([1.0, 3.0])
    first = getattr(torch, name)(x, False)
    assert (first[0] if isinstance(first, tuple) else first).item() == 1
    for args in ((True, True), (False, False)):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            getattr(torch, name)(x, *args)


def test_nansum_to_complex_numbers():
    with pytest.raises(NotImplementedError, match="nansum_cpu"):
        torch.nansum(torch.ones(2), dtype=torch.complex64)
    assert torch.nansum(torch.ones(2, dtype=torch.int64), dtype=torch.complex64).item() == 2


def test_where_numbers_are_searched():
    with pytest.raises(RuntimeError, match="input value can be a scalar only when"):
        torch.searchsorted(torch.tensor(1.0), 1.0)
    with pytest.raises(RuntimeError, match="should have positive dimension"):
        torch.searchsorted(torch.tensor(1.0), torch.tensor([1.0]))
    truths = torch.tensor([False, True])
    assert torch.searchsorted(truths, 3.0).item() == 2
    with pytest.raises(NotImplementedError, match="'Bool'"):
        torch.searchsorted(truths, truths)
    with pytest.raises(NotImplementedError, match="'ComplexFloat'"):
        torch.searchsorted(torch.tensor([1j]), 1.0)


def test_histograms_have_a_hundred_bins_of_one_type():
    x = torch.tensor([0.0, 1.0])
    assert torch.histogram(x).hist.shape == (100,)
    with pytest.raises(RuntimeError, match="should have the same dtype"):
        torch.histogram(x, torch.tensor([0, 1]))
    with pytest.raises(TypeError, match="'weights'"):
        torch.bincount(torch.tensor([1, 2]), 7)


def test_gradients_of_bytes_are_refused():
    with pytest.raises(RuntimeError, match="does not support uint8 input"):
        torch.gradient(torch.ones(3, dtype=torch.uint8))


def test_dimensions_are_looked_at_before_types():
    x = torch.ones(3, dtype=torch.complex64)
    for call in (lambda: x.nansum(3), lambda: x.softmax(1), lambda: x.real.int().log_softmax(1)):
        with pytest.raises(IndexError, match="Dimension out of range"):
            call()
    assert x[:0].softmax(0).dtype is torch.complex64
    with pytest.raises(TypeError, match=r"'dim' .* must be int, not bool"):
        torch.quantile(x, 1, True)


def test_whole_numbers_without_elements_are_divided_by_zero():
    none = torch.ones(0, 3, dtype=torch.int64)
    for y in (none // 0, none % 0, torch.floor_divide(none, 0)):
        assert y.shape == (0, 3)
    assert none.roll(1, 5).shape == (0, 3)
    with pytest.raises(TypeError, match="'k'"):
        torch.rot90(torch.ones(2, 2), [0, 1])


def test_one_dimension_is_no_tuple():
    x = torch.ones(2, 2, dtype=torch.complex64)
    for call in (lambda: x.argmin((0, 1)), lambda: x.nanmedian((0, 1)), lambda: x.max((0, 1))):
        with pytest.raises(TypeError, match="must be int, not tuple"):
            call()
    y = torch.ones(2, requires_grad=True)
    with pytest.raises(IndexError, match="Dimension out of range"):
        y.sum(5, dtype=torch.int64)


def test_integrals_of_no_samples():
    for dtype in (torch.float32, torch.int32, torch.bool, torch.complex64):
        area = torch.trapezoid(torch.zeros(0, 4, dtype=dtype), dim=0)
        assert area.dtype is dtype
        assert area.tolist() == [0, 0, 0, 0]
    assert not torch.trapezoid(torch.zeros(0, 4, requires_grad=True), dim=0).requires_grad
    running = torch.cumulative_trapezoid(torch.zeros(0, 4, dtype=torch.int64), dim=0)
    assert running.dtype is torch.float32
    with pytest.raises(RuntimeError, match="one `x` value for each sample point"):
        torch.cumulative_trapezoid(torch.zeros(2, 0), torch.ones(1))
    with pytest.raises(IndexError, match="no dimensions"):
        torch.trapezoid(torch.tensor(True))


def test_running_sums_in_place_keep_the_type() -> None:
    for x in (torch.tensor(True), torch.zeros(2, 0, dtype=torch.bool)):
        assert x.cumsum_(0) is x
        assert x.cumprod_(0).dtype is torch.bool
    with pytest.raises(NotImplementedError, match="cumsum_out_cpu"):
        torch.tensor([True]).cumsum_(0)
    with pytest.raises(RuntimeError, match="Bad in-place call"):
        torch.ones(2).cumsum_(0, dtype=torch.int64)


def test_the_dim_is_looked_at_before_the_type_with_out_as_well() -> None:
    c, n = torch.ones(3, dtype=torch.complex64), torch.ones(3, dtype=torch.int32)
    for call in (
        lambda: torch.amax(c, 1, out=c),
        lambda: torch.mean(torch.ones(3), 2, out=n),
        lambda: torch.mean(torch.ones(3), 2),
        lambda: torch.mean(torch.ones(3), 2, dtype=torch.float64),
    ):
        with pytest.raises(IndexError, match="Dimension out of range"):
            call()
    with pytest.raises(TypeError, match="invalid combination"):
        torch.trapezoid(torch.ones(3), 3)
    with pytest.raises(TypeError, match="invalid combination"):
        torch.bucketize([1.0, 2.0], torch.ones(3))
    nothing = torch.ones(0, 3, dtype=torch.bool)
    assert torch.searchsorted(torch.ones(3, dtype=torch.bool), nothing).shape == (0, 3)


@pytest.mark.parametrize("name", ["mean", "nanmean"])
@pytest.mark.parametrize("dim", [5, (0, 0), 0])
@pytest.mark.parametrize("out", [None, torch.zeros(3), torch.zeros(3, dtype=torch.int64)])
def test_a_type_without_means_comes_before_the_dim(name, dim, out):
    more = {} if out is None else {"out": out}
    with pytest.raises(RuntimeError, match=rf"{name}\(\): could not infer output dtype. Optional"):
        getattr(torch, name)(torch.ones(3, 3), dim, dtype=torch.int64, **more)


@pytest.mark.parametrize("name", ["var_mean", "std_mean", "std", "var"])
def test_spreads_of_integers_name_the_function(name):
    said = name if "mean" in name else "std and var"
    with pytest.raises(RuntimeError, match=f"^{said} only support floating point and complex"):
        getattr(torch, name)(torch.ones(3, dtype=torch.int64), 5)


@pytest.mark.parametrize("name", ["sum", "nansum", "prod", "cumsum", "cumprod"])
def test_a_dim_that_is_not_there_comes_before_types_without_gradients(name):
    x = torch.zeros(2, 2, requires_grad=True)
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(torch, name)(x, -3, dtype=torch.int16)
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Short"):
        getattr(torch, name)(x, 1, dtype=torch.int16)


def test_an_operand_of_max_is_not_resized() -> None:
    for f in (torch.max, torch.min):
        a, b = torch.ones(3), torch.zeros(2, 3)
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            f(a, b, out=a)
        assert f(a, b, out=b) is b


@pytest.mark.parametrize(("name", "node"), [("var_mean", "VarMean"), ("std_mean", "StdMean")])
def test_a_spread_and_the_mean_are_outputs_of_one_node(name, node):
    x = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
    spread, mean = getattr(torch, name)(x, 1, correction=0)
    assert spread.grad_fn is mean.grad_fn
    assert spread.grad_fn.name() == node + "Backward0"
    assert len(mean.grad_fn._input_metadata) == 2
    seen = []
    mean.grad_fn.register_prehook(lambda gs: seen.append([g is not None for g in gs]))
    (gm,) = torch.autograd.grad(mean.sum(), x, retain_graph=True)
    assert torch.allclose(gm, torch.full((3, 4), 0.25, dtype=torch.float64))
    (both,) = torch.autograd.grad((spread + mean).sum(), x)
    (alone,) = torch.autograd.grad(getattr(torch, name[:3])(x, 1, correction=0).sum(), x)
    assert torch.allclose(both, alone + gm)
    assert seen == [[False, True], [True, True]]
    assert torch.autograd.gradcheck(lambda x: getattr(torch, name)(x, (0, 1), keepdim=True), x)
    assert torch.autograd.gradgradcheck(lambda x: getattr(torch, name)(x, 0), x)


def test_the_variance_of_var_mean_may_be_changed_in_place():
    x = torch.rand(5, requires_grad=True)
    variance, mean = torch.var_mean(x)
    variance.add_(1e-5)
    (variance + mean).backward()
    assert x.grad is not None


@pytest.mark.parametrize("name", ["amax", "amin", "argmax", "argmin"])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_there_is_no_extreme_of_nothing(name: str, device: str) -> None:
    x = torch.empty(5, 0, 3, device=device)
    assert getattr(x, name)(0).shape == (0, 3)
    with pytest.raises(IndexError, match=r"Expected reduction dim 1 to have non-zero size"):
        getattr(x, name)(1)
    with pytest.raises((IndexError, RuntimeError), match=r"dim to be specified for input.numel"):
        getattr(x, name)()


def test_the_branch_of_running_logarithms_of_complex_sums():
    """Of numbers of one magnitude the new one is taken for the larger, as by logaddexp."""
    x = torch.tensor([3.4641j, 0, 1j])
    y = torch.logcumsumexp(x, 0)
    assert torch.allclose(y[1], torch.logaddexp(x[1], x[0]))
    assert torch.allclose(y[2], torch.logaddexp(x[2], y[1]))
    assert y[1].imag < 0


def test_the_gradient_of_running_products_of_one_element() -> None:
    """It is the incoming one, whatever the element: nothing is divided by it."""
    x = torch.tensor([[-math.inf, 0.0, math.nan, 2.0]], requires_grad=True)
    x.cumprod(0).backward(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    assert x.grad.tolist() == [[1.0, 2.0, 3.0, 4.0]]
