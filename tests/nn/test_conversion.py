"""`torch.__future__`, `utils.swap_tensors`: what conversions of modules do with parameters."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn


@pytest.fixture
def future() -> Iterator[Any]:
    yield torch.__future__
    torch.__future__.set_swap_module_params_on_conversion(False)
    torch.__future__.set_overwrite_module_params_on_conversion(False)


def test_parameters_are_converted_where_they_are_or_replaced(future: Any) -> None:
    net = nn.Linear(2, 1)
    weight = net.weight
    assert net.double().weight is weight
    assert not future.get_overwrite_module_params_on_conversion()
    future.set_overwrite_module_params_on_conversion(True)
    assert net.float().weight is not weight
    assert (net.weight.dtype, weight.dtype) == (torch.float32, torch.float64)
    assert net.weight.requires_grad


def test_parameters_are_swapped(future: Any) -> None:
    future.set_swap_module_params_on_conversion(True)
    assert future.get_swap_module_params_on_conversion()
    net = nn.Linear(2, 1)
    weight = net.weight
    assert net.double().weight is weight
    assert weight.dtype == torch.float64
    state = {"weight": torch.ones(1, 2, dtype=torch.float64), "bias": torch.zeros(1)}
    net.load_state_dict(state)
    assert net.weight is weight
    assert weight.tolist() == [[1.0, 1.0]]
    assert isinstance(weight, nn.Parameter)
    with pytest.raises(RuntimeError, match="Missing key"):
        net.load_state_dict({"weight": state["weight"] * 2})
    assert weight.tolist() == [[1.0, 1.0]]


class Doubling(nn.Parameter):
    def module_load(self, other: Any, assign: bool = False) -> Any:
        return other * 2


def test_module_load_says_what_is_swapped_in(future: Any) -> None:
    future.set_swap_module_params_on_conversion(True)
    net = nn.Linear(2, 1, bias=False)
    net.weight = Doubling(torch.zeros(1, 2))
    net.load_state_dict({"weight": torch.ones(1, 2)})
    assert net.weight.tolist() == [[2.0, 2.0]]


def test_swapped_tensors_stay_the_objects_they_are() -> None:
    a, b = torch.zeros(1, requires_grad=True), nn.Parameter(torch.ones(2))
    a.label = "a"
    torch.utils.swap_tensors(a, b)
    assert (type(a), type(b)) == (nn.Parameter, torch.Tensor)
    assert (a.tolist(), b.tolist(), b.label) == ([1.0, 1.0], [0.0], "a")
    keep = weakref.ref(a)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref"):
        torch.utils.swap_tensors(a, b)
    assert keep() is a


def test_what_has_no_shape_yet_is_named() -> None:
    lazy = nn.LazyLinear(3)
    with pytest.raises(RuntimeError, match="shape of an uninitialized parameter"):
        nn.Linear(4, 3).load_state_dict(lazy.state_dict())
    with pytest.raises(RuntimeError, match="Did you forget to run a forward pass"):
        torch.jit.script(lazy)


def test_a_conversion_keeps_the_gradients_that_others_hold(future: Any) -> None:
    for swap in (False, True):
        future.set_swap_module_params_on_conversion(swap)
        net = nn.Linear(2, 1)
        net.weight.grad = torch.ones(1, 2)
        held = net.weight.grad
        net.double()
        assert net.weight.grad is held
        assert held.dtype is torch.float64
        assert held.tolist() == [[1.0, 1.0]]


def test_the_number_of_what_a_tensor_is_goes_along_when_two_are_swapped(future: Any) -> None:
    a, b = torch.zeros(1), torch.ones(2)
    numbers = {a._cdata, b._cdata}
    assert len(numbers) == 2
    a.data = torch.ones(3)
    a.add_(1)
    assert a._cdata in numbers
    torch.utils.swap_tensors(a, b)
    first, second = a._cdata, b._cdata
    assert len({first, second, *numbers}) == 4
    torch.utils.swap_tensors(a, b)
    assert (a._cdata, b._cdata) == (second, first)
    future.set_swap_module_params_on_conversion(True)
    net = nn.Linear(2, 1)
    was, known = net.weight, net.weight._cdata
    net.float()
    assert net.weight is was
    assert net.weight._cdata != known
