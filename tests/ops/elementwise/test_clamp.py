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


def test_bounds_by_name_and_without():
    x = torch.tensor([-2.0, 0.5, 3.0])
    assert torch.clamp(x, max=1, min=0).tolist() == [0.0, 0.5, 1.0]
    assert torch.clip(x, 0, 1, out=torch.empty(3)).tolist() == [0.0, 0.5, 1.0]
    assert x.clamp(1, 0).tolist() == [0.0, 0.0, 0.0]
    assert x.clone().clip_(min=0).tolist() == [0.0, 0.5, 3.0]
    before = x.clone()
    for wrong in ((), (None, None)):
        for name in ("clamp", "clamp_"):
            with pytest.raises(RuntimeError, match="At least one of 'min' or 'max'"):
                getattr(x, name)(*wrong)
    for name in ("clamp", "clamp_"):
        with pytest.raises(TypeError, match="invalid combination"):
            getattr(x, name)(torch.zeros(3), 1.0)
        with pytest.raises(TypeError):
            getattr(x, name)(0, 1, 2)
    assert torch.equal(x, before)
    bools = torch.tensor([True, False])
    with pytest.raises(NotImplementedError, match="Bool"):
        bools.clamp(False, True)


def test_in_place_of_a_result_and_of_a_view():
    w = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
    y = (w * 2).clamp_(0, 3)
    assert type(y.grad_fn).__name__ == "ClampBackward0"
    y.sum().backward()
    assert w.grad.tolist() == [0.0, 2.0, 0.0]
    x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]])
    x.t()[0].clamp_(min=0)
    assert x.tolist() == [[0.0, 2.0], [3.0, -4.0]]
    with pytest.raises(RuntimeError, match="leaf"):
        w.clamp_(0, 1)
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.arange(3).clamp_(0.5, 1.5)
