"""autocast: which ops it casts, nesting, gradients, errors."""

from __future__ import annotations

import pytest

import rushlight
from rushlight import nn
from rushlight.amp import autocast, custom_bwd, custom_fwd, is_autocast_available
from rushlight.amp.autocast_mode import is_autocast_enabled

F = nn.functional


def test_products_are_narrow_and_the_rest_stays():
    a = rushlight.rand(3, 3)
    with autocast("cpu"):
        assert (a @ a).dtype is rushlight.bfloat16
        assert F.linear(a, a).dtype is rushlight.bfloat16
        assert F.conv1d(a[None], a[None]).dtype is rushlight.bfloat16
        assert (a + a).dtype is rushlight.float32
        assert (a.double() @ a.double()).dtype is rushlight.float64
        low = a.bfloat16()
        assert F.mse_loss(low, low).dtype is rushlight.float32
        assert F.cross_entropy(low, rushlight.tensor([0, 1, 2])).dtype is rushlight.float32
        assert low.exp().dtype is rushlight.bfloat16
    assert (a @ a).dtype is rushlight.float32


def test_the_result_is_rounded_once():
    a = rushlight.tensor([[1.0, 2.0**-9]])
    with autocast("cpu"):
        assert (a @ a.t()).item() == 1.0


def test_float16():
    a = rushlight.ones(2, 2)
    with autocast("cpu", dtype=rushlight.float16):
        assert (a @ a).dtype is rushlight.float16


def test_gradients_arrive_in_the_type_of_the_weights():
    layer = nn.Linear(3, 2)
    x = rushlight.ones(1, 3)
    with autocast("cpu"):
        y = layer(x)
        loss = F.mse_loss(y, rushlight.zeros(1, 2))
    assert y.dtype is rushlight.bfloat16
    loss.backward()
    assert layer.weight.grad.dtype is rushlight.float32
    assert layer.weight.grad.shape == (2, 3)


def test_nesting_and_switching_off():
    a = rushlight.ones(2, 2)
    with autocast("cpu"):
        assert is_autocast_enabled("cpu")
        with autocast("cpu", enabled=False):
            assert (a @ a).dtype is rushlight.float32
        assert (a @ a).dtype is rushlight.bfloat16
    assert not is_autocast_enabled("cpu")
    with autocast("cpu", enabled=False):
        assert (a @ a).dtype is rushlight.float32


def test_as_a_decorator():
    @autocast("cpu")
    def product(a):
        """Doc."""
        return a @ a

    assert product(rushlight.ones(2, 2)).dtype is rushlight.bfloat16
    assert product.__doc__ == "Doc."
    with pytest.raises(TypeError, match="requires a callable"):
        autocast("cpu")(3)


def test_an_error_inside_ends_it():
    with pytest.raises(KeyError), autocast("cpu"):
        raise KeyError
    assert not is_autocast_enabled("cpu")
    assert (rushlight.ones(1, 1) @ rushlight.ones(1, 1)).dtype is rushlight.float32


def test_devices_and_types_that_are_not_there():
    assert is_autocast_available("cpu")
    with pytest.warns(UserWarning, match="CUDA is not available"):
        context = autocast("cuda")
    with context:
        assert not is_autocast_enabled("cpu")
    autocast("cuda", enabled=False)
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        autocast("cpu", dtype=rushlight.float32)
    with pytest.raises(RuntimeError, match="unsupported autocast device_type 'tpu'"):
        autocast("tpu")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        autocast(rushlight.float32)


def test_functions_that_leave_autocast():
    class Product(rushlight.autograd.Function):
        @staticmethod
        @custom_fwd(device_type="cpu", cast_inputs=rushlight.float32)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @custom_bwd(device_type="cpu")
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g @ b.t(), a.t() @ g

    a = rushlight.ones(2, 2, requires_grad=True)
    with autocast("cpu"):
        y = Product.apply(a, a)
    assert y.dtype is rushlight.float32
    y.backward(rushlight.ones(2, 2))
    assert a.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_older_spellings():
    from rushlight.amp import old_names

    with pytest.warns(FutureWarning, match=r"`torch.cuda.amp.autocast\(args...\)` is deprecated"):
        context = old_names.cuda.autocast(enabled=False)
    with context:
        assert not is_autocast_enabled("cpu")
    with pytest.warns(FutureWarning, match="`torch.cuda.amp.GradScaler"):
        assert not old_names.cuda.GradScaler(enabled=False).is_enabled()
    with pytest.warns(FutureWarning, match="`torch.cpu.amp.autocast"):
        context = old_names.cpu.autocast()
    with context:
        assert (rushlight.ones(1, 1) @ rushlight.ones(1, 1)).dtype is rushlight.bfloat16
