"""clamp: bounds that are numbers and tensors, types, gradients."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_clamp_with_numbers_tensors_and_one_side():
    x = torch.tensor([-2.0, 0.5, 3.0], requires_grad=True)
    assert x.clamp(-1, 1).tolist() == [-1.0, 0.5, 1.0]
    assert x.clamp(min=0).tolist() == [0.0, 0.5, 3.0]
    assert torch.clip(x, max=torch.tensor([0.0, 0.0, 9.0])).tolist() == [-2.0, 0.0, 3.0]
    x.clamp(-1, 1).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]
    assert torch.tensor([1, 5]).clamp(max=2.5).dtype is torch.float32
    with pytest.raises(RuntimeError, match="must not be None"):
        x.clamp()
    y = torch.tensor([5.0])
    assert y.clamp_(max=1) is y
    assert y.item() == 1
