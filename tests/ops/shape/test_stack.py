"""Stacks, diagonals and copies of which a part is replaced: layouts and errors."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_scatters_copy_the_gaps_of_a_tensor():
    x = torch.arange(24).reshape(3, 8)[:, ::2]
    y = torch.as_strided_scatter(x, torch.full((2, 2), -1), [2, 2], [1, 4])
    assert y.stride() == (8, 2)
    assert y.tolist() == [[-1, 2, -1, 6], [8, 10, 12, 14], [16, 18, 20, 22]]
    assert x[0].tolist() == [0, 2, 4, 6]
    assert torch.select_scatter(x, torch.full((3,), -1), 1, 0).stride() == (8, 2)
    assert torch.diagonal_scatter(x, torch.full((3,), -1)).tolist()[1] == [8, -1, 12, 14]
    part = torch.as_strided_scatter(x[1:], torch.full((2, 2), -1), [2, 2], [1, 4])
    assert part.storage_offset() == 8
    assert part.tolist() == [[-1, 10, -1, 14], [16, 18, 20, 22]]


def test_scatters_of_tensors_with_gaps_have_gradients():
    x = torch.arange(8.0).reshape(2, 4).requires_grad_()
    src = torch.ones(2, requires_grad=True)
    y = torch.select_scatter(x[:, ::2], src, 1, 0)
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [[0, 0, 2, 0], [0, 0, 4, 0]]
    assert src.grad.tolist() == [1, 3]


@pytest.mark.parametrize(
    "scatter",
    [
        lambda x, src: x.select_scatter(src, 0, 0),
        lambda x, src: x.slice_scatter(src.reshape(1, 3), 0, 0, 1),
        lambda x, src: x.diagonal_scatter(src),
        lambda x, src: x.as_strided_scatter(src, (3,), (1,)),
    ],
)
def test_scatters_into_whole_numbers_have_no_gradient(scatter):
    x, src = torch.zeros(3, 3, dtype=torch.int32), torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Int"):
        scatter(x, src)
    assert scatter(x, src.detach()).dtype is torch.int32
    with torch.no_grad():
        assert scatter(x, src).dtype is torch.int32


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.atleast_1d(2.0, torch.ones(2)),
        lambda: torch.atleast_2d((2.0, torch.ones(2))),
        lambda: torch.atleast_3d(2.0, torch.ones(2)),
        lambda: torch.block_diag(2.0, torch.ones(2)),
    ],
)
def test_numbers_among_tensors(call):
    with pytest.raises(TypeError, match="expected Tensor as element 0 in argument 0"):
        call()


def test_tensors_that_have_the_shape_are_not_expanded():
    x, y = torch.ones(2, 1, requires_grad=True), torch.ones(1, 1, requires_grad=True)
    a, b = torch.broadcast_tensors(x, y)
    assert a is x
    assert a.is_leaf
    assert not b.is_leaf
