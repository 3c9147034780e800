"""Operators of one's own: called as functions, with a derivative where one was given."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import library


@pytest.fixture(autouse=True)
def _clean():
    before = dict(library.operators)
    yield
    library.operators.clear()
    library.operators.update(before)


def test_an_operator_is_its_function() -> None:
    @torch.library.custom_op("mine::scale", mutates_args=())
    def scale(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
        """Times `by`."""
        return x * by

    @scale.register_fake
    def _(x, by=2.0):
        raise AssertionError("nothing is compiled")

    assert scale(torch.ones(1), by=3.0).item() == 3
    assert scale.__doc__ == "Times `by`."
    assert repr(scale) == "<CustomOpDef(mine::scale)>"


def test_its_derivative() -> None:
    square = library.custom_op("mine::square", lambda x, times=1: times * x * x)

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.times = inputs[1]

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * ctx.times * g * x, None

    library.register_autograd("mine::square", backward, setup_context=setup)
    x = torch.tensor([1.0, -3.0], requires_grad=True)
    square(x, times=2).sum().backward()
    assert x.grad.tolist() == [4.0, -12.0]


def test_kernels_of_other_devices_are_left_out() -> None:
    op = library.custom_op("mine::three", lambda: 3)
    library.register_kernel("mine::three", "cuda", lambda: 4)
    assert op() == 3
    op.register_kernel("cpu")(lambda: 5)
    assert op() == 5


def test_errors() -> None:
    with pytest.raises(ValueError, match="no namespace"):
        library.custom_op("plain", lambda: 1)
    with pytest.raises(RuntimeError, match="does not exist"):
        library.register_fake("mine::nothing", lambda: 1)
    with pytest.raises(NotImplementedError, match="dispatcher"):
        library.Library("mine", "DEF")
