"""`torch.utils._device`: a mode that gives new tensors a type of its own knows who makes them."""

import rushlight as torch
import rushlight.utils._device as of_device


class Narrow(torch.overrides.TorchFunctionMode):
    """New tensors are bfloat16; what fills parameters at the start does nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if getattr(func, "__module__", None) == f"{torch.__name__}.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        if func in of_device._device_constructors() and kwargs.get("dtype") is None:
            kwargs["dtype"] = torch.bfloat16
        return func(*args, **kwargs)


def test_constructors():
    made = of_device._device_constructors()
    assert {torch.zeros, torch.tensor, torch.arange, torch.randn, torch.fft.fftfreq} <= made
    assert torch.normal not in made
    assert torch.zeros_like not in made


def test_a_mode_that_narrows():
    with Narrow():
        linear = torch.nn.Linear(3, 4)
        x = torch.zeros(2)
    assert linear.weight.dtype is torch.bfloat16
    assert x.dtype is torch.bfloat16
    assert torch.zeros(2).dtype is torch.float32
