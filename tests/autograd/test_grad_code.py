"""`Tensor.grad` read and set by machine code: as by Python."""

from __future__ import annotations

import sys
import warnings
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    few.load()


def test_it_is_in_its_place() -> None:
    made: Any = vars(torch.Tensor)["grad"]
    assert made is vars(torch.Tensor)["_grad"]
    by_python = sys.modules["rushlight.tensor"]._grad_by_python
    assert made.fget is not by_python.fget
    assert made.__doc__ == by_python.__doc__


def test_reading_and_setting() -> None:
    x, g = torch.ones(3, requires_grad=True), torch.ones(3)
    assert x.grad is None
    x.grad = None
    x.grad = g
    assert x.grad is g
    assert x._grad is g
    x.grad = None
    assert x.grad is None
    x.grad = g
    del x.grad
    assert x.grad is None
    with pytest.raises(TypeError, match="expected to be a Tensor or None"):
        x.grad = 3
    with pytest.raises(RuntimeError, match="different size"):
        x.grad = torch.ones(2)


def test_a_parameter_and_a_class_of_the_users() -> None:
    class Mine(torch.Tensor):
        pass

    for x in (torch.nn.Parameter(torch.ones(2)), torch.ones(2).as_subclass(Mine)):
        x.grad = torch.ones(2)
        assert x.grad is not None
        x.grad = None
        assert x.grad is None


def test_of_a_result_there_is_a_warning() -> None:
    y = torch.ones(3, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor") as told:
        assert y.grad is None
    assert told[0].filename == __file__
    y.retain_grad()
    y.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is not None


def test_of_something_else() -> None:
    read: Any = vars(torch.Tensor)["grad"].fget
    with pytest.raises(AttributeError):
        read(3)


def test_of_a_tensor_that_was_not_filled() -> None:
    """As Python: it has no such field."""
    empty = object.__new__(torch.Tensor)
    with pytest.raises(AttributeError):
        _ = empty.grad
    with pytest.raises(AttributeError):
        empty.grad = None


def test_references() -> None:
    x, g = torch.ones(3, requires_grad=True), torch.ones(3)
    x.grad = g
    before = sys.getrefcount(g)
    for _ in range(100):
        assert x.grad is g
    assert sys.getrefcount(g) == before
    seen = weakref.ref(g)
    del g
    x.grad = None
    assert seen() is None
