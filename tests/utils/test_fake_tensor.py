"""FakeTensor: shapes, types and devices of what is not there."""

from __future__ import annotations

import pytest
from rushlight._subclasses import FakeTensor, FakeTensorMode
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    unset_fake_temporarily,
)
from rushlight._subclasses.fake_utils import outputs_alias_inputs

import rushlight as torch
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv


def test_factories_and_operations_keep_a_device_that_is_not_there():
    with FakeTensorMode():
        x = torch.empty(4, 5, device="cuda")
        y = x @ x.t()
    assert type(y) is FakeTensor
    assert y.shape == (4, 4)
    assert str(y.device) == "cuda:0"
    assert repr(y) == "FakeTensor(..., device='cuda:0', size=(4, 4))"
    assert str(x.cpu().device) == "cpu"
    assert (x + torch.tensor(1.0)).device == x.device
    with pytest.raises(RuntimeError, match="two different devices"):
        x + y.cpu()[0, 0].expand(5)


def test_a_model_computes_shapes_and_gradients():
    mode = FakeTensorMode()
    with mode:
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        out = model(torch.ones(2, 3))
        out.sum().backward()
    weight = model[0].weight
    assert isinstance(weight, torch.nn.Parameter)
    assert isinstance(weight, FakeTensor)
    assert out.shape == (2, 1)
    assert out.grad_fn is not None
    assert isinstance(weight.grad, FakeTensor)
    assert weight.grad.shape == (4, 3)


def test_fakes_of_tensors_are_kept_and_share_storage_as_these_do():
    mode = FakeTensorMode()
    x = torch.randn(4, 6).t().requires_grad_()
    f = mode.from_tensor(x)
    assert f is mode.from_tensor(x)
    assert f.stride() == x.stride()
    assert f.requires_grad
    assert f.is_leaf
    base = torch.zeros(4)
    part = mode.from_tensor(base[2:])
    assert part.storage_offset() == 2
    assert outputs_alias_inputs(part, mode.from_tensor(base))
    assert outputs_alias_inputs(f.view(24) if f.is_contiguous() else f.t(), f)
    with pytest.raises(UnsupportedFakeTensorException):
        mode.from_tensor(torch.eye(2).to_sparse())


def test_numbers_are_not_known():
    with FakeTensorMode() as mode:
        x = mode.from_tensor(torch.ones(3))
        with pytest.raises(DataDependentOutputException, match="_local_scalar_dense"):
            x.sum().item()
        with pytest.raises(DataDependentOutputException):
            bool(x[0] > 0)
        with pytest.raises(DynamicOutputShapeException, match="argwhere"):
            x.nonzero()
        with pytest.raises(DynamicOutputShapeException):
            x[x > 0]
        assert torch.tensor(3.0).item() == 3.0  # what was written down is


def test_plain_tensors_are_refused_unless_allowed():
    plain = torch.ones(3)
    f = FakeTensorMode().from_tensor(plain)
    with pytest.raises(AssertionError, match="Please convert all Tensors to FakeTensors"):
        f + plain
    with pytest.raises(AssertionError, match="Mixing fake modes"):
        f + FakeTensorMode().from_tensor(plain)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert type(plain + 1) is FakeTensor
    with FakeTensorMode(), unset_fake_temporarily():
        assert type(plain + 1) is torch.Tensor


def test_changes_in_place_are_of_shapes():
    f = FakeTensorMode().from_tensor(torch.ones(2, 3))
    f.add_(1)
    assert f._version == 1
    assert f.unsqueeze_(0).shape == (1, 2, 3)
    assert f.new_empty((2,), dtype=torch.int64).dtype is torch.int64


def test_sizes_are_numbers():
    x = torch.ones(2, 3)
    with pytest.raises(NotImplementedError, match="static_shapes=True"):
        FakeTensorMode(static_shapes=False).from_tensor(x)
    mode = FakeTensorMode(shape_env=ShapeEnv())
    with pytest.raises(NotImplementedError, match="a shape_env, or static_shapes=False"):
        mode.from_tensor(x)
    assert mode.from_tensor(x, static_shapes=True).shape == (2, 3)
    assert mode.from_tensor(x[:1, :0]).shape == (1, 0)  # 0 and 1 are never symbols
    with mode:
        assert torch.empty(4).shape == (4,)
        with pytest.raises(DynamicOutputShapeException):
            torch.ones(3).nonzero()
    mode = FakeTensorMode(shape_env=ShapeEnv(), static_shapes=True)
    assert mode.from_tensor(x).shape == (2, 3)
    with pytest.raises(NotImplementedError, match="a symbolic_context"):
        mode.from_tensor(torch.ones(2), symbolic_context=object())


def test_a_shape_env_makes_no_symbols():
    env = ShapeEnv(allow_scalar_outputs=False)
    assert not env.allow_scalar_outputs
    assert env.guards == []
    with pytest.raises(NotImplementedError, match="sizes that are not known"):
        env.create_unbacked_symint()
    with pytest.raises(NotImplementedError, match="tracked_fakes"):
        ShapeEnv(tracked_fakes=[])
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = env.nothing


def test_lists_of_numbers_are_not_known():
    with FakeTensorMode() as mode:
        x = mode.from_tensor(torch.arange(3))
        for ask in (x.tolist, lambda: x[0].item(), lambda: torch.ones(5).tensor_split(x)):
            with pytest.raises(DataDependentOutputException):
                ask()
        assert torch.tensor([3]).tolist() == [3]


def test_what_makes_tensors_of_fakes_makes_fakes():
    new_zeros = torch.Tensor.new_zeros
    with FakeTensorMode() as mode:
        end = mode.from_tensor(torch.tensor(2.0))
        made = [torch.linspace(0, end, 4), torch.logspace(end, 1, 4, dtype=torch.float64),
                torch.signal.windows.hann(4), new_zeros(end, (4,))]
    assert all(type(t) is FakeTensor and t.shape == (4,) for t in made)
    assert [t.dtype for t in made[:2]] == [torch.float32, torch.float64]


def test_the_package_is_there_without_an_import_of_its_own():
    assert torch._subclasses.FakeTensorMode is not None
