"""PyTorch's old functions for the Jacobians that gradcheck compares."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd.gradcheck import (
    get_analytical_jacobian,
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
)


def pair(x: Any, y: Any) -> Any:
    return 2 * x + y, x * y


def points() -> Any:
    return tuple(torch.rand(2, 2, dtype=torch.float64, requires_grad=True) for _ in range(2))


def test_both_are_the_same() -> None:
    a, b = points()
    with pytest.warns(FutureWarning, match="was part of PyTorch's private API"):
        numerical = get_numerical_jacobian(lambda xs: pair(*xs), (a, b), eps=1e-6)
    with pytest.warns(FutureWarning, match="was part of PyTorch's private API"):
        jacobians, same, sizes, kinds = get_analytical_jacobian((a, b), pair(a, b)[0])
    assert same and sizes and kinds  # noqa: PT018 - one call's
    for n, j, slope in zip(numerical, jacobians, (2, 1), strict=True):
        assert torch.allclose(n, slope * torch.eye(4, dtype=torch.float64))
        assert torch.equal(j, slope * torch.eye(4, dtype=torch.float64))
    _, second = get_numerical_jacobian_wrt_specific_input(pair, 0, (a, b), pair(a, b), 1e-6)
    assert torch.allclose(second, torch.diag(b.detach().reshape(-1)))


def test_one_input_alone_and_other_gradients() -> None:
    a, b = points()
    with pytest.warns(FutureWarning, match="private"):
        (one,) = get_numerical_jacobian(lambda xs: pair(*xs), (a, b), target=b, eps=1e-6)
    assert torch.allclose(one, torch.eye(4, dtype=torch.float64))
    with (
        pytest.warns(FutureWarning, match="private"),
        pytest.raises(ValueError, match="Expected grad_out to be 1"),
    ):
        get_analytical_jacobian((a, b), a * b, grad_out=2.0)


def test_a_basis_in_parts() -> None:
    from rushlight.autograd.functional import _construct_standard_basis_for

    xs = torch.zeros(1), torch.zeros(2, dtype=torch.float64)
    first, second = _construct_standard_basis_for(xs, (1, 2))
    assert first.tolist() == [[1.0], [0.0], [0.0]]
    assert second.tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert (first.dtype, second.dtype) == (torch.float32, torch.float64)
