"""First gradients of leaves: machine code and Python make the same of them, and refuse the same."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door, leaves, leaves_code
from rushlight.kernels import runtime


@pytest.fixture(params=["python", "machine code"])
def keep(request: Any) -> Callable[[Any, Any], bool]:
    if request.param == "python":
        return leaves.first_gradient_by_python
    if not runtime.available():
        pytest.skip("no machine code here")
    return leaves_code.function(door.Tensor)  # type: ignore[no-any-return]


def leaf(*shape: int) -> Any:
    return known(torch.ones(*shape).requires_grad_())


def known(x: Any) -> Any:
    """A leaf that has been sent a gradient before."""
    door.extras(x)
    return x


def array(*shape: int, dtype: Any = np.float32) -> Any:
    return np.full(shape, 3, dtype)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (0, 2), (2, 1, 3, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_it_is_kept_as_it_is(keep: Any, shape: Any, dtype: Any) -> None:
    x = known(torch.from_numpy(np.ones(shape, dtype)).requires_grad_())
    g = array(*shape, dtype=dtype)
    assert keep(x, g) is True
    assert x.grad._a is g
    assert x.grad.__class__ is torch.Tensor
    assert x.grad._fn is x.grad._vc is x.grad._v is x.grad._x is None
    assert not x.grad.requires_grad
    assert x.grad.is_leaf
    assert gc.is_tracked(x.grad)
    assert keep(x, array(*shape, dtype=dtype)) is False  # there is one
    assert x.grad._a is g


def test_of_parameters(keep: Any) -> None:
    x, g = known(torch.nn.Parameter(torch.ones(2, 3))), array(2, 3)
    assert keep(x, g) is True
    assert x.grad._a is g
    assert x.grad.__class__ is torch.Tensor
    assert np.array_equal((x.grad + 1).numpy(), g + 1)


def hooked() -> Any:
    x = leaf(2, 3)
    x.register_hook(lambda g: None)
    return x


def hooked_later() -> Any:
    x = leaf(2, 3)
    x.register_post_accumulate_grad_hook(lambda t: None)
    return x


class Sub(np.ndarray):
    """An array of another class."""


@pytest.mark.parametrize(
    ("make", "g"),
    [
        (hooked, array(2, 3)),
        (hooked_later, array(2, 3)),
        (lambda: leaf(2, 3), array(3, 2)),
        (lambda: leaf(2, 3), array(6)),
        (lambda: leaf(2, 3), array(2, 3, dtype=np.float64)),
        (lambda: leaf(2, 3), array(3, 2).T),
        (lambda: leaf(2, 3), array(4, 3)[:2]),
        (lambda: leaf(2, 3), array(2, 3).view(Sub)),
        (lambda: leaf(2, 3), np.float32(3)),
        (lambda: leaf(2, 3), torch.ones(2, 3)),
        (lambda: leaf(2, 3), None),
        (lambda: known(torch.ones(2, 3, device="meta").requires_grad_()), array(2, 3)),
        (lambda: torch.ones(2, 3).requires_grad_(), array(2, 3)),
        (lambda: torch.ones(2, 3), array(2, 3)),
    ],
)
def test_what_is_refused(keep: Any, make: Any, g: Any) -> None:
    x = make()
    assert keep(x, g) is False
    assert x.grad is None


@pytest.mark.skipif(not runtime.available(), reason="no machine code here")
def test_nothing_is_lost_and_nothing_held() -> None:
    keep = leaves_code.function(door.Tensor)
    x, g = leaf(2, 3), array(2, 3)
    before = sys.getrefcount(g), sys.getrefcount(None), sys.getrefcount(torch.Tensor)
    for _ in range(1000):
        assert keep(x, g)
        x.grad = None
        assert not keep(x, None)
    after = sys.getrefcount(g), sys.getrefcount(None), sys.getrefcount(torch.Tensor)
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) < 100
    assert abs(after[2] - before[2]) < 100


def test_a_leaf_that_two_gradients_come_to() -> None:
    x = leaf(3)
    (x * 2 + x.exp()).sum().backward()
    assert np.allclose(x.grad.numpy(), 2 + np.exp(1))
    x.grad = None
    (x * x * x).sum().backward()
    assert np.allclose(x.grad.numpy(), 3)


def test_an_array_that_others_know_is_copied() -> None:
    x = leaf(3)
    g = torch.ones(3)
    x.clone().backward(g)
    assert x.grad is not g
    x.grad += 1
    assert g.tolist() == [1, 1, 1]
    x, y = leaf(2, 3), leaf(2, 3)
    (x + y).backward(torch.ones(2, 3))
    x.grad += 1
    assert y.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_layouts_are_the_leaves() -> None:
    x = torch.ones(3, 2).t().requires_grad_()
    (x * torch.ones(2, 3)).sum().backward()
    assert x.grad.stride() == x.stride()
