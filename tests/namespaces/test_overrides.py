"""`torch.overrides`: what public functions are called."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import rushlight as torch


def test_names_are_known_where_they_are_asked_for_first_within_a_mode() -> None:
    program = """
import rushlight as torch
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(torch.overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))
with Mode():
    torch.ones(2).sum().item()
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.splitlines() == ["torch.ones", "torch.Tensor.sum", "torch.Tensor.item"]


def test_a_factory_that_was_held_before_classes_compute_asks_modes_too() -> None:
    program = """
import rushlight as torch
held, strided = torch.Tensor.new_zeros, torch.Tensor.new_empty_strided
with torch.overrides.BaseTorchFunctionMode():
    pass
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
mode = FakeTensorMode()
x = mode.from_tensor(torch.ones(2))
with mode:
    print(type(held(x, (3,))) is type(x.new_zeros(3)) is type(strided(x, (3,), (1,))) is FakeTensor)
print(type(held(torch.ones(1), 3)) is torch.Tensor)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.split() == ["True", "True"], told.stderr


def test_a_factory_that_is_a_method_asks_modes_however_it_is_called() -> None:
    new_zeros: Any = torch.Tensor.new_zeros
    told = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            told.append(func)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Mode():
        made = new_zeros(x, (3,))
        x.new_zeros(3)
    assert told == [new_zeros, new_zeros]
    assert made.tolist() == [0, 0, 0]
    assert new_zeros(x, 1).tolist() == [0]
    assert len(told) == 2


def test_names_after_methods_have_been_swapped() -> None:
    """A class that computes by itself swaps methods for good, as an observer does for a while."""
    program = """
import rushlight as torch
from rushlight._prims.context import TorchRefsMode
class Held(torch.Tensor):
    @staticmethod
    def __new__(cls, t):
        return torch.Tensor._make_wrapper_subclass(cls, t.shape, dtype=t.dtype)
    def __init__(self, t):
        self.t = t
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*[a.t if isinstance(a, Held) else a for a in args])
def ask():
    print(torch.overrides.resolve_name(torch.Tensor.item))
    with TorchRefsMode(strict=True):
        assert torch.ones(2).sum().item() == 2
with torch.profiler.profile():
    ask()
ask()
Held(torch.ones(())).item()
ask()
with torch.profiler.profile():
    ask()
ask()
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout.split() == ["torch.Tensor.item"] * 5, told.stderr
