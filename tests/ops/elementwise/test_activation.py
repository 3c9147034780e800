"""What is special about activations: large and small x, infinite gradients, in place, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional
LARGE = [-800.0, -80.0, 0.0, 80.0, 800.0]


@pytest.mark.parametrize(
    ("name", "slopes"),
    [
        ("silu", [0, 0, 0.5, 1, 1]),
        ("mish", [0, 0, 0.6, 1, 1]),
        ("gelu", [0, 0, 0.5, 1, 1]),
        ("softplus", [0, 0, 0.5, 1, 1]),
        ("logsigmoid", [1, 1, 0.5, 0, 0]),
        ("sigmoid", [0, 0, 0.25, 0, 0]),
        ("elu", [0, 0, 1, 1, 1]),
        ("softsign", [1 / 801**2, 1 / 81**2, 1, 1 / 81**2, 1 / 801**2]),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_slopes_far_from_zero(name: str, slopes: list[float], dtype: Any) -> None:
    x = torch.tensor(LARGE, dtype=dtype, requires_grad=True)
    getattr(F, name)(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-5, atol=1e-12)


def test_a_closed_relu_stops_an_infinite_gradient() -> None:
    x = torch.full((600,), -1.0, requires_grad=True)
    x.relu().backward(torch.full((600,), float("inf")))
    assert not x.grad.any()


def test_relu_keeps_nan_and_integers() -> None:
    assert torch.relu(torch.tensor([-1, 2])).tolist() == [0, 2]
    assert torch.relu(torch.tensor(float("nan"))).isnan()


def test_inplace_forms_write_into_their_argument() -> None:
    for name in ("relu_", "elu_", "leaky_relu_", "hardtanh_", "selu_", "celu_", "rrelu_"):
        x = torch.tensor([-2.0, 3.0])
        assert getattr(F, name)(x) is x
        assert x[0] > -2
    x = torch.tensor([-2.0, 3.0])
    assert F.threshold_(x, 0.0, 9.0).tolist() == [9.0, 3.0]
    assert F.silu(x, inplace=True) is x
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        F.relu(torch.ones(2, requires_grad=True), inplace=True)


def test_softmax_rows_add_up_to_one_at_any_size(rng: Any) -> None:
    x = torch.from_numpy(rng.standard_normal((4, 7)) * 1000)
    np.testing.assert_allclose(F.softmax(x, -1).sum(-1).numpy(), 1)
    y = F.log_softmax(x, 0)
    np.testing.assert_allclose(y.exp().sum(0).numpy(), 1)
    assert np.isfinite(y.numpy()).all()


def test_softmax_of_half_precision_has_its_type() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        assert F.softmax(torch.ones(3, dtype=dtype), 0).dtype == dtype
    assert F.softmax(torch.ones(3), 0, dtype=torch.float64).dtype == torch.float64


def test_gumbel_softmax_picks_by_the_scores() -> None:
    logits = torch.tensor([[0.0, 50.0, 0.0]], requires_grad=True)
    hard = F.gumbel_softmax(logits, hard=True)
    assert hard.tolist() == [[0.0, 1.0, 0.0]]
    hard[0, 0].backward()
    assert logits.grad.shape == (1, 3)


def test_meta_tensors_have_shapes() -> None:
    x = torch.empty(3, 4, device="meta")
    assert F.gelu(x).shape == F.softmax(x, 1).shape == (3, 4)
    assert F.glu(x).shape == (3, 2)


def test_errors() -> None:
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 1"):
        F.glu(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="Lower bound should be"):
        F.rrelu(torch.ones(2), 0.5, 0.2)
    with pytest.raises(ValueError, match="min_val cannot be greater"):
        F.hardtanh(torch.ones(2), 2, 1)
    with pytest.raises(RuntimeError, match="Expected `weight` to be a scalar or 1D"):
        F.prelu(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(TypeError, match="must be Tensor, not"):
        F.softmax([1.0], 0)


def test_threshold_of_whole_numbers():
    x = torch.tensor([1, 2], dtype=torch.uint8)
    assert F.threshold(x, -1, 7).tolist() == [7, 7]  # 255 in uint8
    assert F.threshold(x, 1, -7).tolist() == [249, 2]
    for args in ((-1.0, 7), (300, 7), (1, 256), (1, -256)):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t"):
            F.threshold(x, *args)


def test_numbers_are_not_changed_in_place():
    with pytest.raises(TypeError, match=r"abs_\(\): argument 'input' .* must be Tensor"):
        torch.abs_(0.5)


@pytest.mark.parametrize("value", [0.0, 2.0, -1e30])
def test_softmax_of_one_number(value: float) -> None:
    x = torch.tensor(value, requires_grad=True)
    assert torch.softmax(x, 0).item() == 1
    assert torch.log_softmax(x, -1).item() == 0
    y = torch.softmax(x, 0)
    (slope,) = torch.autograd.grad(y, x, torch.ones((), requires_grad=True), create_graph=True)
    assert slope.item() == 0
    assert torch.autograd.grad(slope, x)[0].item() == 0


def test_tanhshrink_of_narrow_types_rounds_twice() -> None:
    x = torch.tensor([0.0131, -0.0474, 0.5], dtype=torch.bfloat16)
    assert torch.nn.functional.tanhshrink(x).tolist() == (x - x.tanh()).tolist()


@pytest.mark.parametrize(
    ("name", "at_nan"), [("elu", 3.0), ("celu", 3.0), ("selu", 3 * 1.0507009873)]
)
def test_the_derivative_of_an_elu_at_nan_is_that_of_positive_values(
    name: str, at_nan: float
) -> None:
    for n in (1, 33):
        x = torch.full((n,), float("nan"), requires_grad=True)
        getattr(torch.nn.functional, name)(x).backward(torch.full((n,), 3.0))
        np.testing.assert_allclose(x.grad.numpy(), at_nan, rtol=1e-6)


@pytest.mark.parametrize("count", [1, 10_000])
def test_hardswish_hands_nothing_on_where_it_is_flat(count):
    """Not NaN times 0, for few elements and by the kernel for many."""
    x = torch.tensor([-4.0, -3.0, 0.0] * count, requires_grad=True)
    F.hardswish(x).backward(torch.full_like(x, float("nan")))
    assert x.grad[:2].tolist() == [0.0, 0.0]
    assert x.grad[2::3].isnan().all()
    assert not x.grad.reshape(-1, 3)[:, :2].any()
