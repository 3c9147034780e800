"""assert_close, make_tensor and check_op do what they say, and fail when they should."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.core.record import Op, registry
from rushlight.ops.core.samples import case
from rushlight.testing import assert_close, check_op, make_tensor


def test_assert_close_passes_within_tolerance() -> None:
    assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0 + 1e-6]))
    assert_close({"a": [1, torch.ones(2)]}, {"a": [1, torch.ones(2)]})
    assert_close(float("nan"), float("nan"), equal_nan=True)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ([1.0], [1.1], "not close"),
        ([1, 2], [1, 3], "not equal"),
        ([1.0], [[1.0]], "shape"),
        ([1], [1.0], "dtype"),
    ],
)
def test_assert_close_fails(actual: list, expected: list, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        assert_close(torch.tensor(actual), torch.tensor(expected))


def test_assert_close_wants_both_tolerances() -> None:
    with pytest.raises(ValueError, match="rtol and atol"):
        assert_close(1.0, 1.0, rtol=0.1)


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.int64, torch.uint8, torch.bool, torch.complex64]
)
def test_make_tensor(dtype: torch.dtype) -> None:
    t = make_tensor((3, 4), dtype=dtype)
    assert t.shape == (3, 4)
    assert t.dtype is dtype
    assert not make_tensor(3, 4, dtype=dtype, noncontiguous=True).is_contiguous()


def test_check_op() -> None:
    check_op(registry["tanh"])

    def wrong(input):
        return np.sin(input)

    bad = Op(wrong, "elementwise", samples=[case((3,))], promote="float").vjp(
        lambda g, _y, x: g * x
    )
    with pytest.raises(torch.autograd.GradcheckError, match="Jacobian mismatch"):
        check_op(bad)
    with pytest.raises(AssertionError, match="no samples"):
        check_op(Op(wrong, "elementwise"))


def test_threads_setting() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
    with pytest.raises(RuntimeError, match="positive"):
        torch.set_num_threads(0)


def test_make_tensor_keeps_to_the_limits_of_the_type():
    t = torch.testing.make_tensor((50,), dtype=torch.uint8, low=-9, high=9)
    assert t.min() >= 0
    assert t.max() < 9
