"""What is special about lookups: gradients by row, padding, errors."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional


def test_gradients_of_a_row_add_up() -> None:
    w = torch.zeros(4, 2, requires_grad=True)
    F.embedding(torch.tensor([[1, 1], [3, 1]]), w, padding_idx=3).sum().backward()
    assert w.grad.tolist() == [[0, 0], [3, 3], [0, 0], [0, 0]]


def test_the_padding_row_has_no_gradient_whatever_comes_there() -> None:
    w = torch.zeros(4, 2, requires_grad=True)
    y = F.embedding(torch.tensor([3, 1]), w, padding_idx=3)
    y.backward(torch.tensor([[float("nan")] * 2, [1.0, 2.0]]))  # of 0 / 0, masked later
    assert w.grad.tolist() == [[0, 0], [1, 2], [0, 0], [0, 0]]


def test_max_norm_shrinks_only_the_rows_in_use() -> None:
    w = torch.full((3, 4), 2.0)
    y = F.embedding(torch.tensor([1, 1]), w, max_norm=1.0)
    np.testing.assert_allclose(y.norm(dim=1).numpy(), 1, rtol=1e-6)
    assert w[0].tolist() == [2, 2, 2, 2]
    w = torch.full((3, 4), 2.0, requires_grad=True)
    F.embedding(torch.tensor([1, 1]), w, max_norm=1.0).sum().backward()
    assert w.grad[1].tolist() == [2, 2, 2, 2]


def test_one_hot() -> None:
    y = F.one_hot(torch.tensor([[0], [2]]), 4)
    assert y.dtype == torch.int64
    assert y.tolist() == [[[1, 0, 0, 0]], [[0, 0, 1, 0]]]


def test_errors() -> None:
    w = torch.ones(3, 2)
    with pytest.raises(IndexError, match=r"index out of range in self[\s\S]*0 <= index < 3"):
        F.embedding(torch.tensor([0, 3]), w)
    with pytest.raises(RuntimeError, match=r"Long, Int; but got torch\.FloatTensor"):
        F.embedding(torch.ones(2), w)
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        F.embedding(torch.tensor([0]), w, padding_idx=3)


def test_a_table_without_columns_has_a_gradient() -> None:
    w = torch.zeros(7, 0, requires_grad=True)
    F.embedding(torch.tensor([[1, 2]]), w).sum().backward()
    assert w.grad is not None
    assert w.grad.shape == (7, 0)


def test_the_table_is_a_tensor():
    with pytest.raises(TypeError, match=r"embedding\(\): argument 'weight' .* must be Tensor"):
        torch.nn.functional.embedding(torch.ones(3, 2), 1)
